// Attention that a CPU streams.

// RoPE of queries and, by tables, of keys; a gate after it.
func.func @rotated(%q: tensor<1x2x?x64xf32>, %k: tensor<1x2x?x64xf32>, %v: tensor<1x2x?x64xf32>, %cos: tensor<128x32xf32>, %sin: tensor<128x32xf32>, %at: tensor<?xi32>, %key_at: tensor<?xi32>, %g: tensor<1x2x?x64xf32>) -> tensor<1x2x?x64xf32> {
  %r = fuse.rotary half heads_tokens %q tables(%cos, %sin) positions(%at) : tensor<1x2x?x64xf32>, tensor<128x32xf32>, tensor<?xi32>
  %t = fuse.rotary half heads_tokens %k tables(%cos, %sin) positions(%key_at) : tensor<1x2x?x64xf32>, tensor<128x32xf32>, tensor<?xi32>
  %o = fuse.attention heads_tokens causal %r, %t, %v : tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>
  %y = fuse.mul %o, %g : tensor<1x2x?x64xf32>
  return %y : tensor<1x2x?x64xf32>
}

// Keys and values in 8 bits, with a scale for each head.
func.func @quantized(%q: tensor<2x4x33x64xbf16>, %k: tensor<2x4x300x64xf8E4M3FN>, %v: tensor<2x4x300x64xf8E4M3FN>, %ks: tensor<4x1x1xf32>, %vs: tensor<4x1x1xf32>) -> tensor<2x4x33x64xbf16> {
  %wide_k = fuse.cast %k : tensor<2x4x300x64xf8E4M3FN> -> tensor<2x4x300x64xf32>
  %scaled_k = fuse.mul %wide_k, %ks : tensor<2x4x300x64xf32>, tensor<4x1x1xf32>
  %kb = fuse.cast %scaled_k : tensor<2x4x300x64xf32> -> tensor<2x4x300x64xbf16>
  %wide_v = fuse.cast %v : tensor<2x4x300x64xf8E4M3FN> -> tensor<2x4x300x64xf32>
  %scaled_v = fuse.mul %wide_v, %vs : tensor<2x4x300x64xf32>, tensor<4x1x1xf32>
  %vb = fuse.cast %scaled_v : tensor<2x4x300x64xf32> -> tensor<2x4x300x64xbf16>
  %o = fuse.attention heads_tokens %q, %kb, %vb : tensor<2x4x33x64xbf16>, tensor<2x4x300x64xbf16>, tensor<2x4x300x64xbf16>
  return %o : tensor<2x4x33x64xbf16>
}

// Heads that share latent keys of 96 elements, of which the first 64 are the
// values, as in multi-head latent attention.
func.func @latent(%q: tensor<2x1x16x96xbf16>, %cache: tensor<2x?x96xbf16>) -> tensor<2x1x16x64xbf16> {
  %values = fuse.slice %cache offsets = [0, 0, 0] sizes = [2, -1, 64] : tensor<2x?x96xbf16> -> tensor<2x?x64xbf16>
  %s = fuse.contract "blhd,bnd->blhn" %q, %cache : tensor<2x1x16x96xbf16>, tensor<2x?x96xbf16> -> tensor<2x1x16x?xbf16>
  %p = fuse.softmax %s dims = [3] : tensor<2x1x16x?xbf16>
  %o = fuse.contract "blhn,bnd->blhd" %p, %values : tensor<2x1x16x?xbf16>, tensor<2x?x64xbf16> -> tensor<2x1x16x64xbf16>
  return %o : tensor<2x1x16x64xbf16>
}

