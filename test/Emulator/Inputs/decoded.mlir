// Few queries against many keys: query heads of one head of keys in a tile, and
// parts of the keys in blocks of their own.

func.func @decode(%q: tensor<2x1x8x64xbf16>, %k: tensor<2x?x2x64xbf16>, %v: tensor<2x?x2x64xbf16>) -> tensor<2x1x8x64xbf16> {
  %o = fuse.attention tokens_heads %q, %k, %v : tensor<2x1x8x64xbf16>, tensor<2x?x2x64xbf16>, tensor<2x?x2x64xbf16>
  return %o : tensor<2x1x8x64xbf16>
}

// Three heads are padded to four; the first queries see fewer keys.
func.func @few(%q: tensor<1x6x5x128xf16>, %k: tensor<1x2x?x128xf16>, %v: tensor<1x2x?x128xf16>) -> tensor<1x6x5x128xf16> {
  %o = fuse.attention heads_tokens causal %q, %k, %v : tensor<1x6x5x128xf16>, tensor<1x2x?x128xf16>, tensor<1x2x?x128xf16>
  return %o : tensor<1x6x5x128xf16>
}

// Heads without company: only the keys are shared, and the logarithm of the sum
// is a result.
func.func @alone(%q: tensor<2x3x64xbf16>, %k: tensor<2x700x64xbf16>, %v: tensor<2x700x80xbf16>) -> (tensor<2x3x80xbf16>, tensor<2x3x1xf32>) {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.contract "hmd,hnd->hmn" %q, %k : tensor<2x3x64xbf16>, tensor<2x700x64xbf16> -> tensor<2x3x700xbf16>
  %f = fuse.cast %s : tensor<2x3x700xbf16> -> tensor<2x3x700xf32>
  %x = fuse.mul %f, %c : tensor<2x3x700xf32>, tensor<f32>
  %max = fuse.reduce max %x dims = [2] keep : tensor<2x3x700xf32> -> tensor<2x3x1xf32>
  %below = fuse.sub %x, %max : tensor<2x3x700xf32>, tensor<2x3x1xf32>
  %e = fuse.exp %below : tensor<2x3x700xf32>
  %sum = fuse.reduce sum %e dims = [2] keep : tensor<2x3x700xf32> -> tensor<2x3x1xf32>
  %inverse = fuse.recip %sum : tensor<2x3x1xf32>
  %p = fuse.mul %e, %inverse : tensor<2x3x700xf32>, tensor<2x3x1xf32>
  %w = fuse.cast %p : tensor<2x3x700xf32> -> tensor<2x3x700xbf16>
  %o = fuse.contract "hmn,hnd->hmd" %w, %v : tensor<2x3x700xbf16>, tensor<2x700x80xbf16> -> tensor<2x3x80xbf16>
  %log = fuse.log %sum : tensor<2x3x1xf32>
  %l = fuse.add %max, %log : tensor<2x3x1xf32>
  return %o, %l : tensor<2x3x80xbf16>, tensor<2x3x1xf32>
}

// As many keys of each sequence as a tensor says; some have none.
func.func @lengths(%q: tensor<3x2x4x64xbf16>, %k: tensor<3x2x600x64xbf16>, %v: tensor<3x2x600x64xbf16>, %length: tensor<3x1x1x1xi32>) -> tensor<3x2x4x64xbf16> {
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %s = fuse.contract "bhgd,bhnd->bhgn" %q, %k : tensor<3x2x4x64xbf16>, tensor<3x2x600x64xbf16> -> tensor<3x2x4x600xbf16>
  %f = fuse.cast %s : tensor<3x2x4x600xbf16> -> tensor<3x2x4x600xf32>
  %j = fuse.iota dim = 3 : tensor<3x2x4x600xi32>
  %m = fuse.compare lt %j, %length : tensor<3x2x4x600xi32>, tensor<3x1x1x1xi32>
  %x = fuse.select %m, %f, %hidden : tensor<3x2x4x600xi1>, tensor<3x2x4x600xf32>, tensor<f32>
  %p = fuse.softmax %x dims = [3] : tensor<3x2x4x600xf32>
  %w = fuse.cast %p : tensor<3x2x4x600xf32> -> tensor<3x2x4x600xbf16>
  %o = fuse.contract "bhgn,bhnd->bhgd" %w, %v : tensor<3x2x4x600xbf16>, tensor<3x2x600x64xbf16> -> tensor<3x2x4x64xbf16>
  return %o : tensor<3x2x4x64xbf16>
}

