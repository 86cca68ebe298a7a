// A norm, quantised by groups of 128 with a scale each.
func.func @norm_then_groups(%x: tensor<?x4096xbf16> {fuse.dims = ["n"]},
                            %w: tensor<4096xbf16>)
    -> (tensor<?x32x128xi8>, tensor<?x32x1xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4096xbf16>
  %f = fuse.cast %x : tensor<?x4096xbf16> -> tensor<?x4096xf32>
  %wf = fuse.cast %w : tensor<4096xbf16> -> tensor<4096xf32>
  %y = fuse.rms_norm %f, %wf eps = 1.0e-6 : tensor<?x4096xf32>, tensor<4096xf32>
  %g = tensor.expand_shape %y [[0], [1, 2]] output_shape [%n, 32, 128] : tensor<?x4096xf32> into tensor<?x32x128xf32>
  %a = fuse.abs %g : tensor<?x32x128xf32>
  %m = fuse.reduce max %a dims = [2] keep : tensor<?x32x128xf32> -> tensor<?x32x1xf32>
  %c = fuse.constant dense<127.0> : tensor<f32>
  %s = fuse.div %m, %c : tensor<?x32x1xf32>, tensor<f32> -> tensor<?x32x1xf32>
  %q = fuse.div %g, %s : tensor<?x32x128xf32>, tensor<?x32x1xf32> -> tensor<?x32x128xf32>
  %r = fuse.round %q : tensor<?x32x128xf32>
  %i = fuse.cast %r : tensor<?x32x128xf32> -> tensor<?x32x128xi8>
  return %i, %s : tensor<?x32x128xi8>, tensor<?x32x1xf32>
}
