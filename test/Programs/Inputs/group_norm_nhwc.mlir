// Group norm where channels come last, ten of them a group.
func.func @group_norm_nhwc(%x: tensor<4x16x16x320xbf16>, %w: tensor<320xf32>) -> (tensor<4x16x16x320xbf16>) {
  %1 = fuse.cast %x : tensor<4x16x16x320xbf16> -> tensor<4x16x16x320xf32>
  %2 = tensor.collapse_shape %1 [[0], [1, 2], [3]] : tensor<4x16x16x320xf32> into tensor<4x256x320xf32>
  %3 = tensor.expand_shape %2 [[0], [1], [2, 3]] output_shape [4, 256, 32, 10] : tensor<4x256x320xf32> into tensor<4x256x32x10xf32>
  %4 = fuse.reduce mean %3 dims = [1, 3] keep : tensor<4x256x32x10xf32> -> tensor<4x1x32x1xf32>
  %5 = fuse.sub %3, %4 : tensor<4x256x32x10xf32>, tensor<4x1x32x1xf32> -> tensor<4x256x32x10xf32>
  %6 = fuse.mul %5, %5 : tensor<4x256x32x10xf32>, tensor<4x256x32x10xf32> -> tensor<4x256x32x10xf32>
  %7 = fuse.reduce mean %6 dims = [1, 3] keep : tensor<4x256x32x10xf32> -> tensor<4x1x32x1xf32>
  %8 = fuse.sub %3, %4 : tensor<4x256x32x10xf32>, tensor<4x1x32x1xf32> -> tensor<4x256x32x10xf32>
  %9 = fuse.constant dense<9.999999747378752e-06> : tensor<f32>
  %10 = fuse.add %7, %9 : tensor<4x1x32x1xf32>, tensor<f32> -> tensor<4x1x32x1xf32>
  %11 = fuse.rsqrt %10 : tensor<4x1x32x1xf32> -> tensor<4x1x32x1xf32>
  %12 = fuse.mul %8, %11 : tensor<4x256x32x10xf32>, tensor<4x1x32x1xf32> -> tensor<4x256x32x10xf32>
  %13 = tensor.collapse_shape %12 [[0], [1], [2, 3]] : tensor<4x256x32x10xf32> into tensor<4x256x320xf32>
  %14 = tensor.expand_shape %13 [[0], [1, 2], [3]] output_shape [4, 16, 16, 320] : tensor<4x256x320xf32> into tensor<4x16x16x320xf32>
  %15 = fuse.mul %14, %w : tensor<4x16x16x320xf32>, tensor<320xf32> -> tensor<4x16x16x320xf32>
  %16 = fuse.cast %15 : tensor<4x16x16x320xf32> -> tensor<4x16x16x320xbf16>
  return %16 : tensor<4x16x16x320xbf16>
}
