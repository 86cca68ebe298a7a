// Mean and variance of the channels of images.
func.func @image_statistics(%x: tensor<8x64x28x28xf32>)
    -> (tensor<64xf32>, tensor<64xf32>) {
  %m = fuse.reduce mean %x dims = [0, 2, 3] : tensor<8x64x28x28xf32> -> tensor<64xf32>
  %u = tensor.expand_shape %m [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
  %d = fuse.sub %x, %u : tensor<8x64x28x28xf32>, tensor<64x1x1xf32> -> tensor<8x64x28x28xf32>
  %q = fuse.mul %d, %d : tensor<8x64x28x28xf32>
  %v = fuse.reduce mean %q dims = [0, 2, 3] : tensor<8x64x28x28xf32> -> tensor<64xf32>
  return %m, %v : tensor<64xf32>, tensor<64xf32>
}
