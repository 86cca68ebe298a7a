// Qwen 3: a packed QKV, norms of the heads of queries and keys, and their rotation by hand.
func.func @normed_rotary_by_hand(%qkv: tensor<?x6144xbf16> {fuse.dims = ["t"]}, %qw: tensor<128xbf16>, %kw: tensor<128xbf16>, %cos: tensor<?x128xbf16> {fuse.dims = ["t"]}, %sin: tensor<?x128xbf16> {fuse.dims = ["t"]}) -> (tensor<?x32x128xbf16>, tensor<?x8x128xbf16>, tensor<?x8x128xbf16>) {
  %3 = arith.constant 0 : index
  %1 = fuse.slice %qkv offsets = [0, 0] sizes = [-1, 4096] steps = [1, 1] : tensor<?x6144xbf16> -> tensor<?x4096xbf16>
  %2 = tensor.dim %qkv, %3 : tensor<?x6144xbf16>
  %4 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [%2, 32, 128] : tensor<?x4096xbf16> into tensor<?x32x128xbf16>
  %5 = fuse.slice %qkv offsets = [0, 4096] sizes = [-1, 1024] steps = [1, 1] : tensor<?x6144xbf16> -> tensor<?x1024xbf16>
  %6 = tensor.expand_shape %5 [[0], [1, 2]] output_shape [%2, 8, 128] : tensor<?x1024xbf16> into tensor<?x8x128xbf16>
  %7 = fuse.cast %4 : tensor<?x32x128xbf16> -> tensor<?x32x128xf32>
  %8 = fuse.mul %7, %7 : tensor<?x32x128xf32>, tensor<?x32x128xf32> -> tensor<?x32x128xf32>
  %9 = fuse.reduce mean %8 dims = [2] keep : tensor<?x32x128xf32> -> tensor<?x32x1xf32>
  %10 = fuse.constant dense<9.999999974752427e-07> : tensor<f32>
  %11 = fuse.add %9, %10 : tensor<?x32x1xf32>, tensor<f32> -> tensor<?x32x1xf32>
  %12 = fuse.rsqrt %11 : tensor<?x32x1xf32> -> tensor<?x32x1xf32>
  %13 = fuse.mul %7, %12 : tensor<?x32x128xf32>, tensor<?x32x1xf32> -> tensor<?x32x128xf32>
  %14 = fuse.cast %qw : tensor<128xbf16> -> tensor<128xf32>
  %15 = fuse.mul %13, %14 : tensor<?x32x128xf32>, tensor<128xf32> -> tensor<?x32x128xf32>
  %16 = fuse.cast %15 : tensor<?x32x128xf32> -> tensor<?x32x128xbf16>
  %17 = fuse.cast %16 : tensor<?x32x128xbf16> -> tensor<?x32x128xf32>
  %18 = fuse.cast %cos : tensor<?x128xbf16> -> tensor<?x128xf32>
  %19 = tensor.expand_shape %18 [[0], [1, 2]] output_shape [%2, 1, 128] : tensor<?x128xf32> into tensor<?x1x128xf32>
  %20 = fuse.cast %sin : tensor<?x128xbf16> -> tensor<?x128xf32>
  %21 = tensor.expand_shape %20 [[0], [1, 2]] output_shape [%2, 1, 128] : tensor<?x128xf32> into tensor<?x1x128xf32>
  %22 = fuse.mul %17, %19 : tensor<?x32x128xf32>, tensor<?x1x128xf32> -> tensor<?x32x128xf32>
  %23 = fuse.slice %17 offsets = [0, 0, 64] sizes = [-1, 32, 64] steps = [1, 1, 1] : tensor<?x32x128xf32> -> tensor<?x32x64xf32>
  %24 = fuse.neg %23 : tensor<?x32x64xf32> -> tensor<?x32x64xf32>
  %25 = fuse.slice %17 offsets = [0, 0, 0] sizes = [-1, 32, 64] steps = [1, 1, 1] : tensor<?x32x128xf32> -> tensor<?x32x64xf32>
  %26 = fuse.concat %24, %25 dim = 2 : tensor<?x32x64xf32>, tensor<?x32x64xf32> -> tensor<?x32x128xf32>
  %27 = fuse.mul %26, %21 : tensor<?x32x128xf32>, tensor<?x1x128xf32> -> tensor<?x32x128xf32>
  %28 = fuse.add %22, %27 : tensor<?x32x128xf32>, tensor<?x32x128xf32> -> tensor<?x32x128xf32>
  %29 = fuse.cast %28 : tensor<?x32x128xf32> -> tensor<?x32x128xbf16>
  %30 = fuse.cast %6 : tensor<?x8x128xbf16> -> tensor<?x8x128xf32>
  %31 = fuse.mul %30, %30 : tensor<?x8x128xf32>, tensor<?x8x128xf32> -> tensor<?x8x128xf32>
  %32 = fuse.reduce mean %31 dims = [2] keep : tensor<?x8x128xf32> -> tensor<?x8x1xf32>
  %33 = fuse.add %32, %10 : tensor<?x8x1xf32>, tensor<f32> -> tensor<?x8x1xf32>
  %34 = fuse.rsqrt %33 : tensor<?x8x1xf32> -> tensor<?x8x1xf32>
  %35 = fuse.mul %30, %34 : tensor<?x8x128xf32>, tensor<?x8x1xf32> -> tensor<?x8x128xf32>
  %36 = fuse.cast %kw : tensor<128xbf16> -> tensor<128xf32>
  %37 = fuse.mul %35, %36 : tensor<?x8x128xf32>, tensor<128xf32> -> tensor<?x8x128xf32>
  %38 = fuse.cast %37 : tensor<?x8x128xf32> -> tensor<?x8x128xbf16>
  %39 = fuse.cast %38 : tensor<?x8x128xbf16> -> tensor<?x8x128xf32>
  %40 = fuse.cast %cos : tensor<?x128xbf16> -> tensor<?x128xf32>
  %41 = tensor.expand_shape %40 [[0], [1, 2]] output_shape [%2, 1, 128] : tensor<?x128xf32> into tensor<?x1x128xf32>
  %42 = fuse.cast %sin : tensor<?x128xbf16> -> tensor<?x128xf32>
  %43 = tensor.expand_shape %42 [[0], [1, 2]] output_shape [%2, 1, 128] : tensor<?x128xf32> into tensor<?x1x128xf32>
  %44 = fuse.mul %39, %41 : tensor<?x8x128xf32>, tensor<?x1x128xf32> -> tensor<?x8x128xf32>
  %45 = fuse.slice %39 offsets = [0, 0, 64] sizes = [-1, 8, 64] steps = [1, 1, 1] : tensor<?x8x128xf32> -> tensor<?x8x64xf32>
  %46 = fuse.neg %45 : tensor<?x8x64xf32> -> tensor<?x8x64xf32>
  %47 = fuse.slice %39 offsets = [0, 0, 0] sizes = [-1, 8, 64] steps = [1, 1, 1] : tensor<?x8x128xf32> -> tensor<?x8x64xf32>
  %48 = fuse.concat %46, %47 dim = 2 : tensor<?x8x64xf32>, tensor<?x8x64xf32> -> tensor<?x8x128xf32>
  %49 = fuse.mul %48, %43 : tensor<?x8x128xf32>, tensor<?x1x128xf32> -> tensor<?x8x128xf32>
  %50 = fuse.add %44, %49 : tensor<?x8x128xf32>, tensor<?x8x128xf32> -> tensor<?x8x128xf32>
  %51 = fuse.cast %50 : tensor<?x8x128xf32> -> tensor<?x8x128xbf16>
  %52 = fuse.slice %qkv offsets = [0, 5120] sizes = [-1, 1024] steps = [1, 1] : tensor<?x6144xbf16> -> tensor<?x1024xbf16>
  %53 = tensor.expand_shape %52 [[0], [1, 2]] output_shape [%2, 8, 128] : tensor<?x1024xbf16> into tensor<?x8x128xbf16>
  return %29, %51, %53 : tensor<?x32x128xbf16>, tensor<?x8x128xbf16>, tensor<?x8x128xbf16>
}
