// Norms of queries of 32 heads and of keys of 8, as before attention: one kernel
// whose first blocks take the queries' heads and whose last take the keys'.
func.func @qk_norm(%q: tensor<?x32x128xbf16> {fuse.dims = ["tokens"]},
                   %k: tensor<?x8x128xbf16>  {fuse.dims = ["tokens"]},
                   %wq: tensor<128xbf16>, %wk: tensor<128xbf16>)
    -> (tensor<?x32x128xbf16>, tensor<?x8x128xbf16>) {
  %qn = fuse.rms_norm %q, %wq eps = 1.0e-6 : tensor<?x32x128xbf16>, tensor<128xbf16>
  %kn = fuse.rms_norm %k, %wk eps = 1.0e-6 : tensor<?x8x128xbf16>, tensor<128xbf16>
  return %qn, %kn : tensor<?x32x128xbf16>, tensor<?x8x128xbf16>
}
