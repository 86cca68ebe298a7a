// RUN: fuse-opt %s | FileCheck %s
// RUN: fuse-opt %s | fuse-opt | FileCheck %s
// RUN: fuse-opt %s -mlir-print-op-generic | fuse-opt | FileCheck %s

// CHECK-LABEL: func.func @matmul
func.func @matmul(%x: tensor<?x512xf16>, %w: tensor<2048x512xf16>, %a: tensor<3x1x4x8xf32>,
                  %b: tensor<?x8x16xf32>, %at: tensor<8x4xf32>) {
  // CHECK: fuse.matmul %{{.*}}, %{{.*}} transpose_rhs : tensor<?x512xf16>, tensor<2048x512xf16> -> tensor<?x2048xf16>
  %linear = fuse.matmul %x, %w transpose_rhs : tensor<?x512xf16>, tensor<2048x512xf16> -> tensor<?x2048xf16>
  // CHECK: fuse.matmul %{{.*}}, %{{.*}} : tensor<3x1x4x8xf32>, tensor<?x8x16xf32> -> tensor<3x?x4x16xf32>
  %batched = fuse.matmul %a, %b : tensor<3x1x4x8xf32>, tensor<?x8x16xf32> -> tensor<3x?x4x16xf32>
  // CHECK: fuse.matmul %{{.*}}, %{{.*}} transpose_lhs : tensor<8x4xf32>, tensor<?x8x16xf32> -> tensor<?x4x16xf32>
  %transposed = fuse.matmul %at, %b transpose_lhs : tensor<8x4xf32>, tensor<?x8x16xf32> -> tensor<?x4x16xf32>
  // CHECK: fuse.matmul %{{.*}}, %{{.*}} transpose_lhs transpose_rhs : tensor<8x4xf32>, tensor<3x1x4x8xf32> -> tensor<3x1x4x4xf32>
  %both = fuse.matmul %at, %a transpose_lhs transpose_rhs : tensor<8x4xf32>, tensor<3x1x4x8xf32> -> tensor<3x1x4x4xf32>
  // CHECK: fuse.matmul %{{.*}}, %{{.*}} transpose_rhs precision = tf32 : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x8xf32>
  %cut = fuse.matmul %at, %at transpose_rhs precision = tf32 : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x8xf32>
  return
}

// CHECK-LABEL: func.func @contract
func.func @contract(%q: tensor<2x?x8x4x64xf16>, %k: tensor<2x?x8x64xf16>, %x: tensor<1x4xf32>, %y: tensor<3x4xf32>) {
  // CHECK: fuse.contract "blhgd,bmhd->bhglm" %{{.*}}, %{{.*}} : tensor<2x?x8x4x64xf16>, tensor<2x?x8x64xf16> -> tensor<2x8x4x?x?xf16>
  %s = fuse.contract "blhgd,bmhd->bhglm" %q, %k
       : tensor<2x?x8x4x64xf16>, tensor<2x?x8x64xf16> -> tensor<2x8x4x?x?xf16>
  // A size of 1 repeats.
  // CHECK: fuse.contract "bk,bk->b" %{{.*}}, %{{.*}} : tensor<1x4xf32>, tensor<3x4xf32> -> tensor<3xf32>
  %r = fuse.contract "bk,bk->b" %x, %y : tensor<1x4xf32>, tensor<3x4xf32> -> tensor<3xf32>
  // CHECK: fuse.contract "bk,nk->bn" %{{.*}}, %{{.*}} precision = tf32 : tensor<1x4xf32>, tensor<3x4xf32> -> tensor<1x3xf32>
  %t = fuse.contract "bk,nk->bn" %x, %y precision = tf32 : tensor<1x4xf32>, tensor<3x4xf32> -> tensor<1x3xf32>
  return
}

// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<2x?x8x64xf16>, %k: tensor<2x?x2x64xf16>, %t: tensor<2x8x?x64xf16>) {
  // CHECK: fuse.attention tokens_heads causal %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x?x8x64xf16>, tensor<2x?x2x64xf16>, tensor<2x?x2x64xf16>
  %causal = fuse.attention tokens_heads causal %q, %k, %k
       : tensor<2x?x8x64xf16>, tensor<2x?x2x64xf16>, tensor<2x?x2x64xf16>
  // CHECK: fuse.attention heads_tokens %{{.*}}, %{{.*}}, %{{.*}} scale = 2.500000e-01 : tensor<2x8x?x64xf16>, tensor<2x8x?x64xf16>, tensor<2x8x?x64xf16>
  %full = fuse.attention heads_tokens %t, %t, %t scale = 0.25
       : tensor<2x8x?x64xf16>, tensor<2x8x?x64xf16>, tensor<2x8x?x64xf16>
  return
}
