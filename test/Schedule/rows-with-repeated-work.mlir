// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 -fuse-schedule="chip=sm_90 small=true" | FileCheck %s --check-prefix=SMALL
// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_80 -fuse-schedule=chip=sm_80 | FileCheck %s --check-prefix=AMPERE
// What a walk over a row in the caches would compute again keeps it in registers.

// What is before the norm would be computed in both walks: registers hold the row, of few threads.
// CHECK-LABEL: func.func @gelu_rms_norm_bf16_5120
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
func.func @gelu_rms_norm_bf16_5120(%a: tensor<?x5120xbf16> {fuse.dims = ["rows"]}, %w: tensor<5120xbf16>) -> (tensor<?x5120xbf16>) {
  %g = fuse.gelu tanh %a : tensor<?x5120xbf16>
  %y = fuse.rms_norm %g, %w eps = 1.0e-5 : tensor<?x5120xbf16>, tensor<5120xbf16>
  return %y : tensor<?x5120xbf16>
}

// -----

// CHECK-LABEL: func.func @gelu_rms_norm_bf16_7168
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers>
func.func @gelu_rms_norm_bf16_7168(%a: tensor<?x7168xbf16> {fuse.dims = ["rows"]}, %w: tensor<7168xbf16>) -> (tensor<?x7168xbf16>) {
  %g = fuse.gelu tanh %a : tensor<?x7168xbf16>
  %y = fuse.rms_norm %g, %w eps = 1.0e-5 : tensor<?x7168xbf16>, tensor<7168xbf16>
  return %y : tensor<?x7168xbf16>
}

// -----

// So do several inputs.
// CHECK-LABEL: func.func @swiglu_quantize_bf16_7168
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers>
func.func @swiglu_quantize_bf16_7168(%a: tensor<?x7168xbf16> {fuse.dims = ["rows"]}, %b: tensor<?x7168xbf16> {fuse.dims = ["rows"]}) -> (tensor<?x7168xf8E4M3FN>, tensor<?x1xbf16>) {
  %s = fuse.silu %a : tensor<?x7168xbf16>
  %g = fuse.mul %s, %b : tensor<?x7168xbf16>
  %e = fuse.abs %g : tensor<?x7168xbf16>
  %m = fuse.reduce max %e dims = [1] keep : tensor<?x7168xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %g, %m : tensor<?x7168xbf16>, tensor<?x1xbf16> -> tensor<?x7168xbf16>
  %y = fuse.cast %d : tensor<?x7168xbf16> -> tensor<?x7168xf8E4M3FN>
  return %y, %m : tensor<?x7168xf8E4M3FN>, tensor<?x1xbf16>
}

// -----

