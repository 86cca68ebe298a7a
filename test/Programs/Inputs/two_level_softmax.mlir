// A softmax in each head, weighted by one over the heads.
func.func @two_level_softmax(%x: tensor<?x8x64xf16> {fuse.dims = ["n"]})
    -> (tensor<?x8x64xf16>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x64xf16>
  %f = fuse.cast %x : tensor<?x8x64xf16> -> tensor<?x8x64xf32>
  %p = fuse.softmax %f dims = [2] : tensor<?x8x64xf32>
  %l = fuse.logsumexp %f dims = [2] : tensor<?x8x64xf32> -> tensor<?x8xf32>
  %h = fuse.softmax %l dims = [1] : tensor<?x8xf32>
  %k = tensor.expand_shape %h [[0], [1, 2]] output_shape [%n, 8, 1] : tensor<?x8xf32> into tensor<?x8x1xf32>
  %y = fuse.mul %p, %k : tensor<?x8x64xf32>, tensor<?x8x1xf32> -> tensor<?x8x64xf32>
  %z = fuse.cast %y : tensor<?x8x64xf32> -> tensor<?x8x64xf16>
  return %z, %h : tensor<?x8x64xf16>, tensor<?x8xf32>
}
