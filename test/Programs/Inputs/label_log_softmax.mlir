// A loss by hand: the logarithm of the softmax, read at each label's index among all
// elements. Some labels are of other rows, and some of none.
func.func @label_log_softmax(%logits: tensor<?x200xbf16> {fuse.dims = ["T"]}, %ids: tensor<?xi64> {fuse.dims = ["T"]})
    -> (tensor<?xf32>, tensor<?xi64>) {
  %wide = fuse.cast %logits : tensor<?x200xbf16> -> tensor<?x200xf32>
  %all = fuse.log_softmax %wide dims = [1] : tensor<?x200xf32>
  %columns = fuse.constant dense<200> : tensor<i64>
  %seven = fuse.constant dense<7> : tensor<i64>
  %hundred = fuse.constant dense<100> : tensor<i64>
  %times = fuse.mul %ids, %seven : tensor<?xi64>, tensor<i64>
  %labels = fuse.sub %times, %hundred : tensor<?xi64>, tensor<i64>
  %row = fuse.iota dim = 0 like %labels : tensor<?xi64> -> tensor<?xi64>
  %start = fuse.mul %row, %columns : tensor<?xi64>, tensor<i64>
  %place = fuse.add %start, %labels : tensor<?xi64>
  %flat = tensor.collapse_shape %all [[0, 1]] : tensor<?x200xf32> into tensor<?xf32>
  %own = fuse.gather %flat, %place dim = 0 : tensor<?xf32>, tensor<?xi64> -> tensor<?xf32>
  %loss = fuse.neg %own : tensor<?xf32>
  return %loss, %place : tensor<?xf32>, tensor<?xi64>
}
