// RUN: fuse-opt %s -split-input-file -fuse-form-kernels=chip=sm_90a | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form-kernels=chip=sm_90 | FileCheck %s

// Heads, their rotary pairs and the slots of a cache are one kernel where tiles
// of tensor cores hold them.
// CHECK-LABEL: func.func @keys
// CHECK-COUNT-1: fuse.kernel "keys"
// CHECK:           fuse.contract
// CHECK-NEXT:      tensor.expand_shape
// CHECK-NEXT:      fuse.rotary
// CHECK-NEXT:      fuse.scatter
// CHECK-NOT:     fuse.kernel
func.func @keys(%x: tensor<64x256xbf16>, %w: tensor<256x256xbf16>, %at: tensor<64xi32>, %cache: tensor<99x2x128xbf16>) -> tensor<99x2x128xbf16> {
  %p = fuse.contract "mk,nk->mn" %x, %w : tensor<64x256xbf16>, tensor<256x256xbf16> -> tensor<64x256xbf16>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [64, 2, 128] : tensor<64x256xbf16> into tensor<64x2x128xbf16>
  %r = fuse.rotary half tokens_heads %h positions(%at) base = 1.0e4 : tensor<64x2x128xbf16>, tensor<64xi32>
  %y = fuse.scatter %cache, %at, %r dim = 0 : tensor<99x2x128xbf16>, tensor<64xi32>, tensor<64x2x128xbf16> -> tensor<99x2x128xbf16>
  return %y : tensor<99x2x128xbf16>
}

// -----

// A pair that no tile holds, one that two threads hold, and columns that would
// become rows.
// CHECK-LABEL: func.func @long_head
// CHECK-SAME:    reason = {{.*}}kind = "rotaryTwoTiles"
func.func @long_head(%x: tensor<64x256xbf16>, %w: tensor<512x256xbf16>) -> tensor<64x512xbf16> {
  %p = fuse.contract "mk,nk->mn" %x, %w : tensor<64x256xbf16>, tensor<512x256xbf16> -> tensor<64x512xbf16>
  %r = fuse.rotary half heads_tokens %p base = 1.0e4 : tensor<64x512xbf16>
  return %r : tensor<64x512xbf16>
}

// -----

// CHECK-LABEL: func.func @short_pairs
// CHECK-SAME:    reason = {{.*}}kind = "rotaryTwoThreads"
func.func @short_pairs(%x: tensor<64x256xbf16>, %w: tensor<128x256xbf16>) -> tensor<64x128xbf16> {
  %p = fuse.contract "mk,nk->mn" %x, %w : tensor<64x256xbf16>, tensor<128x256xbf16> -> tensor<64x128xbf16>
  %r = fuse.rotary half heads_tokens %p base = 1.0e4 dims = 24 : tensor<64x128xbf16>
  return %r : tensor<64x128xbf16>
}

// -----

// CHECK-LABEL: func.func @turned
// CHECK-SAME:    reason = {{.*}}kind = "neighboursApart"
func.func @turned(%x: tensor<64x256xbf16>, %w: tensor<128x256xbf16>) -> tensor<128x64xbf16> {
  %p = fuse.contract "mk,nk->mn" %x, %w : tensor<64x256xbf16>, tensor<128x256xbf16> -> tensor<64x128xbf16>
  %t = fuse.transpose %p permutation = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
  return %t : tensor<128x64xbf16>
}

// -----

// A row is as good as computed once more for each that is left of it.
// CHECK-LABEL: func.func @last_rows
// CHECK-SAME:    reason = {{.*}}kind = "partOfResult"
func.func @last_rows(%x: tensor<64x256xbf16>, %w: tensor<128x256xbf16>) -> tensor<1x128xbf16> {
  %p = fuse.contract "mk,nk->mn" %x, %w : tensor<64x256xbf16>, tensor<128x256xbf16> -> tensor<64x128xbf16>
  %s = fuse.slice %p offsets = [63, 0] sizes = [1, 128] : tensor<64x128xbf16> -> tensor<1x128xbf16>
  return %s : tensor<1x128xbf16>
}

// -----

// A cast of an operand would keep the contraction off the tensor cores; without
// them it may be computed where it is needed.
// CHECK-LABEL: func.func @narrowed
// CHECK-SAME:    reason = {{.*}}kind = "operandComputed"
// CHECK:         fuse.kernel "narrowed_0"
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      fuse.cast
// CHECK-NEXT:      fuse.yield
// CHECK:         fuse.kernel "narrowed_1"
// CHECK:           fuse.contract
// PLAIN-COUNT-1: fuse.kernel "narrowed"
func.func @narrowed(%x: tensor<64x256xf32>, %w: tensor<128x256xbf16>) -> tensor<64x128xbf16> {
  %c = fuse.cast %x : tensor<64x256xf32> -> tensor<64x256xbf16>
  %p = fuse.contract "mk,nk->mn" %c, %w : tensor<64x256xbf16>, tensor<128x256xbf16> -> tensor<64x128xbf16>
  return %p : tensor<64x128xbf16>
}

// -----

// Nor do tensor cores run f32.
// CHECK-LABEL: func.func @wide
// CHECK:         fuse.kernel "wide_0"
// CHECK:         fuse.kernel "wide_1"
func.func @wide(%x: tensor<64x256xf32>, %w: tensor<256x256xf32>) -> tensor<64x2x128xf32> {
  %p = fuse.contract "mk,nk->mn" %x, %w : tensor<64x256xf32>, tensor<256x256xf32> -> tensor<64x256xf32>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [64, 2, 128] : tensor<64x256xf32> into tensor<64x2x128xf32>
  %r = fuse.rotary half tokens_heads %h base = 1.0e4 : tensor<64x2x128xf32>
  return %r : tensor<64x2x128xf32>
}
