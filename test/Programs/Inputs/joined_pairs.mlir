// Two values as the elements of pairs.
func.func @joined_pairs(%x: tensor<?x64xf32> {fuse.dims = ["n"]},
                        %y: tensor<?x64xf32> {fuse.dims = ["n"]})
    -> tensor<?x128xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %a = fuse.add %x, %y : tensor<?x64xf32>
  %b = fuse.sub %x, %y : tensor<?x64xf32>
  %ea = tensor.expand_shape %a [[0], [1, 2]] output_shape [%n, 64, 1] : tensor<?x64xf32> into tensor<?x64x1xf32>
  %eb = tensor.expand_shape %b [[0], [1, 2]] output_shape [%n, 64, 1] : tensor<?x64xf32> into tensor<?x64x1xf32>
  %c = fuse.concat %ea, %eb dim = 2 : tensor<?x64x1xf32>, tensor<?x64x1xf32> -> tensor<?x64x2xf32>
  %r = tensor.collapse_shape %c [[0], [1, 2]] : tensor<?x64x2xf32> into tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}
