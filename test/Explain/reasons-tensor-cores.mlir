// RUN: fuse-opt %s -fuse-form=chip=sm_90a -fuse-schedule=chip=sm_90a --remarks-filter='fuse-.*' 2> %t.remarks > /dev/null
// RUN: python3 %S/Inputs/check_reasons.py %s %t.remarks

// As in reasons-rows.mlir, for a chip whose tensor cores contract.

func.func @chainedContractions(%x: tensor<512x256xbf16>, %a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  %h = fuse.matmul %x, %a : tensor<512x256xbf16>, tensor<256x256xbf16> -> tensor<512x256xbf16>
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

func.func @contractionsSlower(%x: tensor<4096x4096xbf16>, %v: tensor<4096x4096xbf16>, %w: tensor<8x4096xbf16>) -> (tensor<4096x4096xbf16>, tensor<4096x8xbf16>) {
  %p = fuse.matmul %x, %v transpose_rhs : tensor<4096x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4096x4096xbf16>
  %q = fuse.matmul %x, %w transpose_rhs : tensor<4096x4096xbf16>, tensor<8x4096xbf16> -> tensor<4096x8xbf16>
  return %p, %q : tensor<4096x4096xbf16>, tensor<4096x8xbf16>
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
func.func @streamedHeads(%q: tensor<8x512x512xbf16>, %k: tensor<8x512x512xbf16>, %v: tensor<8x512x512xbf16>) -> tensor<8x512x512xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x512xbf16>, tensor<8x512x512xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xbf16>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xbf16>, tensor<8x512x512xbf16> -> tensor<8x512x512xbf16>
  return %y : tensor<8x512x512xbf16>
}
func.func @streamedNoSoftmax(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
  %w = fuse.exp %s : tensor<8x512x512xbf16>
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
func.func @streamedTypes(%q: tensor<8x512x128xf32>, %k: tensor<8x512x128xf32>, %v: tensor<8x512x128xf32>) -> tensor<8x512x128xf32> {
  %s = fuse.contract "hqd,hkd->hqk" %q, %k : tensor<8x512x128xf32>, tensor<8x512x128xf32> -> tensor<8x512x512xf32>
  %w = fuse.softmax %s dims = [2] : tensor<8x512x512xf32>
  %y = fuse.contract "hqk,hkd->hqd" %w, %v : tensor<8x512x512xf32>, tensor<8x512x128xf32> -> tensor<8x512x128xf32>
  return %y : tensor<8x512x128xf32>
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
func.func @mmaFloat8Axis(%x: tensor<512x256xf8E4M3FN>, %a: tensor<256x256xf8E4M3FN>) -> tensor<512x256xf32> {
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
