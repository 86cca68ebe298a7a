// Losses of labels that are not ignored over their count.
func.func @mean_of_valid(%x: tensor<?x4096xbf16> {fuse.dims = ["n"]},
                         %t: tensor<?xi64> {fuse.dims = ["n"]})
    -> tensor<f32> {
  %f = fuse.cast %x : tensor<?x4096xbf16> -> tensor<?x4096xf32>
  %l = fuse.logsumexp %f dims = [1] : tensor<?x4096xf32> -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4096xbf16>
  %cols = fuse.iota dim = 1 like %f : tensor<?x4096xf32> -> tensor<?x4096xi64>
  %ut = tensor.expand_shape %t [[0, 1]] output_shape [%n, 1] : tensor<?xi64> into tensor<?x1xi64>
  %eq = fuse.compare eq %cols, %ut : tensor<?x4096xi64>, tensor<?x1xi64> -> tensor<?x4096xi1>
  %z = fuse.constant dense<0.0> : tensor<f32>
  %sel = fuse.select %eq, %f, %z : tensor<?x4096xi1>, tensor<?x4096xf32>, tensor<f32> -> tensor<?x4096xf32>
  %p = fuse.reduce sum %sel dims = [1] : tensor<?x4096xf32> -> tensor<?xf32>
  %loss = fuse.sub %l, %p : tensor<?xf32>
  %ig = fuse.constant dense<-100> : tensor<i64>
  %valid = fuse.compare ne %t, %ig : tensor<?xi64>, tensor<i64> -> tensor<?xi1>
  %lv = fuse.select %valid, %loss, %z : tensor<?xi1>, tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %vf = fuse.cast %valid : tensor<?xi1> -> tensor<?xf32>
  %sum = fuse.reduce sum %lv dims = [0] : tensor<?xf32> -> tensor<f32>
  %cnt = fuse.reduce sum %vf dims = [0] : tensor<?xf32> -> tensor<f32>
  %r = fuse.div %sum, %cnt : tensor<f32>
  return %r : tensor<f32>
}
