// Softmaxes between two contractions, as kernels that stream their rows.

func.func @causal(%q: tensor<2x?x4x64xbf16>, %k: tensor<2x?x2x64xbf16>, %v: tensor<2x?x2x64xbf16>) -> tensor<2x?x4x64xbf16> {
  %o = fuse.attention tokens_heads causal %q, %k, %v : tensor<2x?x4x64xbf16>, tensor<2x?x2x64xbf16>, tensor<2x?x2x64xbf16>
  return %o : tensor<2x?x4x64xbf16>
}

func.func @full(%q: tensor<1x1x?x128xf16>, %k: tensor<1x1x?x128xf16>, %v: tensor<1x1x?x128xf16>) -> tensor<1x1x?x128xf16> {
  %o = fuse.attention heads_tokens %q, %k, %v : tensor<1x1x?x128xf16>, tensor<1x1x?x128xf16>, tensor<1x1x?x128xf16>
  return %o : tensor<1x1x?x128xf16>
}

// Keys of 192 features and values of 128; what follows reads what has the
// result's shape.
func.func @deep(%q: tensor<1x2x130x192xbf16>, %k: tensor<1x2x200x192xbf16>, %v: tensor<1x2x200x128xbf16>, %g: tensor<1x2x130x128xbf16>) -> tensor<1x2x130x128xbf16> {
  %c = fuse.constant dense<0.07> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<1x2x130x192xbf16>, tensor<1x2x200x192xbf16> -> tensor<1x2x130x200xbf16>
  %f = fuse.cast %s : tensor<1x2x130x200xbf16> -> tensor<1x2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<1x2x130x200xf32>, tensor<f32>
  %p = fuse.softmax %x dims = [3] : tensor<1x2x130x200xf32>
  %w = fuse.cast %p : tensor<1x2x130x200xf32> -> tensor<1x2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<1x2x130x200xbf16>, tensor<1x2x200x128xbf16> -> tensor<1x2x130x128xbf16>
  %y = fuse.mul %o, %g : tensor<1x2x130x128xbf16>
  return %y : tensor<1x2x130x128xbf16>
}

// Values of 256 columns; no factor.
func.func @wide(%q: tensor<1x128x256xbf16>, %k: tensor<1x200x256xbf16>, %v: tensor<1x200x256xbf16>) -> tensor<1x128x256xbf16> {
  %s = fuse.matmul %q, %k transpose_rhs : tensor<1x128x256xbf16>, tensor<1x200x256xbf16> -> tensor<1x128x200xbf16>
  %p = fuse.softmax %s dims = [2] : tensor<1x128x200xbf16>
  %o = fuse.matmul %p, %v : tensor<1x128x200xbf16>, tensor<1x200x256xbf16> -> tensor<1x128x256xbf16>
  return %o : tensor<1x128x256xbf16>
}

// A window of 100 keys.
func.func @window(%q: tensor<1x400x64xbf16>, %k: tensor<1x400x64xbf16>, %v: tensor<1x400x64xbf16>) -> tensor<1x400x64xbf16> {
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %width = fuse.constant dense<100> : tensor<i32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<1x400x64xbf16>, tensor<1x400x64xbf16> -> tensor<1x400x400xbf16>
  %f = fuse.cast %s : tensor<1x400x400xbf16> -> tensor<1x400x400xf32>
  %i = fuse.iota dim = 1 : tensor<1x400x400xi32>
  %j = fuse.iota dim = 2 : tensor<1x400x400xi32>
  %before = fuse.compare le %j, %i : tensor<1x400x400xi32>
  %d = fuse.sub %i, %j : tensor<1x400x400xi32>
  %near = fuse.compare lt %d, %width : tensor<1x400x400xi32>, tensor<i32>
  %m = fuse.and %before, %near : tensor<1x400x400xi1>
  %x = fuse.select %m, %f, %hidden : tensor<1x400x400xi1>, tensor<1x400x400xf32>, tensor<f32>
  %p = fuse.softmax %x dims = [2] : tensor<1x400x400xf32>
  %w = fuse.cast %p : tensor<1x400x400xf32> -> tensor<1x400x400xbf16>
  %o = fuse.matmul %w, %v : tensor<1x400x400xbf16>, tensor<1x400x64xbf16> -> tensor<1x400x64xbf16>
  return %o : tensor<1x400x64xbf16>
}

