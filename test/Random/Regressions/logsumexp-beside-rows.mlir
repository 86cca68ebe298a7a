// The maximum and the sum of a logsumexp become one walk when kernels are formed,
// which was taken for a reduction of the rows that another input has.
// RUN: fuse-crosscheck %s
func.func @program(%x: tensor<5x17xf32>, %y: tensor<5xf32>) -> (tensor<5xf32>, tensor<f32>) {
  %m = fuse.reduce max %x dims = [1] : tensor<5x17xf32> -> tensor<5xf32>
  %s = fuse.sub %m, %y : tensor<5xf32>
  %l = fuse.logsumexp %y dims = [0] : tensor<5xf32> -> tensor<f32>
  return %s, %l : tensor<5xf32>, tensor<f32>
}
