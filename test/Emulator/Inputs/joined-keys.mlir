// Scores that are sums of products, and products of what is joined by hand: each
// a kernel that streams its rows, where parts of queries and keys lie in memory.

// All heads share the keys' second part. The sum is rounded.
func.func @shared(%qn: tensor<2x3x?x128xbf16> {fuse.dims = ["q"]}, %qr: tensor<2x3x?x64xbf16> {fuse.dims = ["q"]}, %kn: tensor<2x3x?x128xbf16> {fuse.dims = ["k"]}, %kr: tensor<2x1x?x64xbf16> {fuse.dims = ["k"]}, %v: tensor<2x3x?x128xbf16> {fuse.dims = ["k"]}) -> tensor<2x3x?x128xbf16> {
  %c = fuse.constant dense<0.07> : tensor<f32>
  %a = fuse.contract "bhqd,bhkd->bhqk" %qn, %kn : tensor<2x3x?x128xbf16>, tensor<2x3x?x128xbf16> -> tensor<2x3x?x?xbf16>
  %b = fuse.contract "bhqd,bhkd->bhqk" %qr, %kr : tensor<2x3x?x64xbf16>, tensor<2x1x?x64xbf16> -> tensor<2x3x?x?xbf16>
  %s = fuse.add %a, %b : tensor<2x3x?x?xbf16>
  %f = fuse.cast %s : tensor<2x3x?x?xbf16> -> tensor<2x3x?x?xf32>
  %x = fuse.mul %f, %c : tensor<2x3x?x?xf32>, tensor<f32>
  %p = fuse.softmax %x dims = [3] : tensor<2x3x?x?xf32>
  %w = fuse.cast %p : tensor<2x3x?x?xf32> -> tensor<2x3x?x?xbf16>
  %o = fuse.matmul %w, %v : tensor<2x3x?x?xbf16>, tensor<2x3x?x128xbf16> -> tensor<2x3x?x128xbf16>
  return %o : tensor<2x3x?x128xbf16>
}

// Tokens before heads; the shared part has no axis of heads. Later keys are
// hidden.
func.func @causal(%qn: tensor<1x?x2x64xf16> {fuse.dims = ["q"]}, %qr: tensor<1x?x2x32xf16> {fuse.dims = ["q"]}, %kn: tensor<1x?x2x64xf16> {fuse.dims = ["k"]}, %kr: tensor<1x?x32xf16> {fuse.dims = ["k"]}, %v: tensor<1x?x2x64xf16> {fuse.dims = ["k"]}) -> tensor<1x?x2x64xf16> {
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %a = fuse.contract "bqhd,bkhd->bhqk" %qn, %kn : tensor<1x?x2x64xf16>, tensor<1x?x2x64xf16> -> tensor<1x2x?x?xf16>
  %b = fuse.contract "bqhr,bkr->bhqk" %qr, %kr : tensor<1x?x2x32xf16>, tensor<1x?x32xf16> -> tensor<1x2x?x?xf16>
  %s = fuse.add %b, %a : tensor<1x2x?x?xf16>
  %f = fuse.cast %s : tensor<1x2x?x?xf16> -> tensor<1x2x?x?xf32>
  %i = fuse.iota dim = 2 like %f : tensor<1x2x?x?xf32> -> tensor<1x2x?x?xi32>
  %j = fuse.iota dim = 3 like %f : tensor<1x2x?x?xf32> -> tensor<1x2x?x?xi32>
  %m = fuse.compare le %j, %i : tensor<1x2x?x?xi32>
  %x = fuse.select %m, %f, %hidden : tensor<1x2x?x?xi1>, tensor<1x2x?x?xf32>, tensor<f32>
  %p = fuse.softmax %x dims = [3] : tensor<1x2x?x?xf32>
  %w = fuse.cast %p : tensor<1x2x?x?xf32> -> tensor<1x2x?x?xf16>
  %o = fuse.contract "bhqk,bkhd->bqhd" %w, %v : tensor<1x2x?x?xf16>, tensor<1x?x2x64xf16> -> tensor<1x?x2x64xf16>
  return %o : tensor<1x?x2x64xf16>
}

