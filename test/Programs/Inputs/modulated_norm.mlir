// DiT: a gated residual, its LayerNorm, and a scale and shift of each image.
func.func @modulated_norm(%x: tensor<?x?x1152xbf16> {fuse.dims = ["b", "t"]}, %y: tensor<?x?x1152xbf16> {fuse.dims = ["b", "t"]}, %m: tensor<?x6912xbf16> {fuse.dims = ["b"]}) -> (tensor<?x?x1152xbf16>, tensor<?x?x1152xbf16>) {
  %2 = arith.constant 0 : index
  %1 = tensor.dim %x, %2 : tensor<?x?x1152xbf16>
  %3 = tensor.expand_shape %m [[0], [1, 2]] output_shape [%1, 6, 1152] : tensor<?x6912xbf16> into tensor<?x6x1152xbf16>
  %4 = fuse.slice %3 offsets = [0, 2, 0] sizes = [-1, 1, 1152] steps = [1, 1, 1] : tensor<?x6x1152xbf16> -> tensor<?x1x1152xbf16>
  %5 = tensor.collapse_shape %4 [[0], [1, 2]] : tensor<?x1x1152xbf16> into tensor<?x1152xbf16>
  %6 = fuse.slice %3 offsets = [0, 3, 0] sizes = [-1, 1, 1152] steps = [1, 1, 1] : tensor<?x6x1152xbf16> -> tensor<?x1x1152xbf16>
  %7 = tensor.collapse_shape %6 [[0], [1, 2]] : tensor<?x1x1152xbf16> into tensor<?x1152xbf16>
  %8 = fuse.slice %3 offsets = [0, 4, 0] sizes = [-1, 1, 1152] steps = [1, 1, 1] : tensor<?x6x1152xbf16> -> tensor<?x1x1152xbf16>
  %9 = tensor.collapse_shape %8 [[0], [1, 2]] : tensor<?x1x1152xbf16> into tensor<?x1152xbf16>
  %10 = fuse.mul %4, %y : tensor<?x1x1152xbf16>, tensor<?x?x1152xbf16> -> tensor<?x?x1152xbf16>
  %11 = fuse.add %x, %10 : tensor<?x?x1152xbf16>, tensor<?x?x1152xbf16> -> tensor<?x?x1152xbf16>
  %12 = fuse.cast %11 : tensor<?x?x1152xbf16> -> tensor<?x?x1152xf32>
  %13 = fuse.reduce mean %12 dims = [2] keep : tensor<?x?x1152xf32> -> tensor<?x?x1xf32>
  %14 = fuse.sub %12, %13 : tensor<?x?x1152xf32>, tensor<?x?x1xf32> -> tensor<?x?x1152xf32>
  %15 = fuse.mul %14, %14 : tensor<?x?x1152xf32>, tensor<?x?x1152xf32> -> tensor<?x?x1152xf32>
  %16 = fuse.reduce mean %15 dims = [2] keep : tensor<?x?x1152xf32> -> tensor<?x?x1xf32>
  %17 = fuse.sub %12, %13 : tensor<?x?x1152xf32>, tensor<?x?x1xf32> -> tensor<?x?x1152xf32>
  %18 = fuse.constant dense<9.999999974752427e-07> : tensor<f32>
  %19 = fuse.add %16, %18 : tensor<?x?x1xf32>, tensor<f32> -> tensor<?x?x1xf32>
  %20 = fuse.rsqrt %19 : tensor<?x?x1xf32> -> tensor<?x?x1xf32>
  %21 = fuse.mul %17, %20 : tensor<?x?x1152xf32>, tensor<?x?x1xf32> -> tensor<?x?x1152xf32>
  %22 = fuse.cast %21 : tensor<?x?x1152xf32> -> tensor<?x?x1152xbf16>
  %23 = fuse.constant dense<1.0> : tensor<bf16>
  %24 = fuse.add %8, %23 : tensor<?x1x1152xbf16>, tensor<bf16> -> tensor<?x1x1152xbf16>
  %25 = fuse.mul %22, %24 : tensor<?x?x1152xbf16>, tensor<?x1x1152xbf16> -> tensor<?x?x1152xbf16>
  %26 = fuse.add %25, %6 : tensor<?x?x1152xbf16>, tensor<?x1x1152xbf16> -> tensor<?x?x1152xbf16>
  return %11, %26 : tensor<?x?x1152xbf16>, tensor<?x?x1152xbf16>
}
