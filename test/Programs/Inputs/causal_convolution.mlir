// A convolution of width 4 along time, each channel for itself, as shifts.
func.func @causal_convolution(%x: tensor<?x512xbf16> {fuse.dims = ["t"]}, %w: tensor<4x512xbf16>, %bias: tensor<512xbf16>) -> (tensor<?x512xbf16>) {
  %1 = fuse.pad %x low = [3, 0] high = [0, 0] value = 0.0 : tensor<?x512xbf16> -> tensor<?x512xbf16>
  %2 = fuse.slice %1 offsets = [0, 0] sizes = [-4, 512] steps = [1, 1] : tensor<?x512xbf16> -> tensor<?x512xbf16>
  %3 = fuse.cast %2 : tensor<?x512xbf16> -> tensor<?x512xf32>
  %4 = fuse.slice %w offsets = [0, 0] sizes = [1, 512] steps = [1, 1] : tensor<4x512xbf16> -> tensor<1x512xbf16>
  %5 = tensor.collapse_shape %4 [[0, 1]] : tensor<1x512xbf16> into tensor<512xbf16>
  %6 = fuse.cast %5 : tensor<512xbf16> -> tensor<512xf32>
  %7 = fuse.mul %3, %6 : tensor<?x512xf32>, tensor<512xf32> -> tensor<?x512xf32>
  %8 = fuse.slice %1 offsets = [1, 0] sizes = [-3, 512] steps = [1, 1] : tensor<?x512xbf16> -> tensor<?x512xbf16>
  %9 = fuse.cast %8 : tensor<?x512xbf16> -> tensor<?x512xf32>
  %10 = fuse.slice %w offsets = [1, 0] sizes = [1, 512] steps = [1, 1] : tensor<4x512xbf16> -> tensor<1x512xbf16>
  %11 = tensor.collapse_shape %10 [[0, 1]] : tensor<1x512xbf16> into tensor<512xbf16>
  %12 = fuse.cast %11 : tensor<512xbf16> -> tensor<512xf32>
  %13 = fuse.mul %9, %12 : tensor<?x512xf32>, tensor<512xf32> -> tensor<?x512xf32>
  %14 = fuse.add %7, %13 : tensor<?x512xf32>, tensor<?x512xf32> -> tensor<?x512xf32>
  %15 = fuse.slice %1 offsets = [2, 0] sizes = [-2, 512] steps = [1, 1] : tensor<?x512xbf16> -> tensor<?x512xbf16>
  %16 = fuse.cast %15 : tensor<?x512xbf16> -> tensor<?x512xf32>
  %17 = fuse.slice %w offsets = [2, 0] sizes = [1, 512] steps = [1, 1] : tensor<4x512xbf16> -> tensor<1x512xbf16>
  %18 = tensor.collapse_shape %17 [[0, 1]] : tensor<1x512xbf16> into tensor<512xbf16>
  %19 = fuse.cast %18 : tensor<512xbf16> -> tensor<512xf32>
  %20 = fuse.mul %16, %19 : tensor<?x512xf32>, tensor<512xf32> -> tensor<?x512xf32>
  %21 = fuse.add %14, %20 : tensor<?x512xf32>, tensor<?x512xf32> -> tensor<?x512xf32>
  %22 = fuse.slice %1 offsets = [3, 0] sizes = [-1, 512] steps = [1, 1] : tensor<?x512xbf16> -> tensor<?x512xbf16>
  %23 = fuse.cast %22 : tensor<?x512xbf16> -> tensor<?x512xf32>
  %24 = fuse.slice %w offsets = [3, 0] sizes = [1, 512] steps = [1, 1] : tensor<4x512xbf16> -> tensor<1x512xbf16>
  %25 = tensor.collapse_shape %24 [[0, 1]] : tensor<1x512xbf16> into tensor<512xbf16>
  %26 = fuse.cast %25 : tensor<512xbf16> -> tensor<512xf32>
  %27 = fuse.mul %23, %26 : tensor<?x512xf32>, tensor<512xf32> -> tensor<?x512xf32>
  %28 = fuse.add %21, %27 : tensor<?x512xf32>, tensor<?x512xf32> -> tensor<?x512xf32>
  %29 = fuse.cast %bias : tensor<512xbf16> -> tensor<512xf32>
  %30 = fuse.add %28, %29 : tensor<?x512xf32>, tensor<512xf32> -> tensor<?x512xf32>
  %31 = fuse.silu %30 : tensor<?x512xf32> -> tensor<?x512xf32>
  %32 = fuse.cast %31 : tensor<?x512xf32> -> tensor<?x512xbf16>
  return %32 : tensor<?x512xbf16>
}
