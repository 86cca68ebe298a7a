// The most likely token of each row, and its logarithm.
func.func @greedy_token(%logits: tensor<?x4003xbf16> {fuse.dims = ["T"]}) -> (tensor<?x1xi64>, tensor<?xf32>) {
  %x = fuse.cast %logits : tensor<?x4003xbf16> -> tensor<?x4003xf32>
  %i = fuse.argmax %x dim = 1 keep : tensor<?x4003xf32> -> tensor<?x1xi64>
  %l = fuse.log_softmax %x dims = [1] : tensor<?x4003xf32>
  %p = fuse.take_along %l, %i dim = 1 : tensor<?x4003xf32>, tensor<?x1xi64> -> tensor<?x1xf32>
  %y = tensor.collapse_shape %p [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
  return %i, %y : tensor<?x1xi64>, tensor<?xf32>
}
