// A sum over no dimension crashed the lowering of rows.
// RUN: fuse-crosscheck %s

func.func @program(%x: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %s = fuse.reduce sum %x dims = [] : tensor<4x5xf32> -> tensor<4x5xf32>
  %m = fuse.reduce mean %x dims = [] keep : tensor<4x5xf32> -> tensor<4x5xf32>
  return %s, %m : tensor<4x5xf32>, tensor<4x5xf32>
}
