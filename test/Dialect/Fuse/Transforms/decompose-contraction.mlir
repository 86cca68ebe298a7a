// RUN: fuse-opt %s --fuse-decompose --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    %[[X:.*]]: tensor<?x512xf16>, %[[W:.*]]: tensor<2048x512xf16>
// CHECK-NEXT:  %[[Y:.*]] = fuse.contract "mk,nk->mn" %[[X]], %[[W]] : tensor<?x512xf16>, tensor<2048x512xf16> -> tensor<?x2048xf16>
// CHECK-NEXT:  return %[[Y]]
func.func @linear(%x: tensor<?x512xf16>, %w: tensor<2048x512xf16>) -> tensor<?x2048xf16> {
  %y = fuse.matmul %x, %w transpose_rhs : tensor<?x512xf16>, tensor<2048x512xf16> -> tensor<?x2048xf16>
  return %y : tensor<?x2048xf16>
}

// -----

// Leading dimensions align at the last one.
// CHECK-LABEL: func.func @batched
// CHECK:       fuse.contract "abkm,bkn->abmn"
func.func @batched(%x: tensor<2x3x4x5xf32>, %y: tensor<3x4x6xf32>) -> tensor<2x3x5x6xf32> {
  %z = fuse.matmul %x, %y transpose_lhs : tensor<2x3x4x5xf32>, tensor<3x4x6xf32> -> tensor<2x3x5x6xf32>
  return %z : tensor<2x3x5x6xf32>
}

// -----

// CHECK-LABEL: func.func @attention(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x4x8x16xf32>, %[[K:.*]]: tensor<2x4x6x16xf32>, %[[V:.*]]: tensor<2x4x6x16xf32>
// CHECK-NEXT:  %[[S:.*]] = fuse.contract "bhld,bhmd->bhlm" %[[Q]], %[[K]]
// CHECK-NEXT:  %[[C:.*]] = fuse.constant dense<2.500000e-01> : tensor<f32>
// CHECK-NEXT:  %[[SCALED:.*]] = fuse.mul %[[S]], %[[C]]
// CHECK-NOT:   fuse.iota
// CHECK:       fuse.reduce max %[[SCALED]] dims = [3] keep
// CHECK:       %[[P:.*]] = fuse.div
// CHECK-NEXT:  %[[O:.*]] = fuse.contract "bhlm,bhmd->bhld" %[[P]], %[[V]]
// CHECK-NEXT:  return %[[O]]
func.func @attention(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x6x16xf32>, %v: tensor<2x4x6x16xf32>) -> tensor<2x4x8x16xf32> {
  %o = fuse.attention heads_tokens %q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x6x16xf32>, tensor<2x4x6x16xf32>
  return %o : tensor<2x4x8x16xf32>
}

// -----

// Grouped heads, a causal mask and lengths that only the run knows: tokens are
// counted from the last one, so that keys and queries may differ in number.
// CHECK-LABEL: func.func @grouped_causal(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x?x8x64xf16>, %[[K:.*]]: tensor<2x?x2x64xf16>, %[[V:.*]]: tensor<2x?x2x64xf16>
// CHECK:       %[[L:.*]] = tensor.dim %[[Q]]
// CHECK:       %[[SPLIT:.*]] = tensor.expand_shape %[[Q]] {{\[}}[0], [1], [2, 3], [4]] output_shape [2, %[[L]], 2, 4, 64]
// CHECK-NEXT:  %[[S:.*]] = fuse.contract "blhgd,bmhd->bhglm" %[[SPLIT]], %[[K]] : tensor<2x?x2x4x64xf16>, tensor<2x?x2x64xf16> -> tensor<2x2x4x?x?xf16>
// CHECK-NEXT:  %[[WIDE:.*]] = fuse.cast %[[S]] : tensor<2x2x4x?x?xf16> -> tensor<2x2x4x?x?xf32>
// CHECK-NEXT:  %[[C:.*]] = fuse.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:  %[[SCALED:.*]] = fuse.mul %[[WIDE]], %[[C]]
// CHECK-NEXT:  %[[QUERY:.*]] = fuse.iota dim = 3 from_end like %[[SCALED]]
// CHECK-NEXT:  %[[KEY:.*]] = fuse.iota dim = 4 from_end like %[[SCALED]]
// CHECK-NEXT:  %[[VISIBLE:.*]] = fuse.compare le %[[KEY]], %[[QUERY]]
// CHECK-NEXT:  %[[HIDDEN:.*]] = fuse.constant dense<0xFF800000> : tensor<f32>
// CHECK-NEXT:  %[[MASKED:.*]] = fuse.select %[[VISIBLE]], %[[SCALED]], %[[HIDDEN]]
// CHECK-NEXT:  %[[MAX:.*]] = fuse.reduce max %[[MASKED]] dims = [4] keep
// CHECK:       %[[P:.*]] = fuse.cast %{{.*}} : tensor<2x2x4x?x?xf32> -> tensor<2x2x4x?x?xf16>
// CHECK-NEXT:  %[[O:.*]] = fuse.contract "bhglm,bmhd->blhgd" %[[P]], %[[V]] : {{.*}} -> tensor<2x?x2x4x64xf16>
// CHECK-NEXT:  %[[R:.*]] = tensor.collapse_shape %[[O]] {{\[}}[0], [1], [2, 3], [4]]
// CHECK-NEXT:  return %[[R]]
func.func @grouped_causal(%q: tensor<2x?x8x64xf16>, %k: tensor<2x?x2x64xf16>, %v: tensor<2x?x2x64xf16>) -> tensor<2x?x8x64xf16> {
  %o = fuse.attention tokens_heads causal %q, %k, %v scale = 0.5 : tensor<2x?x8x64xf16>, tensor<2x?x2x64xf16>, tensor<2x?x2x64xf16>
  return %o : tensor<2x?x8x64xf16>
}

// -----

// A precision is kept.
// CHECK-LABEL: func.func @precision
// CHECK:       fuse.contract "mk,nk->mn" %{{.*}}, %{{.*}} precision = tf32 :
// CHECK:       fuse.contract "bhld,bhmd->bhlm" %{{.*}}, %{{.*}} precision = tf32 :
// CHECK:       fuse.contract "bhlm,bhmd->bhld" %{{.*}}, %{{.*}} precision = tf32 :
func.func @precision(%x: tensor<8x16xf32>, %q: tensor<2x4x8x16xf32>) -> (tensor<8x8xf32>, tensor<2x4x8x16xf32>) {
  %y = fuse.matmul %x, %x transpose_rhs precision = tf32 : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<8x8xf32>
  %o = fuse.attention heads_tokens %q, %q, %q precision = tf32 : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>
  return %y, %o : tensor<8x8xf32>, tensor<2x4x8x16xf32>
}
