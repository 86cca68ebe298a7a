// Queries and keys of new tokens: normed and rotated, and the keys written where
// the cache has a slot for them; a slot past its end drops one.
func.func @append_keys(%q: tensor<?x8x128xbf16> {fuse.dims = ["T"]}, %k: tensor<?x2x128xbf16> {fuse.dims = ["T"]},
                       %w: tensor<128xbf16>, %first: tensor<i32>, %cache: tensor<?x2x128xbf16> {fuse.dims = ["S"]})
    -> (tensor<?x8x128xbf16>, tensor<?x2x128xbf16>) {
  %nq = fuse.rms_norm %q, %w eps = 1.0e-6 : tensor<?x8x128xbf16>, tensor<128xbf16>
  %rq = fuse.rotary half tokens_heads %nq offset(%first) base = 1.0e4 : tensor<?x8x128xbf16>, tensor<i32>
  %nk = fuse.rms_norm %k, %w eps = 1.0e-6 : tensor<?x2x128xbf16>, tensor<128xbf16>
  %rk = fuse.rotary half tokens_heads %nk offset(%first) base = 1.0e4 : tensor<?x2x128xbf16>, tensor<i32>
  %token = fuse.iota dim = 0 like %k : tensor<?x2x128xbf16> -> tensor<?x2x128xi32>
  %tokens = fuse.slice %token offsets = [0, 0, 0] sizes = [-1, 1, 1] : tensor<?x2x128xi32> -> tensor<?x1x1xi32>
  %flat = tensor.collapse_shape %tokens [[0, 1, 2]] : tensor<?x1x1xi32> into tensor<?xi32>
  %one = fuse.constant dense<1> : tensor<i32>
  %slots = fuse.add %flat, %one : tensor<?xi32>, tensor<i32> -> tensor<?xi32>
  %y = fuse.scatter %cache, %slots, %rk dim = 0 : tensor<?x2x128xbf16>, tensor<?xi32>, tensor<?x2x128xbf16> -> tensor<?x2x128xbf16>
  return %rq, %y : tensor<?x8x128xbf16>, tensor<?x2x128xbf16>
}
