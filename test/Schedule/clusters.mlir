// RUN: fuse-opt %s -split-input-file -fuse-form-kernels -fuse-assign-schedules=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form-kernels -fuse-assign-schedules="chip=sm_90 small=true" | FileCheck %s --check-prefix=SMALL
// RUN: fuse-opt %s -split-input-file -fuse-form-kernels -fuse-assign-schedules="chip=sm_90 small=true brief=true" | FileCheck %s --check-prefix=BRIEF
// RUN: fuse-opt %s -split-input-file -fuse-form-kernels -fuse-assign-schedules=chip=sm_80 | FileCheck %s --check-prefix=NONE
// RUN: fuse-opt %s -split-input-file -fuse-form-kernels -fuse-assign-schedules=chip=sm_120 | FileCheck %s --check-prefix=SM120

// A row is held by blocks with parts of 32 KiB, or by the most that a cluster has,
// and read again where there are no clusters. Chips whose clusters are portable ones
// have registers for what leaves no room for a second block.
// CHECK-LABEL: func.func @long_rows
// CHECK:         #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 16>
// SMALL-LABEL: func.func @long_rows
// SMALL:         #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 16>
// NONE-LABEL:  func.func @long_rows
// NONE:          #fuse.rows<threads = 1024, vector = 8, rows_per_block = 1, hold = loop>
// SM120-LABEL: func.func @long_rows
// SM120:         #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, in_registers = 3, copy_groups = 2, blocks_per_row = 8>
func.func @long_rows(%x: tensor<?x262144xbf16>) -> tensor<?x262144xbf16> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<?x262144xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %x, %s : tensor<?x262144xbf16>, tensor<?x1xbf16> -> tensor<?x262144xbf16>
  return %y : tensor<?x262144xbf16>
}

// -----

// Exponentials of 16-bit elements take as long as loading them, and have smaller
// parts.
// CHECK-LABEL: func.func @exponentials
// CHECK:         #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 16>
// SMALL-LABEL: func.func @exponentials
// SMALL:         #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 16>
func.func @exponentials(%x: tensor<?x262144xbf16>) -> tensor<?x262144xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x262144xbf16> -> tensor<?x1xbf16>
  %d = fuse.sub %x, %m : tensor<?x262144xbf16>, tensor<?x1xbf16> -> tensor<?x262144xbf16>
  %e = fuse.exp %d : tensor<?x262144xbf16>
  %s = fuse.reduce sum %e dims = [1] keep : tensor<?x262144xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %e, %s : tensor<?x262144xbf16>, tensor<?x1xbf16> -> tensor<?x262144xbf16>
  return %y : tensor<?x262144xbf16>
}

// -----

// Of 32 KiB each at most eight blocks, which are portable, and sixteen where there
// are a few rows. No whole steps of 256 threads.
// CHECK-LABEL: func.func @vocabulary
// CHECK:         #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 8>
// SMALL-LABEL: func.func @vocabulary
// SMALL:         #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 8>
// BRIEF-LABEL: func.func @vocabulary
// BRIEF:         #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 16>
// NONE-LABEL:  func.func @vocabulary
// NONE-NOT:      blocks_per_row
func.func @vocabulary(%x: tensor<?x128256xbf16>) -> tensor<?x128256xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x128256xbf16> -> tensor<?x1xbf16>
  %d = fuse.sub %x, %m : tensor<?x128256xbf16>, tensor<?x1xbf16> -> tensor<?x128256xbf16>
  %e = fuse.exp %d : tensor<?x128256xbf16>
  %s = fuse.reduce sum %e dims = [1] keep : tensor<?x128256xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %e, %s : tensor<?x128256xbf16>, tensor<?x1xbf16> -> tensor<?x128256xbf16>
  return %y : tensor<?x128256xbf16>
}

// -----

// In the registers of eight blocks, whose threads have 16 elements of both inputs.
// CHECK-LABEL: func.func @two_inputs_of_16_bits
// CHECK:         #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 8>
func.func @two_inputs_of_16_bits(%x: tensor<?x32768xbf16>, %r: tensor<?x32768xbf16>) -> tensor<?x32768xbf16> {
  %h = fuse.add %x, %r : tensor<?x32768xbf16>
  %s = fuse.reduce sum %h dims = [1] keep : tensor<?x32768xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %h, %s : tensor<?x32768xbf16>, tensor<?x1xbf16> -> tensor<?x32768xbf16>
  return %y : tensor<?x32768xbf16>
}

