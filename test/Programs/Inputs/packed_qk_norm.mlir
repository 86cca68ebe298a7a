// The norms of queries and keys that are slices of one projection.
func.func @packed_qk_norm(%qkv: tensor<?x48x128xbf16> {fuse.dims = ["T"]},
                          %wq: tensor<128xbf16>, %wk: tensor<128xbf16>)
    -> (tensor<?x32x128xbf16>, tensor<?x8x128xbf16>) {
  %q = fuse.slice %qkv offsets = [0, 0, 0] sizes = [-1, 32, 128] : tensor<?x48x128xbf16> -> tensor<?x32x128xbf16>
  %k = fuse.slice %qkv offsets = [0, 32, 0] sizes = [-1, 8, 128] : tensor<?x48x128xbf16> -> tensor<?x8x128xbf16>
  %qn = fuse.rms_norm %q, %wq eps = 1.0e-6 : tensor<?x32x128xbf16>, tensor<128xbf16>
  %kn = fuse.rms_norm %k, %wk eps = 1.0e-6 : tensor<?x8x128xbf16>, tensor<128xbf16>
  return %qn, %kn : tensor<?x32x128xbf16>, tensor<?x8x128xbf16>
}
