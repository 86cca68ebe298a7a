// MXFP8: groups of 32 with an exponent each.
func.func @shared_exponents(%x: tensor<?x4096xbf16> {fuse.dims = ["t"]}) -> (tensor<?x4096xf8E4M3FN>, tensor<?x128xui8>) {
  %3 = arith.constant 0 : index
  %1 = fuse.cast %x : tensor<?x4096xbf16> -> tensor<?x4096xf32>
  %2 = tensor.dim %x, %3 : tensor<?x4096xbf16>
  %4 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [%2, 128, 32] : tensor<?x4096xf32> into tensor<?x128x32xf32>
  %5 = fuse.abs %4 : tensor<?x128x32xf32> -> tensor<?x128x32xf32>
  %6 = fuse.reduce max %5 dims = [2] keep : tensor<?x128x32xf32> -> tensor<?x128x1xf32>
  %7 = fuse.constant dense<9.999999350456404e-39> : tensor<f32>
  %8 = fuse.max %6, %7 : tensor<?x128x1xf32>, tensor<f32> -> tensor<?x128x1xf32>
  %9 = fuse.log2 %8 : tensor<?x128x1xf32> -> tensor<?x128x1xf32>
  %10 = fuse.floor %9 : tensor<?x128x1xf32> -> tensor<?x128x1xf32>
  %11 = fuse.constant dense<8.0> : tensor<f32>
  %12 = fuse.sub %10, %11 : tensor<?x128x1xf32>, tensor<f32> -> tensor<?x128x1xf32>
  %13 = fuse.constant dense<-127.0> : tensor<f32>
  %14 = fuse.max %12, %13 : tensor<?x128x1xf32>, tensor<f32> -> tensor<?x128x1xf32>
  %15 = fuse.constant dense<127.0> : tensor<f32>
  %16 = fuse.min %14, %15 : tensor<?x128x1xf32>, tensor<f32> -> tensor<?x128x1xf32>
  %17 = fuse.neg %16 : tensor<?x128x1xf32> -> tensor<?x128x1xf32>
  %18 = fuse.exp2 %17 : tensor<?x128x1xf32> -> tensor<?x128x1xf32>
  %19 = fuse.mul %4, %18 : tensor<?x128x32xf32>, tensor<?x128x1xf32> -> tensor<?x128x32xf32>
  %20 = fuse.constant dense<-448.0> : tensor<f32>
  %21 = fuse.max %19, %20 : tensor<?x128x32xf32>, tensor<f32> -> tensor<?x128x32xf32>
  %22 = fuse.constant dense<448.0> : tensor<f32>
  %23 = fuse.min %21, %22 : tensor<?x128x32xf32>, tensor<f32> -> tensor<?x128x32xf32>
  %24 = fuse.cast %23 : tensor<?x128x32xf32> -> tensor<?x128x32xf8E4M3FN>
  %25 = tensor.collapse_shape %24 [[0], [1, 2]] : tensor<?x128x32xf8E4M3FN> into tensor<?x4096xf8E4M3FN>
  %26 = tensor.collapse_shape %16 [[0], [1, 2]] : tensor<?x128x1xf32> into tensor<?x128xf32>
  %27 = fuse.add %26, %15 : tensor<?x128xf32>, tensor<f32> -> tensor<?x128xf32>
  %28 = fuse.cast %27 : tensor<?x128xf32> -> tensor<?x128xui8>
  return %25, %28 : tensor<?x4096xf8E4M3FN>, tensor<?x128xui8>
}
