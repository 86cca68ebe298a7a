func.func @planes_layer_norm(%x: tensor<?x96x7x8xbf16> {fuse.dims = ["b"]}, %w: tensor<96xbf16>, %c: tensor<96xbf16>, %g: tensor<7x1x1xf32>) -> (tensor<?x96x7x8xbf16>, tensor<?x7x8xf32>) {
  %t = fuse.transpose %x permutation = [0, 2, 3, 1] : tensor<?x96x7x8xbf16> -> tensor<?x7x8x96xbf16>
  %n = fuse.layer_norm %t, %w, %c eps = 1.0e-6 : tensor<?x7x8x96xbf16>, tensor<96xbf16>, tensor<96xbf16>
  %f = fuse.cast %n : tensor<?x7x8x96xbf16> -> tensor<?x7x8x96xf32>
  %s = fuse.mul %f, %g : tensor<?x7x8x96xf32>, tensor<7x1x1xf32>
  %m = fuse.reduce max %s dims = [3] : tensor<?x7x8x96xf32> -> tensor<?x7x8xf32>
  %h = fuse.cast %s : tensor<?x7x8x96xf32> -> tensor<?x7x8x96xbf16>
  %y = fuse.transpose %h permutation = [0, 3, 1, 2] : tensor<?x7x8x96xbf16> -> tensor<?x96x7x8xbf16>
  return %y, %m : tensor<?x96x7x8xbf16>, tensor<?x7x8xf32>
}