// The heads of a tile see different keys, have different biases, and lie apart
// in memory.
func.func @apart(%q: tensor<2x2x5x64xbf16>, %k: tensor<2x300x64xbf16>, %v: tensor<2x300x64xbf16>, %bias: tensor<5x300xf32>, %g: tensor<2x5x2x64xbf16>) -> tensor<2x5x2x64xbf16> {
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %wide = fuse.constant dense<50> : tensor<i32>
  %s = fuse.contract "blhd,bnd->bhln" %q, %k : tensor<2x2x5x64xbf16>, tensor<2x300x64xbf16> -> tensor<2x5x2x300xbf16>
  %f = fuse.cast %s : tensor<2x5x2x300xbf16> -> tensor<2x5x2x300xf32>
  %h = fuse.iota dim = 1 : tensor<2x5x2x300xi32>
  %j = fuse.iota dim = 3 : tensor<2x5x2x300xi32>
  %far = fuse.mul %h, %wide : tensor<2x5x2x300xi32>, tensor<i32>
  %m = fuse.compare ge %j, %far : tensor<2x5x2x300xi32>
  %b = tensor.expand_shape %bias [[0, 1], [2]] output_shape [5, 1, 300] : tensor<5x300xf32> into tensor<5x1x300xf32>
  %y = fuse.add %f, %b : tensor<2x5x2x300xf32>, tensor<5x1x300xf32>
  %x = fuse.select %m, %y, %hidden : tensor<2x5x2x300xi1>, tensor<2x5x2x300xf32>, tensor<f32>
  %p = fuse.softmax %x dims = [3] : tensor<2x5x2x300xf32>
  %w = fuse.cast %p : tensor<2x5x2x300xf32> -> tensor<2x5x2x300xbf16>
  %o = fuse.contract "bhln,bnd->blhd" %w, %v : tensor<2x5x2x300xbf16>, tensor<2x300x64xbf16> -> tensor<2x2x5x64xbf16>
  %t = fuse.transpose %o permutation = [0, 2, 1, 3] : tensor<2x2x5x64xbf16> -> tensor<2x5x2x64xbf16>
  %z = fuse.mul %t, %g : tensor<2x5x2x64xbf16>
  return %z : tensor<2x5x2x64xbf16>
}

// Keys that the sequences of a batch share.
func.func @prefix(%q: tensor<7x2x1x64xf16>, %k: tensor<2x400x64xf16>, %v: tensor<2x400x64xf16>) -> tensor<7x2x1x64xf16> {
  %s = fuse.contract "bhld,hnd->bhln" %q, %k : tensor<7x2x1x64xf16>, tensor<2x400x64xf16> -> tensor<7x2x1x400xf16>
  %p = fuse.softmax %s dims = [3] : tensor<7x2x1x400xf16>
  %o = fuse.contract "bhln,hnd->bhld" %p, %v : tensor<7x2x1x400xf16>, tensor<2x400x64xf16> -> tensor<7x2x1x64xf16>
  return %o : tensor<7x2x1x64xf16>
}

// A result that is scattered into slots.
func.func @slots(%q: tensor<4x4x64xbf16>, %k: tensor<500x64xbf16>, %v: tensor<500x64xbf16>, %into: tensor<9x4x64xbf16>, %slots: tensor<4xi32>) -> tensor<9x4x64xbf16> {
  %s = fuse.contract "bhd,nd->bhn" %q, %k : tensor<4x4x64xbf16>, tensor<500x64xbf16> -> tensor<4x4x500xbf16>
  %p = fuse.softmax %s dims = [2] : tensor<4x4x500xbf16>
  %o = fuse.contract "bhn,nd->bhd" %p, %v : tensor<4x4x500xbf16>, tensor<500x64xbf16> -> tensor<4x4x64xbf16>
  %r = fuse.scatter %into, %slots, %o dim = 0 : tensor<9x4x64xbf16>, tensor<4xi32>, tensor<4x4x64xbf16> -> tensor<9x4x64xbf16>
  return %r : tensor<9x4x64xbf16>
}

