// RUN: fuse-crosscheck %s
// Two neighbours became one kernel although the one reads what a third kernel makes
// early, and that needs the other later: a path that goes back in the order of ops.
// --dim d3=1
// --seed 756525283
// --fill normal
func.func @program(%a6: tensor<?x33xf32> {fuse.dims = ["d3"]}, %b22: tensor<?x1xi1> {fuse.dims = ["d3"]}) -> (tensor<1xf32>, tensor<?x1xf32>) {
  %v18 = fuse.reduce max %a6 dims = [1] keep : tensor<?x33xf32> -> tensor<?x1xf32>
  %v19 = fuse.reduce sum %v18 dims = [0] : tensor<?x1xf32> -> tensor<1xf32>
  %v20 = fuse.logsumexp %a6 dims = [0, 1] : tensor<?x33xf32> -> tensor<f32>
  %v23 = fuse.select %b22, %v20, %v18 : tensor<?x1xi1>, tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  return %v19, %v23 : tensor<1xf32>, tensor<?x1xf32>
}
