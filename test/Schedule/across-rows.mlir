// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_80 -fuse-schedule=chip=sm_80 | FileCheck %s --check-prefix=SM80

// Sixteen sums a thread, 1024 threads a multiprocessor, and the next row's loads
// under way; where the block would have more than 512 threads for that, more sums,
// and rows in shared memory.
// CHECK-LABEL: func.func @columns
// CHECK:       schedule = #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true, persistent = 528>
func.func @columns(%x: tensor<?x4096xbf16>) -> (tensor<?x1xbf16>, tensor<4096xbf16>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x4096xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %x dims = [0] : tensor<?x4096xbf16> -> tensor<4096xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<4096xbf16>
}

// -----

// CHECK-LABEL: func.func @many_columns
// CHECK:       schedule = #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared, preload = true, persistent = 132>
func.func @many_columns(%x: tensor<?x16384xbf16>) -> (tensor<?x1xbf16>, tensor<16384xbf16>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x16384xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %x dims = [0] : tensor<?x16384xbf16> -> tensor<16384xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<16384xbf16>
}

// -----

// So have shorter rows of two 16-bit inputs; those of f32 have not.
// CHECK-LABEL: func.func @two_inputs
// CHECK:       schedule = #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, preload = true, persistent = 528>
func.func @two_inputs(%x: tensor<?x4096xbf16>, %g: tensor<?x4096xbf16>) -> (tensor<?x1xbf16>, tensor<4096xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x4096xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x4096xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x4096xbf16> -> tensor<4096xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<4096xbf16>
}

// -----

// CHECK-LABEL: func.func @two_wide_inputs
// CHECK:       schedule = #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true, persistent = 528>
func.func @two_wide_inputs(%x: tensor<?x4096xf32>, %g: tensor<?x4096xf32>) -> (tensor<?x1xf32>, tensor<4096xf32>) {
  %p = fuse.mul %x, %g : tensor<?x4096xf32>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x4096xf32> -> tensor<4096xf32>
  return %m, %s : tensor<?x1xf32>, tensor<4096xf32>
}

// -----

// What threads of shared memory's rows do not divide stays in registers.
// CHECK-LABEL: func.func @undivided
// CHECK:       schedule = #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = registers
func.func @undivided(%x: tensor<?x10008xbf16>) -> (tensor<?x1xbf16>, tensor<10008xbf16>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x10008xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %x dims = [0] : tensor<?x10008xbf16> -> tensor<10008xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<10008xbf16>
}

// -----

// Two sums of each column: half as many columns.
// CHECK-LABEL: func.func @two_sums
// CHECK:       schedule = #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = registers, preload = true, persistent = 264>
func.func @two_sums(%x: tensor<?x4096xf32>) -> (tensor<?x1xf32>, tensor<4096xf32>, tensor<4096xf32>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %x dims = [0] : tensor<?x4096xf32> -> tensor<4096xf32>
  %t = fuse.reduce max %x dims = [0] : tensor<?x4096xf32> -> tensor<4096xf32>
  return %m, %s, %t : tensor<?x1xf32>, tensor<4096xf32>, tensor<4096xf32>
}

// -----

// Short rows share a block.
// CHECK-LABEL: func.func @short
// CHECK:       schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, preload = true, persistent = 1056>
func.func @short(%x: tensor<?x64xf32>) -> (tensor<?x1xf32>, tensor<64xf32>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %x dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
  return %m, %s : tensor<?x1xf32>, tensor<64xf32>
}

// -----

// One number a row: rows are held, or walked, as ever, in as many threads as there
// are, with registers for all loads of a row.
// CHECK-LABEL: func.func @numbers
// CHECK:       schedule = #fuse.rows<threads = 128, vector = 8, rows_per_block = 2, hold = registers, preload = true, persistent = 2112, least_blocks = 4>
func.func @numbers(%x: tensor<?x4096xbf16>) -> tensor<f32> {
  %f = fuse.cast %x : tensor<?x4096xbf16> -> tensor<?x4096xf32>
  %m = fuse.logsumexp %f dims = [1] : tensor<?x4096xf32> -> tensor<?xf32>
  %s = fuse.reduce mean %m dims = [0] : tensor<?xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @numbers_of_long_rows
// CHECK:       schedule = #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = loop, persistent = 1056, stages = 3>
func.func @numbers_of_long_rows(%x: tensor<?x131072xbf16>) -> tensor<f32> {
  %f = fuse.cast %x : tensor<?x131072xbf16> -> tensor<?x131072xf32>
  %m = fuse.logsumexp %f dims = [1] : tensor<?x131072xf32> -> tensor<?xf32>
  %s = fuse.reduce mean %m dims = [0] : tensor<?xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// Words are in no cluster's registers here, whose blocks do not stay.
// CHECK-LABEL: func.func @numbers_of_long_words
// CHECK:       schedule = #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = loop, persistent = 1056, stages = 3>
func.func @numbers_of_long_words(%x: tensor<?x131072xf32>) -> tensor<f32> {
  %m = fuse.logsumexp %x dims = [1] : tensor<?x131072xf32> -> tensor<?xf32>
  %s = fuse.reduce mean %m dims = [0] : tensor<?xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// In calls of few bytes they come from the caches, of which half as many threads are
// enough, and long ones have the largest blocks.
// CHECK-LABEL: func.func @numbers_of_few_rows
// CHECK:       schedule = #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = cache, persistent = 1056>
func.func @numbers_of_few_rows(%x: tensor<4096x4096xbf16>) -> tensor<f32> {
  %f = fuse.cast %x : tensor<4096x4096xbf16> -> tensor<4096x4096xf32>
  %m = fuse.logsumexp %f dims = [1] : tensor<4096x4096xf32> -> tensor<4096xf32>
  %s = fuse.reduce mean %m dims = [0] : tensor<4096xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @numbers_of_few_long_rows
// CHECK:       schedule = #fuse.rows<threads = 1024, vector = 8, rows_per_block = 1, hold = loop, persistent = 264>
func.func @numbers_of_few_long_rows(%x: tensor<64x128256xbf16>) -> tensor<f32> {
  %f = fuse.cast %x : tensor<64x128256xbf16> -> tensor<64x128256xf32>
  %m = fuse.logsumexp %f dims = [1] : tensor<64x128256xf32> -> tensor<64xf32>
  %s = fuse.reduce mean %m dims = [0] : tensor<64xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// What is needed twice, and its blocks would share, keeps its clusters.
// CHECK-LABEL: func.func @no_clusters
// CHECK-SAME:  reason = "several blocks hold each of these long rows, and only blocks that have rows of their own stay for the next"
// CHECK:       schedule = #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 8>
// CHECK-NOT:   persistent
// A chip without clusters has nothing to lose.
// SM80-LABEL:  func.func @no_clusters
// SM80-COUNT-1: persistent
// SM80-NOT:    fuse.kernel
func.func @no_clusters(%x: tensor<?x131072xbf16>) -> (tensor<?x131072xbf16>, tensor<bf16>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x131072xbf16> -> tensor<?x1xbf16>
  %y = fuse.sub %x, %m : tensor<?x131072xbf16>, tensor<?x1xbf16> -> tensor<?x131072xbf16>
  %s = fuse.reduce max %m dims = [0, 1] : tensor<?x1xbf16> -> tensor<bf16>
  return %y, %s : tensor<?x131072xbf16>, tensor<bf16>
}