// In f64, with keys and values along the tokens and rows of odd length.
func.func @double(%q: tensor<3x37x20xf64>, %k: tensor<3x20x111xf64>, %v: tensor<3x9x111xf64>) -> tensor<3x37x9xf64> {
  %s = fuse.contract "hmd,hdn->hmn" %q, %k : tensor<3x37x20xf64>, tensor<3x20x111xf64> -> tensor<3x37x111xf64>
  %p = fuse.softmax %s dims = [2] : tensor<3x37x111xf64>
  %o = fuse.contract "hmn,hen->hme" %p, %v : tensor<3x37x111xf64>, tensor<3x9x111xf64> -> tensor<3x37x9xf64>
  return %o : tensor<3x37x9xf64>
}

// The weights of values in f32, on a way through f64.
func.func @wide_weights(%q: tensor<3x8x1x16xf32>, %k: tensor<3x2x9x16xf8E5M2>, %v: tensor<3x2x9x16xf8E5M2>) -> tensor<3x8x1x16xf32> {
  %k1 = fuse.cast %k : tensor<3x2x9x16xf8E5M2> -> tensor<3x2x9x16xf32>
  %v1 = fuse.cast %v : tensor<3x2x9x16xf8E5M2> -> tensor<3x2x9x16xf32>
  %k2 = tensor.expand_shape %k1 [[0], [1, 2], [3], [4]] output_shape [3, 2, 1, 9, 16] : tensor<3x2x9x16xf32> into tensor<3x2x1x9x16xf32>
  %v2 = tensor.expand_shape %v1 [[0], [1, 2], [3], [4]] output_shape [3, 2, 1, 9, 16] : tensor<3x2x9x16xf32> into tensor<3x2x1x9x16xf32>
  %k3 = fuse.broadcast %k2 : tensor<3x2x1x9x16xf32> -> tensor<3x2x4x9x16xf32>
  %v3 = fuse.broadcast %v2 : tensor<3x2x1x9x16xf32> -> tensor<3x2x4x9x16xf32>
  %k4 = tensor.collapse_shape %k3 [[0], [1, 2], [3], [4]] : tensor<3x2x4x9x16xf32> into tensor<3x8x9x16xf32>
  %v4 = tensor.collapse_shape %v3 [[0], [1, 2], [3], [4]] : tensor<3x2x4x9x16xf32> into tensor<3x8x9x16xf32>
  %s = fuse.matmul %q, %k4 transpose_rhs : tensor<3x8x1x16xf32>, tensor<3x8x9x16xf32> -> tensor<3x8x1x9xf32>
  %p = fuse.softmax %s dims = [3] : tensor<3x8x1x9xf32>
  %wide = fuse.cast %p : tensor<3x8x1x9xf32> -> tensor<3x8x1x9xf64>
  %w = fuse.cast %wide : tensor<3x8x1x9xf64> -> tensor<3x8x1x9xf32>
  %y = fuse.matmul %w, %v4 : tensor<3x8x1x9xf32>, tensor<3x8x9x16xf32> -> tensor<3x8x1x16xf32>
  return %y : tensor<3x8x1x16xf32>
}

// Of f16, on a way through f64.
func.func @wide_weights_of_half(%q: tensor<2x8x70x64xf16>, %k: tensor<2x8x90x64xf16>, %v: tensor<2x8x90x64xf16>) -> tensor<2x8x70x64xf16> {
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x8x70x64xf16>, tensor<2x8x90x64xf16> -> tensor<2x8x70x90xf16>
  %x = fuse.cast %s : tensor<2x8x70x90xf16> -> tensor<2x8x70x90xf32>
  %p = fuse.softmax %x dims = [3] : tensor<2x8x70x90xf32>
  %wide = fuse.cast %p : tensor<2x8x70x90xf32> -> tensor<2x8x70x90xf64>
  %w = fuse.cast %wide : tensor<2x8x70x90xf64> -> tensor<2x8x70x90xf16>
  %y = fuse.matmul %w, %v : tensor<2x8x70x90xf16>, tensor<2x8x90x64xf16> -> tensor<2x8x70x64xf16>
  return %y : tensor<2x8x70x64xf16>
}
