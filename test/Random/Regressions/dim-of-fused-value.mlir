// A reshape whose size is that of a value of the same kernel made the kernels a
// cycle.
// RUN: fuse-crosscheck %s
// --dim n=5

func.func @program(%a: tensor<1x1x?xf32> {fuse.dims = ["n"]}, %b: tensor<1x?xf32> {fuse.dims = ["n"]}) -> tensor<1x1x?xi1> {
  %e = fuse.exp %b : tensor<1x?xf32>
  %c1 = arith.constant 1 : index
  %n = tensor.dim %e, %c1 : tensor<1x?xf32>
  %r = tensor.expand_shape %e [[0, 1], [2]] output_shape [1, 1, %n] : tensor<1x?xf32> into tensor<1x1x?xf32>
  %y = fuse.compare ne %r, %a : tensor<1x1x?xf32>, tensor<1x1x?xf32> -> tensor<1x1x?xi1>
  return %y : tensor<1x1x?xi1>
}
