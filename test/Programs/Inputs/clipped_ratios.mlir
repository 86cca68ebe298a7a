// GRPO: the clipped ratios of two policies, in the mean of each answer, then of all.
func.func @clipped_ratios(%lp: tensor<?x512xf32> {fuse.dims = ["b"]}, %old: tensor<?x512xf32> {fuse.dims = ["b"]}, %ref: tensor<?x512xf32> {fuse.dims = ["b"]}, %adv: tensor<?xf32> {fuse.dims = ["b"]}, %m: tensor<?x512xi1> {fuse.dims = ["b"]}) -> (tensor<f32>) {
  %4 = arith.constant 0 : index
  %1 = fuse.sub %lp, %old : tensor<?x512xf32>, tensor<?x512xf32> -> tensor<?x512xf32>
  %2 = fuse.exp %1 : tensor<?x512xf32> -> tensor<?x512xf32>
  %3 = tensor.dim %lp, %4 : tensor<?x512xf32>
  %5 = tensor.expand_shape %adv [[0, 1]] output_shape [%3, 1] : tensor<?xf32> into tensor<?x1xf32>
  %6 = fuse.mul %2, %5 : tensor<?x512xf32>, tensor<?x1xf32> -> tensor<?x512xf32>
  %7 = fuse.constant dense<0.800000011920929> : tensor<f32>
  %8 = fuse.max %2, %7 : tensor<?x512xf32>, tensor<f32> -> tensor<?x512xf32>
  %9 = fuse.constant dense<1.2000000476837158> : tensor<f32>
  %10 = fuse.min %8, %9 : tensor<?x512xf32>, tensor<f32> -> tensor<?x512xf32>
  %11 = fuse.mul %10, %5 : tensor<?x512xf32>, tensor<?x1xf32> -> tensor<?x512xf32>
  %12 = fuse.min %6, %11 : tensor<?x512xf32>, tensor<?x512xf32> -> tensor<?x512xf32>
  %13 = fuse.neg %12 : tensor<?x512xf32> -> tensor<?x512xf32>
  %14 = fuse.sub %ref, %lp : tensor<?x512xf32>, tensor<?x512xf32> -> tensor<?x512xf32>
  %15 = fuse.exp %14 : tensor<?x512xf32> -> tensor<?x512xf32>
  %16 = fuse.sub %15, %14 : tensor<?x512xf32>, tensor<?x512xf32> -> tensor<?x512xf32>
  %17 = fuse.constant dense<1.0> : tensor<f32>
  %18 = fuse.sub %16, %17 : tensor<?x512xf32>, tensor<f32> -> tensor<?x512xf32>
  %19 = fuse.constant dense<0.03999999910593033> : tensor<f32>
  %20 = fuse.mul %18, %19 : tensor<?x512xf32>, tensor<f32> -> tensor<?x512xf32>
  %21 = fuse.add %13, %20 : tensor<?x512xf32>, tensor<?x512xf32> -> tensor<?x512xf32>
  %22 = fuse.cast %m : tensor<?x512xi1> -> tensor<?x512xf32>
  %23 = fuse.mul %21, %22 : tensor<?x512xf32>, tensor<?x512xf32> -> tensor<?x512xf32>
  %24 = fuse.reduce sum %23 dims = [1] : tensor<?x512xf32> -> tensor<?xf32>
  %25 = fuse.reduce sum %22 dims = [1] : tensor<?x512xf32> -> tensor<?xf32>
  %26 = fuse.max %25, %17 : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %27 = fuse.div %24, %26 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %28 = fuse.reduce mean %27 dims = [0] : tensor<?xf32> -> tensor<f32>
  return %28 : tensor<f32>
}