// So would a mask, which is loaded for each.
// CHECK-LABEL: func.func @masked_softmax_bf16_4096
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
func.func @masked_softmax_bf16_4096(%a: tensor<?x4096xbf16> {fuse.dims = ["rows"]}, %i: tensor<1x4096xbf16>) -> (tensor<?x4096xbf16>) {
  %y0 = fuse.add %a, %i : tensor<?x4096xbf16>, tensor<1x4096xbf16> -> tensor<?x4096xbf16>
  %y = fuse.softmax %y0 dims = [1] : tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// -----

// A norm whose result is reduced has a walk more; long rows have all that registers hold.
// CHECK-LABEL: func.func @normalize_quantize_bf16_8192
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
// SMALL-LABEL: func.func @normalize_quantize_bf16_8192
// SMALL: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
func.func @normalize_quantize_bf16_8192(%a: tensor<?x8192xbf16> {fuse.dims = ["rows"]}, %w: tensor<8192xbf16>) -> (tensor<?x8192xf8E4M3FN>, tensor<?x1xbf16>) {
  %g = fuse.rms_norm %a, %w eps = 1.0e-5 : tensor<?x8192xbf16>, tensor<8192xbf16>
  %b = fuse.abs %g : tensor<?x8192xbf16>
  %m = fuse.reduce max %b dims = [1] keep : tensor<?x8192xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %g, %m : tensor<?x8192xbf16>, tensor<?x1xbf16> -> tensor<?x8192xbf16>
  %y = fuse.cast %d : tensor<?x8192xbf16> -> tensor<?x8192xf8E4M3FN>
  return %y, %m : tensor<?x8192xf8E4M3FN>, tensor<?x1xbf16>
}

// -----

// Nothing of the row's length is written: fewer threads.
// CHECK-LABEL: func.func @entropy_f32_1024
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 4, hold = registers>
func.func @entropy_f32_1024(%a: tensor<?x1024xf32> {fuse.dims = ["rows"]}) -> (tensor<?xf32>) {
  %p = fuse.softmax %a dims = [1] : tensor<?x1024xf32>
  %l = fuse.log_softmax %a dims = [1] : tensor<?x1024xf32>
  %q = fuse.mul %p, %l : tensor<?x1024xf32>
  %s = fuse.reduce sum %q dims = [1] : tensor<?x1024xf32> -> tensor<?xf32>
  %y = fuse.neg %s : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// What is written has two vectors in each thread, up to a block's.
// CHECK-LABEL: func.func @softcap_softmax_f32_1024
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers>
func.func @softcap_softmax_f32_1024(%a: tensor<?x1024xf32> {fuse.dims = ["rows"]}) -> (tensor<?x1024xf32>) {
  %k = fuse.constant dense<0.03> : tensor<1x1xf32>
  %k2 = fuse.constant dense<30.0> : tensor<1x1xf32>
  %b = fuse.mul %a, %k : tensor<?x1024xf32>, tensor<1x1xf32> -> tensor<?x1024xf32>
  %c = fuse.tanh %b : tensor<?x1024xf32>
  %d = fuse.mul %c, %k2 : tensor<?x1024xf32>, tensor<1x1xf32> -> tensor<?x1024xf32>
  %y = fuse.softmax %d dims = [1] : tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}

// -----

// The longest that one block holds.
// CHECK-LABEL: func.func @gelu_rms_norm_bf16_16384
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = registers>
// AMPERE-LABEL: func.func @gelu_rms_norm_bf16_16384
// AMPERE: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = registers>
func.func @gelu_rms_norm_bf16_16384(%a: tensor<?x16384xbf16> {fuse.dims = ["rows"]}, %w: tensor<16384xbf16>) -> (tensor<?x16384xbf16>) {
  %g = fuse.gelu tanh %a : tensor<?x16384xbf16>
  %y = fuse.rms_norm %g, %w eps = 1.0e-5 : tensor<?x16384xbf16>, tensor<16384xbf16>
  return %y : tensor<?x16384xbf16>
}

// -----

// Longer rows: registers of several blocks, or shared memory of one where there are several levels.
// CHECK-LABEL: func.func @gelu_rms_norm_bf16_65536
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 8>
// AMPERE-LABEL: func.func @gelu_rms_norm_bf16_65536
// AMPERE: #fuse.rows<threads = 1024, vector = 8, rows_per_block = 1, hold = cache>
func.func @gelu_rms_norm_bf16_65536(%a: tensor<?x65536xbf16> {fuse.dims = ["rows"]}, %w: tensor<65536xbf16>) -> (tensor<?x65536xbf16>) {
  %g = fuse.gelu tanh %a : tensor<?x65536xbf16>
  %y = fuse.rms_norm %g, %w eps = 1.0e-5 : tensor<?x65536xbf16>, tensor<65536xbf16>
  return %y : tensor<?x65536xbf16>
}

// -----

// CHECK-LABEL: func.func @rms_norm_softmax_bf16_24576
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, preload = true>
// SMALL-LABEL: func.func @rms_norm_softmax_bf16_24576
// SMALL: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, preload = true>
// AMPERE-LABEL: func.func @rms_norm_softmax_bf16_24576
// AMPERE: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, preload = true>
func.func @rms_norm_softmax_bf16_24576(%a: tensor<?x24576xbf16> {fuse.dims = ["rows"]}, %w: tensor<24576xbf16>) -> (tensor<?x24576xbf16>) {
  %g = fuse.rms_norm %a, %w eps = 1.0e-5 : tensor<?x24576xbf16>, tensor<24576xbf16>
  %y = fuse.softmax %g dims = [1] : tensor<?x24576xbf16>
  return %y : tensor<?x24576xbf16>
}

// -----

// Parts of 32 KiB beyond 64 KiB.
// CHECK-LABEL: func.func @add_rms_norm_quantize_bf16_32768
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 4>
func.func @add_rms_norm_quantize_bf16_32768(%a: tensor<?x32768xbf16> {fuse.dims = ["rows"]}, %b: tensor<?x32768xbf16> {fuse.dims = ["rows"]}, %w: tensor<32768xbf16>) -> (tensor<?x32768xf8E4M3FN>, tensor<?x32768xbf16>, tensor<?x1xbf16>) {
  %h = fuse.add %a, %b : tensor<?x32768xbf16>
  %g = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x32768xbf16>, tensor<32768xbf16>
  %e = fuse.abs %g : tensor<?x32768xbf16>
  %m = fuse.reduce max %e dims = [1] keep : tensor<?x32768xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %g, %m : tensor<?x32768xbf16>, tensor<?x1xbf16> -> tensor<?x32768xbf16>
  %y = fuse.cast %d : tensor<?x32768xbf16> -> tensor<?x32768xf8E4M3FN>
  return %y, %h, %m : tensor<?x32768xf8E4M3FN>, tensor<?x32768xbf16>, tensor<?x1xbf16>
}

// -----

// Vectors of two accesses.
// CHECK-LABEL: func.func @normalize_quantize_f32_8192
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
func.func @normalize_quantize_f32_8192(%a: tensor<?x8192xf32> {fuse.dims = ["rows"]}, %w: tensor<8192xf32>) -> (tensor<?x8192xf8E4M3FN>, tensor<?x1xf32>) {
  %g = fuse.rms_norm %a, %w eps = 1.0e-5 : tensor<?x8192xf32>, tensor<8192xf32>
  %b = fuse.abs %g : tensor<?x8192xf32>
  %m = fuse.reduce max %b dims = [1] keep : tensor<?x8192xf32> -> tensor<?x1xf32>
  %d = fuse.div %g, %m : tensor<?x8192xf32>, tensor<?x1xf32> -> tensor<?x8192xf32>
  %y = fuse.cast %d : tensor<?x8192xf32> -> tensor<?x8192xf8E4M3FN>
  return %y, %m : tensor<?x8192xf8E4M3FN>, tensor<?x1xf32>
}

// -----

// Rows that leave edges, too.
// CHECK-LABEL: func.func @softcap_softmax_bf16_6001
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers>
func.func @softcap_softmax_bf16_6001(%a: tensor<?x6001xbf16> {fuse.dims = ["rows"]}) -> (tensor<?x6001xbf16>) {
  %k = fuse.constant dense<0.03> : tensor<1x1xbf16>
  %k2 = fuse.constant dense<30.0> : tensor<1x1xbf16>
  %b = fuse.mul %a, %k : tensor<?x6001xbf16>, tensor<1x1xbf16> -> tensor<?x6001xbf16>
  %c = fuse.tanh %b : tensor<?x6001xbf16>
  %d = fuse.mul %c, %k2 : tensor<?x6001xbf16>, tensor<1x1xbf16> -> tensor<?x6001xbf16>
  %y = fuse.softmax %d dims = [1] : tensor<?x6001xbf16>
  return %y : tensor<?x6001xbf16>
}

// -----

// Weights of variances leave no registers for the parts of long rows.
// CHECK-LABEL: func.func @silu_layer_norm_bf16_24576
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 2>
func.func @silu_layer_norm_bf16_24576(%a: tensor<?x24576xbf16> {fuse.dims = ["rows"]}, %w: tensor<24576xbf16>, %c: tensor<24576xbf16>) -> (tensor<?x24576xbf16>) {
  %g = fuse.silu %a : tensor<?x24576xbf16>
  %y = fuse.layer_norm %g, %w, %c eps = 1.0e-5 : tensor<?x24576xbf16>, tensor<24576xbf16>, tensor<24576xbf16>
  return %y : tensor<?x24576xbf16>
}

// -----

// Nor do exponentials of two inputs.
// CHECK-LABEL: func.func @kl_divergence_bf16_8192
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache>
func.func @kl_divergence_bf16_8192(%a: tensor<?x8192xbf16> {fuse.dims = ["rows"]}, %b: tensor<?x8192xbf16> {fuse.dims = ["rows"]}) -> (tensor<?xbf16>) {
  %p = fuse.softmax %a dims = [1] : tensor<?x8192xbf16>
  %l = fuse.log_softmax %a dims = [1] : tensor<?x8192xbf16>
  %k = fuse.log_softmax %b dims = [1] : tensor<?x8192xbf16>
  %d = fuse.sub %l, %k : tensor<?x8192xbf16>
  %q = fuse.mul %p, %d : tensor<?x8192xbf16>
  %y = fuse.reduce sum %q dims = [1] : tensor<?x8192xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}

// -----

// One addition more is little, and so is any of 32-bit elements: the caches.
// CHECK-LABEL: func.func @add_layer_norm_bf16_4096
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = cache>
func.func @add_layer_norm_bf16_4096(%a: tensor<?x4096xbf16> {fuse.dims = ["rows"]}, %b: tensor<?x4096xbf16> {fuse.dims = ["rows"]}, %w: tensor<4096xbf16>, %c: tensor<4096xbf16>) -> (tensor<?x4096xbf16>, tensor<?x4096xbf16>) {
  %h = fuse.add %a, %b : tensor<?x4096xbf16>
  %y = fuse.layer_norm %h, %w, %c eps = 1.0e-5 : tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
  return %y, %h : tensor<?x4096xbf16>, tensor<?x4096xbf16>
}

// -----

// CHECK-LABEL: func.func @masked_softmax_f32_4096
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = cache>
func.func @masked_softmax_f32_4096(%a: tensor<?x4096xf32> {fuse.dims = ["rows"]}, %i: tensor<1x4096xf32>) -> (tensor<?x4096xf32>) {
  %y0 = fuse.add %a, %i : tensor<?x4096xf32>, tensor<1x4096xf32> -> tensor<?x4096xf32>
  %y = fuse.softmax %y0 dims = [1] : tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}

// -----

// Exponentials leave room for 56 elements a thread.
// CHECK-LABEL: func.func @gelu_softmax_bf16_7168
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
func.func @gelu_softmax_bf16_7168(%a: tensor<?x7168xbf16> {fuse.dims = ["rows"]}) -> (tensor<?x7168xbf16>) {
  %g = fuse.gelu tanh %a : tensor<?x7168xbf16>
  %y = fuse.softmax %g dims = [1] : tensor<?x7168xbf16>
  return %y : tensor<?x7168xbf16>
}

// -----

// No more threads compute these than 256.
// CHECK-LABEL: func.func @gelu_softmax_bf16_14336
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers>
func.func @gelu_softmax_bf16_14336(%a: tensor<?x14336xbf16> {fuse.dims = ["rows"]}) -> (tensor<?x14336xbf16>) {
  %g = fuse.gelu tanh %a : tensor<?x14336xbf16>
  %y = fuse.softmax %g dims = [1] : tensor<?x14336xbf16>
  return %y : tensor<?x14336xbf16>
}

// -----

// Longer rows of exponentials are shared by blocks of few threads.
// CHECK-LABEL: func.func @gelu_softmax_bf16_16384
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers, blocks_per_row = 4>
func.func @gelu_softmax_bf16_16384(%a: tensor<?x16384xbf16> {fuse.dims = ["rows"]}) -> (tensor<?x16384xbf16>) {
  %g = fuse.gelu tanh %a : tensor<?x16384xbf16>
  %y = fuse.softmax %g dims = [1] : tensor<?x16384xbf16>
  return %y : tensor<?x16384xbf16>
}

// -----

// 32-bit elements: 48 in each of few threads, before there are more.
// CHECK-LABEL: func.func @gelu_rms_norm_f32_11008
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers>
func.func @gelu_rms_norm_f32_11008(%a: tensor<?x11008xf32> {fuse.dims = ["rows"]}, %w: tensor<11008xf32>) -> (tensor<?x11008xf32>) {
  %g = fuse.gelu tanh %a : tensor<?x11008xf32>
  %y = fuse.rms_norm %g, %w eps = 1.0e-5 : tensor<?x11008xf32>, tensor<11008xf32>
  return %y : tensor<?x11008xf32>
}

// -----

// Beyond, blocks of few threads share rows of 32-bit elements.
// CHECK-LABEL: func.func @gelu_rms_norm_f32_16384
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @gelu_rms_norm_f32_16384(%a: tensor<?x16384xf32> {fuse.dims = ["rows"]}, %w: tensor<16384xf32>) -> (tensor<?x16384xf32>) {
  %g = fuse.gelu tanh %a : tensor<?x16384xf32>
  %y = fuse.rms_norm %g, %w eps = 1.0e-5 : tensor<?x16384xf32>, tensor<16384xf32>
  return %y : tensor<?x16384xf32>
}

// -----

// Weighted variances take registers: parts of 24 KiB in the shared memory of several
// blocks, earlier.
// CHECK-LABEL: func.func @rms_norm_layer_norm_f32_12288
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = shared, unroll = 2, preload = true, blocks_per_row = 2>
func.func @rms_norm_layer_norm_f32_12288(%a: tensor<?x12288xf32> {fuse.dims = ["rows"]}, %w: tensor<12288xf32>, %c: tensor<12288xf32>) -> (tensor<?x12288xf32>) {
  %g = fuse.rms_norm %a, %w eps = 1.0e-5 : tensor<?x12288xf32>, tensor<12288xf32>
  %y = fuse.layer_norm %g, %w, %c eps = 1.0e-5 : tensor<?x12288xf32>, tensor<12288xf32>, tensor<12288xf32>
  return %y : tensor<?x12288xf32>
}

// -----

// Of 16 bits few threads have the row: a warp, by copies where it has not as many
// vectors as others,
// CHECK-LABEL: func.func @rms_norm_layer_norm_bf16_1000
// CHECK: #fuse.rows<threads = 32, vector = 8, rows_per_block = 1, hold = shared>
func.func @rms_norm_layer_norm_bf16_1000(%a: tensor<?x1000xbf16> {fuse.dims = ["rows"]}, %w: tensor<1000xbf16>, %c: tensor<1000xbf16>) -> (tensor<?x1000xbf16>) {
  %g = fuse.rms_norm %a, %w eps = 1.0e-5 : tensor<?x1000xbf16>, tensor<1000xbf16>
  %y = fuse.layer_norm %g, %w, %c eps = 1.0e-5 : tensor<?x1000xbf16>, tensor<1000xbf16>, tensor<1000xbf16>
  return %y : tensor<?x1000xbf16>
}

// -----

// but not of the shortest rows, several of which share a block;
// CHECK-LABEL: func.func @rms_norm_layer_norm_bf16_512
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 4, hold = registers>
func.func @rms_norm_layer_norm_bf16_512(%a: tensor<?x512xbf16> {fuse.dims = ["rows"]}, %w: tensor<512xbf16>, %c: tensor<512xbf16>) -> (tensor<?x512xbf16>) {
  %g = fuse.rms_norm %a, %w eps = 1.0e-5 : tensor<?x512xbf16>, tensor<512xbf16>
  %y = fuse.layer_norm %g, %w, %c eps = 1.0e-5 : tensor<?x512xbf16>, tensor<512xbf16>, tensor<512xbf16>
  return %y : tensor<?x512xbf16>
}

// -----

// else in registers, two rows a block;
// CHECK-LABEL: func.func @rms_norm_layer_norm_bf16_1280
// CHECK: #fuse.rows<threads = 64, vector = 8, rows_per_block = 2, hold = registers>
func.func @rms_norm_layer_norm_bf16_1280(%x: tensor<?x1280xbf16>, %w: tensor<1280xbf16>, %b: tensor<1280xbf16>) -> tensor<?x1280xbf16> {
  %h = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x1280xbf16>, tensor<1280xbf16>
  %y = fuse.layer_norm %h, %w, %b eps = 1.0e-5 : tensor<?x1280xbf16>, tensor<1280xbf16>, tensor<1280xbf16>
  return %y : tensor<?x1280xbf16>
}

// -----

// a warp where two have not as many vectors each,
// CHECK-LABEL: func.func @rms_norm_layer_norm_bf16_2304
// CHECK: #fuse.rows<threads = 32, vector = 8, rows_per_block = 1, hold = shared, preload = true>
func.func @rms_norm_layer_norm_bf16_2304(%x: tensor<?x2304xbf16>, %w: tensor<2304xbf16>, %b: tensor<2304xbf16>) -> tensor<?x2304xbf16> {
  %h = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x2304xbf16>, tensor<2304xbf16>
  %y = fuse.layer_norm %h, %w, %b eps = 1.0e-5 : tensor<?x2304xbf16>, tensor<2304xbf16>, tensor<2304xbf16>
  return %y : tensor<?x2304xbf16>
}

// -----

// else two,
// CHECK-LABEL: func.func @rms_norm_layer_norm_bf16_2560
// CHECK: #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = shared>
func.func @rms_norm_layer_norm_bf16_2560(%a: tensor<?x2560xbf16> {fuse.dims = ["rows"]}, %w: tensor<2560xbf16>, %c: tensor<2560xbf16>) -> (tensor<?x2560xbf16>) {
  %g = fuse.rms_norm %a, %w eps = 1.0e-5 : tensor<?x2560xbf16>, tensor<2560xbf16>
  %y = fuse.layer_norm %g, %w, %c eps = 1.0e-5 : tensor<?x2560xbf16>, tensor<2560xbf16>, tensor<2560xbf16>
  return %y : tensor<?x2560xbf16>
}

// -----

// CHECK-LABEL: func.func @rms_norm_layer_norm_bf16_2048
// CHECK: #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = shared>
func.func @rms_norm_layer_norm_bf16_2048(%a: tensor<?x2048xbf16> {fuse.dims = ["rows"]}, %w: tensor<2048xbf16>, %c: tensor<2048xbf16>) -> (tensor<?x2048xbf16>) {
  %g = fuse.rms_norm %a, %w eps = 1.0e-5 : tensor<?x2048xbf16>, tensor<2048xbf16>
  %y = fuse.layer_norm %g, %w, %c eps = 1.0e-5 : tensor<?x2048xbf16>, tensor<2048xbf16>, tensor<2048xbf16>
  return %y : tensor<?x2048xbf16>
}

// -----

// of longer rows with their weights before,
// CHECK-LABEL: func.func @rms_norm_layer_norm_bf16_4096
// CHECK: #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = shared, preload = true>
func.func @rms_norm_layer_norm_bf16_4096(%a: tensor<?x4096xbf16> {fuse.dims = ["rows"]}, %w: tensor<4096xbf16>, %c: tensor<4096xbf16>) -> (tensor<?x4096xbf16>) {
  %g = fuse.rms_norm %a, %w eps = 1.0e-5 : tensor<?x4096xbf16>, tensor<4096xbf16>
  %y = fuse.layer_norm %g, %w, %c eps = 1.0e-5 : tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// -----

// with weights that are there before where they are many;
// CHECK-LABEL: func.func @rms_norm_layer_norm_bf16_8192
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, preload = true>
func.func @rms_norm_layer_norm_bf16_8192(%a: tensor<?x8192xbf16> {fuse.dims = ["rows"]}, %w: tensor<8192xbf16>, %c: tensor<8192xbf16>) -> (tensor<?x8192xbf16>) {
  %g = fuse.rms_norm %a, %w eps = 1.0e-5 : tensor<?x8192xbf16>, tensor<8192xbf16>
  %y = fuse.layer_norm %g, %w, %c eps = 1.0e-5 : tensor<?x8192xbf16>, tensor<8192xbf16>, tensor<8192xbf16>
  return %y : tensor<?x8192xbf16>
}

// -----

// and more of the longest.
// CHECK-LABEL: func.func @rms_norm_layer_norm_bf16_20480
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, preload = true>
func.func @rms_norm_layer_norm_bf16_20480(%a: tensor<?x20480xbf16> {fuse.dims = ["rows"]}, %w: tensor<20480xbf16>, %c: tensor<20480xbf16>) -> (tensor<?x20480xbf16>) {
  %g = fuse.rms_norm %a, %w eps = 1.0e-5 : tensor<?x20480xbf16>, tensor<20480xbf16>
  %y = fuse.layer_norm %g, %w, %c eps = 1.0e-5 : tensor<?x20480xbf16>, tensor<20480xbf16>, tensor<20480xbf16>
  return %y : tensor<?x20480xbf16>
}

// -----

// One special function is not worth a cluster's registers.
// CHECK-LABEL: func.func @l2_tanh_bf16_28672
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 4>
func.func @l2_tanh_bf16_28672(%a: tensor<?x28672xbf16> {fuse.dims = ["rows"]}) -> (tensor<?x28672xbf16>) {
  %t = fuse.tanh %a : tensor<?x28672xbf16>
  %q = fuse.mul %t, %t : tensor<?x28672xbf16>
  %s = fuse.reduce sum %q dims = [1] keep : tensor<?x28672xbf16> -> tensor<?x1xbf16>
  %r = fuse.rsqrt %s : tensor<?x1xbf16>
  %y = fuse.mul %t, %r : tensor<?x28672xbf16>, tensor<?x1xbf16> -> tensor<?x28672xbf16>
  return %y : tensor<?x28672xbf16>
}

// -----

// Two accesses of several inputs would not fit.
// CHECK-LABEL: func.func @add_normalize_quantize_f32_8192
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers>
func.func @add_normalize_quantize_f32_8192(%a: tensor<?x8192xf32> {fuse.dims = ["rows"]}, %b: tensor<?x8192xf32> {fuse.dims = ["rows"]}, %w: tensor<8192xf32>) -> (tensor<?x8192xf8E4M3FN>, tensor<?x1xf32>) {
  %h = fuse.add %a, %b : tensor<?x8192xf32>
  %g = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x8192xf32>, tensor<8192xf32>
  %e = fuse.abs %g : tensor<?x8192xf32>
  %m = fuse.reduce max %e dims = [1] keep : tensor<?x8192xf32> -> tensor<?x1xf32>
  %d = fuse.div %g, %m : tensor<?x8192xf32>, tensor<?x1xf32> -> tensor<?x8192xf32>
  %y = fuse.cast %d : tensor<?x8192xf32> -> tensor<?x8192xf8E4M3FN>
  return %y, %m : tensor<?x8192xf8E4M3FN>, tensor<?x1xf32>
}

// -----

// and of the longest by eight warps, with registers for loads ahead.
// CHECK-LABEL: func.func @rms_norm_layer_norm_bf16_14336
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, least_blocks = 4>
func.func @rms_norm_layer_norm_bf16_14336(%x: tensor<?x14336xbf16>, %w: tensor<14336xbf16>, %b: tensor<14336xbf16>) -> tensor<?x14336xbf16> {
  %h = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x14336xbf16>, tensor<14336xbf16>
  %y = fuse.layer_norm %h, %w, %b eps = 1.0e-5 : tensor<?x14336xbf16>, tensor<14336xbf16>, tensor<14336xbf16>
  return %y : tensor<?x14336xbf16>
}

// -----

// With a special function registers are all that there is room for: weights wait.
// CHECK-LABEL: func.func @silu_layer_norm_f32_16384
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, blocks_per_row = 4>
func.func @silu_layer_norm_f32_16384(%a: tensor<?x16384xf32> {fuse.dims = ["rows"]}, %w: tensor<16384xf32>, %c: tensor<16384xf32>) -> (tensor<?x16384xf32>) {
  %g = fuse.silu %a : tensor<?x16384xf32>
  %y = fuse.layer_norm %g, %w, %c eps = 1.0e-5 : tensor<?x16384xf32>, tensor<16384xf32>, tensor<16384xf32>
  return %y : tensor<?x16384xf32>
}

// -----

// More threads have several levels, where all have whole vectors,
// CHECK-LABEL: func.func @layer_norm_gelu_layer_norm_f32_16384
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, blocks_per_row = 4>
func.func @layer_norm_gelu_layer_norm_f32_16384(%a: tensor<?x16384xf32> {fuse.dims = ["rows"]}, %w: tensor<16384xf32>, %c: tensor<16384xf32>) -> (tensor<?x16384xf32>) {
  %n = fuse.layer_norm %a, %w, %c eps = 1.0e-5 : tensor<?x16384xf32>, tensor<16384xf32>, tensor<16384xf32>
  %g = fuse.gelu tanh %n : tensor<?x16384xf32>
  %y = fuse.layer_norm %g, %w, %c eps = 1.0e-5 : tensor<?x16384xf32>, tensor<16384xf32>, tensor<16384xf32>
  return %y : tensor<?x16384xf32>
}

// -----

// and not where some would have one more.
// CHECK-LABEL: func.func @layer_norm_gelu_layer_norm_f32_18432
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, blocks_per_row = 4>
func.func @layer_norm_gelu_layer_norm_f32_18432(%a: tensor<?x18432xf32> {fuse.dims = ["rows"]}, %w: tensor<18432xf32>, %c: tensor<18432xf32>) -> (tensor<?x18432xf32>) {
  %n = fuse.layer_norm %a, %w, %c eps = 1.0e-5 : tensor<?x18432xf32>, tensor<18432xf32>, tensor<18432xf32>
  %g = fuse.gelu tanh %n : tensor<?x18432xf32>
  %y = fuse.layer_norm %g, %w, %c eps = 1.0e-5 : tensor<?x18432xf32>, tensor<18432xf32>, tensor<18432xf32>
  return %y : tensor<?x18432xf32>
}

// -----

// A mask is read in each walk, as the row is: beyond what the caches keep of both,
// registers of four blocks hold the row, of fewer threads where it is longer.
// CHECK-LABEL: func.func @masked_softmax_f32_12288
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = cache>
func.func @masked_softmax_f32_12288(%x: tensor<?x12288xf32> {fuse.dims = ["rows"]}, %m: tensor<12288xf32>) -> (tensor<?x12288xf32>) {
  %g = fuse.add %x, %m : tensor<?x12288xf32>, tensor<12288xf32> -> tensor<?x12288xf32>
  %y = fuse.softmax %g dims = [1] : tensor<?x12288xf32>
  return %y : tensor<?x12288xf32>
}

// -----

// CHECK-LABEL: func.func @masked_softmax_f32_16384
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, blocks_per_row = 4>
func.func @masked_softmax_f32_16384(%x: tensor<?x16384xf32> {fuse.dims = ["rows"]}, %m: tensor<16384xf32>) -> (tensor<?x16384xf32>) {
  %g = fuse.add %x, %m : tensor<?x16384xf32>, tensor<16384xf32> -> tensor<?x16384xf32>
  %y = fuse.softmax %g dims = [1] : tensor<?x16384xf32>
  return %y : tensor<?x16384xf32>
}

// -----

// CHECK-LABEL: func.func @masked_softmax_f32_18432
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, blocks_per_row = 4>
func.func @masked_softmax_f32_18432(%x: tensor<?x18432xf32> {fuse.dims = ["rows"]}, %m: tensor<18432xf32>) -> (tensor<?x18432xf32>) {
  %g = fuse.add %x, %m : tensor<?x18432xf32>, tensor<18432xf32> -> tensor<?x18432xf32>
  %y = fuse.softmax %g dims = [1] : tensor<?x18432xf32>
  return %y : tensor<?x18432xf32>
}