// Each product is widened and scaled before three are added, with a bias; those
// of the first add is no whole row of shared memory.
func.func @scaled(%q0: tensor<1x2x70x32xbf16>, %q1: tensor<1x2x70x64xbf16>, %q2: tensor<1x2x70x128xbf16>, %k0: tensor<1x2x130x32xbf16>, %k1: tensor<1x1x130x64xbf16>, %k2: tensor<1x2x130x128xbf16>, %v: tensor<1x2x130x64xbf16>, %bias: tensor<2x70x130xf32>) -> tensor<1x2x70x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %0 = fuse.contract "bhqd,bhkd->bhqk" %q0, %k0 : tensor<1x2x70x32xbf16>, tensor<1x2x130x32xbf16> -> tensor<1x2x70x130xbf16>
  %1 = fuse.contract "bhkd,bhqd->bhqk" %k1, %q1 : tensor<1x1x130x64xbf16>, tensor<1x2x70x64xbf16> -> tensor<1x2x70x130xbf16>
  %2 = fuse.contract "bhqd,bhkd->bhqk" %q2, %k2 : tensor<1x2x70x128xbf16>, tensor<1x2x130x128xbf16> -> tensor<1x2x70x130xbf16>
  %f0 = fuse.cast %0 : tensor<1x2x70x130xbf16> -> tensor<1x2x70x130xf32>
  %f1 = fuse.cast %1 : tensor<1x2x70x130xbf16> -> tensor<1x2x70x130xf32>
  %f2 = fuse.cast %2 : tensor<1x2x70x130xbf16> -> tensor<1x2x70x130xf32>
  %s0 = fuse.mul %f0, %c : tensor<1x2x70x130xf32>, tensor<f32>
  %s1 = fuse.mul %f1, %c : tensor<1x2x70x130xf32>, tensor<f32>
  %s2 = fuse.mul %f2, %c : tensor<1x2x70x130xf32>, tensor<f32>
  %a = fuse.add %s0, %bias : tensor<1x2x70x130xf32>, tensor<2x70x130xf32>
  %b = fuse.add %a, %s1 : tensor<1x2x70x130xf32>
  %x = fuse.add %s2, %b : tensor<1x2x70x130xf32>
  %p = fuse.softmax %x dims = [3] : tensor<1x2x70x130xf32>
  %w = fuse.cast %p : tensor<1x2x70x130xf32> -> tensor<1x2x70x130xbf16>
  %o = fuse.matmul %w, %v : tensor<1x2x70x130xbf16>, tensor<1x2x130x64xbf16> -> tensor<1x2x70x64xbf16>
  return %o : tensor<1x2x70x64xbf16>
}

// One query of 16 heads against a cache that all share. The values are the first
// part of the keys.
func.func @latent(%qc: tensor<2x16x512xbf16>, %qr: tensor<2x16x64xbf16>, %c: tensor<2x?x512xbf16> {fuse.dims = ["k"]}, %kr: tensor<2x?x64xbf16> {fuse.dims = ["k"]}) -> tensor<2x16x512xbf16> {
  %scale = fuse.constant dense<0.0721688> : tensor<f32>
  %a = fuse.contract "bhc,bkc->bhk" %qc, %c : tensor<2x16x512xbf16>, tensor<2x?x512xbf16> -> tensor<2x16x?xbf16>
  %b = fuse.contract "bhr,bkr->bhk" %qr, %kr : tensor<2x16x64xbf16>, tensor<2x?x64xbf16> -> tensor<2x16x?xbf16>
  %s = fuse.add %a, %b : tensor<2x16x?xbf16>
  %f = fuse.cast %s : tensor<2x16x?xbf16> -> tensor<2x16x?xf32>
  %x = fuse.mul %f, %scale : tensor<2x16x?xf32>, tensor<f32>
  %p = fuse.softmax %x dims = [2] : tensor<2x16x?xf32>
  %w = fuse.cast %p : tensor<2x16x?xf32> -> tensor<2x16x?xbf16>
  %o = fuse.contract "bhk,bkc->bhc" %w, %c : tensor<2x16x?xbf16>, tensor<2x?x512xbf16> -> tensor<2x16x512xbf16>
  return %o : tensor<2x16x512xbf16>
}

