// Rows of a table from an offset on that the call tells, as many as tokens.
func.func @sliced_table(%c: tensor<512x64xf32>, %y: tensor<?x64xf32> {fuse.dims = ["n"]}, %s: tensor<i32>, %size_n: tensor<?xi1> {fuse.dims = ["n"]}) -> (tensor<?x64xf32>) {
  %1 = fuse.dynamic_slice %c, %s dim = 0 like %size_n : tensor<512x64xf32>, tensor<i32>, tensor<?xi1> -> tensor<?x64xf32>
  %2 = fuse.mul %1, %y : tensor<?x64xf32>, tensor<?x64xf32> -> tensor<?x64xf32>
  return %2 : tensor<?x64xf32>
}
