// The norm of bf16 gradients of several sizes.
func.func @norm_of_bf16(%g0: tensor<256x128xbf16>, %g1: tensor<256x136xbf16>, %g2: tensor<256x144xbf16>, %g3: tensor<256x152xbf16>, %g4: tensor<256x160xbf16>, %g5: tensor<256x168xbf16>, %g6: tensor<256x176xbf16>, %g7: tensor<256x184xbf16>) -> (tensor<f32>) {
  %1 = fuse.cast %g0 : tensor<256x128xbf16> -> tensor<256x128xf32>
  %2 = fuse.mul %1, %1 : tensor<256x128xf32>, tensor<256x128xf32> -> tensor<256x128xf32>
  %3 = fuse.reduce sum %2 dims = [0, 1] : tensor<256x128xf32> -> tensor<f32>
  %4 = fuse.cast %g1 : tensor<256x136xbf16> -> tensor<256x136xf32>
  %5 = fuse.mul %4, %4 : tensor<256x136xf32>, tensor<256x136xf32> -> tensor<256x136xf32>
  %6 = fuse.reduce sum %5 dims = [0, 1] : tensor<256x136xf32> -> tensor<f32>
  %7 = fuse.add %3, %6 : tensor<f32>, tensor<f32> -> tensor<f32>
  %8 = fuse.cast %g2 : tensor<256x144xbf16> -> tensor<256x144xf32>
  %9 = fuse.mul %8, %8 : tensor<256x144xf32>, tensor<256x144xf32> -> tensor<256x144xf32>
  %10 = fuse.reduce sum %9 dims = [0, 1] : tensor<256x144xf32> -> tensor<f32>
  %11 = fuse.add %7, %10 : tensor<f32>, tensor<f32> -> tensor<f32>
  %12 = fuse.cast %g3 : tensor<256x152xbf16> -> tensor<256x152xf32>
  %13 = fuse.mul %12, %12 : tensor<256x152xf32>, tensor<256x152xf32> -> tensor<256x152xf32>
  %14 = fuse.reduce sum %13 dims = [0, 1] : tensor<256x152xf32> -> tensor<f32>
  %15 = fuse.add %11, %14 : tensor<f32>, tensor<f32> -> tensor<f32>
  %16 = fuse.cast %g4 : tensor<256x160xbf16> -> tensor<256x160xf32>
  %17 = fuse.mul %16, %16 : tensor<256x160xf32>, tensor<256x160xf32> -> tensor<256x160xf32>
  %18 = fuse.reduce sum %17 dims = [0, 1] : tensor<256x160xf32> -> tensor<f32>
  %19 = fuse.add %15, %18 : tensor<f32>, tensor<f32> -> tensor<f32>
  %20 = fuse.cast %g5 : tensor<256x168xbf16> -> tensor<256x168xf32>
  %21 = fuse.mul %20, %20 : tensor<256x168xf32>, tensor<256x168xf32> -> tensor<256x168xf32>
  %22 = fuse.reduce sum %21 dims = [0, 1] : tensor<256x168xf32> -> tensor<f32>
  %23 = fuse.add %19, %22 : tensor<f32>, tensor<f32> -> tensor<f32>
  %24 = fuse.cast %g6 : tensor<256x176xbf16> -> tensor<256x176xf32>
  %25 = fuse.mul %24, %24 : tensor<256x176xf32>, tensor<256x176xf32> -> tensor<256x176xf32>
  %26 = fuse.reduce sum %25 dims = [0, 1] : tensor<256x176xf32> -> tensor<f32>
  %27 = fuse.add %23, %26 : tensor<f32>, tensor<f32> -> tensor<f32>
  %28 = fuse.cast %g7 : tensor<256x184xbf16> -> tensor<256x184xf32>
  %29 = fuse.mul %28, %28 : tensor<256x184xf32>, tensor<256x184xf32> -> tensor<256x184xf32>
  %30 = fuse.reduce sum %29 dims = [0, 1] : tensor<256x184xf32> -> tensor<f32>
  %31 = fuse.add %27, %30 : tensor<f32>, tensor<f32> -> tensor<f32>
  %32 = fuse.sqrt %31 : tensor<f32> -> tensor<f32>
  return %32 : tensor<f32>
}