// The same of some queries; the part that is no value comes first.
func.func @latent_prefill(%qr: tensor<1x2x?x64xbf16> {fuse.dims = ["q"]}, %qc: tensor<1x2x?x320xbf16> {fuse.dims = ["q"]}, %kr: tensor<1x?x64xbf16> {fuse.dims = ["k"]}, %c: tensor<1x?x320xbf16> {fuse.dims = ["k"]}) -> tensor<1x2x?x320xbf16> {
  %a = fuse.contract "bhqr,bkr->bhqk" %qr, %kr : tensor<1x2x?x64xbf16>, tensor<1x?x64xbf16> -> tensor<1x2x?x?xbf16>
  %b = fuse.contract "bhqc,bkc->bhqk" %qc, %c : tensor<1x2x?x320xbf16>, tensor<1x?x320xbf16> -> tensor<1x2x?x?xbf16>
  %s = fuse.add %a, %b : tensor<1x2x?x?xbf16>
  %f = fuse.cast %s : tensor<1x2x?x?xbf16> -> tensor<1x2x?x?xf32>
  %p = fuse.softmax %f dims = [3] : tensor<1x2x?x?xf32>
  %w = fuse.cast %p : tensor<1x2x?x?xf32> -> tensor<1x2x?x?xbf16>
  %o = fuse.contract "bhqk,bkc->bhqc" %w, %c : tensor<1x2x?x?xbf16>, tensor<1x?x320xbf16> -> tensor<1x2x?x320xbf16>
  return %o : tensor<1x2x?x320xbf16>
}

// The parts are what a cache is cut into: it is read as it is.
func.func @cut(%qc: tensor<2x16x512xbf16>, %qr: tensor<2x16x64xbf16>, %cache: tensor<2x?x576xbf16> {fuse.dims = ["k"]}) -> tensor<2x16x512xbf16> {
  %scale = fuse.constant dense<0.0721688> : tensor<f32>
  %c = fuse.slice %cache offsets = [0, 0, 0] sizes = [-1, -1, 512] : tensor<2x?x576xbf16> -> tensor<2x?x512xbf16>
  %kr = fuse.slice %cache offsets = [0, 0, 512] sizes = [-1, -1, 64] : tensor<2x?x576xbf16> -> tensor<2x?x64xbf16>
  %a = fuse.contract "bhc,bkc->bhk" %qc, %c : tensor<2x16x512xbf16>, tensor<2x?x512xbf16> -> tensor<2x16x?xbf16>
  %b = fuse.contract "bhr,bkr->bhk" %qr, %kr : tensor<2x16x64xbf16>, tensor<2x?x64xbf16> -> tensor<2x16x?xbf16>
  %s = fuse.add %a, %b : tensor<2x16x?xbf16>
  %f = fuse.cast %s : tensor<2x16x?xbf16> -> tensor<2x16x?xf32>
  %x = fuse.mul %f, %scale : tensor<2x16x?xf32>, tensor<f32>
  %p = fuse.softmax %x dims = [2] : tensor<2x16x?xf32>
  %w = fuse.cast %p : tensor<2x16x?xf32> -> tensor<2x16x?xbf16>
  %o = fuse.contract "bhk,bkc->bhc" %w, %c : tensor<2x16x?xbf16>, tensor<2x?x512xbf16> -> tensor<2x16x512xbf16>
  return %o : tensor<2x16x512xbf16>
}

// Few queries of heads that share the heads of one part, and all of them the
// other.
func.func @grouped(%qn: tensor<1x2x4x2x64xf16>, %qr: tensor<1x2x4x2x64xf16>, %kn: tensor<1x2x?x64xf16> {fuse.dims = ["k"]}, %kr: tensor<1x1x?x64xf16> {fuse.dims = ["k"]}, %v: tensor<1x2x?x64xf16> {fuse.dims = ["k"]}) -> tensor<1x2x4x2x64xf16> {
  %a = fuse.contract "bghqd,bgkd->bghqk" %qn, %kn : tensor<1x2x4x2x64xf16>, tensor<1x2x?x64xf16> -> tensor<1x2x4x2x?xf16>
  %b = fuse.contract "bghqd,bgkd->bghqk" %qr, %kr : tensor<1x2x4x2x64xf16>, tensor<1x1x?x64xf16> -> tensor<1x2x4x2x?xf16>
  %s = fuse.add %a, %b : tensor<1x2x4x2x?xf16>
  %p = fuse.softmax %s dims = [4] : tensor<1x2x4x2x?xf16>
  %o = fuse.contract "bghqk,bgkd->bghqd" %p, %v : tensor<1x2x4x2x?xf16>, tensor<1x2x?x64xf16> -> tensor<1x2x4x2x64xf16>
  return %o : tensor<1x2x4x2x64xf16>
}

