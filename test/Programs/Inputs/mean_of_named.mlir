// Sums of two tensors that have one name for their size, and nothing else in common.
func.func @mean_of_named(%x: tensor<?xf32> {fuse.dims = ["n"]}, %kept: tensor<?xi1> {fuse.dims = ["n"]}) -> (tensor<f32>) {
  %v1 = fuse.reduce sum %x dims = [0] : tensor<?xf32> -> tensor<f32>
  %v2 = fuse.cast %kept : tensor<?xi1> -> tensor<?xf32>
  %v3 = fuse.reduce sum %v2 dims = [0] : tensor<?xf32> -> tensor<f32>
  %v4 = fuse.constant dense<1.0> : tensor<f32>
  %v5 = fuse.max %v3, %v4 : tensor<f32>, tensor<f32> -> tensor<f32>
  %v6 = fuse.div %v1, %v5 : tensor<f32>, tensor<f32> -> tensor<f32>
  return %v6 : tensor<f32>
}
