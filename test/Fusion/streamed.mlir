// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90a | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_80 | FileCheck %s
// RUN: fuse-opt %s -split-input-file "-fuse-form=chip=sm_90a strict=true" | FileCheck %s --check-prefix=APART

// What attention becomes is one kernel where tensor cores stream it; in strict
// programs every rounding stays.
// CHECK-LABEL: func.func @attention(
// CHECK:         fuse.kernel "attention" ins
// CHECK-COUNT-2: fuse.contract
// CHECK-NOT:     fuse.kernel
// APART-LABEL: func.func @attention(
// APART-COUNT-3: fuse.kernel
func.func @attention(%q: tensor<2x?x8x128xbf16>, %k: tensor<2x?x2x128xbf16>, %v: tensor<2x?x2x128xbf16>) -> tensor<2x?x8x128xbf16> {
  %o = fuse.attention tokens_heads causal %q, %k, %v : tensor<2x?x8x128xbf16>, tensor<2x?x2x128xbf16>, tensor<2x?x2x128xbf16>
  return %o : tensor<2x?x8x128xbf16>
}

// -----

// So is a softmax between two products, whose mask two of them share: each has
// comparisons of its own. What follows the second is in its kernel.
// CHECK-LABEL: func.func @written(
// CHECK:         fuse.kernel "written_0" ins
// CHECK:           fuse.iota
// CHECK-COUNT-2:   fuse.contract
// CHECK:         fuse.kernel "written_1" ins
// CHECK:           fuse.iota
// CHECK-COUNT-2:   fuse.contract
// CHECK:           fuse.mul
// CHECK-NOT:     fuse.kernel
// APART-LABEL: func.func @written(
func.func @written(%q: tensor<8x512x64xf16>, %k: tensor<8x512x64xf16>, %v: tensor<8x512x64xf16>, %g: tensor<8x512x64xf16>) -> (tensor<8x512x64xf16>, tensor<8x512x64xf16>) {
  %hidden = fuse.constant dense<0xFC00> : tensor<f16>
  %i = fuse.iota dim = 1 : tensor<8x512x512xi32>
  %j = fuse.iota dim = 2 : tensor<8x512x512xi32>
  %m = fuse.compare le %j, %i : tensor<8x512x512xi32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<8x512x64xf16>, tensor<8x512x64xf16> -> tensor<8x512x512xf16>
  %x = fuse.select %m, %s, %hidden : tensor<8x512x512xi1>, tensor<8x512x512xf16>, tensor<f16>
  %p = fuse.softmax %x dims = [2] : tensor<8x512x512xf16>
  %o = fuse.matmul %p, %v : tensor<8x512x512xf16>, tensor<8x512x64xf16> -> tensor<8x512x64xf16>
  %y = fuse.mul %o, %g : tensor<8x512x64xf16>
  %s2 = fuse.matmul %k, %q transpose_rhs : tensor<8x512x64xf16>, tensor<8x512x64xf16> -> tensor<8x512x512xf16>
  %x2 = fuse.select %m, %s2, %hidden : tensor<8x512x512xi1>, tensor<8x512x512xf16>, tensor<f16>
  %p2 = fuse.softmax %x2 dims = [2] : tensor<8x512x512xf16>
  %o2 = fuse.matmul %p2, %v : tensor<8x512x512xf16>, tensor<8x512x64xf16> -> tensor<8x512x64xf16>
  return %y, %o2 : tensor<8x512x64xf16>, tensor<8x512x64xf16>
}

// -----

// Weights that are needed in memory are written there.
// CHECK-LABEL: func.func @weights(
// CHECK-SAME:    reason = {cause = {kind = "streamedScoresStored"}, kind = "notStreamed"}
// CHECK-COUNT-3: fuse.kernel
func.func @weights(%q: tensor<8x512x64xf16>, %k: tensor<8x512x64xf16>, %v: tensor<8x512x64xf16>) -> (tensor<8x512x64xf16>, tensor<8x512x512xf16>) {
  %s = fuse.matmul %q, %k transpose_rhs : tensor<8x512x64xf16>, tensor<8x512x64xf16> -> tensor<8x512x512xf16>
  %p = fuse.softmax %s dims = [2] : tensor<8x512x512xf16>
  %o = fuse.matmul %p, %v : tensor<8x512x512xf16>, tensor<8x512x64xf16> -> tensor<8x512x64xf16>
  return %o, %p : tensor<8x512x64xf16>, tensor<8x512x512xf16>
}

