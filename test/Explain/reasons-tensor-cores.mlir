// RUN: fuse-opt %s -fuse-form=chip=sm_90a -fuse-schedule=chip=sm_90a --remarks-filter='fuse-.*' 2> %t.remarks > /dev/null
// RUN: python3 %S/Inputs/check_reasons.py %s %t.remarks

// As in reasons-rows.mlir, for a chip whose tensor cores contract.

func.func @chainedContractions(%x: tensor<512x2048xbf16>, %a: tensor<2048x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %h = fuse.matmul %x, %a : tensor<512x2048xbf16>, tensor<2048x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.matmul %h, %b : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  return %y : tensor<512x256xbf16>
}
func.func @not_chainedContractions(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %g = fuse.matmul %x, %a transpose_rhs : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %u = fuse.matmul %x, %b transpose_rhs : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.swiglu %g, %u : tensor<512x256xbf16>
  return %y : tensor<512x256xbf16>
}

func.func @notTogether(%x: tensor<512x256xbf16>, %z: tensor<512x256xbf16>, %a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %g = fuse.matmul %x, %a transpose_rhs : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %u = fuse.matmul %z, %b transpose_rhs : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.add %g, %u : tensor<512x256xbf16>
  return %y : tensor<512x256xbf16>
}
func.func @not_notTogether(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %g = fuse.matmul %x, %a transpose_rhs : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %u = fuse.matmul %x, %b transpose_rhs : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.add %g, %u : tensor<512x256xbf16>
  return %y : tensor<512x256xbf16>
}
func.func @mmaDifferentRows(%x: tensor<512x256xbf16>, %z: tensor<512x256xbf16>, %a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %g = fuse.matmul %x, %a transpose_rhs : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %u = fuse.matmul %z, %b transpose_rhs : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.add %g, %u : tensor<512x256xbf16>
  return %y : tensor<512x256xbf16>
}

func.func @operandComputed(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %e = fuse.exp %x : tensor<512x256xbf16>
  %y = fuse.matmul %e, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  return %y : tensor<512x256xbf16>
}
func.func @not_operandComputed(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.exp %p : tensor<512x256xbf16>
  return %y : tensor<512x256xbf16>
}

func.func @reductionNeedsRows(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.softmax %p dims = [1] : tensor<512x256xbf16>
  return %y : tensor<512x256xbf16>
}
func.func @not_reductionNeedsRows(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.exp %p : tensor<512x256xbf16>
  return %y : tensor<512x256xbf16>
}

func.func @orderNeedsRows(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.scan sum %p : tensor<512x256xbf16>
  return %y : tensor<512x256xbf16>
}
func.func @not_orderNeedsRows(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.exp %p : tensor<512x256xbf16>
  return %y : tensor<512x256xbf16>
}

