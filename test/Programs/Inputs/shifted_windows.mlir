// Swin: a norm, rolled by 3 in both dimensions, in windows of 7 x 7.
func.func @shifted_windows(%x: tensor<?x14x14x32xf32> {fuse.dims = ["n"]}, %w: tensor<32xf32>, %bb: tensor<32xf32>) -> (tensor<?x2x2x49x32xf32>) {
  %19 = arith.constant 0 : index
  %1 = fuse.reduce mean %x dims = [3] keep : tensor<?x14x14x32xf32> -> tensor<?x14x14x1xf32>
  %2 = fuse.sub %x, %1 : tensor<?x14x14x32xf32>, tensor<?x14x14x1xf32> -> tensor<?x14x14x32xf32>
  %3 = fuse.mul %2, %2 : tensor<?x14x14x32xf32>, tensor<?x14x14x32xf32> -> tensor<?x14x14x32xf32>
  %4 = fuse.reduce mean %3 dims = [3] keep : tensor<?x14x14x32xf32> -> tensor<?x14x14x1xf32>
  %5 = fuse.sub %x, %1 : tensor<?x14x14x32xf32>, tensor<?x14x14x1xf32> -> tensor<?x14x14x32xf32>
  %6 = fuse.constant dense<9.999999747378752e-06> : tensor<f32>
  %7 = fuse.add %4, %6 : tensor<?x14x14x1xf32>, tensor<f32> -> tensor<?x14x14x1xf32>
  %8 = fuse.rsqrt %7 : tensor<?x14x14x1xf32> -> tensor<?x14x14x1xf32>
  %9 = fuse.mul %5, %8 : tensor<?x14x14x32xf32>, tensor<?x14x14x1xf32> -> tensor<?x14x14x32xf32>
  %10 = fuse.mul %9, %w : tensor<?x14x14x32xf32>, tensor<32xf32> -> tensor<?x14x14x32xf32>
  %11 = fuse.add %10, %bb : tensor<?x14x14x32xf32>, tensor<32xf32> -> tensor<?x14x14x32xf32>
  %12 = fuse.slice %11 offsets = [0, 3, 0, 0] sizes = [-1, 11, 14, 32] steps = [1, 1, 1, 1] : tensor<?x14x14x32xf32> -> tensor<?x11x14x32xf32>
  %13 = fuse.slice %11 offsets = [0, 0, 0, 0] sizes = [-1, 3, 14, 32] steps = [1, 1, 1, 1] : tensor<?x14x14x32xf32> -> tensor<?x3x14x32xf32>
  %14 = fuse.concat %12, %13 dim = 1 : tensor<?x11x14x32xf32>, tensor<?x3x14x32xf32> -> tensor<?x14x14x32xf32>
  %15 = fuse.slice %14 offsets = [0, 0, 3, 0] sizes = [-1, 14, 11, 32] steps = [1, 1, 1, 1] : tensor<?x14x14x32xf32> -> tensor<?x14x11x32xf32>
  %16 = fuse.slice %14 offsets = [0, 0, 0, 0] sizes = [-1, 14, 3, 32] steps = [1, 1, 1, 1] : tensor<?x14x14x32xf32> -> tensor<?x14x3x32xf32>
  %17 = fuse.concat %15, %16 dim = 2 : tensor<?x14x11x32xf32>, tensor<?x14x3x32xf32> -> tensor<?x14x14x32xf32>
  %18 = tensor.dim %x, %19 : tensor<?x14x14x32xf32>
  %20 = tensor.expand_shape %17 [[0], [1, 2], [3, 4], [5]] output_shape [%18, 2, 7, 2, 7, 32] : tensor<?x14x14x32xf32> into tensor<?x2x7x2x7x32xf32>
  %21 = fuse.transpose %20 permutation = [0, 1, 3, 2, 4, 5] : tensor<?x2x7x2x7x32xf32> -> tensor<?x2x2x7x7x32xf32>
  %22 = tensor.collapse_shape %21 [[0], [1], [2], [3, 4], [5]] : tensor<?x2x2x7x7x32xf32> into tensor<?x2x2x49x32xf32>
  return %22 : tensor<?x2x2x49x32xf32>
}
