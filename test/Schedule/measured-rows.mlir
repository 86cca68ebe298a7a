// RUN: fuse-opt %s -fuse-form-kernels -fuse-assign-schedules=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -fuse-form-kernels -fuse-assign-schedules="chip=sm_90 small=true" | FileCheck %s --check-prefix=SMALL

// Rows on GPUs as measurements chose them (results/sweeps.json.xz).

// A known, small number of rows: four blocks for each of 32 KiB.
// CHECK-LABEL: func.func @few_static
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @few_static(%x: tensor<16x8192xf32>) -> tensor<16x8192xf32> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<16x8192xf32> -> tensor<16x1xf32>
  %y = fuse.mul %x, %s : tensor<16x8192xf32>, tensor<16x1xf32> -> tensor<16x8192xf32>
  return %y : tensor<16x8192xf32>
}

// In calls of few bytes in the registers of two blocks.
// CHECK-LABEL: func.func @wide
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = cache>
// SMALL-LABEL: func.func @wide
// SMALL: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 2>
func.func @wide(%x: tensor<?x8192xf32>) -> tensor<?x8192xf32> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<?x8192xf32> -> tensor<?x1xf32>
  %y = fuse.mul %x, %s : tensor<?x8192xf32>, tensor<?x1xf32> -> tensor<?x8192xf32>
  return %y : tensor<?x8192xf32>
}

// What is read once leaves the L2 at once where it fits there.
// CHECK-LABEL: func.func @once
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 2, hold = registers>
// SMALL-LABEL: func.func @once
// SMALL: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = cache>
func.func @once(%x: tensor<?x4096xbf16>) -> tensor<?x1xbf16> {
  %s = fuse.reduce max %x dims = [1] keep : tensor<?x4096xbf16> -> tensor<?x1xbf16>
  return %s : tensor<?x1xbf16>
}

// Threads that have all the same number of vectors, or nearly.
// SMALL-LABEL: func.func @once_between
// SMALL: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = cache>
func.func @once_between(%x: tensor<?x5120xbf16>) -> tensor<?x1xbf16> {
  %s = fuse.reduce max %x dims = [1] keep : tensor<?x5120xbf16> -> tensor<?x1xbf16>
  return %s : tensor<?x1xbf16>
}

// Up to one and a half times what the largest block of these holds.
// SMALL-LABEL: func.func @once_longer
// SMALL: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = cache>
func.func @once_longer(%x: tensor<?x24576xbf16>) -> tensor<?x1xbf16> {
  %s = fuse.reduce max %x dims = [1] keep : tensor<?x24576xbf16> -> tensor<?x1xbf16>
  return %s : tensor<?x1xbf16>
}

// All copies of f32 rows that are longer start at once.
// CHECK-LABEL: func.func @streamed
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = shared>
func.func @streamed(%x: tensor<?x12288xf32>) -> tensor<?x1xf32> {
  %s = fuse.reduce max %x dims = [1] keep : tensor<?x12288xf32> -> tensor<?x1xf32>
  return %s : tensor<?x1xf32>
}

// Calls of few bytes have few threads, of 32 to 63 elements of 16 bits each.
// SMALL-LABEL: func.func @moderate
// SMALL: #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 2>
func.func @moderate(%x: tensor<?x7168xbf16>) -> tensor<?x7168xbf16> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<?x7168xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %x, %s : tensor<?x7168xbf16>, tensor<?x1xbf16> -> tensor<?x7168xbf16>
  return %y : tensor<?x7168xbf16>
}

// Rows of up to 4096 elements that start anywhere, have a vector a thread, or are longer,
// as in other calls.
// SMALL-LABEL: func.func @moderate_edges
// SMALL: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers>
func.func @moderate_edges(%x: tensor<?x4095xbf16>) -> tensor<?x4095xbf16> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<?x4095xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %x, %s : tensor<?x4095xbf16>, tensor<?x1xbf16> -> tensor<?x4095xbf16>
  return %y : tensor<?x4095xbf16>
}

