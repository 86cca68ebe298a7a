// The logarithm of each token's probability given those before it: all rows but the last,
// at the labels from the second on.
func.func @token_logprobs(%x: tensor<?x300xbf16> {fuse.dims = ["t"]}, %y: tensor<?xi64> {fuse.dims = ["t"]}) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %less = arith.constant -1 : index
  %wide = fuse.cast %x : tensor<?x300xbf16> -> tensor<?x300xf32>
  %all = fuse.log_softmax %wide dims = [1] : tensor<?x300xf32>
  %rows = fuse.slice %all offsets = [0, 0] sizes = [-2, 300] : tensor<?x300xf32> -> tensor<?x300xf32>
  %next = fuse.slice %y offsets = [1] sizes = [-1] : tensor<?xi64> -> tensor<?xi64>
  %t = tensor.dim %x, %zero : tensor<?x300xbf16>
  %n = arith.addi %less, %t : index
  %ids = tensor.expand_shape %next [[0, 1]] output_shape [%n, 1] : tensor<?xi64> into tensor<?x1xi64>
  %own = fuse.take_along %rows, %ids dim = 1 : tensor<?x300xf32>, tensor<?x1xi64> -> tensor<?x1xf32>
  %r = tensor.collapse_shape %own [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
