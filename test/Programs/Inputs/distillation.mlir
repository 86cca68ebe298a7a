// A student's divergence from its teacher.
func.func @distillation(%s: tensor<?x256xbf16> {fuse.dims = ["n"]}, %t: tensor<?x256xbf16> {fuse.dims = ["n"]}) -> (tensor<f32>) {
  %1 = fuse.cast %s : tensor<?x256xbf16> -> tensor<?x256xf32>
  %2 = fuse.constant dense<0.5> : tensor<f32>
  %3 = fuse.mul %1, %2 : tensor<?x256xf32>, tensor<f32> -> tensor<?x256xf32>
  %4 = fuse.log_softmax %3 dims = [1] : tensor<?x256xf32>
  %5 = fuse.cast %t : tensor<?x256xbf16> -> tensor<?x256xf32>
  %6 = fuse.mul %5, %2 : tensor<?x256xf32>, tensor<f32> -> tensor<?x256xf32>
  %7 = fuse.log_softmax %6 dims = [1] : tensor<?x256xf32>
  %8 = fuse.exp %7 : tensor<?x256xf32> -> tensor<?x256xf32>
  %9 = fuse.sub %7, %4 : tensor<?x256xf32>, tensor<?x256xf32> -> tensor<?x256xf32>
  %10 = fuse.mul %8, %9 : tensor<?x256xf32>, tensor<?x256xf32> -> tensor<?x256xf32>
  %11 = fuse.reduce sum %10 dims = [1] : tensor<?x256xf32> -> tensor<?xf32>
  %12 = fuse.reduce mean %11 dims = [0] : tensor<?xf32> -> tensor<f32>
  %13 = fuse.constant dense<4.0> : tensor<f32>
  %14 = fuse.mul %12, %13 : tensor<f32>, tensor<f32> -> tensor<f32>
  return %14 : tensor<f32>
}
