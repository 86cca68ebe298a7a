// RUN: fuse-opt %s -fuse-sum-blocks | FileCheck %s
// RUN: fuse-opt %s -fuse-sum-blocks=rounds=false | FileCheck %s --check-prefix=ROUNDED

// The roundings of the operands are left out, and the scales of 128 columns are one.
// CHECK-LABEL: func.func @scaled
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<64x4x128xf8E4M3FN>, %[[W:[a-z0-9]+]]: tensor<2x128x4x128xf8E4M3FN>
// CHECK:         %[[R:.*]] = tensor.collapse_shape %[[W]] {{\[}}[0, 1], [2], [3]] : tensor<2x128x4x128xf8E4M3FN> into tensor<256x4x128xf8E4M3FN>
// CHECK:         %[[P:.*]] = fuse.contract "mak,nak->amn" %[[X]], %[[R]] : {{.*}} -> tensor<4x64x256xf32>
// CHECK:         %[[S:.*]] = tensor.expand_shape %[[P]] {{\[}}[0], [1], [2, 3]]
// CHECK:         %[[A:.*]] = fuse.mul %[[S]], %{{.*}} : tensor<4x64x2x128xf32>, tensor<4x64x1x1xf32>
// CHECK:         %[[B:.*]] = fuse.mul %[[A]], %{{.*}} : tensor<4x64x2x128xf32>, tensor<4x1x2x1xf32>
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[B]] {{.*}} into tensor<4x64x256xf32>
// CHECK:         %[[T:.*]] = fuse.reduce sum %[[C]] dims = [0] : tensor<4x64x256xf32> -> tensor<64x256xf32>
// CHECK:         fuse.cast %[[T]]
// ROUNDED-LABEL: func.func @scaled
// ROUNDED:         fuse.contract "mk,nk->mn"
func.func @scaled(%x: tensor<64x4x128xf8E4M3FN>, %w: tensor<2x128x4x128xf8E4M3FN>, %a: tensor<64x4x1xbf16>, %b: tensor<2x1x4x1xbf16>) -> tensor<64x256xbf16> {
  %xf = fuse.cast %x : tensor<64x4x128xf8E4M3FN> -> tensor<64x4x128xbf16>
  %xs = fuse.mul %xf, %a : tensor<64x4x128xbf16>, tensor<64x4x1xbf16> -> tensor<64x4x128xbf16>
  %l = tensor.collapse_shape %xs [[0], [1, 2]] : tensor<64x4x128xbf16> into tensor<64x512xbf16>
  %wf = fuse.cast %w : tensor<2x128x4x128xf8E4M3FN> -> tensor<2x128x4x128xbf16>
  %ws = fuse.mul %wf, %b : tensor<2x128x4x128xbf16>, tensor<2x1x4x1xbf16> -> tensor<2x128x4x128xbf16>
  %r = tensor.collapse_shape %ws [[0, 1], [2, 3]] : tensor<2x128x4x128xbf16> into tensor<256x512xbf16>
  %y = fuse.contract "mk,nk->mn" %l, %r : tensor<64x512xbf16>, tensor<256x512xbf16> -> tensor<64x256xbf16>
  return %y : tensor<64x256xbf16>
}

// What a cast has rounded stays rounded.
// CHECK-LABEL: func.func @rounded
// CHECK:         fuse.contract "mk,nk->mn"
func.func @rounded(%x: tensor<64x4x128xf8E4M3FN>, %w: tensor<8x4x128xf8E4M3FN>, %a: tensor<64x4x1xf32>, %b: tensor<8x4x1xf32>) -> tensor<64x8xbf16> {
  %xf = fuse.cast %x : tensor<64x4x128xf8E4M3FN> -> tensor<64x4x128xf32>
  %xs = fuse.mul %xf, %a : tensor<64x4x128xf32>, tensor<64x4x1xf32> -> tensor<64x4x128xf32>
  %xb = fuse.cast %xs : tensor<64x4x128xf32> -> tensor<64x4x128xbf16>
  %l = tensor.collapse_shape %xb [[0], [1, 2]] : tensor<64x4x128xbf16> into tensor<64x512xbf16>
  %wf = fuse.cast %w : tensor<8x4x128xf8E4M3FN> -> tensor<8x4x128xf32>
  %ws = fuse.mul %wf, %b : tensor<8x4x128xf32>, tensor<8x4x1xf32> -> tensor<8x4x128xf32>
  %wb = fuse.cast %ws : tensor<8x4x128xf32> -> tensor<8x4x128xbf16>
  %r = tensor.collapse_shape %wb [[0], [1, 2]] : tensor<8x4x128xbf16> into tensor<8x512xbf16>
  %y = fuse.contract "mk,nk->mn" %l, %r : tensor<64x512xbf16>, tensor<8x512xbf16> -> tensor<64x8xbf16>
  return %y : tensor<64x8xbf16>
}

