// A gate and what it gates side by side, both clamped.
func.func @interleaved_gate(%x: tensor<?x384xbf16> {fuse.dims = ["t"]}) -> (tensor<?x192xbf16>) {
  %2 = arith.constant 0 : index
  %1 = tensor.dim %x, %2 : tensor<?x384xbf16>
  %3 = tensor.expand_shape %x [[0], [1, 2]] output_shape [%1, 192, 2] : tensor<?x384xbf16> into tensor<?x192x2xbf16>
  %4 = fuse.slice %3 offsets = [0, 0, 0] sizes = [-1, 192, 1] steps = [1, 1, 1] : tensor<?x192x2xbf16> -> tensor<?x192x1xbf16>
  %5 = tensor.collapse_shape %4 [[0], [1, 2]] : tensor<?x192x1xbf16> into tensor<?x192xbf16>
  %6 = fuse.slice %3 offsets = [0, 0, 1] sizes = [-1, 192, 1] steps = [1, 1, 1] : tensor<?x192x2xbf16> -> tensor<?x192x1xbf16>
  %7 = tensor.collapse_shape %6 [[0], [1, 2]] : tensor<?x192x1xbf16> into tensor<?x192xbf16>
  %8 = fuse.constant dense<7.0> : tensor<bf16>
  %9 = fuse.min %5, %8 : tensor<?x192xbf16>, tensor<bf16> -> tensor<?x192xbf16>
  %10 = fuse.constant dense<-7.0> : tensor<bf16>
  %11 = fuse.max %7, %10 : tensor<?x192xbf16>, tensor<bf16> -> tensor<?x192xbf16>
  %12 = fuse.min %11, %8 : tensor<?x192xbf16>, tensor<bf16> -> tensor<?x192xbf16>
  %13 = fuse.constant dense<1.0> : tensor<bf16>
  %14 = fuse.add %12, %13 : tensor<?x192xbf16>, tensor<bf16> -> tensor<?x192xbf16>
  %15 = fuse.mul %14, %9 : tensor<?x192xbf16>, tensor<?x192xbf16> -> tensor<?x192xbf16>
  %16 = fuse.cast %9 : tensor<?x192xbf16> -> tensor<?x192xf32>
  %17 = fuse.constant dense<1.7020000219345093> : tensor<f32>
  %18 = fuse.mul %16, %17 : tensor<?x192xf32>, tensor<f32> -> tensor<?x192xf32>
  %19 = fuse.cast %18 : tensor<?x192xf32> -> tensor<?x192xbf16>
  %20 = fuse.sigmoid %19 : tensor<?x192xbf16> -> tensor<?x192xbf16>
  %21 = fuse.mul %15, %20 : tensor<?x192xbf16>, tensor<?x192xbf16> -> tensor<?x192xbf16>
  return %21 : tensor<?x192xbf16>
}
