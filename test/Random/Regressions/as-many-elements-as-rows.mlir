// RUN: fuse-crosscheck %s
// A tensor with as many elements as another has rows is not reduced across these.

func.func @program(%a: tensor<64x2xf32>, %x: tensor<128x32xf64>) -> (tensor<f32>, tensor<128x32xf64>) {
  %m = fuse.reduce max %a dims = [0, 1] : tensor<64x2xf32> -> tensor<f32>
  %s = fuse.softmax %x dims = [1] : tensor<128x32xf64>
  return %m, %s : tensor<f32>, tensor<128x32xf64>
}
