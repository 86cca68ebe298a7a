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