// Joined by hand, of one tensor's heads and of a repeated one's.
func.func @by_hand(%qn: tensor<2x70x2x64xbf16>, %qr: tensor<2x2x70x64xbf16>, %kn: tensor<2x150x2x64xbf16>, %kr: tensor<2x150x64xbf16>, %v: tensor<2x2x150x64xbf16>) -> tensor<2x2x70x64xbf16> {
  %qt = fuse.transpose %qn permutation = [0, 2, 1, 3] : tensor<2x70x2x64xbf16> -> tensor<2x2x70x64xbf16>
  %q = fuse.concat %qt, %qr dim = 3 : tensor<2x2x70x64xbf16>, tensor<2x2x70x64xbf16> -> tensor<2x2x70x128xbf16>
  %kt = fuse.transpose %kn permutation = [0, 2, 1, 3] : tensor<2x150x2x64xbf16> -> tensor<2x2x150x64xbf16>
  %ke = tensor.expand_shape %kr [[0, 1], [2], [3]] output_shape [2, 1, 150, 64] : tensor<2x150x64xbf16> into tensor<2x1x150x64xbf16>
  %kb = fuse.broadcast %ke : tensor<2x1x150x64xbf16> -> tensor<2x2x150x64xbf16>
  %k = fuse.concat %kt, %kb dim = 3 : tensor<2x2x150x64xbf16>, tensor<2x2x150x64xbf16> -> tensor<2x2x150x128xbf16>
  %o = fuse.attention heads_tokens causal %q, %k, %v : tensor<2x2x70x128xbf16>, tensor<2x2x150x128xbf16>, tensor<2x2x150x64xbf16>
  return %o : tensor<2x2x70x64xbf16>
}

// Weights without a softmax.
func.func @plain(%qn: tensor<2x90x64xbf16>, %qr: tensor<2x90x64xbf16>, %kn: tensor<2x130x64xbf16>, %kr: tensor<2x130x64xbf16>, %v: tensor<2x130x64xbf16>) -> tensor<2x90x64xbf16> {
  %a = fuse.contract "bqd,bkd->bqk" %qn, %kn : tensor<2x90x64xbf16>, tensor<2x130x64xbf16> -> tensor<2x90x130xbf16>
  %b = fuse.contract "bqd,bkd->bqk" %qr, %kr : tensor<2x90x64xbf16>, tensor<2x130x64xbf16> -> tensor<2x90x130xbf16>
  %s = fuse.add %a, %b : tensor<2x90x130xbf16>
  %w = fuse.relu %s : tensor<2x90x130xbf16>
  %o = fuse.contract "bqk,bkd->bqd" %w, %v : tensor<2x90x130xbf16>, tensor<2x130x64xbf16> -> tensor<2x90x64xbf16>
  return %o : tensor<2x90x64xbf16>
}

// Parts that end within a row of shared memory are joined in memory.
func.func @apart(%qn: tensor<1x40x48xbf16>, %qr: tensor<1x40x24xbf16>, %kn: tensor<1x70x48xbf16>, %kr: tensor<1x70x24xbf16>, %v: tensor<1x70x64xbf16>) -> tensor<1x40x64xbf16> {
  %a = fuse.contract "bqd,bkd->bqk" %qn, %kn : tensor<1x40x48xbf16>, tensor<1x70x48xbf16> -> tensor<1x40x70xbf16>
  %b = fuse.contract "bqd,bkd->bqk" %qr, %kr : tensor<1x40x24xbf16>, tensor<1x70x24xbf16> -> tensor<1x40x70xbf16>
  %s = fuse.add %a, %b : tensor<1x40x70xbf16>
  %p = fuse.softmax %s dims = [2] : tensor<1x40x70xbf16>
  %o = fuse.contract "bqk,bkd->bqd" %p, %v : tensor<1x40x70xbf16>, tensor<1x70x64xbf16> -> tensor<1x40x64xbf16>
  return %o : tensor<1x40x64xbf16>
}
