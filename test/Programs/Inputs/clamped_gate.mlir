// GPT-OSS: gates and values that alternate, clamped.
func.func @clamped_gate(%x: tensor<?x5760xbf16> {fuse.dims = ["t"]}, %bias: tensor<5760xbf16>) -> (tensor<?x2880xbf16>) {
  %5 = arith.constant 0 : index
  %1 = fuse.cast %x : tensor<?x5760xbf16> -> tensor<?x5760xf32>
  %2 = fuse.cast %bias : tensor<5760xbf16> -> tensor<5760xf32>
  %3 = fuse.add %1, %2 : tensor<?x5760xf32>, tensor<5760xf32> -> tensor<?x5760xf32>
  %4 = tensor.dim %x, %5 : tensor<?x5760xbf16>
  %6 = tensor.expand_shape %3 [[0], [1, 2]] output_shape [%4, 2880, 2] : tensor<?x5760xf32> into tensor<?x2880x2xf32>
  %7 = fuse.slice %6 offsets = [0, 0, 0] sizes = [-1, 2880, 1] steps = [1, 1, 1] : tensor<?x2880x2xf32> -> tensor<?x2880x1xf32>
  %8 = tensor.collapse_shape %7 [[0], [1, 2]] : tensor<?x2880x1xf32> into tensor<?x2880xf32>
  %9 = fuse.slice %6 offsets = [0, 0, 1] sizes = [-1, 2880, 1] steps = [1, 1, 1] : tensor<?x2880x2xf32> -> tensor<?x2880x1xf32>
  %10 = tensor.collapse_shape %9 [[0], [1, 2]] : tensor<?x2880x1xf32> into tensor<?x2880xf32>
  %11 = fuse.constant dense<7.0> : tensor<f32>
  %12 = fuse.min %8, %11 : tensor<?x2880xf32>, tensor<f32> -> tensor<?x2880xf32>
  %13 = fuse.constant dense<-7.0> : tensor<f32>
  %14 = fuse.max %10, %13 : tensor<?x2880xf32>, tensor<f32> -> tensor<?x2880xf32>
  %15 = fuse.min %14, %11 : tensor<?x2880xf32>, tensor<f32> -> tensor<?x2880xf32>
  %16 = fuse.constant dense<1.7020000219345093> : tensor<f32>
  %17 = fuse.mul %12, %16 : tensor<?x2880xf32>, tensor<f32> -> tensor<?x2880xf32>
  %18 = fuse.sigmoid %17 : tensor<?x2880xf32> -> tensor<?x2880xf32>
  %19 = fuse.mul %12, %18 : tensor<?x2880xf32>, tensor<?x2880xf32> -> tensor<?x2880xf32>
  %20 = fuse.constant dense<1.0> : tensor<f32>
  %21 = fuse.add %15, %20 : tensor<?x2880xf32>, tensor<f32> -> tensor<?x2880xf32>
  %22 = fuse.mul %19, %21 : tensor<?x2880xf32>, tensor<?x2880xf32> -> tensor<?x2880xf32>
  %23 = fuse.cast %22 : tensor<?x2880xf32> -> tensor<?x2880xbf16>
  return %23 : tensor<?x2880xbf16>
}