func.func @contractionsSlower(%x: tensor<4096x4096xbf16>, %v: tensor<4096x4096xbf16>, %w: tensor<136x4096xbf16>) -> (tensor<4096x4096xbf16>, tensor<4096x136xbf16>) {
  %p = fuse.matmul %x, %v transpose_rhs : tensor<4096x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4096x4096xbf16>
  %q = fuse.matmul %x, %w transpose_rhs : tensor<4096x4096xbf16>, tensor<136x4096xbf16> -> tensor<4096x136xbf16>
  return %p, %q : tensor<4096x4096xbf16>, tensor<4096x136xbf16>
}
func.func @not_contractionsSlower(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> (tensor<512x256xbf16>, tensor<512x256xbf16>) {
  %g = fuse.matmul %x, %a transpose_rhs : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %u = fuse.matmul %x, %b transpose_rhs : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  return %g, %u : tensor<512x256xbf16>, tensor<512x256xbf16>
}

func.func @notContractionShape(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>, %b: tensor<2x512x256xbf16>) -> tensor<2x512x256xbf16> {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.add %p, %b : tensor<512x256xbf16>, tensor<2x512x256xbf16> -> tensor<2x512x256xbf16>
  return %y : tensor<2x512x256xbf16>
}
func.func @not_notContractionShape(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>, %b: tensor<256xbf16>) -> tensor<512x256xbf16> {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.add %p, %b : tensor<512x256xbf16>, tensor<256xbf16> -> tensor<512x256xbf16>
  return %y : tensor<512x256xbf16>
}

func.func @otherTiles(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.reverse %p dims = [0] : tensor<512x256xbf16>
  return %y : tensor<512x256xbf16>
}
func.func @not_otherTiles(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %r = fuse.reverse %x dims = [0] : tensor<512x256xbf16>
  %p = fuse.matmul %r, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  return %p : tensor<512x256xbf16>
}

func.func @rotaryTwoThreads(%x: tensor<64x256xbf16>, %w: tensor<256x128xbf16>) -> tensor<64x128xbf16> {
  %p = fuse.matmul %x, %w : tensor<64x256xbf16>, tensor<256x128xbf16> -> tensor<64x128xbf16>
  %r = fuse.rotary half heads_tokens %p base = 1.0e4 dims = 24 : tensor<64x128xbf16>
  return %r : tensor<64x128xbf16>
}
func.func @not_rotaryTwoThreads(%x: tensor<64x256xbf16>, %w: tensor<256x128xbf16>) -> tensor<64x128xbf16> {
  %p = fuse.matmul %x, %w : tensor<64x256xbf16>, tensor<256x128xbf16> -> tensor<64x128xbf16>
  %r = fuse.rotary half heads_tokens %p base = 1.0e4 : tensor<64x128xbf16>
  return %r : tensor<64x128xbf16>
}
func.func @rotaryTwoTiles(%x: tensor<64x256xbf16>, %w: tensor<256x512xbf16>) -> tensor<64x512xbf16> {
  %p = fuse.matmul %x, %w : tensor<64x256xbf16>, tensor<256x512xbf16> -> tensor<64x512xbf16>
  %r = fuse.rotary half heads_tokens %p base = 1.0e4 : tensor<64x512xbf16>
  return %r : tensor<64x512xbf16>
}
func.func @not_rotaryTwoTiles(%x: tensor<64x256xbf16>, %w: tensor<256x128xbf16>) -> tensor<64x128xbf16> {
  %p = fuse.matmul %x, %w : tensor<64x256xbf16>, tensor<256x128xbf16> -> tensor<64x128xbf16>
  %r = fuse.rotary half heads_tokens %p base = 1.0e4 : tensor<64x128xbf16>
  return %r : tensor<64x128xbf16>
}

func.func @partOfResult(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.slice %p offsets = [0, 0] sizes = [256, 256] : tensor<512x256xbf16> -> tensor<256x256xbf16>
  %e = fuse.exp %y : tensor<256x256xbf16>
  return %e : tensor<256x256xbf16>
}
func.func @not_partOfResult(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> (tensor<512x128xbf16>, tensor<512x128xbf16>) {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.slice %p offsets = [0, 0] sizes = [512, 128] : tensor<512x256xbf16> -> tensor<512x128xbf16>
  %z = fuse.slice %p offsets = [0, 128] sizes = [512, 128] : tensor<512x256xbf16> -> tensor<512x128xbf16>
  return %y, %z : tensor<512x128xbf16>, tensor<512x128xbf16>
}
func.func @sliceInside(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> (tensor<512x40xbf16>, tensor<512x216xbf16>) {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.slice %p offsets = [0, 0] sizes = [512, 40] : tensor<512x256xbf16> -> tensor<512x40xbf16>
  %z = fuse.slice %p offsets = [0, 40] sizes = [512, 216] : tensor<512x256xbf16> -> tensor<512x216xbf16>
  %e = fuse.exp %y : tensor<512x40xbf16>
  return %e, %z : tensor<512x40xbf16>, tensor<512x216xbf16>
}
func.func @not_sliceInside(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> (tensor<512x128xbf16>, tensor<512x128xbf16>) {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %y = fuse.slice %p offsets = [0, 0] sizes = [512, 128] : tensor<512x256xbf16> -> tensor<512x128xbf16>
  %z = fuse.slice %p offsets = [0, 128] sizes = [512, 128] : tensor<512x256xbf16> -> tensor<512x128xbf16>
  return %y, %z : tensor<512x128xbf16>, tensor<512x128xbf16>
}
func.func @neighboursApart(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> tensor<256x512xbf16> {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %e = fuse.exp %p : tensor<512x256xbf16>
  %y = fuse.transpose %e permutation = [1, 0] : tensor<512x256xbf16> -> tensor<256x512xbf16>
  return %y : tensor<256x512xbf16>
}
func.func @not_neighboursApart(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %e = fuse.exp %p : tensor<512x256xbf16>
  return %e : tensor<512x256xbf16>
}

// Of one kernel, why its contraction is not on tensor cores.
func.func @mmaTypes(%x: tensor<512x256xf32>, %a: tensor<256x256xf32>) -> tensor<512x256xf32> {
  %p = fuse.matmul %x, %a : tensor<512x256xf32>, tensor<256x256xf32> -> tensor<512x256xf32>
  return %p : tensor<512x256xf32>
}
func.func @mmaSeveralSums(%x: tensor<512x16x16xbf16>, %a: tensor<16x16x256xbf16>) -> tensor<512x256xbf16> {
  %p = fuse.contract "mkl,kln->mn" %x, %a : tensor<512x16x16xbf16>, tensor<16x16x256xbf16> -> tensor<512x256xbf16>
  return %p : tensor<512x256xbf16>
}
func.func @mmaUnalignedRows(%x: tensor<512x255xbf16>, %a: tensor<255x256xbf16>) -> tensor<512x256xbf16> {
  %p = fuse.matmul %x, %a : tensor<512x255xbf16>, tensor<255x256xbf16> -> tensor<512x256xbf16>
  return %p : tensor<512x256xbf16>
}
func.func @mmaOuterAxis(%x: tensor<512x256x4xbf16>, %a: tensor<256x256xbf16>) -> tensor<4x512x256xbf16> {
  %p = fuse.contract "mkb,kn->bmn" %x, %a : tensor<512x256x4xbf16>, tensor<256x256xbf16> -> tensor<4x512x256xbf16>
  return %p : tensor<4x512x256xbf16>
}
func.func @not_mmaOuterAxis(%x: tensor<4x512x256xbf16>, %a: tensor<256x256xbf16>) -> tensor<4x512x256xbf16> {
  %p = fuse.contract "bmk,kn->bmn" %x, %a : tensor<4x512x256xbf16>, tensor<256x256xbf16> -> tensor<4x512x256xbf16>
  return %p : tensor<4x512x256xbf16>
}

// Attention that is not streamed, and one that is.
func.func @notStreamed(%q: tensor<8x512x512xbf16>, %k: tensor<8x512x512xbf16>, %v: tensor<8x512x512xbf16>) -> tensor<8x512x512xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x512xbf16>, tensor<8x512x512xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x512xbf16> -> tensor<8x512x512xbf16>
  return %y : tensor<8x512x512xbf16>
}
func.func @streamedHeads(%q: tensor<8x512x768xbf16>, %k: tensor<8x512x768xbf16>, %v: tensor<8x512x768xbf16>) -> tensor<8x512x768xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x768xbf16>, tensor<8x512x768xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x768xbf16> -> tensor<8x512x768xbf16>
  return %y : tensor<8x512x768xbf16>
}
func.func @streamedSlower(%q: tensor<8x512x512xbf16>, %k: tensor<8x512x512xbf16>, %v: tensor<8x512x512xbf16>) -> tensor<8x512x512xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x512xbf16>, tensor<8x512x512xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x512xbf16> -> tensor<8x512x512xbf16>
  return %y : tensor<8x512x512xbf16>
}
func.func @streamedNoSoftmax(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %t = fuse.reduce sum %s dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
  %w = fuse.div %s, %t : tensor<8x512x512xbf16>, tensor<8x512x1xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
func.func @near_streamed(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
func.func @not_notStreamed(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
// Layers with a norm between them are no attention.
func.func @not_streamedNoSoftmax(%x: tensor<512x256xf16>, %a: tensor<512x256xf16>, %n: tensor<512xf16>, %b: tensor<256x512xf16>) -> tensor<512x256xf16> {
  %h = fuse.matmul %x, %a transpose_rhs : tensor<512x256xf16>, tensor<512x256xf16> -> tensor<512x512xf16>
  %r = fuse.rms_norm %h, %n eps = 1.0e-5 : tensor<512x512xf16>, tensor<512xf16>
  %y = fuse.matmul %r, %b transpose_rhs : tensor<512x512xf16>, tensor<256x512xf16> -> tensor<512x256xf16>
  return %y : tensor<512x256xf16>
}
func.func @streamedTypes(%q: tensor<8x512x128xf32>, %k: tensor<8x512x128xf32>, %v: tensor<8x512x128xf32>) -> tensor<8x512x128xf32> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xf32>, tensor<8x512x128xf32> -> tensor<8x512x512xf32>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xf32>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xf32>, tensor<8x512x128xf32> -> tensor<8x512x128xf32>
  return %y : tensor<8x512x128xf32>
}
func.func @streamedPrecision(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %d = fuse.cast %s : tensor<8x512x512xbf16> -> tensor<8x512x512xf64>
  %w = fuse.softmax %d dims = [2] : tensor<8x512x512xf64>
  %c = fuse.cast %w : tensor<8x512x512xf64> -> tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %c, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
// Weights are f64 behind a softmax in f32.
func.func @not_streamedPrecision(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>, %m: tensor<512x512xf64>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %f = fuse.cast %s : tensor<8x512x512xbf16> -> tensor<8x512x512xf32>
  %w = fuse.softmax %f dims = [2] : tensor<8x512x512xf32>
  %d = fuse.cast %w : tensor<8x512x512xf32> -> tensor<8x512x512xf64>
  %h = fuse.mul %d, %m : tensor<8x512x512xf64>, tensor<512x512xf64>
  %c = fuse.cast %h : tensor<8x512x512xf64> -> tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %c, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
func.func @streamedSoftmaxAxis(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.softmax %s dims = [1] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
func.func @streamedScoresMoved(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %r = fuse.reverse %s dims = [2] : tensor<8x512x512xbf16>
  %w = fuse.softmax %r dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
func.func @streamedScoresStored(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> (tensor<8x512x128xbf16>, tensor<8x512x512xbf16>) {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y, %s : tensor<8x512x128xbf16>, tensor<8x512x512xbf16>
}
func.func @streamedSmallWeights(%q: tensor<8x512x128xf16>, %k: tensor<8x512x128xf16>, %v: tensor<8x512x128xf16>, %decay: tensor<512x512xf32>) -> tensor<8x512x128xf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xf16>, tensor<8x512x128xf16> -> tensor<8x512x512xf16>
  %f = fuse.cast %s : tensor<8x512x512xf16> -> tensor<8x512x512xf32>
  %m = fuse.reduce max %f dims = [2] keep : tensor<8x512x512xf32> -> tensor<8x512x1xf32>
  %b = fuse.sub %f, %m : tensor<8x512x512xf32>, tensor<8x512x1xf32>
  %e = fuse.exp %b : tensor<8x512x512xf32>
  %d = fuse.mul %e, %decay : tensor<8x512x512xf32>, tensor<512x512xf32>
  %t = fuse.reduce sum %d dims = [2] keep : tensor<8x512x512xf32> -> tensor<8x512x1xf32>
  %p = fuse.div %d, %t : tensor<8x512x512xf32>, tensor<8x512x1xf32>
  %w = fuse.cast %p : tensor<8x512x512xf32> -> tensor<8x512x512xf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xf16>, tensor<8x512x128xf16> -> tensor<8x512x128xf16>
  return %y : tensor<8x512x128xf16>
}
func.func @not_streamedSmallWeights(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>, %decay: tensor<512x512xf32>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %f = fuse.cast %s : tensor<8x512x512xbf16> -> tensor<8x512x512xf32>
  %m = fuse.reduce max %f dims = [2] keep : tensor<8x512x512xf32> -> tensor<8x512x1xf32>
  %b = fuse.sub %f, %m : tensor<8x512x512xf32>, tensor<8x512x1xf32>
  %e = fuse.exp %b : tensor<8x512x512xf32>
  %d = fuse.mul %e, %decay : tensor<8x512x512xf32>, tensor<512x512xf32>
  %t = fuse.reduce sum %d dims = [2] keep : tensor<8x512x512xf32> -> tensor<8x512x1xf32>
  %p = fuse.div %d, %t : tensor<8x512x512xf32>, tensor<8x512x1xf32>
  %w = fuse.cast %p : tensor<8x512x512xf32> -> tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
func.func @streamedWeights(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %u = fuse.softmax %s dims = [2] : tensor<8x512x512xbf16>
  %w = fuse.sqrt %u : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
func.func @streamedValues(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<512x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,qkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<512x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
func.func @streamedSeveralSums(%q: tensor<8x512x16x8xbf16>, %k: tensor<8x512x16x8xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqde,hkde->hqk" %q, %k : tensor<8x512x16x8xbf16>, tensor<8x512x16x8xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}

func.func @near_mma(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  return %p : tensor<512x256xbf16>
}
func.func @mmaAcrossSum(%x: tensor<512x256xf8E4M3FN>, %a: tensor<256x256xf8E4M3FN>) -> tensor<512x256xf32> {
  %p = fuse.contract "mk,kn->mn" %x, %a : tensor<512x256xf8E4M3FN>, tensor<256x256xf8E4M3FN> -> tensor<512x256xf32>
  return %p : tensor<512x256xf32>
}
func.func @scatterBesideTiles(%x: tensor<512x256xf32>, %a: tensor<256x256xf32>, %c: tensor<4096x256xf32>, %i: tensor<512xi32>) -> tensor<4096x256xf32> {
  %p = fuse.matmul %x, %a : tensor<512x256xf32>, tensor<256x256xf32> -> tensor<512x256xf32>
  %s = fuse.scatter %c, %i, %p dim = 0 : tensor<4096x256xf32>, tensor<512xi32>, tensor<512x256xf32> -> tensor<4096x256xf32>
  return %s : tensor<4096x256xf32>
}
func.func @not_scatterBesideTiles(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>, %c: tensor<4096x256xbf16>, %i: tensor<512xi32>) -> tensor<4096x256xbf16> {
  %p = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %s = fuse.scatter %c, %i, %p dim = 0 : tensor<4096x256xbf16>, tensor<512xi32>, tensor<512x256xbf16> -> tensor<4096x256xbf16>
  return %s : tensor<4096x256xbf16>
}
func.func @tooManyContractions(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>, %c: tensor<256x256xbf16>, %d: tensor<256x256xbf16>, %e: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %0 = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %1 = fuse.matmul %x, %b : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %2 = fuse.matmul %x, %c : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %3 = fuse.matmul %x, %d : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %4 = fuse.matmul %x, %e : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %s = fuse.add %0, %1 : tensor<512x256xbf16>
  %t = fuse.add %s, %2 : tensor<512x256xbf16>
  %u = fuse.add %t, %3 : tensor<512x256xbf16>
  %v = fuse.add %u, %4 : tensor<512x256xbf16>
  return %v : tensor<512x256xbf16>
}
func.func @not_tooManyContractions(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %0 = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %1 = fuse.matmul %x, %b : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
  %s = fuse.add %0, %1 : tensor<512x256xbf16>
  return %s : tensor<512x256xbf16>
}
func.func @mmaTooManyDims(%x: tensor<2x2x2x2x512x256xbf16>, %a: tensor<2x2x2x2x256x256xbf16>) -> tensor<2x2x2x2x512x256xbf16> {
  %p = fuse.contract "abcdmk,dcbakn->abcdmn" %x, %a : tensor<2x2x2x2x512x256xbf16>, tensor<2x2x2x2x256x256xbf16> -> tensor<2x2x2x2x512x256xbf16>
  return %p : tensor<2x2x2x2x512x256xbf16>
}
func.func @rotaryTwoRows(%x: tensor<512x256xbf16>, %w: tensor<256x256xbf16>) -> tensor<256x512xbf16> {
  %p = fuse.contract "mk,kn->nm" %x, %w : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<256x512xbf16>
  %t = fuse.transpose %p permutation = [1, 0] : tensor<256x512xbf16> -> tensor<512x256xbf16>
  %r = fuse.rotary half heads_tokens %t base = 1.0e4 : tensor<512x256xbf16>
  %y = fuse.transpose %r permutation = [1, 0] : tensor<512x256xbf16> -> tensor<256x512xbf16>
  return %y : tensor<256x512xbf16>
}
func.func @resultNotContractionShape(%x: tensor<512x256xf32>, %a: tensor<256x256xf32>) -> (tensor<512x256xf32>, tensor<256xf32>) {
  %p = fuse.matmul %x, %a : tensor<512x256xf32>, tensor<256x256xf32> -> tensor<512x256xf32>
  %b = fuse.iota dim = 0 : tensor<256xi32>
  %c = fuse.cast %b : tensor<256xi32> -> tensor<256xf32>
  %y = fuse.add %p, %c : tensor<512x256xf32>, tensor<256xf32> -> tensor<512x256xf32>
  return %y, %c : tensor<512x256xf32>, tensor<256xf32>
}
func.func @near_rotary(%x: tensor<64x256xbf16>, %w: tensor<256x128xbf16>) -> tensor<64x128xbf16> {
  %p = fuse.matmul %x, %w : tensor<64x256xbf16>, tensor<256x128xbf16> -> tensor<64x128xbf16>
  %r = fuse.rotary half heads_tokens %p base = 1.0e4 : tensor<64x128xbf16>
  return %r : tensor<64x128xbf16>
}
func.func @not_resultNotContractionShape(%x: tensor<512x256xf32>, %a: tensor<256x256xf32>, %c: tensor<256xf32>) -> tensor<512x256xf32> {
  %p = fuse.matmul %x, %a : tensor<512x256xf32>, tensor<256x256xf32> -> tensor<512x256xf32>
  %y = fuse.add %p, %c : tensor<512x256xf32>, tensor<256xf32> -> tensor<512x256xf32>
  return %y : tensor<512x256xf32>
}

func.func @streamedParts(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x96xbf16>, %r: tensor<8x512x32xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %c = fuse.concat %k, %r dim = 2 : tensor<8x512x96xbf16>, tensor<8x512x32xbf16> -> tensor<8x512x128xbf16>
  %s = fuse.contract "hqd,hkd->hqk" %q, %c : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
func.func @not_streamedParts(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x64xbf16>, %r: tensor<8x512x64xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %c = fuse.concat %k, %r dim = 2 : tensor<8x512x64xbf16>, tensor<8x512x64xbf16> -> tensor<8x512x128xbf16>
  %s = fuse.contract "hqd,hkd->hqk" %q, %c : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
func.func @streamedCount(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>, %r: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %s2 = fuse.contract "hqd,hkd->hqk" %q, %r : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %a = fuse.mul %s, %s2 : tensor<8x512x512xbf16>
  %w = fuse.softmax %a dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
func.func @streamedStatistics(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>, %b: tensor<512xbf16>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %m = fuse.reduce max %s dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
  %d = fuse.sub %s, %m : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
  %e = fuse.exp %d : tensor<8x512x512xbf16>
  %t = fuse.reduce sum %e dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
  %u = fuse.mul %t, %b : tensor<8x512x1xbf16>, tensor<512xbf16> -> tensor<8x512x512xbf16>
  %n = fuse.div %e, %t : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.mul %n, %u : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
func.func @streamedMeet(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %m = fuse.reduce max %s dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
  %d = fuse.sub %s, %m : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
  %e = fuse.exp %d : tensor<8x512x512xbf16>
  %t = fuse.reduce sum %e dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
  %u = fuse.mul %s, %m : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
  %n = fuse.div %e, %t : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.mul %n, %u : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
func.func @streamedShape(%q: tensor<1x512x128xbf16>, %k: tensor<1x512x128xbf16>, %v: tensor<8x512x128xbf16>, %b: tensor<8x1x512xbf16>) -> tensor<8x512x128xbf16> {
  %s0 = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<1x512x128xbf16>, tensor<1x512x128xbf16> -> tensor<1x512x512xbf16>
  %s = fuse.add %s0, %b : tensor<1x512x512xbf16>, tensor<8x1x512xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}
func.func @streamedKeys(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hqd->hkd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
  return %y : tensor<8x512x128xbf16>
}

func.func @mmaF64(%x: tensor<512x256xf8E4M3FN>, %a: tensor<256x256xf8E4M3FN>) -> tensor<512x256xf64> {
  %y = fuse.contract "mk,nk->mn" %x, %a : tensor<512x256xf8E4M3FN>, tensor<256x256xf8E4M3FN> -> tensor<512x256xf64>
  return %y : tensor<512x256xf64>
}
func.func @mmaColumnTypes(%x: tensor<512x256xf8E4M3FN>, %a: tensor<256x256xf8E4M3FN>, %b: tensor<256x256xf8E5M2>) -> tensor<512x256xf32> {
  %p = fuse.contract "mk,nk->mn" %x, %a : tensor<512x256xf8E4M3FN>, tensor<256x256xf8E4M3FN> -> tensor<512x256xf32>
  %q = fuse.contract "mk,nk->mn" %x, %b : tensor<512x256xf8E4M3FN>, tensor<256x256xf8E5M2> -> tensor<512x256xf32>
  %y = fuse.mul %p, %q : tensor<512x256xf32>
  return %y : tensor<512x256xf32>
}
func.func @mmaTooManyMaps(%x: tensor<512x256xbf16>, %a0: tensor<64x256xbf16>, %a1: tensor<64x256xbf16>, %a2: tensor<64x256xbf16>, %a3: tensor<64x256xbf16>, %a4: tensor<64x256xbf16>, %a5: tensor<64x256xbf16>, %a6: tensor<64x256xbf16>, %a7: tensor<64x256xbf16>, %a8: tensor<64x256xbf16>, %a9: tensor<64x256xbf16>, %a10: tensor<64x256xbf16>, %a11: tensor<64x256xbf16>, %a12: tensor<64x256xbf16>, %a13: tensor<64x256xbf16>, %a14: tensor<64x256xbf16>, %a15: tensor<64x256xbf16>, %a16: tensor<64x256xbf16>, %a17: tensor<64x256xbf16>, %a18: tensor<64x256xbf16>, %a19: tensor<64x256xbf16>, %a20: tensor<64x256xbf16>, %a21: tensor<64x256xbf16>, %a22: tensor<64x256xbf16>, %a23: tensor<64x256xbf16>, %a24: tensor<64x256xbf16>, %a25: tensor<64x256xbf16>, %a26: tensor<64x256xbf16>, %a27: tensor<64x256xbf16>, %a28: tensor<64x256xbf16>, %a29: tensor<64x256xbf16>, %a30: tensor<64x256xbf16>, %a31: tensor<64x256xbf16>, %a32: tensor<64x256xbf16>, %a33: tensor<64x256xbf16>, %a34: tensor<64x256xbf16>, %a35: tensor<64x256xbf16>, %a36: tensor<64x256xbf16>, %a37: tensor<64x256xbf16>, %a38: tensor<64x256xbf16>, %a39: tensor<64x256xbf16>) -> (tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>) {
  %c0 = fuse.contract "mk,nk->mn" %x, %a0 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c1 = fuse.contract "mk,nk->mn" %x, %a1 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c2 = fuse.contract "mk,nk->mn" %x, %a2 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c3 = fuse.contract "mk,nk->mn" %x, %a3 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c4 = fuse.contract "mk,nk->mn" %x, %a4 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c5 = fuse.contract "mk,nk->mn" %x, %a5 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c6 = fuse.contract "mk,nk->mn" %x, %a6 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c7 = fuse.contract "mk,nk->mn" %x, %a7 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c8 = fuse.contract "mk,nk->mn" %x, %a8 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c9 = fuse.contract "mk,nk->mn" %x, %a9 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c10 = fuse.contract "mk,nk->mn" %x, %a10 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c11 = fuse.contract "mk,nk->mn" %x, %a11 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c12 = fuse.contract "mk,nk->mn" %x, %a12 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c13 = fuse.contract "mk,nk->mn" %x, %a13 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c14 = fuse.contract "mk,nk->mn" %x, %a14 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c15 = fuse.contract "mk,nk->mn" %x, %a15 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c16 = fuse.contract "mk,nk->mn" %x, %a16 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c17 = fuse.contract "mk,nk->mn" %x, %a17 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c18 = fuse.contract "mk,nk->mn" %x, %a18 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c19 = fuse.contract "mk,nk->mn" %x, %a19 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c20 = fuse.contract "mk,nk->mn" %x, %a20 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c21 = fuse.contract "mk,nk->mn" %x, %a21 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c22 = fuse.contract "mk,nk->mn" %x, %a22 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c23 = fuse.contract "mk,nk->mn" %x, %a23 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c24 = fuse.contract "mk,nk->mn" %x, %a24 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c25 = fuse.contract "mk,nk->mn" %x, %a25 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c26 = fuse.contract "mk,nk->mn" %x, %a26 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c27 = fuse.contract "mk,nk->mn" %x, %a27 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c28 = fuse.contract "mk,nk->mn" %x, %a28 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c29 = fuse.contract "mk,nk->mn" %x, %a29 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c30 = fuse.contract "mk,nk->mn" %x, %a30 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c31 = fuse.contract "mk,nk->mn" %x, %a31 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c32 = fuse.contract "mk,nk->mn" %x, %a32 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c33 = fuse.contract "mk,nk->mn" %x, %a33 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c34 = fuse.contract "mk,nk->mn" %x, %a34 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c35 = fuse.contract "mk,nk->mn" %x, %a35 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c36 = fuse.contract "mk,nk->mn" %x, %a36 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c37 = fuse.contract "mk,nk->mn" %x, %a37 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c38 = fuse.contract "mk,nk->mn" %x, %a38 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  %c39 = fuse.contract "mk,nk->mn" %x, %a39 : tensor<512x256xbf16>, tensor<64x256xbf16> -> tensor<512x64xbf16>
  return %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11, %c12, %c13, %c14, %c15, %c16, %c17, %c18, %c19, %c20, %c21, %c22, %c23, %c24, %c25, %c26, %c27, %c28, %c29, %c30, %c31, %c32, %c33, %c34, %c35, %c36, %c37, %c38, %c39 : tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>
}

func.func @unknownParts(%x: tensor<512x256xbf16>, %a: tensor<?x256xbf16>, %r: tensor<512x4x?xbf16>) -> tensor<512x4x?xbf16> {
  %c2 = arith.constant 2 : index
  %n = tensor.dim %r, %c2 : tensor<512x4x?xbf16>
  %p = fuse.contract "mk,nk->mn" %x, %a : tensor<512x256xbf16>, tensor<?x256xbf16> -> tensor<512x?xbf16>
  %e = tensor.expand_shape %p [[0], [1, 2]] output_shape [512, 4, %n] : tensor<512x?xbf16> into tensor<512x4x?xbf16>
  %y = fuse.add %e, %r : tensor<512x4x?xbf16>
  return %y : tensor<512x4x?xbf16>
}
func.func @not_unknownParts(%x: tensor<512x256xbf16>, %a: tensor<512x256xbf16>, %r: tensor<512x4x128xbf16>) -> tensor<512x4x128xbf16> {
  %p = fuse.contract "mk,nk->mn" %x, %a : tensor<512x256xbf16>, tensor<512x256xbf16> -> tensor<512x512xbf16>
  %e = tensor.expand_shape %p [[0], [1, 2]] output_shape [512, 4, 128] : tensor<512x512xbf16> into tensor<512x4x128xbf16>
  %y = fuse.add %e, %r : tensor<512x4x128xbf16>
  return %y : tensor<512x4x128xbf16>
}

func.func @pagesComputed(%q: tensor<512x128xbf16>, %c: tensor<64x128x128xbf16>, %ids: tensor<4xi32>, %v: tensor<512x128xbf16>) -> tensor<512x128xbf16> {
  %one = fuse.constant dense<1> : tensor<i32>
  %ids2 = fuse.add %ids, %one : tensor<4xi32>, tensor<i32> -> tensor<4xi32>
  %g = fuse.gather %c, %ids2 dim = 0 : tensor<64x128x128xbf16>, tensor<4xi32> -> tensor<4x128x128xbf16>
  %k = tensor.collapse_shape %g [[0, 1], [2]] : tensor<4x128x128xbf16> into tensor<512x128xbf16>
  %s = fuse.contract "qd,kd->qk" %q, %k : tensor<512x128xbf16>, tensor<512x128xbf16> -> tensor<512x512xbf16>
  %w = fuse.softmax %s dims = [1] : tensor<512x512xbf16>
  %y = fuse.contract "qk,kd->qd" %w, %v : tensor<512x512xbf16>, tensor<512x128xbf16> -> tensor<512x128xbf16>
  return %y : tensor<512x128xbf16>
}
func.func @pagesOne(%q: tensor<512x128xbf16>, %c: tensor<64x4x128x128xbf16>, %ids: tensor<i32>, %v: tensor<512x128xbf16>) -> tensor<512x128xbf16> {
  %g = fuse.gather %c, %ids dim = 0 : tensor<64x4x128x128xbf16>, tensor<i32> -> tensor<4x128x128xbf16>
  %k = tensor.collapse_shape %g [[0, 1], [2]] : tensor<4x128x128xbf16> into tensor<512x128xbf16>
  %s = fuse.contract "qd,kd->qk" %q, %k : tensor<512x128xbf16>, tensor<512x128xbf16> -> tensor<512x512xbf16>
  %w = fuse.softmax %s dims = [1] : tensor<512x512xbf16>
  %y = fuse.contract "qk,kd->qd" %w, %v : tensor<512x512xbf16>, tensor<512x128xbf16> -> tensor<512x128xbf16>
  return %y : tensor<512x128xbf16>
}
func.func @pagesUnaligned(%q: tensor<512x128xbf16>, %c: tensor<64x128x4xbf16>, %ids: tensor<128xi32>, %v: tensor<512x128xbf16>) -> tensor<512x128xbf16> {
  %g = fuse.gather %c, %ids dim = 0 : tensor<64x128x4xbf16>, tensor<128xi32> -> tensor<128x128x4xbf16>
  %tr = fuse.transpose %g permutation = [0, 2, 1] : tensor<128x128x4xbf16> -> tensor<128x4x128xbf16>
  %k = tensor.collapse_shape %tr [[0, 1], [2]] : tensor<128x4x128xbf16> into tensor<512x128xbf16>
  %s = fuse.contract "qd,kd->qk" %q, %k : tensor<512x128xbf16>, tensor<512x128xbf16> -> tensor<512x512xbf16>
  %w = fuse.softmax %s dims = [1] : tensor<512x512xbf16>
  %y = fuse.contract "qk,kd->qd" %w, %v : tensor<512x512xbf16>, tensor<512x128xbf16> -> tensor<512x128xbf16>
  return %y : tensor<512x128xbf16>
}
func.func @pagesApart(%q: tensor<512x128xbf16>, %c: tensor<64x128x128xbf16>, %ids: tensor<4xi32>, %v: tensor<512x128xbf16>) -> tensor<512x128xbf16> {
  %g = fuse.gather %c, %ids dim = 0 : tensor<64x128x128xbf16>, tensor<4xi32> -> tensor<4x128x128xbf16>
  %tr = fuse.transpose %g permutation = [1, 0, 2] : tensor<4x128x128xbf16> -> tensor<128x4x128xbf16>
  %k = tensor.collapse_shape %tr [[0, 1], [2]] : tensor<128x4x128xbf16> into tensor<512x128xbf16>
  %s = fuse.contract "qd,kd->qk" %q, %k : tensor<512x128xbf16>, tensor<512x128xbf16> -> tensor<512x512xbf16>
  %w = fuse.softmax %s dims = [1] : tensor<512x512xbf16>
  %y = fuse.contract "qk,kd->qd" %w, %v : tensor<512x512xbf16>, tensor<512x128xbf16> -> tensor<512x128xbf16>
  return %y : tensor<512x128xbf16>
}
func.func @pagesJoined(%q: tensor<512x128xbf16>, %c: tensor<64x128x2x64xbf16>, %ids: tensor<4xi32>, %v: tensor<512x128xbf16>) -> tensor<512x128xbf16> {
  %g = fuse.gather %c, %ids dim = 0 : tensor<64x128x2x64xbf16>, tensor<4xi32> -> tensor<4x128x2x64xbf16>
  %k = tensor.collapse_shape %g [[0, 1], [2, 3]] : tensor<4x128x2x64xbf16> into tensor<512x128xbf16>
  %s = fuse.contract "qd,kd->qk" %q, %k : tensor<512x128xbf16>, tensor<512x128xbf16> -> tensor<512x512xbf16>
  %w = fuse.softmax %s dims = [1] : tensor<512x512xbf16>
  %y = fuse.contract "qk,kd->qd" %w, %v : tensor<512x512xbf16>, tensor<512x128xbf16> -> tensor<512x128xbf16>
  return %y : tensor<512x128xbf16>
}
func.func @pagesRows(%q: tensor<512x128xbf16>, %c: tensor<64x4x128xbf16>, %ids: tensor<128xi32>, %v: tensor<512x128xbf16>) -> tensor<512x128xbf16> {
  %g = fuse.gather %c, %ids dim = 0 : tensor<64x4x128xbf16>, tensor<128xi32> -> tensor<128x4x128xbf16>
  %k = tensor.collapse_shape %g [[0, 1], [2]] : tensor<128x4x128xbf16> into tensor<512x128xbf16>
  %s = fuse.contract "qd,kd->qk" %q, %k : tensor<512x128xbf16>, tensor<512x128xbf16> -> tensor<512x512xbf16>
  %w = fuse.softmax %s dims = [1] : tensor<512x512xbf16>
  %y = fuse.contract "qk,kd->qd" %w, %v : tensor<512x512xbf16>, tensor<512x128xbf16> -> tensor<512x128xbf16>
  return %y : tensor<512x128xbf16>
}
func.func @pagesFeatures(%q: tensor<512x128xbf16>, %c: tensor<64x128x128xbf16>, %ids: tensor<4xi32>, %v: tensor<512x128xbf16>) -> tensor<512x128xbf16> {
  %g = fuse.gather %c, %ids dim = 0 : tensor<64x128x128xbf16>, tensor<4xi32> -> tensor<4x128x128xbf16>
  %tr = fuse.transpose %g permutation = [0, 2, 1] : tensor<4x128x128xbf16> -> tensor<4x128x128xbf16>
  %k = tensor.collapse_shape %tr [[0, 1], [2]] : tensor<4x128x128xbf16> into tensor<512x128xbf16>
  %s = fuse.contract "qd,kd->qk" %q, %k : tensor<512x128xbf16>, tensor<512x128xbf16> -> tensor<512x512xbf16>
  %w = fuse.softmax %s dims = [1] : tensor<512x512xbf16>
  %y = fuse.contract "qk,kd->qd" %w, %v : tensor<512x512xbf16>, tensor<512x128xbf16> -> tensor<512x128xbf16>
  return %y : tensor<512x128xbf16>
}
func.func @near_pages(%q: tensor<512x128xbf16>, %c: tensor<64x128x128xbf16>, %ids: tensor<4xi32>, %v: tensor<512x128xbf16>) -> tensor<512x128xbf16> {
  %g = fuse.gather %c, %ids dim = 0 : tensor<64x128x128xbf16>, tensor<4xi32> -> tensor<4x128x128xbf16>
  %k = tensor.collapse_shape %g [[0, 1], [2]] : tensor<4x128x128xbf16> into tensor<512x128xbf16>
  %s = fuse.contract "qd,kd->qk" %q, %k : tensor<512x128xbf16>, tensor<512x128xbf16> -> tensor<512x512xbf16>
  %w = fuse.softmax %s dims = [1] : tensor<512x512xbf16>
  %y = fuse.contract "qk,kd->qd" %w, %v : tensor<512x512xbf16>, tensor<512x128xbf16> -> tensor<512x128xbf16>
  return %y : tensor<512x128xbf16>
}

func.func @mmaRepeats(%x: tensor<128x256xbf16>, %w: tensor<1x64xbf16>) -> tensor<128x64xbf16> {
  %p = fuse.contract "mk,kn->mn" %x, %w : tensor<128x256xbf16>, tensor<1x64xbf16> -> tensor<128x64xbf16>
  return %p : tensor<128x64xbf16>
}
func.func @not_mmaRepeats(%x: tensor<128x256xbf16>, %w: tensor<256x64xbf16>) -> tensor<128x64xbf16> {
  %p = fuse.contract "mk,kn->mn" %x, %w : tensor<128x256xbf16>, tensor<256x64xbf16> -> tensor<128x64xbf16>
  return %p : tensor<128x64xbf16>
}

func.func @noTileForGroups(%x: tensor<256x256xbf16>, %w: tensor<960x256xbf16>) -> (tensor<256x2x160xbf16>, tensor<256x640xbf16>) {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<256x256xbf16>, tensor<960x256xbf16> -> tensor<256x960xbf16>
  %q = fuse.slice %p offsets = [0, 0] sizes = [256, 320] : tensor<256x960xbf16> -> tensor<256x320xbf16>
  %r = fuse.slice %p offsets = [0, 320] sizes = [256, 640] : tensor<256x960xbf16> -> tensor<256x640xbf16>
  %h = tensor.expand_shape %q [[0], [1, 2]] output_shape [256, 2, 160] : tensor<256x320xbf16> into tensor<256x2x160xbf16>
  %o = fuse.rotary half tokens_heads %h base = 1.0e4 : tensor<256x2x160xbf16>
  return %o, %r : tensor<256x2x160xbf16>, tensor<256x640xbf16>
}
func.func @not_noTileForGroups(%x: tensor<256x256xbf16>, %w: tensor<896x256xbf16>) -> (tensor<256x2x128xbf16>, tensor<256x640xbf16>) {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<256x256xbf16>, tensor<896x256xbf16> -> tensor<256x896xbf16>
  %q = fuse.slice %p offsets = [0, 0] sizes = [256, 256] : tensor<256x896xbf16> -> tensor<256x256xbf16>
  %r = fuse.slice %p offsets = [0, 256] sizes = [256, 640] : tensor<256x896xbf16> -> tensor<256x640xbf16>
  %h = tensor.expand_shape %q [[0], [1, 2]] output_shape [256, 2, 128] : tensor<256x256xbf16> into tensor<256x2x128xbf16>
  %o = fuse.rotary half tokens_heads %h base = 1.0e4 : tensor<256x2x128xbf16>
  return %o, %r : tensor<256x2x128xbf16>, tensor<256x640xbf16>
}

func.func @rotaryTwoVectors(%x: tensor<256x256xbf16>, %w: tensor<161x256xbf16>) -> (tensor<256x2x64xbf16>, tensor<256x33xbf16>) {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<256x256xbf16>, tensor<161x256xbf16> -> tensor<256x161xbf16>
  %q = fuse.slice %p offsets = [0, 0] sizes = [256, 128] : tensor<256x161xbf16> -> tensor<256x128xbf16>
  %r = fuse.slice %p offsets = [0, 128] sizes = [256, 33] : tensor<256x161xbf16> -> tensor<256x33xbf16>
  %h = tensor.expand_shape %q [[0], [1, 2]] output_shape [256, 2, 64] : tensor<256x128xbf16> into tensor<256x2x64xbf16>
  %o = fuse.rotary interleaved tokens_heads %h base = 1.0e4 : tensor<256x2x64xbf16>
  return %o, %r : tensor<256x2x64xbf16>, tensor<256x33xbf16>
}
func.func @not_rotaryTwoVectors(%x: tensor<256x256xbf16>, %w: tensor<192x256xbf16>) -> (tensor<256x2x64xbf16>, tensor<256x64xbf16>) {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<256x256xbf16>, tensor<192x256xbf16> -> tensor<256x192xbf16>
  %q = fuse.slice %p offsets = [0, 0] sizes = [256, 128] : tensor<256x192xbf16> -> tensor<256x128xbf16>
  %r = fuse.slice %p offsets = [0, 128] sizes = [256, 64] : tensor<256x192xbf16> -> tensor<256x64xbf16>
  %h = tensor.expand_shape %q [[0], [1, 2]] output_shape [256, 2, 64] : tensor<256x128xbf16> into tensor<256x2x64xbf16>
  %o = fuse.rotary interleaved tokens_heads %h base = 1.0e4 : tensor<256x2x64xbf16>
  return %o, %r : tensor<256x2x64xbf16>, tensor<256x64xbf16>
}

// Blocks that share a long summed axis have no slices of a packed product.
func.func @detachedSlower(%x: tensor<8x8192xbf16>, %w: tensor<128x8192xbf16>) -> (tensor<8x1x64xbf16>, tensor<8x64xbf16>) {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<8x8192xbf16>, tensor<128x8192xbf16> -> tensor<8x128xbf16>
  %q = fuse.slice %p offsets = [0, 0] sizes = [8, 64] : tensor<8x128xbf16> -> tensor<8x64xbf16>
  %r = fuse.slice %p offsets = [0, 64] sizes = [8, 64] : tensor<8x128xbf16> -> tensor<8x64xbf16>
  %h = tensor.expand_shape %q [[0], [1, 2]] output_shape [8, 1, 64] : tensor<8x64xbf16> into tensor<8x1x64xbf16>
  %o = fuse.rotary half tokens_heads %h base = 1.0e4 : tensor<8x1x64xbf16>
  return %o, %r : tensor<8x1x64xbf16>, tensor<8x64xbf16>
}
func.func @not_detachedSlower(%x: tensor<4096x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<4096x8x64xbf16> {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<4096x512xbf16>, tensor<512x512xbf16> -> tensor<4096x512xbf16>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [4096, 8, 64] : tensor<4096x512xbf16> into tensor<4096x8x64xbf16>
  %o = fuse.rotary half tokens_heads %h base = 1.0e4 : tensor<4096x8x64xbf16>
  return %o : tensor<4096x8x64xbf16>
}

func.func @streamedThroughOthers(%q: tensor<256x64xbf16>, %k: tensor<256x64xbf16>, %w: tensor<256x64xbf16>) -> tensor<256x64xbf16> {
  %s = fuse.matmul %q, %k transpose_rhs : tensor<256x64xbf16>, tensor<256x64xbf16> -> tensor<256x256xbf16>
  %f = fuse.cast %s : tensor<256x256xbf16> -> tensor<256x256xf32>
  %m = fuse.reduce max %f dims = [1] keep : tensor<256x256xf32> -> tensor<256x1xf32>
  %d = fuse.sub %f, %m : tensor<256x256xf32>, tensor<256x1xf32> -> tensor<256x256xf32>
  %e = fuse.exp %d : tensor<256x256xf32>
  %l = fuse.reduce sum %e dims = [1] keep : tensor<256x256xf32> -> tensor<256x1xf32>
  %p = fuse.div %e, %l : tensor<256x256xf32>, tensor<256x1xf32> -> tensor<256x256xf32>
  %b = fuse.cast %p : tensor<256x256xf32> -> tensor<256x256xbf16>
  %c = tensor.collapse_shape %l [[0, 1]] : tensor<256x1xf32> into tensor<256xf32>
  %g = tensor.expand_shape %c [[0, 1]] output_shape [16, 16] : tensor<256xf32> into tensor<16x16xf32>
  %t = fuse.transpose %g permutation = [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
  %c2 = tensor.collapse_shape %t [[0, 1]] : tensor<16x16xf32> into tensor<256xf32>
  %x = tensor.expand_shape %c2 [[0, 1]] output_shape [256, 1] : tensor<256xf32> into tensor<256x1xf32>
  %wf = fuse.cast %w : tensor<256x64xbf16> -> tensor<256x64xf32>
  %vf = fuse.mul %wf, %x : tensor<256x64xf32>, tensor<256x1xf32> -> tensor<256x64xf32>
  %v = fuse.cast %vf : tensor<256x64xf32> -> tensor<256x64xbf16>
  %o = fuse.matmul %b, %v : tensor<256x256xbf16>, tensor<256x64xbf16> -> tensor<256x64xbf16>
  return %o : tensor<256x64xbf16>
}
