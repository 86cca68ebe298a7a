// The outputs of two experts a token, weighed, with the residual and the next norm.
func.func @combined_experts(%y: tensor<?x256xbf16> {fuse.dims = ["slots"]}, %slot: tensor<?x2xi32> {fuse.dims = ["t"]}, %w: tensor<?x2xf32> {fuse.dims = ["t"]}, %r: tensor<?x256xbf16> {fuse.dims = ["t"]}, %nw: tensor<256xbf16>) -> (tensor<?x256xbf16>, tensor<?x256xbf16>) {
  %1 = fuse.gather %y, %slot dim = 0 : tensor<?x256xbf16>, tensor<?x2xi32> -> tensor<?x2x256xbf16>
  %2 = fuse.cast %1 : tensor<?x2x256xbf16> -> tensor<?x2x256xf32>
  %3 = fuse.cast %r : tensor<?x256xbf16> -> tensor<?x256xf32>
  %4 = fuse.slice %2 offsets = [0, 0, 0] sizes = [-1, 1, 256] steps = [1, 1, 1] : tensor<?x2x256xf32> -> tensor<?x1x256xf32>
  %5 = tensor.collapse_shape %4 [[0], [1, 2]] : tensor<?x1x256xf32> into tensor<?x256xf32>
  %6 = fuse.slice %w offsets = [0, 0] sizes = [-1, 1] steps = [1, 1] : tensor<?x2xf32> -> tensor<?x1xf32>
  %7 = fuse.mul %5, %6 : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
  %8 = fuse.add %3, %7 : tensor<?x256xf32>, tensor<?x256xf32> -> tensor<?x256xf32>
  %9 = fuse.slice %2 offsets = [0, 1, 0] sizes = [-1, 1, 256] steps = [1, 1, 1] : tensor<?x2x256xf32> -> tensor<?x1x256xf32>
  %10 = tensor.collapse_shape %9 [[0], [1, 2]] : tensor<?x1x256xf32> into tensor<?x256xf32>
  %11 = fuse.slice %w offsets = [0, 1] sizes = [-1, 1] steps = [1, 1] : tensor<?x2xf32> -> tensor<?x1xf32>
  %12 = fuse.mul %10, %11 : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
  %13 = fuse.add %8, %12 : tensor<?x256xf32>, tensor<?x256xf32> -> tensor<?x256xf32>
  %14 = fuse.cast %13 : tensor<?x256xf32> -> tensor<?x256xbf16>
  %15 = fuse.cast %14 : tensor<?x256xbf16> -> tensor<?x256xf32>
  %16 = fuse.mul %15, %15 : tensor<?x256xf32>, tensor<?x256xf32> -> tensor<?x256xf32>
  %17 = fuse.reduce mean %16 dims = [1] keep : tensor<?x256xf32> -> tensor<?x1xf32>
  %18 = fuse.constant dense<9.999999974752427e-07> : tensor<f32>
  %19 = fuse.add %17, %18 : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %20 = fuse.rsqrt %19 : tensor<?x1xf32> -> tensor<?x1xf32>
  %21 = fuse.mul %15, %20 : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
  %22 = fuse.cast %nw : tensor<256xbf16> -> tensor<256xf32>
  %23 = fuse.mul %21, %22 : tensor<?x256xf32>, tensor<256xf32> -> tensor<?x256xf32>
  %24 = fuse.cast %23 : tensor<?x256xf32> -> tensor<?x256xbf16>
  return %14, %24 : tensor<?x256xbf16>, tensor<?x256xbf16>
}
