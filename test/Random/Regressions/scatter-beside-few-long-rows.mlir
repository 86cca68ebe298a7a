// Few rows are reduced by the blocks of a grid, which scatter nothing.
// RUN: fuse-crosscheck %s
// --dim d0=5
func.func @program(%into: tensor<8x2x?xf32> {fuse.dims = ["d0"]}, %x: tensor<2x2x?xf32> {fuse.dims = ["d0"]}) -> (tensor<8x2x?xf32>, tensor<2x1x1xf32>) {
  %ids = fuse.iota dim = 0 : tensor<2xi64>
  %y = fuse.scatter %into, %ids, %x dim = 0 : tensor<8x2x?xf32>, tensor<2xi64>, tensor<2x2x?xf32> -> tensor<8x2x?xf32>
  %m = fuse.reduce mean %x dims = [1, 2] keep : tensor<2x2x?xf32> -> tensor<2x1x1xf32>
  return %y, %m : tensor<8x2x?xf32>, tensor<2x1x1xf32>
}
