// Rotary embeddings whose features follow one of three positions, by hand.
func.func @m_rope(%x: tensor<?x8x128xbf16> {fuse.dims = ["n"]}, %pos: tensor<3x?xi64> {fuse.dims = ["n"]}, %inv: tensor<64xf32>) -> (tensor<?x8x128xbf16>) {
  %3 = arith.constant 0 : index
  %1 = fuse.cast %pos : tensor<3x?xi64> -> tensor<3x?xf32>
  %2 = tensor.dim %x, %3 : tensor<?x8x128xbf16>
  %4 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [3, %2, 1] : tensor<3x?xf32> into tensor<3x?x1xf32>
  %5 = fuse.mul %4, %inv : tensor<3x?x1xf32>, tensor<64xf32> -> tensor<3x?x64xf32>
  %6 = fuse.slice %5 offsets = [0, 0, 0] sizes = [1, -1, 64] steps = [1, 1, 1] : tensor<3x?x64xf32> -> tensor<1x?x64xf32>
  %7 = fuse.slice %6 offsets = [0, 0, 0] sizes = [1, -1, 16] steps = [1, 1, 1] : tensor<1x?x64xf32> -> tensor<1x?x16xf32>
  %8 = tensor.collapse_shape %7 [[0, 1], [2]] : tensor<1x?x16xf32> into tensor<?x16xf32>
  %9 = fuse.slice %5 offsets = [1, 0, 0] sizes = [1, -1, 64] steps = [1, 1, 1] : tensor<3x?x64xf32> -> tensor<1x?x64xf32>
  %10 = fuse.slice %9 offsets = [0, 0, 16] sizes = [1, -1, 24] steps = [1, 1, 1] : tensor<1x?x64xf32> -> tensor<1x?x24xf32>
  %11 = tensor.collapse_shape %10 [[0, 1], [2]] : tensor<1x?x24xf32> into tensor<?x24xf32>
  %12 = fuse.slice %5 offsets = [2, 0, 0] sizes = [1, -1, 64] steps = [1, 1, 1] : tensor<3x?x64xf32> -> tensor<1x?x64xf32>
  %13 = fuse.slice %12 offsets = [0, 0, 40] sizes = [1, -1, 24] steps = [1, 1, 1] : tensor<1x?x64xf32> -> tensor<1x?x24xf32>
  %14 = tensor.collapse_shape %13 [[0, 1], [2]] : tensor<1x?x24xf32> into tensor<?x24xf32>
  %15 = fuse.concat %8, %11, %14 dim = 1 : tensor<?x16xf32>, tensor<?x24xf32>, tensor<?x24xf32> -> tensor<?x64xf32>
  %16 = fuse.cos %15 : tensor<?x64xf32> -> tensor<?x64xf32>
  %17 = tensor.expand_shape %16 [[0], [1, 2]] output_shape [%2, 1, 64] : tensor<?x64xf32> into tensor<?x1x64xf32>
  %18 = fuse.sin %15 : tensor<?x64xf32> -> tensor<?x64xf32>
  %19 = tensor.expand_shape %18 [[0], [1, 2]] output_shape [%2, 1, 64] : tensor<?x64xf32> into tensor<?x1x64xf32>
  %20 = fuse.cast %x : tensor<?x8x128xbf16> -> tensor<?x8x128xf32>
  %21 = fuse.slice %20 offsets = [0, 0, 0] sizes = [-1, 8, 64] steps = [1, 1, 1] : tensor<?x8x128xf32> -> tensor<?x8x64xf32>
  %22 = fuse.slice %20 offsets = [0, 0, 64] sizes = [-1, 8, 64] steps = [1, 1, 1] : tensor<?x8x128xf32> -> tensor<?x8x64xf32>
  %23 = fuse.mul %21, %17 : tensor<?x8x64xf32>, tensor<?x1x64xf32> -> tensor<?x8x64xf32>
  %24 = fuse.mul %22, %19 : tensor<?x8x64xf32>, tensor<?x1x64xf32> -> tensor<?x8x64xf32>
  %25 = fuse.sub %23, %24 : tensor<?x8x64xf32>, tensor<?x8x64xf32> -> tensor<?x8x64xf32>
  %26 = fuse.mul %22, %17 : tensor<?x8x64xf32>, tensor<?x1x64xf32> -> tensor<?x8x64xf32>
  %27 = fuse.mul %21, %19 : tensor<?x8x64xf32>, tensor<?x1x64xf32> -> tensor<?x8x64xf32>
  %28 = fuse.add %26, %27 : tensor<?x8x64xf32>, tensor<?x8x64xf32> -> tensor<?x8x64xf32>
  %29 = fuse.concat %25, %28 dim = 2 : tensor<?x8x64xf32>, tensor<?x8x64xf32> -> tensor<?x8x128xf32>
  %30 = fuse.cast %29 : tensor<?x8x128xf32> -> tensor<?x8x128xbf16>
  return %30 : tensor<?x8x128xbf16>
}