// SMALL-LABEL: func.func @moderate_short
// SMALL: #fuse.rows<threads = 128, vector = 8, rows_per_block = 2, hold = registers>
func.func @moderate_short(%x: tensor<?x1024xbf16>) -> tensor<?x1024xbf16> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<?x1024xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %x, %s : tensor<?x1024xbf16>, tensor<?x1xbf16> -> tensor<?x1024xbf16>
  return %y : tensor<?x1024xbf16>
}

// SMALL-LABEL: func.func @moderate_long
// SMALL: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 2>
func.func @moderate_long(%x: tensor<?x20480xbf16>) -> tensor<?x20480xbf16> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<?x20480xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %x, %s : tensor<?x20480xbf16>, tensor<?x1xbf16> -> tensor<?x20480xbf16>
  return %y : tensor<?x20480xbf16>
}

// Four vectors a thread, since one input is all there is to load.
// CHECK-LABEL: func.func @light
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache>
func.func @light(%x: tensor<?x8192xbf16>) -> tensor<?x8192xbf16> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<?x8192xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %x, %s : tensor<?x8192xbf16>, tensor<?x1xbf16> -> tensor<?x8192xbf16>
  return %y : tensor<?x8192xbf16>
}

// Of two inputs few threads have many loads in flight.
// CHECK-LABEL: func.func @two
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache, least_blocks = 2>
func.func @two(%x: tensor<?x12288xbf16>, %r: tensor<?x12288xbf16>) -> tensor<?x12288xbf16> {
  %h = fuse.add %x, %r : tensor<?x12288xbf16>
  %s = fuse.reduce sum %h dims = [1] keep : tensor<?x12288xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %h, %s : tensor<?x12288xbf16>, tensor<?x1xbf16> -> tensor<?x12288xbf16>
  return %y : tensor<?x12288xbf16>
}

// Walked three times, by the largest cluster.
// CHECK-LABEL: func.func @twice
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 16>
func.func @twice(%x: tensor<?x128256xf32>) -> tensor<?x128256xf32> {
  %m = fuse.reduce mean %x dims = [1] keep : tensor<?x128256xf32> -> tensor<?x1xf32>
  %d = fuse.sub %x, %m : tensor<?x128256xf32>, tensor<?x1xf32> -> tensor<?x128256xf32>
  %q = fuse.mul %d, %d : tensor<?x128256xf32>
  %v = fuse.reduce mean %q dims = [1] keep : tensor<?x128256xf32> -> tensor<?x1xf32>
  %y = fuse.mul %d, %v : tensor<?x128256xf32>, tensor<?x1xf32> -> tensor<?x128256xf32>
  return %y : tensor<?x128256xf32>
}

// Vectors of two accesses each: two a thread, since four spill.
// CHECK-LABEL: func.func @two_accesses
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = cache>
func.func @two_accesses(%x: tensor<?x8192xf32>) -> tensor<?x8192xbf16> {
  %s = fuse.reduce max %x dims = [1] keep : tensor<?x8192xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %s : tensor<?x8192xf32>, tensor<?x1xf32> -> tensor<?x8192xf32>
  %y = fuse.cast %d : tensor<?x8192xf32> -> tensor<?x8192xbf16>
  return %y : tensor<?x8192xbf16>
}

// A sixth vector that is divided would spill, and the caches are faster.
// SMALL-LABEL: func.func @moderate_divided
// SMALL: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache>
func.func @moderate_divided(%x: tensor<?x6144xbf16>) -> tensor<?x6144xbf16> {
  %s = fuse.reduce max %x dims = [1] keep : tensor<?x6144xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %x, %s : tensor<?x6144xbf16>, tensor<?x1xbf16> -> tensor<?x6144xbf16>
  return %y : tensor<?x6144xbf16>
}
