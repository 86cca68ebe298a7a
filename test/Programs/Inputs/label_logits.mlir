// The negative log-likelihood of a label a row, beside the row's mean: the label's
// logit is taken from the row that is walked.
func.func @label_logits(%x: tensor<?x333xbf16> {fuse.dims = ["T"]}, %label: tensor<?x1xi64> {fuse.dims = ["T"]})
    -> (tensor<?x1xf32>, tensor<?x1xf32>) {
  %wide = fuse.cast %x : tensor<?x333xbf16> -> tensor<?x333xf32>
  %p = fuse.log_softmax %wide dims = [1] : tensor<?x333xf32>
  %l = fuse.take_along %p, %label dim = 1 : tensor<?x333xf32>, tensor<?x1xi64> -> tensor<?x1xf32>
  %n = fuse.neg %l : tensor<?x1xf32>
  %m = fuse.reduce mean %wide dims = [1] keep : tensor<?x333xf32> -> tensor<?x1xf32>
  return %n, %m : tensor<?x1xf32>, tensor<?x1xf32>
}
