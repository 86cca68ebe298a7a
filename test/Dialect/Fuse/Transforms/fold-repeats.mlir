// RUN: fuse-opt %s -fuse-fold-repeats | FileCheck %s

// CHECK-LABEL: func.func @heads(
// CHECK-SAME:    %[[Q:.*]]: tensor<32x16x128xbf16>, %[[K:.*]]: tensor<8x1x64x128xbf16>
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[Q]] {{\[\[}}0, 1], [2], [3]] output_shape [8, 4, 16, 128]
// CHECK:         %[[S:.*]] = fuse.contract "hald,hamd->halm" %[[E]], %[[K]] : {{.*}} -> tensor<8x4x16x64xbf16>
// CHECK:         tensor.collapse_shape %[[S]] {{\[\[}}0, 1], [2], [3]]
func.func @heads(%q: tensor<32x16x128xbf16>, %k: tensor<8x1x64x128xbf16>) -> tensor<32x16x64xbf16> {
  %b = fuse.broadcast %k : tensor<8x1x64x128xbf16> -> tensor<8x4x64x128xbf16>
  %r = tensor.collapse_shape %b [[0, 1], [2], [3]] : tensor<8x4x64x128xbf16> into tensor<32x64x128xbf16>
  %s = fuse.contract "hld,hmd->hlm" %q, %r : tensor<32x16x128xbf16>, tensor<32x64x128xbf16> -> tensor<32x16x64xbf16>
  return %s : tensor<32x16x64xbf16>
}

// Dynamic sizes elsewhere, and the repeated operand on the left.
// CHECK-LABEL: func.func @left(
// CHECK-NOT:     fuse.broadcast
// CHECK:         fuse.contract "bmhad,blhad->bhalm"
func.func @left(%q: tensor<2x?x32x64xbf16>, %k: tensor<2x?x8x1x64xbf16>) -> tensor<2x32x?x?xbf16> {
  %b = fuse.broadcast %k : tensor<2x?x8x1x64xbf16> -> tensor<2x?x8x4x64xbf16>
  %r = tensor.collapse_shape %b [[0], [1], [2, 3], [4]] : tensor<2x?x8x4x64xbf16> into tensor<2x?x32x64xbf16>
  %s = fuse.contract "bmhd,blhd->bhlm" %r, %q : tensor<2x?x32x64xbf16>, tensor<2x?x32x64xbf16> -> tensor<2x32x?x?xbf16>
  return %s : tensor<2x32x?x?xbf16>
}

// A precision is kept.
// CHECK-LABEL: func.func @precision(
// CHECK:         fuse.contract "hld,md->hlm" %{{.*}}, %{{.*}} precision = tf32 : tensor<32x16x64xf32>, tensor<24x64xf32>
func.func @precision(%q: tensor<32x16x64xf32>, %k: tensor<24x64xf32>) -> tensor<32x16x24xf32> {
  %b = fuse.broadcast %k : tensor<24x64xf32> -> tensor<32x24x64xf32>
  %s = fuse.contract "hld,hmd->hlm" %q, %b precision = tf32 : tensor<32x16x64xf32>, tensor<32x24x64xf32> -> tensor<32x16x24xf32>
  return %s : tensor<32x16x24xf32>
}

// Leading axes that an operand lacks.
// CHECK-LABEL: func.func @leading(
// CHECK:         fuse.contract "hld,md->hlm" %{{.*}}, %{{.*}} : tensor<32x16x64xbf16>, tensor<24x64xbf16>
func.func @leading(%q: tensor<32x16x64xbf16>, %k: tensor<24x64xbf16>) -> tensor<32x16x24xbf16> {
  %b = fuse.broadcast %k : tensor<24x64xbf16> -> tensor<32x24x64xbf16>
  %s = fuse.contract "hld,hmd->hlm" %q, %b : tensor<32x16x64xbf16>, tensor<32x24x64xbf16> -> tensor<32x16x24xbf16>
  return %s : tensor<32x16x24xbf16>
}

// The contraction has an axis, or sums over it, by the repeated operand alone.
// CHECK-LABEL: func.func @needed(
// CHECK-COUNT-2: fuse.broadcast
func.func @needed(%q: tensor<16x64xbf16>, %k: tensor<1x64xbf16>, %x: tensor<24x1xbf16>) -> (tensor<16x32xbf16>, tensor<16x24xbf16>) {
  %b = fuse.broadcast %k : tensor<1x64xbf16> -> tensor<32x64xbf16>
  %s = fuse.contract "md,nd->mn" %q, %b : tensor<16x64xbf16>, tensor<32x64xbf16> -> tensor<16x32xbf16>
  %c = fuse.broadcast %x : tensor<24x1xbf16> -> tensor<24x64xbf16>
  %t = fuse.contract "md,nd->mn" %q, %c : tensor<16x64xbf16>, tensor<24x64xbf16> -> tensor<16x24xbf16>
  return %s, %t : tensor<16x32xbf16>, tensor<16x24xbf16>
}
