// CLIP's loss, along rows and along columns.
func.func @contrastive_loss(%x: tensor<256x256xf32>) -> (tensor<f32>) {
  %1 = fuse.iota dim = 0 : tensor<256xi32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [256, 1] : tensor<256xi32> into tensor<256x1xi32>
  %3 = fuse.take_along %x, %2 dim = 1 : tensor<256x256xf32>, tensor<256x1xi32> -> tensor<256x1xf32>
  %4 = fuse.logsumexp %x dims = [1] keep : tensor<256x256xf32> -> tensor<256x1xf32>
  %5 = fuse.logsumexp %x dims = [0] keep : tensor<256x256xf32> -> tensor<1x256xf32>
  %6 = fuse.sub %4, %3 : tensor<256x1xf32>, tensor<256x1xf32> -> tensor<256x1xf32>
  %7 = fuse.reduce mean %6 dims = [0, 1] : tensor<256x1xf32> -> tensor<f32>
  %8 = fuse.transpose %5 permutation = [1, 0] : tensor<1x256xf32> -> tensor<256x1xf32>
  %9 = fuse.sub %8, %3 : tensor<256x1xf32>, tensor<256x1xf32> -> tensor<256x1xf32>
  %10 = fuse.reduce mean %9 dims = [0, 1] : tensor<256x1xf32> -> tensor<f32>
  %11 = fuse.add %7, %10 : tensor<f32>, tensor<f32> -> tensor<f32>
  %12 = fuse.constant dense<0.5> : tensor<f32>
  %13 = fuse.mul %11, %12 : tensor<f32>, tensor<f32> -> tensor<f32>
  return %13 : tensor<f32>
}
