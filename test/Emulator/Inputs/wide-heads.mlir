// Heads wider than the registers of one consumer, and values that are features
// of the keys.

// A latent cache: one head of keys, the first 512 of whose features are values.
func.func @latent(%q: tensor<2x1x16x576xbf16>, %c: tensor<2x?x1x576xbf16>) -> tensor<2x1x16x512xbf16> {
  %v = fuse.slice %c offsets = [0, 0, 0, 0] sizes = [-1, -1, -1, 512] : tensor<2x?x1x576xbf16> -> tensor<2x?x1x512xbf16>
  %o = fuse.attention tokens_heads %q, %c, %v scale = 0.0721688 : tensor<2x1x16x576xbf16>, tensor<2x?x1x576xbf16>, tensor<2x?x1x512xbf16>
  return %o : tensor<2x1x16x512xbf16>
}

// In pages of 16, as many keys of each sequence as a tensor says.
func.func @latent_paged(%q: tensor<3x8x576xf16>, %cache: tensor<?x16x576xf16>, %pages: tensor<3x?xi32>, %length: tensor<3x1x1xi32>) -> tensor<3x8x512xf16> {
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %scale = fuse.constant dense<0.0721688> : tensor<f32>
  %p = fuse.gather %cache, %pages dim = 0 : tensor<?x16x576xf16>, tensor<3x?xi32> -> tensor<3x?x16x576xf16>
  %k = tensor.collapse_shape %p [[0], [1, 2], [3]] : tensor<3x?x16x576xf16> into tensor<3x?x576xf16>
  %v = fuse.slice %k offsets = [0, 0, 0] sizes = [-1, -1, 512] : tensor<3x?x576xf16> -> tensor<3x?x512xf16>
  %s = fuse.contract "bhd,bnd->bhn" %q, %k : tensor<3x8x576xf16>, tensor<3x?x576xf16> -> tensor<3x8x?xf16>
  %f = fuse.cast %s : tensor<3x8x?xf16> -> tensor<3x8x?xf32>
  %t = fuse.mul %f, %scale : tensor<3x8x?xf32>, tensor<f32>
  %j = fuse.iota dim = 2 like %f : tensor<3x8x?xf32> -> tensor<3x8x?xi32>
  %m = fuse.compare lt %j, %length : tensor<3x8x?xi32>, tensor<3x1x1xi32>
  %x = fuse.select %m, %t, %hidden : tensor<3x8x?xi1>, tensor<3x8x?xf32>, tensor<f32>
  %w = fuse.softmax %x dims = [2] : tensor<3x8x?xf32>
  %b = fuse.cast %w : tensor<3x8x?xf32> -> tensor<3x8x?xf16>
  %o = fuse.contract "bhn,bnd->bhd" %b, %v : tensor<3x8x?xf16>, tensor<3x?x512xf16> -> tensor<3x8x512xf16>
  return %o : tensor<3x8x512xf16>
}

// Many queries, which see the keys up to their own.
func.func @latent_prefill(%q: tensor<1x2x?x576xbf16>, %c: tensor<1x1x?x576xbf16>) -> tensor<1x2x?x512xbf16> {
  %v = fuse.slice %c offsets = [0, 0, 0, 0] sizes = [-1, -1, -1, 512] : tensor<1x1x?x576xbf16> -> tensor<1x1x?x512xbf16>
  %o = fuse.attention heads_tokens causal %q, %c, %v : tensor<1x2x?x576xbf16>, tensor<1x1x?x576xbf16>, tensor<1x1x?x512xbf16>
  return %o : tensor<1x2x?x512xbf16>
}

// Values of their own, and the logarithm of the sum.
func.func @wide(%q: tensor<2x70x320xf16>, %k: tensor<2x130x320xf16>, %v: tensor<2x130x264xf16>) -> (tensor<2x70x264xf16>, tensor<2x70x1xf32>) {
  %scale = fuse.constant dense<0.0625> : tensor<f32>
  %s = fuse.contract "bmd,bnd->bmn" %q, %k : tensor<2x70x320xf16>, tensor<2x130x320xf16> -> tensor<2x70x130xf16>
  %f = fuse.cast %s : tensor<2x70x130xf16> -> tensor<2x70x130xf32>
  %x = fuse.mul %f, %scale : tensor<2x70x130xf32>, tensor<f32>
  %p = fuse.softmax %x dims = [2] : tensor<2x70x130xf32>
  %l = fuse.logsumexp %x dims = [2] keep : tensor<2x70x130xf32> -> tensor<2x70x1xf32>
  %w = fuse.cast %p : tensor<2x70x130xf32> -> tensor<2x70x130xf16>
  %o = fuse.contract "bmn,bnd->bmd" %w, %v : tensor<2x70x130xf16>, tensor<2x130x264xf16> -> tensor<2x70x264xf16>
  return %o, %l : tensor<2x70x264xf16>, tensor<2x70x1xf32>
}

// All features of the keys are values; their number fills no consumer's columns.
func.func @same(%q: tensor<2x3x4x272xbf16>, %k: tensor<2x?x1x272xbf16>) -> tensor<2x3x4x272xbf16> {
  %o = fuse.attention tokens_heads %q, %k, %k : tensor<2x3x4x272xbf16>, tensor<2x?x1x272xbf16>, tensor<2x?x1x272xbf16>
  return %o : tensor<2x3x4x272xbf16>
}

// Narrow heads, whose last features are values.
func.func @behind(%q: tensor<2x70x4x128xbf16>, %k: tensor<2x?x2x128xbf16>) -> tensor<2x70x4x64xbf16> {
  %v = fuse.slice %k offsets = [0, 0, 0, 64] sizes = [-1, -1, -1, 64] : tensor<2x?x2x128xbf16> -> tensor<2x?x2x64xbf16>
  %o = fuse.attention tokens_heads causal %q, %k, %v : tensor<2x70x4x128xbf16>, tensor<2x?x2x128xbf16>, tensor<2x?x2x64xbf16>
  return %o : tensor<2x70x4x64xbf16>
}

// A slice that starts within a row of shared memory is copied before.
func.func @within(%q: tensor<2x70x4x128xbf16>, %k: tensor<2x?x2x128xbf16>) -> tensor<2x70x4x64xbf16> {
  %v = fuse.slice %k offsets = [0, 0, 0, 8] sizes = [-1, -1, -1, 64] : tensor<2x?x2x128xbf16> -> tensor<2x?x2x64xbf16>
  %o = fuse.attention tokens_heads %q, %k, %v : tensor<2x70x4x128xbf16>, tensor<2x?x2x128xbf16>, tensor<2x?x2x64xbf16>
  return %o : tensor<2x70x4x64xbf16>
}

// The prefill form: keys are wider than values, and both narrow.
func.func @expanded(%q: tensor<1x?x4x192xbf16>, %k: tensor<1x?x4x192xbf16>, %v: tensor<1x?x4x128xbf16>) -> tensor<1x?x4x128xbf16> {
  %o = fuse.attention tokens_heads causal %q, %k, %v : tensor<1x?x4x192xbf16>, tensor<1x?x4x192xbf16>, tensor<1x?x4x128xbf16>
  return %o : tensor<1x?x4x128xbf16>
}