// Before the key after the query, or among the first keys of a prefix: what
// some see, and what all see, is no single comparison. The prefix ends one key
// before a tile does: that tile is not whole.
func.func @prefix(%q: tensor<1x300x64xbf16>, %k: tensor<1x300x64xbf16>, %v: tensor<1x300x64xbf16>) -> tensor<1x300x64xbf16> {
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %length = fuse.constant dense<127> : tensor<i32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<1x300x64xbf16>, tensor<1x300x64xbf16> -> tensor<1x300x300xbf16>
  %f = fuse.cast %s : tensor<1x300x300xbf16> -> tensor<1x300x300xf32>
  %i = fuse.iota dim = 1 : tensor<1x300x300xi32>
  %j = fuse.iota dim = 2 : tensor<1x300x300xi32>
  %after = fuse.compare gt %j, %i : tensor<1x300x300xi32>
  %before = fuse.not %after : tensor<1x300x300xi1>
  %first = fuse.compare lt %j, %length : tensor<1x300x300xi32>, tensor<i32>
  %m = fuse.or %before, %first : tensor<1x300x300xi1>
  %x = fuse.select %m, %f, %hidden : tensor<1x300x300xi1>, tensor<1x300x300xf32>, tensor<f32>
  %p = fuse.softmax %x dims = [2] : tensor<1x300x300xf32>
  %w = fuse.cast %p : tensor<1x300x300xf32> -> tensor<1x300x300xbf16>
  %o = fuse.matmul %w, %v : tensor<1x300x300xbf16>, tensor<1x300x64xbf16> -> tensor<1x300x64xbf16>
  return %o : tensor<1x300x64xbf16>
}

// As many keys of each batch as a tensor says.
func.func @lengths(%q: tensor<3x64x64xbf16>, %k: tensor<3x300x64xbf16>, %v: tensor<3x300x64xbf16>, %length: tensor<3x1x1xi32>) -> tensor<3x64x64xbf16> {
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<3x64x64xbf16>, tensor<3x300x64xbf16> -> tensor<3x64x300xbf16>
  %f = fuse.cast %s : tensor<3x64x300xbf16> -> tensor<3x64x300xf32>
  %j = fuse.iota dim = 2 : tensor<3x64x300xi32>
  %m = fuse.compare lt %j, %length : tensor<3x64x300xi32>, tensor<3x1x1xi32>
  %x = fuse.select %m, %f, %hidden : tensor<3x64x300xi1>, tensor<3x64x300xf32>, tensor<f32>
  %p = fuse.softmax %x dims = [2] : tensor<3x64x300xf32>
  %w = fuse.cast %p : tensor<3x64x300xf32> -> tensor<3x64x300xbf16>
  %o = fuse.matmul %w, %v : tensor<3x64x300xbf16>, tensor<3x300x64xbf16> -> tensor<3x64x64xbf16>
  return %o : tensor<3x64x64xbf16>
}

// A soft cap, with a bias for each head and key.
func.func @capped(%q: tensor<2x130x64xbf16>, %k: tensor<2x131x64xbf16>, %v: tensor<2x131x64xbf16>, %b: tensor<2x1x131xf32>) -> tensor<2x130x64xbf16> {
  %cap = fuse.constant dense<3.0> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x131x64xbf16> -> tensor<2x130x131xbf16>
  %f = fuse.cast %s : tensor<2x130x131xbf16> -> tensor<2x130x131xf32>
  %r = fuse.div %f, %cap : tensor<2x130x131xf32>, tensor<f32>
  %t = fuse.tanh %r : tensor<2x130x131xf32>
  %u = fuse.mul %t, %cap : tensor<2x130x131xf32>, tensor<f32>
  %x = fuse.add %u, %b : tensor<2x130x131xf32>, tensor<2x1x131xf32>
  %p = fuse.softmax %x dims = [2] : tensor<2x130x131xf32>
  %w = fuse.cast %p : tensor<2x130x131xf32> -> tensor<2x130x131xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x131xbf16>, tensor<2x131x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}

