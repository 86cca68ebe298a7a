// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 | FileCheck %s
// RUN: fuse inspect %s --entry long --chip sm_90 --emit=stats | FileCheck %s --check-prefix=STATS

// Long rows with weights load these a step ahead, by fewer threads than others.
// STATS: spills 0
// CHECK-LABEL: func.func @long
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 8>
func.func @long(%x: tensor<?x131072xbf16>, %w: tensor<131072xbf16>, %b: tensor<131072xbf16>) -> tensor<?x131072xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x131072xbf16>, tensor<131072xbf16>, tensor<131072xbf16>
  return %y : tensor<?x131072xbf16>
}

// -----

// By more threads where there are no variances to compute.
// CHECK-LABEL: func.func @one_weight
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, preload = true, blocks_per_row = 8, least_blocks = 4>
func.func @one_weight(%x: tensor<?x131072xbf16>, %w: tensor<131072xbf16>) -> tensor<?x131072xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x131072xbf16>, tensor<131072xbf16>
  return %y : tensor<?x131072xbf16>
}

// -----

// CHECK-LABEL: func.func @longest
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, preload = true, blocks_per_row = 16>
func.func @longest(%x: tensor<?x262144xbf16>, %w: tensor<262144xbf16>) -> tensor<?x262144xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x262144xbf16>, tensor<262144xbf16>
  return %y : tensor<?x262144xbf16>
}

// -----

// Weights of rows that start anywhere are cut out of two vectors each: a step ahead
// where a few blocks wait for each other, or there are several inputs to wait for.
// CHECK-LABEL: func.func @edges
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, preload = true, blocks_per_row = 4>
func.func @edges(%x: tensor<?x50257xbf16>, %w: tensor<50257xbf16>) -> tensor<?x50257xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x50257xbf16>, tensor<50257xbf16>
  return %y : tensor<?x50257xbf16>
}

// -----

// CHECK-LABEL: func.func @edges_of_two
// CHECK: hold = shared, unroll = 2, preload = true, blocks_per_row = 8>
func.func @edges_of_two(%x: tensor<?x50257xbf16>, %r: tensor<?x50257xbf16>, %w: tensor<50257xbf16>) -> tensor<?x50257xbf16> {
  %h = fuse.add %x, %r : tensor<?x50257xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x50257xbf16>, tensor<50257xbf16>
  return %y : tensor<?x50257xbf16>
}

// -----

// Of 32 bits that takes the registers of a step.
// CHECK-LABEL: func.func @wide_edges
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 8>
func.func @wide_edges(%x: tensor<?x50257xf32>, %w: tensor<50257xf32>) -> tensor<?x50257xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x50257xf32>, tensor<50257xf32>
  return %y : tensor<?x50257xf32>
}

// -----

// Variances in 16 bits are read again as long as the caches keep a row.
// CHECK-LABEL: func.func @deviations
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = cache, least_blocks = 2>
func.func @deviations(%x: tensor<?x32768xbf16>, %w: tensor<32768xbf16>, %b: tensor<32768xbf16>) -> tensor<?x32768xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x32768xbf16>, tensor<32768xbf16>, tensor<32768xbf16>
  return %y : tensor<?x32768xbf16>
}

// -----

// Parts of 64 KiB.
// CHECK-LABEL: func.func @large
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = shared, unroll = 2, preload = true, blocks_per_row = 16>
func.func @large(%x: tensor<?x262144xf32>, %w: tensor<262144xf32>) -> tensor<?x262144xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x262144xf32>, tensor<262144xf32>
  return %y : tensor<?x262144xf32>
}

// -----

// With variances by more threads, which load nothing ahead.
// CHECK-LABEL: func.func @large_deviations
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 16>
func.func @large_deviations(%x: tensor<?x262144xf32>, %w: tensor<262144xf32>, %b: tensor<262144xf32>) -> tensor<?x262144xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x262144xf32>, tensor<262144xf32>, tensor<262144xf32>
  return %y : tensor<?x262144xf32>
}

// -----

// CHECK-LABEL: func.func @large_rest
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = shared, unroll = 2, preload = true, blocks_per_row = 16>
func.func @large_rest(%x: tensor<?x128256xf32>, %r: tensor<?x128256xf32>, %w: tensor<128256xf32>) -> tensor<?x128256xf32> {
  %s = fuse.add %x, %r : tensor<?x128256xf32>
  %y = fuse.rms_norm %s, %w eps = 1.0e-5 : tensor<?x128256xf32>, tensor<128256xf32>
  return %y : tensor<?x128256xf32>
}

// -----

// Exponentials take the registers that weights would.
// CHECK-LABEL: func.func @exponentials
// CHECK: hold = shared
// CHECK-NOT: preload
// CHECK: return
func.func @exponentials(%x: tensor<?x131072xbf16>, %w: tensor<131072xbf16>) -> tensor<?x131072xbf16> {
  %s = fuse.softmax %x dims = [1] : tensor<?x131072xbf16>
  %y = fuse.mul %s, %w : tensor<?x131072xbf16>, tensor<131072xbf16> -> tensor<?x131072xbf16>
  return %y : tensor<?x131072xbf16>
}

// -----

// Parts of fewer than two steps are walked in one, whose weights are loaded first.
// CHECK-LABEL: func.func @one_step
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 16>
func.func @one_step(%x: tensor<?x128256xbf16>, %r: tensor<?x128256xbf16>, %w: tensor<128256xbf16>) -> tensor<?x128256xbf16> {
  %s = fuse.add %x, %r : tensor<?x128256xbf16>
  %y = fuse.rms_norm %s, %w eps = 1.0e-5 : tensor<?x128256xbf16>, tensor<128256xbf16>
  return %y : tensor<?x128256xbf16>
}
