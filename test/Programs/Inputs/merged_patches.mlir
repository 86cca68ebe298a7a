// Swin: four neighbours side by side, and their norm.
func.func @merged_patches(%x: tensor<?x56x56x96xbf16> {fuse.dims = ["b"]}, %w: tensor<384xbf16>, %c: tensor<384xbf16>) -> (tensor<?x384xbf16>) {
  %2 = arith.constant 0 : index
  %1 = tensor.dim %x, %2 : tensor<?x56x56x96xbf16>
  %3 = tensor.expand_shape %x [[0], [1, 2], [3, 4], [5]] output_shape [%1, 28, 2, 28, 2, 96] : tensor<?x56x56x96xbf16> into tensor<?x28x2x28x2x96xbf16>
  %4 = fuse.slice %3 offsets = [0, 0, 0, 0, 0, 0] sizes = [-1, 28, 1, 28, 2, 96] steps = [1, 1, 1, 1, 1, 1] : tensor<?x28x2x28x2x96xbf16> -> tensor<?x28x1x28x2x96xbf16>
  %5 = fuse.slice %4 offsets = [0, 0, 0, 0, 0, 0] sizes = [-1, 28, 1, 28, 1, 96] steps = [1, 1, 1, 1, 1, 1] : tensor<?x28x1x28x2x96xbf16> -> tensor<?x28x1x28x1x96xbf16>
  %6 = tensor.collapse_shape %5 [[0], [1], [2, 3], [4, 5]] : tensor<?x28x1x28x1x96xbf16> into tensor<?x28x28x96xbf16>
  %7 = fuse.slice %3 offsets = [0, 0, 1, 0, 0, 0] sizes = [-1, 28, 1, 28, 2, 96] steps = [1, 1, 1, 1, 1, 1] : tensor<?x28x2x28x2x96xbf16> -> tensor<?x28x1x28x2x96xbf16>
  %8 = fuse.slice %7 offsets = [0, 0, 0, 0, 0, 0] sizes = [-1, 28, 1, 28, 1, 96] steps = [1, 1, 1, 1, 1, 1] : tensor<?x28x1x28x2x96xbf16> -> tensor<?x28x1x28x1x96xbf16>
  %9 = tensor.collapse_shape %8 [[0], [1], [2, 3], [4, 5]] : tensor<?x28x1x28x1x96xbf16> into tensor<?x28x28x96xbf16>
  %10 = fuse.slice %3 offsets = [0, 0, 0, 0, 0, 0] sizes = [-1, 28, 1, 28, 2, 96] steps = [1, 1, 1, 1, 1, 1] : tensor<?x28x2x28x2x96xbf16> -> tensor<?x28x1x28x2x96xbf16>
  %11 = fuse.slice %10 offsets = [0, 0, 0, 0, 1, 0] sizes = [-1, 28, 1, 28, 1, 96] steps = [1, 1, 1, 1, 1, 1] : tensor<?x28x1x28x2x96xbf16> -> tensor<?x28x1x28x1x96xbf16>
  %12 = tensor.collapse_shape %11 [[0], [1], [2, 3], [4, 5]] : tensor<?x28x1x28x1x96xbf16> into tensor<?x28x28x96xbf16>
  %13 = fuse.slice %3 offsets = [0, 0, 1, 0, 0, 0] sizes = [-1, 28, 1, 28, 2, 96] steps = [1, 1, 1, 1, 1, 1] : tensor<?x28x2x28x2x96xbf16> -> tensor<?x28x1x28x2x96xbf16>
  %14 = fuse.slice %13 offsets = [0, 0, 0, 0, 1, 0] sizes = [-1, 28, 1, 28, 1, 96] steps = [1, 1, 1, 1, 1, 1] : tensor<?x28x1x28x2x96xbf16> -> tensor<?x28x1x28x1x96xbf16>
  %15 = tensor.collapse_shape %14 [[0], [1], [2, 3], [4, 5]] : tensor<?x28x1x28x1x96xbf16> into tensor<?x28x28x96xbf16>
  %16 = fuse.concat %6, %9, %12, %15 dim = 3 : tensor<?x28x28x96xbf16>, tensor<?x28x28x96xbf16>, tensor<?x28x28x96xbf16>, tensor<?x28x28x96xbf16> -> tensor<?x28x28x384xbf16>
  %17 = tensor.collapse_shape %16 [[0, 1, 2], [3]] : tensor<?x28x28x384xbf16> into tensor<?x384xbf16>
  %18 = fuse.cast %17 : tensor<?x384xbf16> -> tensor<?x384xf32>
  %19 = fuse.reduce mean %18 dims = [1] keep : tensor<?x384xf32> -> tensor<?x1xf32>
  %20 = fuse.sub %18, %19 : tensor<?x384xf32>, tensor<?x1xf32> -> tensor<?x384xf32>
  %21 = fuse.mul %20, %20 : tensor<?x384xf32>, tensor<?x384xf32> -> tensor<?x384xf32>
  %22 = fuse.reduce mean %21 dims = [1] keep : tensor<?x384xf32> -> tensor<?x1xf32>
  %23 = fuse.sub %18, %19 : tensor<?x384xf32>, tensor<?x1xf32> -> tensor<?x384xf32>
  %24 = fuse.constant dense<9.999999747378752e-06> : tensor<f32>
  %25 = fuse.add %22, %24 : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %26 = fuse.rsqrt %25 : tensor<?x1xf32> -> tensor<?x1xf32>
  %27 = fuse.mul %23, %26 : tensor<?x384xf32>, tensor<?x1xf32> -> tensor<?x384xf32>
  %28 = fuse.cast %w : tensor<384xbf16> -> tensor<384xf32>
  %29 = fuse.mul %27, %28 : tensor<?x384xf32>, tensor<384xf32> -> tensor<?x384xf32>
  %30 = fuse.cast %c : tensor<384xbf16> -> tensor<384xf32>
  %31 = fuse.add %29, %30 : tensor<?x384xf32>, tensor<384xf32> -> tensor<?x384xf32>
  %32 = fuse.cast %31 : tensor<?x384xf32> -> tensor<?x384xbf16>
  return %32 : tensor<?x384xbf16>
}
