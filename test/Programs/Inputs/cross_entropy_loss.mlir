// The loss of each token alone. The logit of its label is read at its index
// among all logits.
func.func @cross_entropy_loss(%logits: tensor<?x65536xbf16> {fuse.dims = ["T"]}, %labels: tensor<?xi64> {fuse.dims = ["T"]})
    -> tensor<?xf32> {
  %wide = fuse.cast %logits : tensor<?x65536xbf16> -> tensor<?x65536xf32>
  %lse = fuse.logsumexp %wide dims = [1] : tensor<?x65536xf32> -> tensor<?xf32>
  %columns = fuse.constant dense<65536> : tensor<i64>
  %row = fuse.iota dim = 0 like %labels : tensor<?xi64> -> tensor<?xi64>
  %start = fuse.mul %row, %columns : tensor<?xi64>, tensor<i64> -> tensor<?xi64>
  %place = fuse.add %start, %labels : tensor<?xi64>
  %all = tensor.collapse_shape %wide [[0, 1]] : tensor<?x65536xf32> into tensor<?xf32>
  %own = fuse.gather %all, %place dim = 0 : tensor<?xf32>, tensor<?xi64> -> tensor<?xf32>
  %loss = fuse.sub %lse, %own : tensor<?xf32>
  return %loss : tensor<?xf32>
}
