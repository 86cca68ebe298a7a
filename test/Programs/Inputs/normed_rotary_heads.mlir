// Norms of the heads of queries and keys, then their rotary embedding.
func.func @normed_rotary_heads(%qkv: tensor<?x384xbf16> {fuse.dims = ["t"]}, %qw: tensor<64xbf16>, %kw: tensor<64xbf16>, %pos: tensor<?xi32> {fuse.dims = ["t"]}) -> (tensor<?x4x64xbf16>, tensor<?x1x64xbf16>) {
  %3 = arith.constant 0 : index
  %1 = fuse.slice %qkv offsets = [0, 0] sizes = [-1, 256] steps = [1, 1] : tensor<?x384xbf16> -> tensor<?x256xbf16>
  %2 = tensor.dim %qkv, %3 : tensor<?x384xbf16>
  %4 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [%2, 4, 64] : tensor<?x256xbf16> into tensor<?x4x64xbf16>
  %5 = fuse.slice %qkv offsets = [0, 256] sizes = [-1, 64] steps = [1, 1] : tensor<?x384xbf16> -> tensor<?x64xbf16>
  %6 = tensor.expand_shape %5 [[0], [1, 2]] output_shape [%2, 1, 64] : tensor<?x64xbf16> into tensor<?x1x64xbf16>
  %7 = fuse.slice %qkv offsets = [0, 320] sizes = [-1, 64] steps = [1, 1] : tensor<?x384xbf16> -> tensor<?x64xbf16>
  %8 = tensor.expand_shape %7 [[0], [1, 2]] output_shape [%2, 1, 64] : tensor<?x64xbf16> into tensor<?x1x64xbf16>
  %9 = fuse.cast %4 : tensor<?x4x64xbf16> -> tensor<?x4x64xf32>
  %10 = fuse.mul %9, %9 : tensor<?x4x64xf32>, tensor<?x4x64xf32> -> tensor<?x4x64xf32>
  %11 = fuse.reduce mean %10 dims = [2] keep : tensor<?x4x64xf32> -> tensor<?x4x1xf32>
  %12 = fuse.constant dense<9.999999974752427e-07> : tensor<f32>
  %13 = fuse.add %11, %12 : tensor<?x4x1xf32>, tensor<f32> -> tensor<?x4x1xf32>
  %14 = fuse.rsqrt %13 : tensor<?x4x1xf32> -> tensor<?x4x1xf32>
  %15 = fuse.mul %9, %14 : tensor<?x4x64xf32>, tensor<?x4x1xf32> -> tensor<?x4x64xf32>
  %16 = fuse.cast %qw : tensor<64xbf16> -> tensor<64xf32>
  %17 = fuse.mul %15, %16 : tensor<?x4x64xf32>, tensor<64xf32> -> tensor<?x4x64xf32>
  %18 = fuse.cast %17 : tensor<?x4x64xf32> -> tensor<?x4x64xbf16>
  %19 = fuse.rotary half tokens_heads %18 positions(%pos) base = 10000.0 : tensor<?x4x64xbf16>, tensor<?xi32>
  %20 = fuse.cast %6 : tensor<?x1x64xbf16> -> tensor<?x1x64xf32>
  %21 = fuse.mul %20, %20 : tensor<?x1x64xf32>, tensor<?x1x64xf32> -> tensor<?x1x64xf32>
  %22 = fuse.reduce mean %21 dims = [2] keep : tensor<?x1x64xf32> -> tensor<?x1x1xf32>
  %23 = fuse.add %22, %12 : tensor<?x1x1xf32>, tensor<f32> -> tensor<?x1x1xf32>
  %24 = fuse.rsqrt %23 : tensor<?x1x1xf32> -> tensor<?x1x1xf32>
  %25 = fuse.mul %20, %24 : tensor<?x1x64xf32>, tensor<?x1x1xf32> -> tensor<?x1x64xf32>
  %26 = fuse.cast %kw : tensor<64xbf16> -> tensor<64xf32>
  %27 = fuse.mul %25, %26 : tensor<?x1x64xf32>, tensor<64xf32> -> tensor<?x1x64xf32>
  %28 = fuse.cast %27 : tensor<?x1x64xf32> -> tensor<?x1x64xbf16>
  %29 = fuse.rotary half tokens_heads %28 positions(%pos) base = 10000.0 : tensor<?x1x64xbf16>, tensor<?xi32>
  return %19, %29 : tensor<?x4x64xbf16>, tensor<?x1x64xbf16>
}
