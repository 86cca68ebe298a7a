// RUN: fuse-crosscheck %s
// A dynamic size that is a sum of sums was not seen to equal one sum, and its split was
// refused.
// --dim d0=1
// --dim d1=2
// --seed 3013046
// --fill normal
// --check unfused
func.func @program(%a0: tensor<1x1x?xf32> {fuse.dims = ["d0"]}, %a1: tensor<?x1x?xf32> {fuse.dims = ["d1", "d0"]}, %a2: tensor<1x1x?xf32> {fuse.dims = ["d0"]}) -> (tensor<?x1x1x1x?xf32>) {
  %v0 = fuse.concat %a0, %a0, %a1, %a2 dim = 0 : tensor<1x1x?xf32>, tensor<1x1x?xf32>, tensor<?x1x?xf32>, tensor<1x1x?xf32> -> tensor<?x1x?xf32>
  %v4_c0 = arith.constant 0 : index
  %v4_d0 = tensor.dim %v0, %v4_c0 : tensor<?x1x?xf32>
  %v4_c4 = arith.constant 2 : index
  %v4_d4 = tensor.dim %v0, %v4_c4 : tensor<?x1x?xf32>
  %v4 = tensor.expand_shape %v0 [[0, 1], [2, 3], [4]] output_shape [%v4_d0, 1, 1, 1, %v4_d4] : tensor<?x1x?xf32> into tensor<?x1x1x1x?xf32>
  return %v4 : tensor<?x1x1x1x?xf32>
}