// Written out, with keys and values along the tokens, and the logarithm of the
// sum as a second result.
func.func @logsumexp(%q: tensor<2x130x64xbf16>, %k: tensor<2x64x200xbf16>, %v: tensor<2x64x200xbf16>) -> (tensor<2x130x64xbf16>, tensor<2x130x1xf32>) {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.contract "hmd,hdn->hmn" %q, %k : tensor<2x130x64xbf16>, tensor<2x64x200xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %max = fuse.reduce max %x dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %below = fuse.sub %x, %max : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %e = fuse.exp %below : tensor<2x130x200xf32>
  %sum = fuse.reduce sum %e dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %inverse = fuse.recip %sum : tensor<2x130x1xf32>
  %p = fuse.mul %e, %inverse : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.contract "hmn,hdn->hmd" %w, %v : tensor<2x130x200xbf16>, tensor<2x64x200xbf16> -> tensor<2x130x64xbf16>
  %log = fuse.log %sum : tensor<2x130x1xf32>
  %l = fuse.add %max, %log : tensor<2x130x1xf32>
  return %o, %l : tensor<2x130x64xbf16>, tensor<2x130x1xf32>
}

// A mask of a large finite number, under which the first row sees nothing: its
// keys count alike. The rounding of such a number alone would overflow.
func.func @finite(%q: tensor<1x200x64xbf16>, %k: tensor<1x200x64xbf16>, %v: tensor<1x200x64xbf16>) -> tensor<1x200x64xbf16> {
  %hidden = fuse.constant dense<-1.0e30> : tensor<f32>
  %zero = fuse.constant dense<0.0> : tensor<f32>
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<1x200x64xbf16>, tensor<1x200x64xbf16> -> tensor<1x200x200xbf16>
  %f = fuse.cast %s : tensor<1x200x200xbf16> -> tensor<1x200x200xf32>
  %t = fuse.mul %f, %c : tensor<1x200x200xf32>, tensor<f32>
  %i = fuse.iota dim = 1 : tensor<1x200x200xi32>
  %j = fuse.iota dim = 2 : tensor<1x200x200xi32>
  %m = fuse.compare lt %j, %i : tensor<1x200x200xi32>
  %b = fuse.select %m, %zero, %hidden : tensor<1x200x200xi1>, tensor<f32>, tensor<f32>
  %x = fuse.add %t, %b : tensor<1x200x200xf32>
  %p = fuse.softmax %x dims = [2] : tensor<1x200x200xf32>
  %w = fuse.cast %p : tensor<1x200x200xf32> -> tensor<1x200x200xbf16>
  %o = fuse.matmul %w, %v : tensor<1x200x200xbf16>, tensor<1x200x64xbf16> -> tensor<1x200x64xbf16>
  return %o : tensor<1x200x64xbf16>
}

