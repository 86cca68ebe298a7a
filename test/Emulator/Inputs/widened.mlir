// Keys and values of 8-bit floats with scales, which attention widens as it
// reads them.

// A scale for each head.
func.func @prefill(%q: tensor<1x4x70x64xbf16>, %k: tensor<1x2x?x64xf8E4M3FN>, %v: tensor<1x2x?x64xf8E4M3FN>, %ks: tensor<2x1x1xf32>, %vs: tensor<2x1x1xf32>) -> tensor<1x4x70x64xbf16> {
  %kf = fuse.cast %k : tensor<1x2x?x64xf8E4M3FN> -> tensor<1x2x?x64xf32>
  %kx = fuse.mul %kf, %ks : tensor<1x2x?x64xf32>, tensor<2x1x1xf32>
  %kb = fuse.cast %kx : tensor<1x2x?x64xf32> -> tensor<1x2x?x64xbf16>
  %vf = fuse.cast %v : tensor<1x2x?x64xf8E4M3FN> -> tensor<1x2x?x64xf32>
  %vx = fuse.mul %vf, %vs : tensor<1x2x?x64xf32>, tensor<2x1x1xf32>
  %vb = fuse.cast %vx : tensor<1x2x?x64xf32> -> tensor<1x2x?x64xbf16>
  %o = fuse.attention heads_tokens causal %q, %kb, %vb : tensor<1x4x70x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>
  return %o : tensor<1x4x70x64xbf16>
}

// One query; a scale for each key; values have another width, and no scale.
func.func @decode(%q: tensor<2x1x8x128xf16>, %k: tensor<2x?x2x128xf8E5M2>, %v: tensor<2x?x2x72xf8E5M2>, %ks: tensor<2x?x2x1xf16>) -> tensor<2x1x8x72xf16> {
  %kf = fuse.cast %k : tensor<2x?x2x128xf8E5M2> -> tensor<2x?x2x128xf16>
  %kb = fuse.mul %kf, %ks : tensor<2x?x2x128xf16>, tensor<2x?x2x1xf16>
  %vb = fuse.cast %v : tensor<2x?x2x72xf8E5M2> -> tensor<2x?x2x72xf16>
  %o = fuse.attention tokens_heads %q, %kb, %vb : tensor<2x1x8x128xf16>, tensor<2x?x2x128xf16>, tensor<2x?x2x72xf16>
  return %o : tensor<2x1x8x72xf16>
}

// In pages of 16, with as many keys of each sequence as a tensor says.
func.func @paged(%q: tensor<3x2x4x64xbf16>, %kc: tensor<64x16x2x64xf8E4M3FN>, %vc: tensor<64x16x2x64xf8E4M3FN>, %pages: tensor<3x9xi32>, %length: tensor<3x1x1x1xi32>) -> tensor<3x2x4x64xbf16> {
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %half = fuse.constant dense<0.5> : tensor<bf16>
  %kp = fuse.gather %kc, %pages dim = 0 : tensor<64x16x2x64xf8E4M3FN>, tensor<3x9xi32> -> tensor<3x9x16x2x64xf8E4M3FN>
  %vp = fuse.gather %vc, %pages dim = 0 : tensor<64x16x2x64xf8E4M3FN>, tensor<3x9xi32> -> tensor<3x9x16x2x64xf8E4M3FN>
  %kn = tensor.collapse_shape %kp [[0], [1, 2], [3], [4]] : tensor<3x9x16x2x64xf8E4M3FN> into tensor<3x144x2x64xf8E4M3FN>
  %vn = tensor.collapse_shape %vp [[0], [1, 2], [3], [4]] : tensor<3x9x16x2x64xf8E4M3FN> into tensor<3x144x2x64xf8E4M3FN>
  %kw = fuse.cast %kn : tensor<3x144x2x64xf8E4M3FN> -> tensor<3x144x2x64xbf16>
  %v = fuse.cast %vn : tensor<3x144x2x64xf8E4M3FN> -> tensor<3x144x2x64xbf16>
  %k = fuse.mul %kw, %half : tensor<3x144x2x64xbf16>, tensor<bf16>
  %s = fuse.contract "bhgd,bnhd->bhgn" %q, %k : tensor<3x2x4x64xbf16>, tensor<3x144x2x64xbf16> -> tensor<3x2x4x144xbf16>
  %f = fuse.cast %s : tensor<3x2x4x144xbf16> -> tensor<3x2x4x144xf32>
  %j = fuse.iota dim = 3 : tensor<3x2x4x144xi32>
  %m = fuse.compare lt %j, %length : tensor<3x2x4x144xi32>, tensor<3x1x1x1xi32>
  %x = fuse.select %m, %f, %hidden : tensor<3x2x4x144xi1>, tensor<3x2x4x144xf32>, tensor<f32>
  %p = fuse.softmax %x dims = [3] : tensor<3x2x4x144xf32>
  %w = fuse.cast %p : tensor<3x2x4x144xf32> -> tensor<3x2x4x144xbf16>
  %o = fuse.contract "bhgn,bnhd->bhgd" %w, %v : tensor<3x2x4x144xbf16>, tensor<3x144x2x64xbf16> -> tensor<3x2x4x64xbf16>
  return %o : tensor<3x2x4x64xbf16>
}

// Bytes with a scale and a zero point for each key, as caches of integers have
// them; values with a scale for each feature.
func.func @integers(%q: tensor<2x4x70x64xbf16>, %k: tensor<2x4x?x64xi8>, %ks: tensor<2x4x?x1xbf16>, %kz: tensor<2x4x?x1xbf16>, %v: tensor<2x4x?x64xui8>, %vs: tensor<4x1x64xbf16>) -> tensor<2x4x70x64xbf16> {
  %kf = fuse.cast %k : tensor<2x4x?x64xi8> -> tensor<2x4x?x64xbf16>
  %kd = fuse.sub %kf, %kz : tensor<2x4x?x64xbf16>, tensor<2x4x?x1xbf16>
  %kb = fuse.mul %kd, %ks : tensor<2x4x?x64xbf16>, tensor<2x4x?x1xbf16>
  %vf = fuse.cast %v : tensor<2x4x?x64xui8> -> tensor<2x4x?x64xbf16>
  %vb = fuse.mul %vf, %vs : tensor<2x4x?x64xbf16>, tensor<4x1x64xbf16>
  %o = fuse.attention heads_tokens %q, %kb, %vb scale = 0.0005 : tensor<2x4x70x64xbf16>, tensor<2x4x?x64xbf16>, tensor<2x4x?x64xbf16>
  return %o : tensor<2x4x70x64xbf16>
}
