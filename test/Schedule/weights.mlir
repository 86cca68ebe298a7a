// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 | FileCheck %s
// RUN: fuse inspect %s --entry long --chip sm_90 --emit=stats | FileCheck %s --check-prefix=STATS

// Long rows with weights load these a step ahead, by fewer threads than others.
// STATS: spills 0
// CHECK-LABEL: func.func @long
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, preload = true, blocks_per_row = 4>
func.func @long(%x: tensor<?x131072xbf16>, %w: tensor<131072xbf16>, %b: tensor<131072xbf16>) -> tensor<?x131072xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x131072xbf16>, tensor<131072xbf16>, tensor<131072xbf16>
  return %y : tensor<?x131072xbf16>
}

// -----

// Where one weight goes with one 16-bit input, by twice as many blocks.
// CHECK-LABEL: func.func @one_weight
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, preload = true, blocks_per_row = 8>
func.func @one_weight(%x: tensor<?x131072xbf16>, %w: tensor<131072xbf16>) -> tensor<?x131072xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x131072xbf16>, tensor<131072xbf16>
  return %y : tensor<?x131072xbf16>
}

// -----

// No cluster has as many: nothing is loaded ahead.
// CHECK-LABEL: func.func @longest
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 8>
func.func @longest(%x: tensor<?x262144xbf16>, %w: tensor<262144xbf16>) -> tensor<?x262144xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x262144xbf16>, tensor<262144xbf16>
  return %y : tensor<?x262144xbf16>
}

// -----

// Rows that start anywhere: their weights take the registers of several steps.
// CHECK-LABEL: func.func @edges
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared, preload = true>
func.func @edges(%x: tensor<?x50257xbf16>, %w: tensor<50257xbf16>) -> tensor<?x50257xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x50257xbf16>, tensor<50257xbf16>
  return %y : tensor<?x50257xbf16>
}

// -----

// CHECK-LABEL: func.func @wide_edges
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = shared, unroll = 1, preload = true, blocks_per_row = 4>
func.func @wide_edges(%x: tensor<?x50257xf32>, %w: tensor<50257xf32>) -> tensor<?x50257xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x50257xf32>, tensor<50257xf32>
  return %y : tensor<?x50257xf32>
}

// -----

// Deviations in 16 bits need shared memory sooner than the caches run out.
// CHECK-LABEL: func.func @deviations
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, preload = true>
func.func @deviations(%x: tensor<?x32768xbf16>, %w: tensor<32768xbf16>, %b: tensor<32768xbf16>) -> tensor<?x32768xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x32768xbf16>, tensor<32768xbf16>, tensor<32768xbf16>
  return %y : tensor<?x32768xbf16>
}

// -----

// Parts that fill a multiprocessor: a quarter stays in registers.
// CHECK-LABEL: func.func @filling
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = shared, unroll = 2, in_registers = 4, copy_groups = 1, blocks_per_row = 8>
func.func @filling(%x: tensor<?x262144xf32>, %w: tensor<262144xf32>) -> tensor<?x262144xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x262144xf32>, tensor<262144xf32>
  return %y : tensor<?x262144xf32>
}

// -----

// CHECK-LABEL: func.func @filling_deviations
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 8>
func.func @filling_deviations(%x: tensor<?x262144xf32>, %w: tensor<262144xf32>, %b: tensor<262144xf32>) -> tensor<?x262144xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x262144xf32>, tensor<262144xf32>, tensor<262144xf32>
  return %y : tensor<?x262144xf32>
}

// -----

// And what is no vector of all threads.
// CHECK-LABEL: func.func @filling_rest
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = shared, unroll = 2, in_registers = 3, preload = true, copy_groups = 1, blocks_per_row = 8>
func.func @filling_rest(%x: tensor<?x128256xf32>, %r: tensor<?x128256xf32>, %w: tensor<128256xf32>) -> tensor<?x128256xf32> {
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

// Seven vectors a thread are one step of four.
// CHECK-LABEL: func.func @one_step
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, blocks_per_row = 8>
func.func @one_step(%x: tensor<?x128256xbf16>, %r: tensor<?x128256xbf16>, %w: tensor<128256xbf16>) -> tensor<?x128256xbf16> {
  %s = fuse.add %x, %r : tensor<?x128256xbf16>
  %y = fuse.rms_norm %s, %w eps = 1.0e-5 : tensor<?x128256xbf16>, tensor<128256xbf16>
  return %y : tensor<?x128256xbf16>
}
