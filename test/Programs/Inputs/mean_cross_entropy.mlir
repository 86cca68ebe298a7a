// The mean loss of all tokens.
func.func @mean_cross_entropy(%logits: tensor<?x5000xbf16> {fuse.dims = ["T"]}, %labels: tensor<?xi64> {fuse.dims = ["T"]})
    -> tensor<f32> {
  %wide = fuse.cast %logits : tensor<?x5000xbf16> -> tensor<?x5000xf32>
  %lse = fuse.logsumexp %wide dims = [1] : tensor<?x5000xf32> -> tensor<?xf32>
  %columns = fuse.constant dense<5000> : tensor<i64>
  %row = fuse.iota dim = 0 like %labels : tensor<?xi64> -> tensor<?xi64>
  %start = fuse.mul %row, %columns : tensor<?xi64>, tensor<i64> -> tensor<?xi64>
  %place = fuse.add %start, %labels : tensor<?xi64>
  %all = tensor.collapse_shape %wide [[0, 1]] : tensor<?x5000xf32> into tensor<?xf32>
  %own = fuse.gather %all, %place dim = 0 : tensor<?xf32>, tensor<?xi64> -> tensor<?xf32>
  %loss = fuse.sub %lse, %own : tensor<?xf32>
  %mean = fuse.reduce mean %loss dims = [0] : tensor<?xf32> -> tensor<f32>
  return %mean : tensor<f32>
}
