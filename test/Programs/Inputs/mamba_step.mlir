// Mamba: the steps of a state space, discretised.
func.func @mamba_step(%dt: tensor<?x64xf32> {fuse.dims = ["t"]}, %bias: tensor<64xf32>, %A: tensor<64x16xf32>, %B: tensor<?x16xf32> {fuse.dims = ["t"]}, %x: tensor<?x64xf32> {fuse.dims = ["t"]}) -> (tensor<?x64x16xf32>, tensor<?x64x16xf32>) {
  %10 = arith.constant 0 : index
  %1 = fuse.add %dt, %bias : tensor<?x64xf32>, tensor<64xf32> -> tensor<?x64xf32>
  %2 = fuse.constant dense<0.0> : tensor<f32>
  %3 = fuse.max %1, %2 : tensor<?x64xf32>, tensor<f32> -> tensor<?x64xf32>
  %4 = fuse.abs %1 : tensor<?x64xf32> -> tensor<?x64xf32>
  %5 = fuse.neg %4 : tensor<?x64xf32> -> tensor<?x64xf32>
  %6 = fuse.exp %5 : tensor<?x64xf32> -> tensor<?x64xf32>
  %7 = fuse.log1p %6 : tensor<?x64xf32> -> tensor<?x64xf32>
  %8 = fuse.add %3, %7 : tensor<?x64xf32>, tensor<?x64xf32> -> tensor<?x64xf32>
  %9 = tensor.dim %dt, %10 : tensor<?x64xf32>
  %11 = tensor.expand_shape %8 [[0], [1, 2]] output_shape [%9, 64, 1] : tensor<?x64xf32> into tensor<?x64x1xf32>
  %12 = fuse.mul %11, %A : tensor<?x64x1xf32>, tensor<64x16xf32> -> tensor<?x64x16xf32>
  %13 = fuse.exp %12 : tensor<?x64x16xf32> -> tensor<?x64x16xf32>
  %14 = fuse.mul %8, %x : tensor<?x64xf32>, tensor<?x64xf32> -> tensor<?x64xf32>
  %15 = tensor.expand_shape %14 [[0], [1, 2]] output_shape [%9, 64, 1] : tensor<?x64xf32> into tensor<?x64x1xf32>
  %16 = tensor.expand_shape %B [[0], [1, 2]] output_shape [%9, 1, 16] : tensor<?x16xf32> into tensor<?x1x16xf32>
  %17 = fuse.mul %15, %16 : tensor<?x64x1xf32>, tensor<?x1x16xf32> -> tensor<?x64x16xf32>
  return %13, %17 : tensor<?x64x16xf32>, tensor<?x64x16xf32>
}
