// The larger half of each four neighbours, and whether an element is among the largest of these.
func.func @chosen_of_row(%x: tensor<?x100xf32> {fuse.dims = ["t"]}) -> (tensor<?x25x4xf32>, tensor<?x100xi1>) {
  %zero = arith.constant 0 : index
  %t = tensor.dim %x, %zero : tensor<?x100xf32>
  %g = tensor.expand_shape %x [[0], [1, 2]] output_shape [%t, 25, 4] : tensor<?x100xf32> into tensor<?x25x4xf32>
  %w, %j = fuse.top_k %g k = 2 smallest : tensor<?x25x4xf32> -> tensor<?x25x2xf32>, tensor<?x25x2xi64>
  %last = fuse.slice %w offsets = [0, 0, 1] sizes = [-1, 25, 1] : tensor<?x25x2xf32> -> tensor<?x25x1xf32>
  %in = fuse.compare gt %g, %last : tensor<?x25x4xf32>, tensor<?x25x1xf32>
  %o = fuse.constant dense<0.0> : tensor<f32>
  %y = fuse.select %in, %g, %o : tensor<?x25x4xi1>, tensor<?x25x4xf32>, tensor<f32>
  %r = tensor.collapse_shape %y [[0], [1, 2]] : tensor<?x25x4xf32> into tensor<?x100xf32>
  %v, %i = fuse.top_k %r k = 8 : tensor<?x100xf32> -> tensor<?x8xf32>, tensor<?x8xi32>
  %ie = tensor.expand_shape %i [[0], [1, 2]] output_shape [%t, 8, 1] : tensor<?x8xi32> into tensor<?x8x1xi32>
  %n = fuse.iota dim = 0 : tensor<100xi32>
  %c = fuse.compare eq %ie, %n : tensor<?x8x1xi32>, tensor<100xi32> -> tensor<?x8x100xi1>
  %a = fuse.reduce any %c dims = [1] : tensor<?x8x100xi1> -> tensor<?x100xi1>
  return %y, %a : tensor<?x25x4xf32>, tensor<?x100xi1>
}
