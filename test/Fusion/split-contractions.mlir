// RUN: fuse-opt %s -split-input-file -fuse-split-contractions=chip=sm_90a | FileCheck %s
// RUN: fuse-opt %s -split-input-file "-fuse-split-contractions=chip=sm_90a aligned=false" | FileCheck %s --check-prefix=UNALIGNED
// RUN: fuse-opt %s -split-input-file -fuse-split-contractions=chip=sm_80 | FileCheck %s

// What tensor cores run stays together; elsewhere each contraction has a kernel,
// with what follows from it and those before it. What follows from none is
// computed where it is needed.
// CHECK-LABEL: func.func @gated(
// CHECK:         fuse.kernel "f" ins
// CHECK-NOT:     fuse.kernel
// UNALIGNED-LABEL: func.func @gated(
// UNALIGNED-SAME:    %[[X:.*]]: tensor<8x64xbf16>, %[[V:.*]]: tensor<64x64xbf16>, %[[W:.*]]: tensor<64x64xbf16>, %[[B:.*]]: tensor<64xf32>)
// UNALIGNED:         %[[S:.*]] = fuse.kernel "f_0" ins(%[[B]], %[[X]], %[[V]] :
// UNALIGNED:           fuse.cast
// UNALIGNED:           fuse.contract
// UNALIGNED:           fuse.add
// UNALIGNED:           fuse.sigmoid
// UNALIGNED:         %[[Y:.*]] = fuse.kernel "f_1" ins(%[[B]], %[[X]], %[[W]], %[[S]] :
// UNALIGNED:           fuse.cast
// UNALIGNED:           fuse.contract
// UNALIGNED:           fuse.add
// UNALIGNED:           fuse.mul
// UNALIGNED:         return %[[Y]]
func.func @gated(%x: tensor<8x64xbf16>, %v: tensor<64x64xbf16>, %w: tensor<64x64xbf16>, %b: tensor<64xf32>) -> tensor<8x64xbf16> {
  %y = fuse.kernel "f" ins(%x, %v, %w, %b : tensor<8x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64xf32>) -> tensor<8x64xbf16> {
  ^bb0(%a: tensor<8x64xbf16>, %c: tensor<64x64xbf16>, %d: tensor<64x64xbf16>, %e: tensor<64xf32>):
    %t = fuse.cast %e : tensor<64xf32> -> tensor<64xbf16>
    %p = fuse.contract "mk,nk->mn" %a, %c : tensor<8x64xbf16>, tensor<64x64xbf16> -> tensor<8x64xbf16>
    %q = fuse.contract "mk,nk->mn" %a, %d : tensor<8x64xbf16>, tensor<64x64xbf16> -> tensor<8x64xbf16>
    %p1 = fuse.add %p, %t : tensor<8x64xbf16>, tensor<64xbf16> -> tensor<8x64xbf16>
    %s = fuse.sigmoid %p1 : tensor<8x64xbf16>
    %q1 = fuse.add %q, %t : tensor<8x64xbf16>, tensor<64xbf16> -> tensor<8x64xbf16>
    %r = fuse.mul %s, %q1 : tensor<8x64xbf16>
    fuse.yield %r : tensor<8x64xbf16>
  }
  return %y : tensor<8x64xbf16>
}

// -----

// Several results, one of which a later contraction's kernel needs, and one that
// follows from none; rows that no copy can read.
// CHECK-LABEL: func.func @results(
// CHECK-SAME:    %[[X:.*]]: tensor<8x63xbf16>, %[[V:.*]]: tensor<64x63xbf16>, %[[W:.*]]: tensor<64x63xbf16>, %[[B:.*]]: tensor<8x64xbf16>)
// CHECK:         %[[P:.*]] = fuse.kernel "f_0" ins(%[[X]], %[[V]] :
// CHECK:         %[[R:.*]] = fuse.kernel "f_1" ins(%[[X]], %[[W]], %[[P]] :
// CHECK:         %[[N:.*]] = fuse.kernel "f_2" ins(%[[B]] :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      fuse.neg
// CHECK:         return %[[P]], %[[R]], %[[N]]
func.func @results(%x: tensor<8x63xbf16>, %v: tensor<64x63xbf16>, %w: tensor<64x63xbf16>, %b: tensor<8x64xbf16>) -> (tensor<8x64xbf16>, tensor<8x64xbf16>, tensor<8x64xbf16>) {
  %y:3 = fuse.kernel "f" ins(%x, %v, %w, %b : tensor<8x63xbf16>, tensor<64x63xbf16>, tensor<64x63xbf16>, tensor<8x64xbf16>) -> tensor<8x64xbf16>, tensor<8x64xbf16>, tensor<8x64xbf16> {
  ^bb0(%a: tensor<8x63xbf16>, %c: tensor<64x63xbf16>, %d: tensor<64x63xbf16>, %e: tensor<8x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %c : tensor<8x63xbf16>, tensor<64x63xbf16> -> tensor<8x64xbf16>
    %q = fuse.contract "mk,nk->mn" %a, %d : tensor<8x63xbf16>, tensor<64x63xbf16> -> tensor<8x64xbf16>
    %r = fuse.mul %p, %q : tensor<8x64xbf16>
    %n = fuse.neg %e : tensor<8x64xbf16>
    fuse.yield %p, %r, %n : tensor<8x64xbf16>, tensor<8x64xbf16>, tensor<8x64xbf16>
  }
  return %y#0, %y#1, %y#2 : tensor<8x64xbf16>, tensor<8x64xbf16>, tensor<8x64xbf16>
}

// -----

// A kernel with a schedule, and one contraction, stay.
// CHECK-LABEL: func.func @stays(
// CHECK:         fuse.kernel "f" ins
// CHECK:         fuse.kernel "g" ins
// UNALIGNED-LABEL: func.func @stays(
// UNALIGNED:         fuse.kernel "f" ins
// UNALIGNED:         fuse.kernel "g" ins
func.func @stays(%x: tensor<8x63xbf16>, %v: tensor<64x63xbf16>) -> (tensor<8x64xbf16>, tensor<8x64xbf16>) {
  %y = fuse.kernel "f" ins(%x, %v : tensor<8x63xbf16>, tensor<64x63xbf16>) -> tensor<8x64xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<8x63xbf16>, %c: tensor<64x63xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %c : tensor<8x63xbf16>, tensor<64x63xbf16> -> tensor<8x64xbf16>
    %q = fuse.contract "mk,nk->mn" %a, %c : tensor<8x63xbf16>, tensor<64x63xbf16> -> tensor<8x64xbf16>
    %r = fuse.mul %p, %q : tensor<8x64xbf16>
    fuse.yield %r : tensor<8x64xbf16>
  }
  %z = fuse.kernel "g" ins(%x, %v : tensor<8x63xbf16>, tensor<64x63xbf16>) -> tensor<8x64xbf16> {
  ^bb0(%a: tensor<8x63xbf16>, %c: tensor<64x63xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %c : tensor<8x63xbf16>, tensor<64x63xbf16> -> tensor<8x64xbf16>
    fuse.yield %p : tensor<8x64xbf16>
  }
  return %y, %z : tensor<8x64xbf16>, tensor<8x64xbf16>
}
