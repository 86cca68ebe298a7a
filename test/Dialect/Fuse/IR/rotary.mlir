// RUN: fuse-opt %s | FileCheck %s
// RUN: fuse-opt %s | fuse-opt | FileCheck %s
// RUN: fuse-opt %s -mlir-print-op-generic | fuse-opt | FileCheck %s

// CHECK-LABEL: func.func @rotary
func.func @rotary(%x: tensor<2x?x8x64xf16>, %h: tensor<4x32x?x128xf16>, %flat: tensor<?x64xf32>,
                  %table: tensor<?x32xf32>, %half_table: tensor<?x32xf16>,
                  %p: tensor<?xi64>, %bp: tensor<4x?xi32>, %one: tensor<i32>, %each: tensor<4xi64>,
                  %cu: tensor<?xi32>, %past: tensor<?xi64>) {
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
  // CHECK: fuse.rotary half tokens_heads %{{.*}} offset(%{{.*}}) base = 1.000000e+04 scaling(#fuse.rope_linear<factor = 8.000000e+00>) : tensor<2x?x8x64xf16>, tensor<i32>
  %5 = fuse.rotary half tokens_heads %x offset(%one) base = 1.0e4 scaling(#fuse.rope_linear<factor = 8.0>)
       : tensor<2x?x8x64xf16>, tensor<i32>
  // CHECK: fuse.rotary half heads_tokens %{{.*}} positions(%{{.*}}) offset(%{{.*}}) base = 1.000000e+04 scaling(#fuse.rope_ntk<factor = 4.000000e+00>) inverse : tensor<4x32x?x128xf16>, tensor<4x?xi32>, tensor<4xi64>
  %6 = fuse.rotary half heads_tokens %h positions(%bp) offset(%each) base = 1.0e4 scaling(#fuse.rope_ntk<factor = 4.0>) inverse
       : tensor<4x32x?x128xf16>, tensor<4x?xi32>, tensor<4xi64>
  // CHECK: fuse.rotary interleaved tokens_heads %{{.*}} tables(%{{.*}}, %{{.*}}) sequences(%{{.*}}) offset(%{{.*}}) heads = 6 : tensor<2x?x8x64xf16>, tensor<?x32xf32>, tensor<?xi32>, tensor<?xi64>
  %7 = fuse.rotary interleaved tokens_heads %x tables(%table, %table) sequences(%cu) offset(%past) heads = 6
       : tensor<2x?x8x64xf16>, tensor<?x32xf32>, tensor<?xi32>, tensor<?xi64>
  // CHECK: fuse.rotary half heads_tokens %{{.*}} base = 5.000000e+05 dims = 64 heads = 24 scaling(#fuse.rope_llama3<factor = 8.000000e+00, low_freq_factor = 1.000000e+00, high_freq_factor = 4.000000e+00, original_max_position = 8192>) : tensor<4x32x?x128xf16>
  %8 = fuse.rotary half heads_tokens %h base = 5.0e5 dims = 64 heads = 24
       scaling(#fuse.rope_llama3<factor = 8.0, low_freq_factor = 1.0, high_freq_factor = 4.0, original_max_position = 8192>)
       : tensor<4x32x?x128xf16>
  // CHECK: scaling(#fuse.rope_yarn<factor = 4.000000e+00, original_max_position = 32768>)
  %9 = fuse.rotary half heads_tokens %h base = 1.0e6 scaling(#fuse.rope_yarn<factor = 4.0, original_max_position = 32768>)
       : tensor<4x32x?x128xf16>
  // CHECK: scaling(#fuse.rope_yarn<factor = 4.000000e+00, original_max_position = 32768, beta_fast = 3.000000e+01, beta_slow = 2.000000e+00, attention_factor = 1.000000e+00, truncate = false>)
  %10 = fuse.rotary half heads_tokens %h base = 1.0e6
        scaling(#fuse.rope_yarn<factor = 4.0, original_max_position = 32768, beta_fast = 30.0, beta_slow = 2.0,
                                attention_factor = 1.0, truncate = false>)
        : tensor<4x32x?x128xf16>
  // CHECK: length(%{{.*}}) base = 1.000000e+04 dims = 4 scaling(#fuse.rope_longrope<factor = 3.200000e+01, original_max_position = 4096, short_factors = [1.000000e+00, 1.050000e+00], long_factors = [1.080000e+00, 6.400000e+01]>) : tensor<4x32x?x128xf16>, tensor<i32>
  %11 = fuse.rotary half heads_tokens %h length(%one) base = 1.0e4 dims = 4
        scaling(#fuse.rope_longrope<factor = 32.0, original_max_position = 4096, short_factors = [1.0, 1.05],
                                    long_factors = [1.08, 64.0]>)
        : tensor<4x32x?x128xf16>, tensor<i32>
  // CHECK: scaling(#fuse.rope_longrope<factor = 3.200000e+01, original_max_position = 4096, long_factors = [1.080000e+00], attention_factor = 1.190000e+00>)
  %12 = fuse.rotary half heads_tokens %h base = 1.0e4 dims = 2
        scaling(#fuse.rope_longrope<factor = 32.0, original_max_position = 4096, long_factors = [1.08], attention_factor = 1.19>)
        : tensor<4x32x?x128xf16>
  return
}
