// RUN: fuse-opt %s -split-input-file -fuse-detach-contractions=chip=sm_90a | FileCheck %s --check-prefix=TILES
// RUN: fuse-opt %s -split-input-file "-fuse-detach-contractions=chip=sm_90a aligned=false" | FileCheck %s --check-prefix=APART
// RUN: fuse-opt %s -split-input-file -fuse-detach-contractions=chip=cpu | FileCheck %s --check-prefix=APART

// One kernel where tensor cores run it, and both times; two elsewhere. The
// second reads the product where the first did the operands.
// TILES-LABEL: func.func @q(
// TILES-SAME:    fuse.together = [{kernel = "q", reason = {{.*}}kind = "togetherFaster"}}]
// TILES-COUNT-1: fuse.kernel
// TILES-NOT:     fuse.kernel
// APART-LABEL: func.func @q(
// APART-SAME:    fuse.detached = [{consumer = "q", producer = "q_contract", reason = {kind = "{{mmaUnalignedRows|noTensorCores}}"}}]
// APART:         %[[P:.*]] = fuse.kernel "q_contract" ins(%{{.*}}, %{{.*}} : tensor<?x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<?x4096xbf16> {
// APART-NEXT:    ^bb0(%[[A:.*]]: tensor<?x4096xbf16>, %[[B:.*]]: tensor<4096x4096xbf16>):
// APART-NEXT:      %[[C:.*]] = fuse.contract "mk,nk->mn" %[[A]], %[[B]]
// APART-NEXT:      fuse.yield %[[C]]
// APART:         %[[R:.*]] = fuse.kernel "q" ins(%[[P]], %{{.*}} : tensor<?x4096xbf16>, tensor<?xi32>) -> tensor<?x32x128xbf16> {
// APART:           tensor.expand_shape
// APART-NEXT:      %[[Q:.*]] = fuse.rotary
// APART-NEXT:      fuse.yield %[[Q]]
// APART:         return %[[R]]
func.func @q(%x: tensor<?x4096xbf16>, %w: tensor<4096x4096xbf16>, %at: tensor<?xi32>) -> tensor<?x32x128xbf16> {
  %y = fuse.kernel "q" ins(%x, %w, %at : tensor<?x4096xbf16>, tensor<4096x4096xbf16>, tensor<?xi32>) -> tensor<?x32x128xbf16> {
  ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<4096x4096xbf16>, %p: tensor<?xi32>):
    %c0 = arith.constant 0 : index
    %c = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16>, tensor<4096x4096xbf16> -> tensor<?x4096xbf16>
    %n = tensor.dim %c, %c0 : tensor<?x4096xbf16>
    %h = tensor.expand_shape %c [[0], [1, 2]] output_shape [%n, 32, 128] : tensor<?x4096xbf16> into tensor<?x32x128xbf16>
    %r = fuse.rotary half tokens_heads %h positions(%p) base = 5.0e5 : tensor<?x32x128xbf16>, tensor<?xi32>
    fuse.yield %r : tensor<?x32x128xbf16>
  }
  return %y : tensor<?x32x128xbf16>
}

// -----

// What any contraction's kernel does stays there.
// TILES-LABEL: func.func @bias(
// TILES-NOT:     fuse.detached
// TILES-NOT:     fuse.together
// APART-LABEL: func.func @bias(
// APART-NOT:     fuse.detached
// APART-COUNT-1: fuse.kernel
// APART-NOT:     fuse.kernel
func.func @bias(%x: tensor<?x64xbf16>, %w: tensor<128x64xbf16>, %b: tensor<128xbf16>) -> tensor<?x128xbf16> {
  %y = fuse.kernel "bias" ins(%x, %w, %b : tensor<?x64xbf16>, tensor<128x64xbf16>, tensor<128xbf16>) -> tensor<?x128xbf16> {
  ^bb0(%a: tensor<?x64xbf16>, %c: tensor<128x64xbf16>, %d: tensor<128xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %c : tensor<?x64xbf16>, tensor<128x64xbf16> -> tensor<?x128xbf16>
    %s = fuse.add %p, %d : tensor<?x128xbf16>, tensor<128xbf16> -> tensor<?x128xbf16>
    fuse.yield %s : tensor<?x128xbf16>
  }
  return %y : tensor<?x128xbf16>
}

// -----

// The product takes what computes its operand with it.
// TILES-LABEL: func.func @pages(
// APART-LABEL: func.func @pages(
// APART:         %[[P:.*]] = fuse.kernel "pages_contract" ins(%arg0, %arg1, %arg2 : {{.*}}) -> tensor<2x2x2x8xbf16>
// APART:           fuse.gather
// APART:           fuse.contract
// APART:         fuse.kernel "pages" ins(%[[P]] : tensor<2x2x2x8xbf16>)
// APART-NOT:       fuse.gather
// APART:           fuse.transpose
func.func @pages(%x: tensor<2x2x2x64xbf16>, %table: tensor<4x2x8x8xbf16>, %ids: tensor<2x8xi64>) -> tensor<2x1x2x2x8xbf16> {
  %y = fuse.kernel "pages" ins(%x, %table, %ids : tensor<2x2x2x64xbf16>, tensor<4x2x8x8xbf16>, tensor<2x8xi64>) -> tensor<2x1x2x2x8xbf16> {
  ^bb0(%a: tensor<2x2x2x64xbf16>, %t: tensor<4x2x8x8xbf16>, %i: tensor<2x8xi64>):
    %g = fuse.gather %t, %i dim = 0 : tensor<4x2x8x8xbf16>, tensor<2x8xi64> -> tensor<2x8x2x8x8xbf16>
    %h = fuse.transpose %g permutation = [0, 2, 1, 3, 4] : tensor<2x8x2x8x8xbf16> -> tensor<2x2x8x8x8xbf16>
    %v = tensor.collapse_shape %h [[0], [1], [2, 3], [4]] : tensor<2x2x8x8x8xbf16> into tensor<2x2x64x8xbf16>
    %p = fuse.contract "abmk,abkn->abmn" %a, %v : tensor<2x2x2x64xbf16>, tensor<2x2x64x8xbf16> -> tensor<2x2x2x8xbf16>
    %e = tensor.expand_shape %p [[0], [1], [2, 3], [4]] output_shape [2, 2, 1, 2, 8] : tensor<2x2x2x8xbf16> into tensor<2x2x1x2x8xbf16>
    %r = fuse.transpose %e permutation = [1, 2, 0, 3, 4] : tensor<2x2x1x2x8xbf16> -> tensor<2x1x2x2x8xbf16>
    fuse.yield %r : tensor<2x1x2x2x8xbf16>
  }
  return %y : tensor<2x1x2x2x8xbf16>
}