// Keys and values in pages of 16, as many keys of each sequence as a tensor says.
// Random integers are below 64: all of them are pages. Ids that the kernel would
// compute are gathered by another.
func.func @paged(%q: tensor<3x2x4x64xbf16>, %kc: tensor<64x16x2x64xbf16>, %vc: tensor<64x16x2x64xbf16>, %pages: tensor<3x9xi32>, %length: tensor<3x1x1x1xi32>) -> tensor<3x2x4x64xbf16> {
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %kp = fuse.gather %kc, %pages dim = 0 : tensor<64x16x2x64xbf16>, tensor<3x9xi32> -> tensor<3x9x16x2x64xbf16>
  %vp = fuse.gather %vc, %pages dim = 0 : tensor<64x16x2x64xbf16>, tensor<3x9xi32> -> tensor<3x9x16x2x64xbf16>
  %k = tensor.collapse_shape %kp [[0], [1, 2], [3], [4]] : tensor<3x9x16x2x64xbf16> into tensor<3x144x2x64xbf16>
  %v = tensor.collapse_shape %vp [[0], [1, 2], [3], [4]] : tensor<3x9x16x2x64xbf16> into tensor<3x144x2x64xbf16>
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

// Pages longer than a tile, in a dynamic number, with heads before tokens.
func.func @pages(%q: tensor<2x3x2x64xf16>, %kc: tensor<?x2x128x64xf16>, %vc: tensor<?x2x128x64xf16>, %pages: tensor<2x?xi64>) -> tensor<2x3x2x64xf16> {
  %kp = fuse.gather %kc, %pages dim = 0 : tensor<?x2x128x64xf16>, tensor<2x?xi64> -> tensor<2x?x2x128x64xf16>
  %vp = fuse.gather %vc, %pages dim = 0 : tensor<?x2x128x64xf16>, tensor<2x?xi64> -> tensor<2x?x2x128x64xf16>
  %kt = fuse.transpose %kp permutation = [0, 2, 1, 3, 4] : tensor<2x?x2x128x64xf16> -> tensor<2x2x?x128x64xf16>
  %vt = fuse.transpose %vp permutation = [0, 2, 1, 3, 4] : tensor<2x?x2x128x64xf16> -> tensor<2x2x?x128x64xf16>
  %k = tensor.collapse_shape %kt [[0], [1], [2, 3], [4]] : tensor<2x2x?x128x64xf16> into tensor<2x2x?x64xf16>
  %v = tensor.collapse_shape %vt [[0], [1], [2, 3], [4]] : tensor<2x2x?x128x64xf16> into tensor<2x2x?x64xf16>
  %s = fuse.contract "blhd,bhnd->bhln" %q, %k : tensor<2x3x2x64xf16>, tensor<2x2x?x64xf16> -> tensor<2x2x3x?xf16>
  %p = fuse.softmax %s dims = [3] : tensor<2x2x3x?xf16>
  %o = fuse.contract "bhln,bhnd->blhd" %p, %v : tensor<2x2x3x?xf16>, tensor<2x2x?x64xf16> -> tensor<2x3x2x64xf16>
  return %o : tensor<2x3x2x64xf16>
}

// One query with a head of keys of its own; a sink, which the second launch adds.
func.func @single(%q: tensor<2x3x1x64xbf16>, %k: tensor<2x3x500x64xbf16>, %v: tensor<2x3x500x64xbf16>, %sink: tensor<3x1x1xf32>) -> tensor<2x3x1x64xbf16> {
  %s = fuse.contract "bhld,bhnd->bhln" %q, %k : tensor<2x3x1x64xbf16>, tensor<2x3x500x64xbf16> -> tensor<2x3x1x500xbf16>
  %f = fuse.cast %s : tensor<2x3x1x500xbf16> -> tensor<2x3x1x500xf32>
  %most = fuse.reduce max %f dims = [3] keep : tensor<2x3x1x500xf32> -> tensor<2x3x1x1xf32>
  %max = fuse.max %most, %sink : tensor<2x3x1x1xf32>, tensor<3x1x1xf32>
  %below = fuse.sub %f, %max : tensor<2x3x1x500xf32>, tensor<2x3x1x1xf32>
  %e = fuse.exp %below : tensor<2x3x1x500xf32>
  %sum = fuse.reduce sum %e dims = [3] keep : tensor<2x3x1x500xf32> -> tensor<2x3x1x1xf32>
  %far = fuse.sub %sink, %max : tensor<3x1x1xf32>, tensor<2x3x1x1xf32>
  %own = fuse.exp %far : tensor<2x3x1x1xf32>
  %all = fuse.add %sum, %own : tensor<2x3x1x1xf32>
  %p = fuse.div %e, %all : tensor<2x3x1x500xf32>, tensor<2x3x1x1xf32>
  %w = fuse.cast %p : tensor<2x3x1x500xf32> -> tensor<2x3x1x500xbf16>
  %o = fuse.contract "bhln,bhnd->bhld" %w, %v : tensor<2x3x1x500xbf16>, tensor<2x3x500x64xbf16> -> tensor<2x3x1x64xbf16>
  return %o : tensor<2x3x1x64xbf16>
}

// Heads of 256 elements.
func.func @long(%q: tensor<1x2x256xbf16>, %k: tensor<1x300x256xbf16>, %v: tensor<1x300x256xbf16>) -> tensor<1x2x256xbf16> {
  %s = fuse.matmul %q, %k transpose_rhs : tensor<1x2x256xbf16>, tensor<1x300x256xbf16> -> tensor<1x2x300xbf16>
  %p = fuse.softmax %s dims = [2] : tensor<1x2x300xbf16>
  %o = fuse.matmul %p, %v : tensor<1x2x300xbf16>, tensor<1x300x256xbf16> -> tensor<1x2x256xbf16>
  return %o : tensor<1x2x256xbf16>
}

// As many queries as the call has.
func.func @counted(%q: tensor<2x?x8x64xbf16> {fuse.dims = ["tokens"]}, %k: tensor<2x?x2x64xbf16>, %v: tensor<2x?x2x64xbf16>) -> tensor<2x?x8x64xbf16> {
  %o = fuse.attention tokens_heads causal %q, %k, %v : tensor<2x?x8x64xbf16>, tensor<2x?x2x64xbf16>, tensor<2x?x2x64xbf16>
  return %o : tensor<2x?x8x64xbf16>
}