// -----

// What is not in proportion to the exponentials cannot be turned to another
// maximum.
// CHECK-LABEL: func.func @squared(
// CHECK-SAME:    reason = {cause = {kind = "streamedWeights"}, kind = "notStreamed"}
// CHECK-COUNT-3: fuse.kernel
func.func @squared(%q: tensor<8x512x64xf16>, %k: tensor<8x512x64xf16>, %v: tensor<8x512x64xf16>) -> tensor<8x512x64xf16> {
  %s = fuse.matmul %q, %k transpose_rhs : tensor<8x512x64xf16>, tensor<8x512x64xf16> -> tensor<8x512x512xf16>
  %p = fuse.softmax %s dims = [2] : tensor<8x512x512xf16>
  %r = fuse.mul %p, %p : tensor<8x512x512xf16>
  %o = fuse.matmul %r, %v : tensor<8x512x512xf16>, tensor<8x512x64xf16> -> tensor<8x512x64xf16>
  return %o : tensor<8x512x64xf16>
}

// -----

// A softmax over the queries is another reduction.
// CHECK-LABEL: func.func @queries(
// CHECK-SAME:    reason = {cause = {kind = "streamedSoftmaxAxis"}, kind = "notStreamed"}
func.func @queries(%q: tensor<8x512x64xf16>, %k: tensor<8x512x64xf16>, %v: tensor<8x512x64xf16>) -> tensor<8x512x64xf16> {
  %s = fuse.matmul %q, %k transpose_rhs : tensor<8x512x64xf16>, tensor<8x512x64xf16> -> tensor<8x512x512xf16>
  %p = fuse.softmax %s dims = [1] : tensor<8x512x512xf16>
  %o = fuse.matmul %p, %v : tensor<8x512x512xf16>, tensor<8x512x64xf16> -> tensor<8x512x64xf16>
  return %o : tensor<8x512x64xf16>
}

// -----

// Heads of keys that are repeated by hand are read as they are.
// CHECK-LABEL: func.func @repeated(
// CHECK:         fuse.kernel "repeated" ins
// CHECK:           fuse.contract "{{.*}}" {{.*}} tensor<2x8x1x300x64xbf16>
// CHECK-NOT:     fuse.kernel
// APART-LABEL: func.func @repeated(
func.func @repeated(%q: tensor<2x32x2x64xbf16>, %k: tensor<2x8x1x300x64xbf16>, %v: tensor<2x8x1x300x64xbf16>) -> tensor<2x32x2x64xbf16> {
  %kb = fuse.broadcast %k : tensor<2x8x1x300x64xbf16> -> tensor<2x8x4x300x64xbf16>
  %vb = fuse.broadcast %v : tensor<2x8x1x300x64xbf16> -> tensor<2x8x4x300x64xbf16>
  %kr = tensor.collapse_shape %kb [[0], [1, 2], [3], [4]] : tensor<2x8x4x300x64xbf16> into tensor<2x32x300x64xbf16>
  %vr = tensor.collapse_shape %vb [[0], [1, 2], [3], [4]] : tensor<2x8x4x300x64xbf16> into tensor<2x32x300x64xbf16>
  %s = fuse.matmul %q, %kr transpose_rhs : tensor<2x32x2x64xbf16>, tensor<2x32x300x64xbf16> -> tensor<2x32x2x300xbf16>
  %p = fuse.softmax %s dims = [3] : tensor<2x32x2x300xbf16>
  %o = fuse.matmul %p, %vr : tensor<2x32x2x300xbf16>, tensor<2x32x300x64xbf16> -> tensor<2x32x2x64xbf16>
  return %o : tensor<2x32x2x64xbf16>
}

// -----