// -----

// Rows of small calls that keep all multiprocessors busy have smaller parts.
// SMALL-LABEL: func.func @many_rows
// SMALL:         #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 4>
func.func @many_rows(%x: tensor<?x24576xbf16>) -> tensor<?x24576xbf16> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<?x24576xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %x, %s : tensor<?x24576xbf16>, tensor<?x1xbf16> -> tensor<?x24576xbf16>
  return %y : tensor<?x24576xbf16>
}

// -----

// Where they are known to be few, many blocks have a row.
// CHECK-LABEL: func.func @known_rows
// SMALL-LABEL: func.func @known_rows
// CHECK:         hold = registers, preload = true, blocks_per_row = 8>
func.func @known_rows(%x: tensor<32x24576xbf16>) -> tensor<32x24576xbf16> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<32x24576xbf16> -> tensor<32x1xbf16>
  %y = fuse.mul %x, %s : tensor<32x24576xbf16>, tensor<32x1xbf16> -> tensor<32x24576xbf16>
  return %y : tensor<32x24576xbf16>
}

// -----

// Of f32 smaller ones, and more blocks than are portable where these would have
// parts beyond 48 KiB.
// CHECK-LABEL: func.func @two_inputs
// CHECK:         #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 16>
func.func @two_inputs(%x: tensor<?x131072xf32>, %r: tensor<?x131072xf32>) -> tensor<?x131072xf32> {
  %h = fuse.add %x, %r : tensor<?x131072xf32>
  %q = fuse.mul %h, %h : tensor<?x131072xf32>
  %s = fuse.reduce mean %q dims = [1] keep : tensor<?x131072xf32> -> tensor<?x1xf32>
  %n = fuse.rsqrt %s : tensor<?x1xf32>
  %y = fuse.mul %h, %n : tensor<?x131072xf32>, tensor<?x1xf32> -> tensor<?x131072xf32>
  return %y : tensor<?x131072xf32>
}

// -----

// Where a part would leave no room for another block, three eighths are in registers.
// CHECK-LABEL: func.func @longest
// CHECK:         #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, in_registers = 6, copy_groups = 2, blocks_per_row = 16>
func.func @longest(%x: tensor<?x1048576xbf16>) -> tensor<?x1048576xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x1048576xbf16> -> tensor<?x1xbf16>
  %d = fuse.sub %x, %m : tensor<?x1048576xbf16>, tensor<?x1xbf16> -> tensor<?x1048576xbf16>
  %e = fuse.exp %d : tensor<?x1048576xbf16>
  %s = fuse.reduce sum %e dims = [1] keep : tensor<?x1048576xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %e, %s : tensor<?x1048576xbf16>, tensor<?x1xbf16> -> tensor<?x1048576xbf16>
  return %y : tensor<?x1048576xbf16>
}

// -----

// The only row, of any length and needed twice, is shared by all blocks; one that
// a cluster holds is not, and one that is read once is a sum of parts.
// CHECK-LABEL: func.func @only_row
// CHECK:         hold = loop, blocks_per_row = 264, whole_grid = true>
// NONE-LABEL:  func.func @only_row
// NONE:          hold = loop, blocks_per_row = 216, whole_grid = true>
func.func @only_row(%x: tensor<?xf32>) -> tensor<?xf32> {
  %s = fuse.reduce sum %x dims = [0] keep : tensor<?xf32> -> tensor<1xf32>
  %y = fuse.mul %x, %s : tensor<?xf32>, tensor<1xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @held_row
// CHECK:         #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 16>
// NONE-LABEL:  func.func @held_row
// NONE:          hold = loop, blocks_per_row = 216, whole_grid = true>
func.func @held_row(%x: tensor<131072xf32>) -> tensor<131072xf32> {
  %s = fuse.reduce sum %x dims = [0] keep : tensor<131072xf32> -> tensor<1xf32>
  %y = fuse.mul %x, %s : tensor<131072xf32>, tensor<1xf32> -> tensor<131072xf32>
  return %y : tensor<131072xf32>
}

// -----

// CHECK-LABEL: func.func @read_once
// CHECK:         #fuse.columns
func.func @read_once(%x: tensor<?xf32>) -> tensor<1xf32> {
  %s = fuse.reduce sum %x dims = [0] keep : tensor<?xf32> -> tensor<1xf32>
  return %s : tensor<1xf32>
}