// Scales that differ within a block, blocks of other sizes, and one operand alone stay.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: fuse.contract "mk,nk->mn"
// CHECK-NOT:     fuse.reduce
func.func @others(%x: tensor<64x4x128xf8E4M3FN>, %w: tensor<8x4x128xf8E4M3FN>, %v: tensor<64x8x64xf8E4M3FN>, %a: tensor<64x4x1xbf16>, %d: tensor<8x4x128xbf16>, %e: tensor<64x8x1xbf16>, %z: tensor<8x512xbf16>) -> (tensor<64x8xbf16>, tensor<64x8xbf16>, tensor<64x8xbf16>) {
  %xf = fuse.cast %x : tensor<64x4x128xf8E4M3FN> -> tensor<64x4x128xbf16>
  %xs = fuse.mul %xf, %a : tensor<64x4x128xbf16>, tensor<64x4x1xbf16> -> tensor<64x4x128xbf16>
  %l = tensor.collapse_shape %xs [[0], [1, 2]] : tensor<64x4x128xbf16> into tensor<64x512xbf16>
  %wf = fuse.cast %w : tensor<8x4x128xf8E4M3FN> -> tensor<8x4x128xbf16>
  %ws = fuse.mul %wf, %d : tensor<8x4x128xbf16>
  %r = tensor.collapse_shape %ws [[0], [1, 2]] : tensor<8x4x128xbf16> into tensor<8x512xbf16>
  %0 = fuse.contract "mk,nk->mn" %l, %r : tensor<64x512xbf16>, tensor<8x512xbf16> -> tensor<64x8xbf16>
  %vf = fuse.cast %v : tensor<64x8x64xf8E4M3FN> -> tensor<64x8x64xbf16>
  %vs = fuse.mul %vf, %e : tensor<64x8x64xbf16>, tensor<64x8x1xbf16> -> tensor<64x8x64xbf16>
  %vl = tensor.collapse_shape %vs [[0], [1, 2]] : tensor<64x8x64xbf16> into tensor<64x512xbf16>
  %1 = fuse.contract "mk,nk->mn" %vl, %r : tensor<64x512xbf16>, tensor<8x512xbf16> -> tensor<64x8xbf16>
  %2 = fuse.contract "mk,nk->mn" %l, %z : tensor<64x512xbf16>, tensor<8x512xbf16> -> tensor<64x8xbf16>
  return %0, %1, %2 : tensor<64x8xbf16>, tensor<64x8xbf16>, tensor<64x8xbf16>
}

// A sum of blocks gets the shape of the products.
// CHECK-LABEL: func.func @split
// CHECK:         %[[M:.*]] = fuse.mul {{.*}} : tensor<4x64x2x128xf32>, tensor<4x1x2x1xf32>
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[M]] {{\[}}[0], [1], [2, 3]]
// CHECK:         %[[T:.*]] = fuse.reduce sum %[[C]] dims = [0] : tensor<4x64x256xf32> -> tensor<64x256xf32>
// CHECK:         tensor.expand_shape %[[T]] {{\[}}[0], [1, 2]] output_shape [64, 2, 128]
func.func @split(%x: tensor<64x4x128xf8E4M3FN>, %w: tensor<256x4x128xf8E4M3FN>, %b: tensor<4x1x2x1xf32>) -> tensor<64x2x128xf32> {
  %p = fuse.contract "mbk,nbk->bmn" %x, %w : tensor<64x4x128xf8E4M3FN>, tensor<256x4x128xf8E4M3FN> -> tensor<4x64x256xf32>
  %e = tensor.expand_shape %p [[0], [1], [2, 3]] output_shape [4, 64, 2, 128] : tensor<4x64x256xf32> into tensor<4x64x2x128xf32>
  %m = fuse.mul %e, %b : tensor<4x64x2x128xf32>, tensor<4x1x2x1xf32> -> tensor<4x64x2x128xf32>
  %y = fuse.reduce sum %m dims = [0] : tensor<4x64x2x128xf32> -> tensor<64x2x128xf32>
  return %y : tensor<64x2x128xf32>
}