// Earlier keys count much more: each tile has another maximum, by which what is
// summed is turned. The logarithm of the sum shows where that is missed.
func.func @rising(%q: tensor<2x130x64xbf16>, %k: tensor<2x400x64xbf16>, %v: tensor<2x400x64xbf16>) -> (tensor<2x130x64xbf16>, tensor<2x130x1xf32>) {
  %slope = fuse.constant dense<-0.07> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x400x64xbf16> -> tensor<2x130x400xbf16>
  %f = fuse.cast %s : tensor<2x130x400xbf16> -> tensor<2x130x400xf32>
  %j = fuse.iota dim = 2 : tensor<2x130x400xi32>
  %place = fuse.cast %j : tensor<2x130x400xi32> -> tensor<2x130x400xf32>
  %b = fuse.mul %place, %slope : tensor<2x130x400xf32>, tensor<f32>
  %x = fuse.add %f, %b : tensor<2x130x400xf32>
  %p = fuse.softmax %x dims = [2] : tensor<2x130x400xf32>
  %l = fuse.logsumexp %x dims = [2] keep : tensor<2x130x400xf32> -> tensor<2x130x1xf32>
  %w = fuse.cast %p : tensor<2x130x400xf32> -> tensor<2x130x400xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x400xbf16>, tensor<2x400x64xbf16> -> tensor<2x130x64xbf16>
  return %o, %l : tensor<2x130x64xbf16>, tensor<2x130x1xf32>
}

// A sink for each head, one more score that no value belongs to; the first rows
// see nothing else, and are 0.
func.func @sink(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>, %sink: tensor<2x1x1xf32>) -> tensor<2x130x64xbf16> {
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %seven = fuse.constant dense<7> : tensor<i32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %i = fuse.iota dim = 1 : tensor<2x130x200xi32>
  %j = fuse.iota dim = 2 : tensor<2x130x200xi32>
  %late = fuse.add %j, %seven : tensor<2x130x200xi32>, tensor<i32>
  %m = fuse.compare le %late, %i : tensor<2x130x200xi32>
  %x = fuse.select %m, %f, %hidden : tensor<2x130x200xi1>, tensor<2x130x200xf32>, tensor<f32>
  %b = fuse.broadcast %sink : tensor<2x1x1xf32> -> tensor<2x130x1xf32>
  %c = fuse.concat %x, %b dim = 2 : tensor<2x130x200xf32>, tensor<2x130x1xf32> -> tensor<2x130x201xf32>
  %all = fuse.softmax %c dims = [2] : tensor<2x130x201xf32>
  %p = fuse.slice %all offsets = [0, 0, 0] sizes = [2, 130, 200] : tensor<2x130x201xf32> -> tensor<2x130x200xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}

// No keys, as the text says.
func.func @none(%q: tensor<2x130x64xbf16>, %k: tensor<2x0x64xbf16>, %v: tensor<2x0x64xbf16>) -> tensor<2x130x64xbf16> {
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x0x64xbf16> -> tensor<2x130x0xbf16>
  %p = fuse.softmax %s dims = [2] : tensor<2x130x0xbf16>
  %o = fuse.matmul %p, %v : tensor<2x130x0xbf16>, tensor<2x0x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}

// Values of other heads than queries and keys have.
func.func @unequal(%q: tensor<1x70x4x96xbf16>, %k: tensor<1x90x2x96xbf16>, %v: tensor<1x90x2x64xbf16>) -> tensor<1x70x4x64xbf16> {
  %o = fuse.attention tokens_heads causal %q, %k, %v : tensor<1x70x4x96xbf16>, tensor<1x90x2x96xbf16>, tensor<1x90x2x64xbf16>
  return %o : tensor<1x70x4x64xbf16>
}

// Sequences that are packed one after the other: each query sees the keys from the
// start of its own up to itself.
func.func @packed(%q: tensor<2x300x64xbf16>, %k: tensor<2x300x64xbf16>, %v: tensor<2x300x64xbf16>, %ends: tensor<300x1xi32>) -> tensor<2x300x64xbf16> {
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %mask = fuse.constant dense<63> : tensor<i32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x300x64xbf16>, tensor<2x300x64xbf16> -> tensor<2x300x300xbf16>
  %f = fuse.cast %s : tensor<2x300x300xbf16> -> tensor<2x300x300xf32>
  %j = fuse.iota dim = 2 : tensor<2x300x300xi32>
  %i = fuse.iota dim = 1 : tensor<2x300x300xi32>
  %some = fuse.and %ends, %mask : tensor<300x1xi32>, tensor<i32>
  %far = fuse.sub %i, %some : tensor<2x300x300xi32>, tensor<300x1xi32>
  %from = fuse.compare ge %j, %far : tensor<2x300x300xi32>
  %to = fuse.compare le %j, %i : tensor<2x300x300xi32>
  %m = fuse.and %from, %to : tensor<2x300x300xi1>
  %x = fuse.select %m, %f, %hidden : tensor<2x300x300xi1>, tensor<2x300x300xf32>, tensor<f32>
  %p = fuse.softmax %x dims = [2] : tensor<2x300x300xf32>
  %w = fuse.cast %p : tensor<2x300x300xf32> -> tensor<2x300x300xbf16>
  %o = fuse.matmul %w, %v : tensor<2x300x300xbf16>, tensor<2x300x64xbf16> -> tensor<2x300x64xbf16>
  return %o : tensor<2x300x64xbf16>
}

