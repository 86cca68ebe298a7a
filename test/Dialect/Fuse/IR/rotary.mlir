// RUN: fuse-opt %s | FileCheck %s
// RUN: fuse-opt %s | fuse-opt | FileCheck %s
// RUN: fuse-opt %s -mlir-print-op-generic | fuse-opt | FileCheck %s

// CHECK-LABEL: func.func @rotary
func.func @rotary(%x: tensor<2x?x8x64xf16>, %h: tensor<4x32x?x128xf16>, %flat: tensor<?x64xf32>,
                  %table: tensor<?x32xf32>, %half_table: tensor<?x32xf16>,
                  %p: tensor<?xi64>, %bp: tensor<4x?xi32>) {
  // CHECK: fuse.rotary interleaved tokens_heads %{{.*}} tables(%{{.*}}, %{{.*}}) : tensor<2x?x8x64xf16>, tensor<?x32xf32>
  %0 = fuse.rotary interleaved tokens_heads %x tables(%table, %table)
       : tensor<2x?x8x64xf16>, tensor<?x32xf32>
  // CHECK: fuse.rotary half tokens_heads %{{.*}} tables(%{{.*}}, %{{.*}}) positions(%{{.*}}) inverse : tensor<2x?x8x64xf16>, tensor<?x32xf16>, tensor<?xi64>
  %1 = fuse.rotary half tokens_heads %x tables(%half_table, %half_table) positions(%p) inverse
       : tensor<2x?x8x64xf16>, tensor<?x32xf16>, tensor<?xi64>
  // CHECK: fuse.rotary half heads_tokens %{{.*}} positions(%{{.*}}) base = 5.000000e+05 dims = 64 : tensor<4x32x?x128xf16>, tensor<4x?xi32>
  %2 = fuse.rotary half heads_tokens %h positions(%bp) base = 5.0e5 dims = 64
       : tensor<4x32x?x128xf16>, tensor<4x?xi32>
  // CHECK: fuse.rotary interleaved heads_tokens %{{.*}} base = 1.000000e+04 : tensor<?x64xf32>
  %3 = fuse.rotary interleaved heads_tokens %flat base = 1.0e4 : tensor<?x64xf32>
  // CHECK: fuse.rotary interleaved heads_tokens %{{.*}} base = 1.000000e+04 inverse {note = 1 : i64} : tensor<?x64xf32>
  %4 = fuse.rotary interleaved heads_tokens %flat base = 1.0e4 inverse {note = 1} : tensor<?x64xf32>
  return
}