// What follows, too, as far as it has that shape.
// CHECK-LABEL: func.func @behind
// CHECK:         %[[T:.*]] = fuse.reduce sum %{{.*}} dims = [0] : tensor<4x64x256xf32> -> tensor<64x256xf32>
// CHECK:         %[[R:.*]] = tensor.collapse_shape %{{.*}} into tensor<64x256xf32>
// CHECK:         %[[A:.*]] = fuse.add %[[T]], %[[R]] : tensor<64x256xf32>
// CHECK:         %[[C:.*]] = fuse.cast %[[A]]
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[C]] {{.*}} into tensor<64x2x128xbf16>
// CHECK:         fuse.mul %[[E]], %{{.*}} : tensor<64x2x128xbf16>, tensor<128xbf16>
func.func @behind(%x: tensor<64x4x128xf8E4M3FN>, %w: tensor<256x4x128xf8E4M3FN>, %b: tensor<4x1x2x1xf32>, %r: tensor<64x2x128xf32>, %g: tensor<128xbf16>) -> tensor<64x2x128xbf16> {
  %p = fuse.contract "mbk,nbk->bmn" %x, %w : tensor<64x4x128xf8E4M3FN>, tensor<256x4x128xf8E4M3FN> -> tensor<4x64x256xf32>
  %e = tensor.expand_shape %p [[0], [1], [2, 3]] output_shape [4, 64, 2, 128] : tensor<4x64x256xf32> into tensor<4x64x2x128xf32>
  %m = fuse.mul %e, %b : tensor<4x64x2x128xf32>, tensor<4x1x2x1xf32> -> tensor<4x64x2x128xf32>
  %s = fuse.reduce sum %m dims = [0] : tensor<4x64x2x128xf32> -> tensor<64x2x128xf32>
  %a = fuse.add %s, %r : tensor<64x2x128xf32>
  %c = fuse.cast %a : tensor<64x2x128xf32> -> tensor<64x2x128xbf16>
  %y = fuse.mul %c, %g : tensor<64x2x128xbf16>, tensor<128xbf16> -> tensor<64x2x128xbf16>
  return %y : tensor<64x2x128xbf16>
}

// An index asks for its dimension, which the shape of the products has not.
// CHECK-LABEL: func.func @indexed
// CHECK:         %[[I:.*]] = fuse.iota dim = 1 like %{{.*}} -> tensor<64x2x128xf32>
// CHECK:         tensor.collapse_shape %[[I]] {{.*}} into tensor<64x256xf32>
func.func @indexed(%x: tensor<64x4x128xf8E4M3FN>, %w: tensor<256x4x128xf8E4M3FN>, %b: tensor<4x1x2x1xf32>, %r: tensor<64x2x128xf32>) -> tensor<64x2x128xf32> {
  %p = fuse.contract "mbk,nbk->bmn" %x, %w : tensor<64x4x128xf8E4M3FN>, tensor<256x4x128xf8E4M3FN> -> tensor<4x64x256xf32>
  %e = tensor.expand_shape %p [[0], [1], [2, 3]] output_shape [4, 64, 2, 128] : tensor<4x64x256xf32> into tensor<4x64x2x128xf32>
  %m = fuse.mul %e, %b : tensor<4x64x2x128xf32>, tensor<4x1x2x1xf32> -> tensor<4x64x2x128xf32>
  %s = fuse.reduce sum %m dims = [0] : tensor<4x64x2x128xf32> -> tensor<64x2x128xf32>
  %i = fuse.iota dim = 1 like %r : tensor<64x2x128xf32> -> tensor<64x2x128xf32>
  %a = fuse.add %s, %i : tensor<64x2x128xf32>
  return %a : tensor<64x2x128xf32>
}
