// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule="chip=sm_90 small=true" | FileCheck %s

// Rows of calls of a few times the L2's size, as measurements chose them
// (docs/performance/lengths.md). A dynamic number of rows leaves the size to the flag.

// Exponentials take the place of words: threads have many, and find them once.
// CHECK-LABEL: func.func @exponentials_of_words
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true>
// CHECK-NOT: fuse.softmax_stats
func.func @exponentials_of_words(%x: tensor<?x16384xf32>) -> tensor<?x16384xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x16384xf32>
  return %y : tensor<?x16384xf32>
}

// But not the place of narrow elements: they are computed again.
// CHECK-LABEL: func.func @exponentials_of_narrow_elements
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = registers, preload = true>
// CHECK: fuse.softmax_stats
func.func @exponentials_of_narrow_elements(%x: tensor<?x12288xbf16>) -> tensor<?x12288xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x12288xbf16>
  return %y : tensor<?x12288xbf16>
}

// Smaller blocks have registers for both.
// CHECK-LABEL: func.func @fewer_exponentials
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true>
// CHECK-NOT: fuse.softmax_stats
func.func @fewer_exponentials(%x: tensor<?x8192xbf16>) -> tensor<?x8192xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x8192xbf16>
  return %y : tensor<?x8192xbf16>
}

// The smallest block where a thread has two vectors or three.
// CHECK-LABEL: func.func @short_words
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @short_words(%x: tensor<?x1024xf32>, %w: tensor<1024xf32>) -> tensor<?x1024xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x1024xf32>, tensor<1024xf32>
  return %y : tensor<?x1024xf32>
}

// Twice its threads from there on.
// CHECK-LABEL: func.func @words
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @words(%x: tensor<?x2048xf32>, %w: tensor<2048xf32>) -> tensor<?x2048xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x2048xf32>, tensor<2048xf32>
  return %y : tensor<?x2048xf32>
}

// Four times, with weights beside the row.
// CHECK-LABEL: func.func @long_words
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @long_words(%x: tensor<?x8192xf32>, %w: tensor<8192xf32>) -> tensor<?x8192xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x8192xf32>, tensor<8192xf32>
  return %y : tensor<?x8192xf32>
}

// Narrow elements take as many from half as much again on.
// CHECK-LABEL: func.func @long_narrow
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = registers, preload = true>
func.func @long_narrow(%x: tensor<?x12288xbf16>, %w: tensor<12288xbf16>) -> tensor<?x12288xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x12288xbf16>, tensor<12288xbf16>
  return %y : tensor<?x12288xbf16>
}

// What larger calls have in the shared memory of a cluster, or of one block, stays there.
// CHECK-LABEL: func.func @words_in_clusters
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 4>
func.func @words_in_clusters(%x: tensor<?x8192xf32>, %r: tensor<?x8192xf32>, %w: tensor<8192xf32>) -> (tensor<?x8192xf32>, tensor<?x8192xf32>) {
  %h = fuse.add %x, %r : tensor<?x8192xf32>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x8192xf32>, tensor<8192xf32>
  return %h, %y : tensor<?x8192xf32>, tensor<?x8192xf32>
}

// Of one block.
// CHECK-LABEL: func.func @deviations_in_shared
// CHECK: #fuse.rows<threads = 192, vector = 8, rows_per_block = 1, hold = shared, preload = true, copy_groups = 1>
func.func @deviations_in_shared(%x: tensor<?x12288xbf16>, %w: tensor<12288xbf16>, %b: tensor<12288xbf16>) -> tensor<?x12288xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x12288xbf16>, tensor<12288xbf16>, tensor<12288xbf16>
  return %y : tensor<?x12288xbf16>
}

// Deviations of five vectors do not fit beside the weights.
// CHECK-LABEL: func.func @many_deviations
// CHECK: #fuse.rows<threads = 160, vector = 8, rows_per_block = 1, hold = cache>
func.func @many_deviations(%x: tensor<?x5120xbf16>, %w: tensor<5120xbf16>, %b: tensor<5120xbf16>) -> tensor<?x5120xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x5120xbf16>, tensor<5120xbf16>, tensor<5120xbf16>
  return %y : tensor<?x5120xbf16>
}

// Two reductions where a block is small, one where it waits longer.
// CHECK-LABEL: func.func @deviations
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
// CHECK-NOT: fuse.welford
func.func @deviations(%x: tensor<?x2048xbf16>, %w: tensor<2048xbf16>, %b: tensor<2048xbf16>) -> tensor<?x2048xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x2048xbf16>, tensor<2048xbf16>, tensor<2048xbf16>
  return %y : tensor<?x2048xbf16>
}

// The same of longer rows: one.
// CHECK-LABEL: func.func @longer_deviations
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true>
// CHECK: fuse.welford
func.func @longer_deviations(%x: tensor<?x8192xbf16>, %w: tensor<8192xbf16>, %b: tensor<8192xbf16>) -> tensor<?x8192xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x8192xbf16>, tensor<8192xbf16>, tensor<8192xbf16>
  return %y : tensor<?x8192xbf16>
}

