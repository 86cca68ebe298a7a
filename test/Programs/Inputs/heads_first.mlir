// The norms and rotary embeddings of grouped heads of queries and keys, heads before
// tokens as an attention or a cache takes them.
func.func @heads_first(%q: tensor<?x8x128xbf16> {fuse.dims = ["T"]}, %k: tensor<?x2x128xbf16> {fuse.dims = ["T"]},
                       %wq: tensor<128xbf16>, %wk: tensor<128xbf16>, %positions: tensor<?xi32> {fuse.dims = ["T"]})
    -> (tensor<8x?x128xbf16>, tensor<2x?x128xbf16>) {
  %nq = fuse.rms_norm %q, %wq eps = 1.0e-6 : tensor<?x8x128xbf16>, tensor<128xbf16>
  %rq = fuse.rotary half tokens_heads %nq positions(%positions) base = 1.0e4 : tensor<?x8x128xbf16>, tensor<?xi32>
  %tq = fuse.transpose %rq permutation = [1, 0, 2] : tensor<?x8x128xbf16> -> tensor<8x?x128xbf16>
  %nk = fuse.rms_norm %k, %wk eps = 1.0e-6 : tensor<?x2x128xbf16>, tensor<128xbf16>
  %rk = fuse.rotary half tokens_heads %nk positions(%positions) base = 1.0e4 : tensor<?x2x128xbf16>, tensor<?xi32>
  %tk = fuse.transpose %rk permutation = [1, 0, 2] : tensor<?x2x128xbf16> -> tensor<2x?x128xbf16>
  return %tq, %tk : tensor<8x?x128xbf16>, tensor<2x?x128xbf16>
}
