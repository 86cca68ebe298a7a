// Means and deviations over the tokens that a mask leaves, beside each other.
func.func @statistics_pooling(%x: tensor<?x?x512xf32> {fuse.dims = ["b", "t"]}, %mask: tensor<?x?x1xf32> {fuse.dims = ["b", "t"]}) -> tensor<?x1024xf32> {
  %n = fuse.reduce sum %mask dims = [1] : tensor<?x?x1xf32> -> tensor<?x1xf32>
  %m = fuse.mul %x, %mask : tensor<?x?x512xf32>, tensor<?x?x1xf32> -> tensor<?x?x512xf32>
  %s = fuse.reduce sum %m dims = [1] : tensor<?x?x512xf32> -> tensor<?x512xf32>
  %mean = fuse.div %s, %n : tensor<?x512xf32>, tensor<?x1xf32> -> tensor<?x512xf32>
  %q = fuse.mul %m, %x : tensor<?x?x512xf32>
  %t = fuse.reduce sum %q dims = [1] : tensor<?x?x512xf32> -> tensor<?x512xf32>
  %square = fuse.div %t, %n : tensor<?x512xf32>, tensor<?x1xf32> -> tensor<?x512xf32>
  %u = fuse.mul %mean, %mean : tensor<?x512xf32>
  %v = fuse.sub %square, %u : tensor<?x512xf32>
  %least = fuse.constant dense<1.0e-6> : tensor<f32>
  %w = fuse.max %v, %least : tensor<?x512xf32>, tensor<f32> -> tensor<?x512xf32>
  %d = fuse.sqrt %w : tensor<?x512xf32>
  %y = fuse.concat %mean, %d dim = 1 : tensor<?x512xf32>, tensor<?x512xf32> -> tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}
