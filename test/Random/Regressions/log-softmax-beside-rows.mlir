// So is the maximum beside a softmax: one walk has both.
// RUN: fuse-crosscheck %s
func.func @program(%x: tensor<24x64xf64>, %y: tensor<24xf64>) -> (tensor<24xf64>, tensor<24xf64>, tensor<f64>) {
  %s = fuse.reduce sum %x dims = [1] : tensor<24x64xf64> -> tensor<24xf64>
  %d = fuse.sub %s, %y : tensor<24xf64>
  %l = fuse.log_softmax %y dims = [0] : tensor<24xf64>
  %m = fuse.reduce max %y dims = [0] : tensor<24xf64> -> tensor<f64>
  return %d, %l, %m : tensor<24xf64>, tensor<24xf64>, tensor<f64>
}