// Five vectors of words leave room for weights, six do not.
// CHECK-LABEL: func.func @deviations_of_words
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @deviations_of_words(%x: tensor<?x5120xf32>, %w: tensor<5120xf32>, %b: tensor<5120xf32>) -> tensor<?x5120xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x5120xf32>, tensor<5120xf32>, tensor<5120xf32>
  return %y : tensor<?x5120xf32>
}

// The same of longer rows.
// CHECK-LABEL: func.func @more_deviations_of_words
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = registers>
func.func @more_deviations_of_words(%x: tensor<?x12288xf32>, %w: tensor<12288xf32>, %b: tensor<12288xf32>) -> tensor<?x12288xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x12288xf32>, tensor<12288xf32>, tensor<12288xf32>
  return %y : tensor<?x12288xf32>
}

// Six whole vectors that are divided fit into registers.
// CHECK-LABEL: func.func @divided
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true>
func.func @divided(%x: tensor<?x12288xbf16>) -> tensor<?x12288xf8E4M3FN> {
  %f = fuse.cast %x : tensor<?x12288xbf16> -> tensor<?x12288xf32>
  %m = fuse.abs %f : tensor<?x12288xf32>
  %s = fuse.reduce max %m dims = [1] keep : tensor<?x12288xf32> -> tensor<?x1xf32>
  %q = fuse.div %f, %s : tensor<?x12288xf32>, tensor<?x1xf32> -> tensor<?x12288xf32>
  %y = fuse.cast %q : tensor<?x12288xf32> -> tensor<?x12288xf8E4M3FN>
  return %y : tensor<?x12288xf8E4M3FN>
}

// But not where some threads have one less.
// CHECK-LABEL: func.func @unevenly_divided
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache>
func.func @unevenly_divided(%x: tensor<?x11008xbf16>) -> tensor<?x11008xf8E4M3FN> {
  %f = fuse.cast %x : tensor<?x11008xbf16> -> tensor<?x11008xf32>
  %m = fuse.abs %f : tensor<?x11008xf32>
  %s = fuse.reduce max %m dims = [1] keep : tensor<?x11008xf32> -> tensor<?x1xf32>
  %q = fuse.div %f, %s : tensor<?x11008xf32>, tensor<?x1xf32> -> tensor<?x11008xf32>
  %y = fuse.cast %q : tensor<?x11008xf32> -> tensor<?x11008xf8E4M3FN>
  return %y : tensor<?x11008xf8E4M3FN>
}

// Nor eight.
// CHECK-LABEL: func.func @long_divided
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache>
func.func @long_divided(%x: tensor<?x16384xbf16>) -> tensor<?x16384xf8E4M3FN> {
  %f = fuse.cast %x : tensor<?x16384xbf16> -> tensor<?x16384xf32>
  %m = fuse.abs %f : tensor<?x16384xf32>
  %s = fuse.reduce max %m dims = [1] keep : tensor<?x16384xf32> -> tensor<?x1xf32>
  %q = fuse.div %f, %s : tensor<?x16384xf32>, tensor<?x1xf32> -> tensor<?x16384xf32>
  %y = fuse.cast %q : tensor<?x16384xf32> -> tensor<?x16384xf8E4M3FN>
  return %y : tensor<?x16384xf8E4M3FN>
}

// Three vectors of two accesses fit.
// CHECK-LABEL: func.func @divided_words
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true>
func.func @divided_words(%x: tensor<?x6144xf32>) -> tensor<?x6144xf8E4M3FN> {
  %f = fuse.cast %x : tensor<?x6144xf32> -> tensor<?x6144xf32>
  %m = fuse.abs %f : tensor<?x6144xf32>
  %s = fuse.reduce max %m dims = [1] keep : tensor<?x6144xf32> -> tensor<?x1xf32>
  %q = fuse.div %f, %s : tensor<?x6144xf32>, tensor<?x1xf32> -> tensor<?x6144xf32>
  %y = fuse.cast %q : tensor<?x6144xf32> -> tensor<?x6144xf8E4M3FN>
  return %y : tensor<?x6144xf8E4M3FN>
}

// Four do not.
// CHECK-LABEL: func.func @more_divided_words
// CHECK: #fuse.rows<threads = 448, vector = 8, rows_per_block = 1, hold = cache>
func.func @more_divided_words(%x: tensor<?x7168xf32>) -> tensor<?x7168xf8E4M3FN> {
  %f = fuse.cast %x : tensor<?x7168xf32> -> tensor<?x7168xf32>
  %m = fuse.abs %f : tensor<?x7168xf32>
  %s = fuse.reduce max %m dims = [1] keep : tensor<?x7168xf32> -> tensor<?x1xf32>
  %q = fuse.div %f, %s : tensor<?x7168xf32>, tensor<?x1xf32> -> tensor<?x7168xf32>
  %y = fuse.cast %q : tensor<?x7168xf32> -> tensor<?x7168xf8E4M3FN>
  return %y : tensor<?x7168xf8E4M3FN>
}