// So are pages of a cache.
// CHECK-LABEL: func.func @paged(
// CHECK:         fuse.kernel "paged" ins
// CHECK-COUNT-2:   fuse.gather
// CHECK-NOT:     fuse.kernel
// APART-LABEL: func.func @paged(
func.func @paged(%q: tensor<4x2x4x64xbf16>, %kc: tensor<?x16x2x64xbf16>, %vc: tensor<?x16x2x64xbf16>, %pages: tensor<4x?xi32>) -> tensor<4x2x4x64xbf16> {
  %kp = fuse.gather %kc, %pages dim = 0 : tensor<?x16x2x64xbf16>, tensor<4x?xi32> -> tensor<4x?x16x2x64xbf16>
  %vp = fuse.gather %vc, %pages dim = 0 : tensor<?x16x2x64xbf16>, tensor<4x?xi32> -> tensor<4x?x16x2x64xbf16>
  %k = tensor.collapse_shape %kp [[0], [1, 2], [3], [4]] : tensor<4x?x16x2x64xbf16> into tensor<4x?x2x64xbf16>
  %v = tensor.collapse_shape %vp [[0], [1, 2], [3], [4]] : tensor<4x?x16x2x64xbf16> into tensor<4x?x2x64xbf16>
  %s = fuse.contract "bhgd,bnhd->bhgn" %q, %k : tensor<4x2x4x64xbf16>, tensor<4x?x2x64xbf16> -> tensor<4x2x4x?xbf16>
  %p = fuse.softmax %s dims = [3] : tensor<4x2x4x?xbf16>
  %o = fuse.contract "bhgn,bnhd->bhgd" %p, %v : tensor<4x2x4x?xbf16>, tensor<4x?x2x64xbf16> -> tensor<4x2x4x64xbf16>
  return %o : tensor<4x2x4x64xbf16>
}

// -----

// Attention between projections of few rows: one kernel, not its products with
// the projections'.
// CHECK-LABEL: func.func @projected(
// CHECK:         fuse.kernel "projected_0" ins
// CHECK-NEXT:    ^bb
// CHECK-NEXT:      fuse.contract
// CHECK-NEXT:      fuse.yield
// CHECK:         fuse.kernel "projected_1" ins
// CHECK:           fuse.contract
// CHECK:           fuse.exp
// CHECK:           fuse.contract
// CHECK:         fuse.kernel "projected_2" ins
// CHECK-NEXT:    ^bb
// CHECK-NEXT:      fuse.contract
// CHECK-NEXT:      fuse.yield
// CHECK-NOT:     fuse.kernel
// APART-LABEL: func.func @projected(
func.func @projected(%x: tensor<2x130x256xbf16>, %wq: tensor<256x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>, %wo: tensor<64x96xbf16>) -> tensor<2x130x96xbf16> {
  %q = fuse.contract "amk,kn->amn" %x, %wq : tensor<2x130x256xbf16>, tensor<256x64xbf16> -> tensor<2x130x64xbf16>
  %s = fuse.contract "amk,ank->amn" %q, %k : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %p = fuse.softmax %s dims = [2] : tensor<2x130x200xbf16>
  %o = fuse.contract "amk,akn->amn" %p, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  %y = fuse.contract "amk,kn->amn" %o, %wo : tensor<2x130x64xbf16>, tensor<64x96xbf16> -> tensor<2x130x96xbf16>
  return %y : tensor<2x130x96xbf16>
}

// -----

// Keys that cost special functions are a kernel of their own, which is not for
// want of whole rows.
// CHECK-LABEL: func.func @computed_keys(
// CHECK-SAME:    kind = "operandComputed"
// CHECK-NOT:     chainedContractions
// CHECK:         fuse.kernel "computed_keys_0" ins
// CHECK:         fuse.kernel "computed_keys_1" ins
// CHECK-NOT:     fuse.kernel
// APART-LABEL: func.func @computed_keys(
func.func @computed_keys(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %e = fuse.gelu tanh %k : tensor<2x200x64xbf16>
  %s = fuse.matmul %q, %e transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %p = fuse.softmax %s dims = [2] : tensor<2x130x200xbf16>
  %o = fuse.matmul %p, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
