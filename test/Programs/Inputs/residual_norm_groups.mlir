// A residual, its norm, and that quantised by groups of 128: all are returned,
// the scales turned.
func.func @residual_norm_groups(%x: tensor<?x1024xbf16> {fuse.dims = ["n"]},
                                %h: tensor<?x1024xbf16> {fuse.dims = ["n"]},
                                %w: tensor<1024xbf16>)
    -> (tensor<?x1024xf8E4M3FN>, tensor<8x?xf32>, tensor<?x1024xbf16>, tensor<?x1024xbf16>) {
  %xf = fuse.cast %x : tensor<?x1024xbf16> -> tensor<?x1024xf32>
  %hf = fuse.cast %h : tensor<?x1024xbf16> -> tensor<?x1024xf32>
  %s = fuse.add %xf, %hf : tensor<?x1024xf32>
  %r = fuse.cast %s : tensor<?x1024xf32> -> tensor<?x1024xbf16>
  %y = fuse.rms_norm %r, %w eps = 1.0e-6 : tensor<?x1024xbf16>, tensor<1024xbf16>
  %f = fuse.cast %y : tensor<?x1024xbf16> -> tensor<?x1024xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x1024xbf16>
  %g = tensor.expand_shape %f [[0], [1, 2]] output_shape [%n, 8, 128] : tensor<?x1024xf32> into tensor<?x8x128xf32>
  %a = fuse.abs %g : tensor<?x8x128xf32>
  %m = fuse.reduce max %a dims = [2] : tensor<?x8x128xf32> -> tensor<?x8xf32>
  %least = fuse.constant dense<1.0e-4> : tensor<f32>
  %c = fuse.constant dense<448.0> : tensor<f32>
  %l = fuse.max %m, %least : tensor<?x8xf32>, tensor<f32> -> tensor<?x8xf32>
  %d = fuse.div %l, %c : tensor<?x8xf32>, tensor<f32> -> tensor<?x8xf32>
  %u = tensor.expand_shape %d [[0], [1, 2]] output_shape [%n, 8, 1] : tensor<?x8xf32> into tensor<?x8x1xf32>
  %q = fuse.div %g, %u : tensor<?x8x128xf32>, tensor<?x8x1xf32> -> tensor<?x8x128xf32>
  %e = fuse.cast %q : tensor<?x8x128xf32> -> tensor<?x8x128xf8E4M3FN>
  %z = tensor.collapse_shape %e [[0], [1, 2]] : tensor<?x8x128xf8E4M3FN> into tensor<?x1024xf8E4M3FN>
  %t = fuse.transpose %d permutation = [1, 0] : tensor<?x8xf32> -> tensor<8x?xf32>
  return %z, %t, %r, %y : tensor<?x1024xf8E4M3FN>, tensor<8x?xf32>, tensor<?x1024xbf16>, tensor<?x1024xbf16>
}
