// The weighted sum of a token's experts with its residual, and the norm of both.
func.func @summed_experts(%e: tensor<?x6x96xbf16> {fuse.dims = ["t"]}, %w: tensor<?x6xf32> {fuse.dims = ["t"]}, %r: tensor<?x96xbf16> {fuse.dims = ["t"]}, %g: tensor<96xbf16>) -> (tensor<?x96xbf16>, tensor<?x96xbf16>) {
  %zero = arith.constant 0 : index
  %t = tensor.dim %e, %zero : tensor<?x6x96xbf16>
  %f = fuse.cast %e : tensor<?x6x96xbf16> -> tensor<?x6x96xf32>
  %v = tensor.expand_shape %w [[0], [1, 2]] output_shape [%t, 6, 1] : tensor<?x6xf32> into tensor<?x6x1xf32>
  %p = fuse.mul %f, %v : tensor<?x6x96xf32>, tensor<?x6x1xf32> -> tensor<?x6x96xf32>
  %s = fuse.reduce sum %p dims = [1] : tensor<?x6x96xf32> -> tensor<?x96xf32>
  %b = fuse.cast %r : tensor<?x96xbf16> -> tensor<?x96xf32>
  %a = fuse.add %s, %b : tensor<?x96xf32>
  %h = fuse.cast %a : tensor<?x96xf32> -> tensor<?x96xbf16>
  %n = fuse.rms_norm %h, %g eps = 1.0e-6 : tensor<?x96xbf16>, tensor<96xbf16>
  return %h, %n : tensor<?x96xbf16>, tensor<?x96xbf16>
}