// Each query sees the keys up to one of its own: what all queries of a tile see
// is the least of them, and whole tiles of keys lie below the largest alone.
func.func @bounded(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>, %ends: tensor<130x1xi32>) -> tensor<2x130x64xbf16> {
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %three = fuse.constant dense<3> : tensor<i32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %j = fuse.iota dim = 2 : tensor<2x130x200xi32>
  %last = fuse.mul %ends, %three : tensor<130x1xi32>, tensor<i32>
  %m = fuse.compare le %j, %last : tensor<2x130x200xi32>, tensor<130x1xi32>
  %x = fuse.select %m, %f, %hidden : tensor<2x130x200xi1>, tensor<2x130x200xf32>, tensor<f32>
  %p = fuse.softmax %x dims = [2] : tensor<2x130x200xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}

// Queries, keys and values along the tokens: rows of memory are features.
func.func @along(%q: tensor<2x64x136xf16>, %k: tensor<2x64x200xf16>, %v: tensor<2x64x200xf16>) -> tensor<2x136x64xf16> {
  %s = fuse.contract "hdm,hdn->hmn" %q, %k : tensor<2x64x136xf16>, tensor<2x64x200xf16> -> tensor<2x136x200xf16>
  %p = fuse.softmax %s dims = [2] : tensor<2x136x200xf16>
  %o = fuse.contract "hmn,hdn->hmd" %p, %v : tensor<2x136x200xf16>, tensor<2x64x200xf16> -> tensor<2x136x64xf16>
  return %o : tensor<2x136x64xf16>
}

// Batches and heads are one axis, but for a bias of each sequence.
func.func @together(%q: tensor<6x70x64xf16>, %k: tensor<6x136x64xf16>, %v: tensor<6x136x64xf16>, %bias: tensor<2x1x1x136xf32>) -> tensor<6x70x64xf16> {
  %c = fuse.contract "bmk,bnk->bmn" %q, %k : tensor<6x70x64xf16>, tensor<6x136x64xf16> -> tensor<6x70x136xf16>
  %f = fuse.cast %c : tensor<6x70x136xf16> -> tensor<6x70x136xf32>
  %e = tensor.expand_shape %f [[0, 1], [2], [3]] output_shape [2, 3, 70, 136] : tensor<6x70x136xf32> into tensor<2x3x70x136xf32>
  %s = fuse.add %e, %bias : tensor<2x3x70x136xf32>, tensor<2x1x1x136xf32> -> tensor<2x3x70x136xf32>
  %p = fuse.softmax %s dims = [3] : tensor<2x3x70x136xf32>
  %w = fuse.cast %p : tensor<2x3x70x136xf32> -> tensor<2x3x70x136xf16>
  %j = tensor.collapse_shape %w [[0, 1], [2], [3]] : tensor<2x3x70x136xf16> into tensor<6x70x136xf16>
  %o = fuse.contract "bmn,bnk->bmk" %j, %v : tensor<6x70x136xf16>, tensor<6x136x64xf16> -> tensor<6x70x64xf16>
  return %o : tensor<6x70x64xf16>
}
