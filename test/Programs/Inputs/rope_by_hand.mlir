// Pairs of neighbours, taken apart and joined again.
func.func @rope_by_hand(%x: tensor<?x8x128xbf16> {fuse.dims = ["n"]},
                        %cos: tensor<?x64xf32> {fuse.dims = ["n"]},
                        %sin: tensor<?x64xf32> {fuse.dims = ["n"]})
    -> tensor<?x8x128xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x128xbf16>
  %f = fuse.cast %x : tensor<?x8x128xbf16> -> tensor<?x8x128xf32>
  %p = tensor.expand_shape %f [[0], [1], [2, 3]] output_shape [%n, 8, 64, 2] : tensor<?x8x128xf32> into tensor<?x8x64x2xf32>
  %es = fuse.slice %p offsets = [0, 0, 0, 0] sizes = [-1, 8, 64, 1] : tensor<?x8x64x2xf32> -> tensor<?x8x64x1xf32>
  %os = fuse.slice %p offsets = [0, 0, 0, 1] sizes = [-1, 8, 64, 1] : tensor<?x8x64x2xf32> -> tensor<?x8x64x1xf32>
  %e = tensor.collapse_shape %es [[0], [1], [2, 3]] : tensor<?x8x64x1xf32> into tensor<?x8x64xf32>
  %o = tensor.collapse_shape %os [[0], [1], [2, 3]] : tensor<?x8x64x1xf32> into tensor<?x8x64xf32>
  %m = tensor.dim %cos, %c0 : tensor<?x64xf32>
  %ec = tensor.expand_shape %cos [[0, 1], [2]] output_shape [%m, 1, 64] : tensor<?x64xf32> into tensor<?x1x64xf32>
  %esn = tensor.expand_shape %sin [[0, 1], [2]] output_shape [%m, 1, 64] : tensor<?x64xf32> into tensor<?x1x64xf32>
  %a0 = fuse.mul %e, %ec : tensor<?x8x64xf32>, tensor<?x1x64xf32> -> tensor<?x8x64xf32>
  %a1 = fuse.mul %o, %esn : tensor<?x8x64xf32>, tensor<?x1x64xf32> -> tensor<?x8x64xf32>
  %b0 = fuse.mul %e, %esn : tensor<?x8x64xf32>, tensor<?x1x64xf32> -> tensor<?x8x64xf32>
  %b1 = fuse.mul %o, %ec : tensor<?x8x64xf32>, tensor<?x1x64xf32> -> tensor<?x8x64xf32>
  %a = fuse.sub %a0, %a1 : tensor<?x8x64xf32>
  %b = fuse.add %b0, %b1 : tensor<?x8x64xf32>
  %ea = tensor.expand_shape %a [[0], [1], [2, 3]] output_shape [%n, 8, 64, 1] : tensor<?x8x64xf32> into tensor<?x8x64x1xf32>
  %eb = tensor.expand_shape %b [[0], [1], [2, 3]] output_shape [%n, 8, 64, 1] : tensor<?x8x64xf32> into tensor<?x8x64x1xf32>
  %c = fuse.concat %ea, %eb dim = 3 : tensor<?x8x64x1xf32>, tensor<?x8x64x1xf32> -> tensor<?x8x64x2xf32>
  %r = tensor.collapse_shape %c [[0], [1], [2, 3]] : tensor<?x8x64x2xf32> into tensor<?x8x128xf32>
  %t = fuse.cast %r : tensor<?x8x128xf32> -> tensor<?x8x128xbf16>
  return %t : tensor<?x8x128xbf16>
}
