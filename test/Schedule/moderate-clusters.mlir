// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule="chip=sm_90 small=true" | FileCheck %s

// Rows that are needed twice, in calls of a few times the L2's size: with blocks of a
// cluster that share one, more rows are under way (results/sweeps.json.xz).

// Two blocks have three vectors for each thread of theirs,
// CHECK-LABEL: func.func @two(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 2>
func.func @two(%x: tensor<?x6144xbf16>, %w: tensor<6144xbf16>) -> tensor<?x6144xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x6144xbf16>, tensor<6144xbf16>
  return %y : tensor<?x6144xbf16>
}

// or fewer threads, where these have as many each.
// CHECK-LABEL: func.func @two_of_warps(
// CHECK: #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 2>
func.func @two_of_warps(%x: tensor<?x7168xbf16>, %w: tensor<7168xbf16>) -> tensor<?x7168xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x7168xbf16>, tensor<7168xbf16>
  return %y : tensor<?x7168xbf16>
}

// Twice as long, four blocks.
// CHECK-LABEL: func.func @four(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @four(%x: tensor<?x12288xbf16>, %w: tensor<12288xbf16>) -> tensor<?x12288xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x12288xbf16>, tensor<12288xbf16>
  return %y : tensor<?x12288xbf16>
}

// What their registers have hardly room for is in shared memory, of two blocks,
// CHECK-LABEL: func.func @two_in_shared(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 2>
func.func @two_in_shared(%x: tensor<?x16384xbf16>, %w: tensor<16384xbf16>) -> tensor<?x16384xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x16384xbf16>, tensor<16384xbf16>
  return %y : tensor<?x16384xbf16>
}

// of four,
// CHECK-LABEL: func.func @four_in_shared(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 4>
func.func @four_in_shared(%x: tensor<?x24576xbf16>, %w: tensor<24576xbf16>) -> tensor<?x24576xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x24576xbf16>, tensor<24576xbf16>
  return %y : tensor<?x24576xbf16>
}

// or of eight.
// CHECK-LABEL: func.func @eight_in_shared(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 8>
func.func @eight_in_shared(%x: tensor<?x32768xbf16>, %w: tensor<32768xbf16>) -> tensor<?x32768xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x32768xbf16>, tensor<32768xbf16>
  return %y : tensor<?x32768xbf16>
}

// Where no threads have as many vectors each, one block copies the row.
// CHECK-LABEL: func.func @uneven(
// CHECK: #fuse.rows<threads = 352, vector = 8, rows_per_block = 1, hold = shared, preload = true, copy_groups = 1>
func.func @uneven(%x: tensor<?x11008xbf16>, %w: tensor<11008xbf16>) -> tensor<?x11008xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x11008xbf16>, tensor<11008xbf16>
  return %y : tensor<?x11008xbf16>
}

// Two inputs count twice, if each thread has two vectors of each,
// CHECK-LABEL: func.func @inputs_of_two(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @inputs_of_two(%x: tensor<?x8192xbf16>, %r: tensor<?x8192xbf16>, %w: tensor<8192xbf16>) -> tensor<?x8192xbf16> {
  %h = fuse.add %x, %r : tensor<?x8192xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x8192xbf16>, tensor<8192xbf16>
  return %y : tensor<?x8192xbf16>
}

// which these have not of four blocks.
// CHECK-LABEL: func.func @few_of_inputs(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 2>
func.func @few_of_inputs(%x: tensor<?x7168xbf16>, %r: tensor<?x7168xbf16>, %w: tensor<7168xbf16>) -> tensor<?x7168xbf16> {
  %h = fuse.add %x, %r : tensor<?x7168xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x7168xbf16>, tensor<7168xbf16>
  return %y : tensor<?x7168xbf16>
}

// Eight blocks of the longest.
// CHECK-LABEL: func.func @long_inputs(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 8>
func.func @long_inputs(%x: tensor<?x24576xbf16>, %r: tensor<?x24576xbf16>, %w: tensor<24576xbf16>) -> tensor<?x24576xbf16> {
  %h = fuse.add %x, %r : tensor<?x24576xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x24576xbf16>, tensor<24576xbf16>
  return %y : tensor<?x24576xbf16>
}

// Three inputs leave no registers.
// CHECK-LABEL: func.func @three_inputs(
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = registers, preload = true>
func.func @three_inputs(%x: tensor<?x8192xbf16>, %r: tensor<?x8192xbf16>, %s: tensor<?x8192xbf16>, %w: tensor<8192xbf16>) -> tensor<?x8192xbf16> {
  %g = fuse.add %x, %r : tensor<?x8192xbf16>
  %h = fuse.add %g, %s : tensor<?x8192xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x8192xbf16>, tensor<8192xbf16>
  return %y : tensor<?x8192xbf16>
}

// 32-bit elements in the registers of two blocks,
// CHECK-LABEL: func.func @words(
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 2>
func.func @words(%x: tensor<?x6144xf32>, %w: tensor<6144xf32>) -> tensor<?x6144xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x6144xf32>, tensor<6144xf32>
  return %y : tensor<?x6144xf32>
}

// whose threads are as many as have the same number of vectors,
// CHECK-LABEL: func.func @even_words(
// CHECK: #fuse.rows<threads = 224, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 2>
func.func @even_words(%x: tensor<?x7168xf32>, %w: tensor<7168xf32>) -> tensor<?x7168xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x7168xf32>, tensor<7168xf32>
  return %y : tensor<?x7168xf32>
}

// of four,
// CHECK-LABEL: func.func @words_of_four(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @words_of_four(%x: tensor<?x12288xf32>, %w: tensor<12288xf32>) -> tensor<?x12288xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x12288xf32>, tensor<12288xf32>
  return %y : tensor<?x12288xf32>
}

// or of eight.
// CHECK-LABEL: func.func @words_of_eight(
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 8>
func.func @words_of_eight(%x: tensor<?x24576xf32>, %w: tensor<24576xf32>) -> tensor<?x24576xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x24576xf32>, tensor<24576xf32>
  return %y : tensor<?x24576xf32>
}

// Of two inputs, of four blocks half as long.
// CHECK-LABEL: func.func @words_of_inputs(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @words_of_inputs(%x: tensor<?x6144xf32>, %r: tensor<?x6144xf32>, %w: tensor<6144xf32>) -> tensor<?x6144xf32> {
  %h = fuse.add %x, %r : tensor<?x6144xf32>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x6144xf32>, tensor<6144xf32>
  return %y : tensor<?x6144xf32>
}

// Shorter ones are one block's,
// CHECK-LABEL: func.func @short_words(
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @short_words(%x: tensor<?x5120xf32>, %w: tensor<5120xf32>) -> tensor<?x5120xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x5120xf32>, tensor<5120xf32>
  return %y : tensor<?x5120xf32>
}

// but with variances two blocks'.
// CHECK-LABEL: func.func @deviations(
// CHECK: #fuse.rows<threads = 160, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 2>
func.func @deviations(%x: tensor<?x5120xf32>, %w: tensor<5120xf32>, %b: tensor<5120xf32>) -> tensor<?x5120xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x5120xf32>, tensor<5120xf32>, tensor<5120xf32>
  return %y : tensor<?x5120xf32>
}

// Eight vectors and their variances take the threads of larger blocks,
// CHECK-LABEL: func.func @many_deviations(
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @many_deviations(%x: tensor<?x16384xf32>, %w: tensor<16384xf32>, %b: tensor<16384xf32>) -> tensor<?x16384xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x16384xf32>, tensor<16384xf32>, tensor<16384xf32>
  return %y : tensor<?x16384xf32>
}

// and more than these shared memory.
// CHECK-LABEL: func.func @long_deviations(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = shared, preload = true, copy_groups = 1, blocks_per_row = 8>
func.func @long_deviations(%x: tensor<?x24576xf32>, %w: tensor<24576xf32>, %b: tensor<24576xf32>) -> tensor<?x24576xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x24576xf32>, tensor<24576xf32>, tensor<24576xf32>
  return %y : tensor<?x24576xf32>
}

// What two blocks' threads cannot hold, four do.
// CHECK-LABEL: func.func @uneven_deviations(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @uneven_deviations(%x: tensor<?x11008xf32>, %w: tensor<11008xf32>, %b: tensor<11008xf32>) -> tensor<?x11008xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x11008xf32>, tensor<11008xf32>, tensor<11008xf32>
  return %y : tensor<?x11008xf32>
}

// Exponentials take larger blocks, two
// CHECK-LABEL: func.func @exponentials(
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 2>
func.func @exponentials(%x: tensor<?x8192xf32>) -> tensor<?x8192xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x8192xf32>
  return %y : tensor<?x8192xf32>
}

// or four,
// CHECK-LABEL: func.func @exponentials_of_four(
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @exponentials_of_four(%x: tensor<?x16384xf32>) -> tensor<?x16384xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x16384xf32>
  return %y : tensor<?x16384xf32>
}

// but not for short rows.
// CHECK-LABEL: func.func @short_exponentials(
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @short_exponentials(%x: tensor<?x6144xf32>) -> tensor<?x6144xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x6144xf32>
  return %y : tensor<?x6144xf32>
}

// What is divided is shared later,
// CHECK-LABEL: func.func @divided(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @divided(%x: tensor<?x12288xf32>) -> tensor<?x12288xf32> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x12288xf32> -> tensor<?x1xf32>
  %y = fuse.div %x, %m : tensor<?x12288xf32>, tensor<?x1xf32> -> tensor<?x12288xf32>
  return %y : tensor<?x12288xf32>
}

// not yet here,
// CHECK-LABEL: func.func @divided_words(
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @divided_words(%x: tensor<?x8192xf32>) -> tensor<?x8192xf32> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x8192xf32> -> tensor<?x1xf32>
  %y = fuse.div %x, %m : tensor<?x8192xf32>, tensor<?x1xf32> -> tensor<?x8192xf32>
  return %y : tensor<?x8192xf32>
}

// narrow elements sooner, by two blocks whose threads have as many vectors each,
// CHECK-LABEL: func.func @divided_narrow(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 2>
func.func @divided_narrow(%x: tensor<?x8192xbf16>) -> tensor<?x8192xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x8192xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %x, %m : tensor<?x8192xbf16>, tensor<?x1xbf16> -> tensor<?x8192xbf16>
  return %y : tensor<?x8192xbf16>
}

// by four the longer ones, which are not read again from the caches,
// CHECK-LABEL: func.func @long_divided_narrow(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @long_divided_narrow(%x: tensor<?x20480xbf16>) -> tensor<?x20480xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x20480xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %x, %m : tensor<?x20480xbf16>, tensor<?x1xbf16> -> tensor<?x20480xbf16>
  return %y : tensor<?x20480xbf16>
}

// as those between are,
// CHECK-LABEL: func.func @middle_divided_narrow(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache>
func.func @middle_divided_narrow(%x: tensor<?x16384xbf16>) -> tensor<?x16384xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x16384xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %x, %m : tensor<?x16384xbf16>, tensor<?x1xbf16> -> tensor<?x16384xbf16>
  return %y : tensor<?x16384xbf16>
}

// and the longest in shared memory.
// CHECK-LABEL: func.func @long_divided(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 4>
func.func @long_divided(%x: tensor<?x32768xbf16>) -> tensor<?x32768xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x32768xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %x, %m : tensor<?x32768xbf16>, tensor<?x1xbf16> -> tensor<?x32768xbf16>
  return %y : tensor<?x32768xbf16>
}

// Vectors of two accesses are shared, too,
// CHECK-LABEL: func.func @two_accesses(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @two_accesses(%x: tensor<?x12288xf32>) -> tensor<?x12288xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x12288xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x12288xf32>, tensor<?x1xf32> -> tensor<?x12288xf32>
  %y = fuse.cast %d : tensor<?x12288xf32> -> tensor<?x12288xbf16>
  return %y : tensor<?x12288xbf16>
}

// and where eight blocks have the row are of one.
// CHECK-LABEL: func.func @long_two_accesses(
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 8>
func.func @long_two_accesses(%x: tensor<?x24576xf32>) -> tensor<?x24576xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x24576xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x24576xf32>, tensor<?x1xf32> -> tensor<?x24576xf32>
  %y = fuse.cast %d : tensor<?x24576xf32> -> tensor<?x24576xbf16>
  return %y : tensor<?x24576xbf16>
}

// Rows that vectors do not divide have their edges in one block.
// CHECK-LABEL: func.func @edges(
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared>
func.func @edges(%x: tensor<?x12291xbf16>, %w: tensor<12291xbf16>) -> tensor<?x12291xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x12291xbf16>, tensor<12291xbf16>
  return %y : tensor<?x12291xbf16>
}

// Persistent blocks that sum over all rows have whole rows, which nothing reads twice.
// CHECK-LABEL: func.func @summed_over_rows(
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = registers, preload = true, persistent = 528>
func.func @summed_over_rows(%x: tensor<?x8192xf32>) -> (tensor<?x8192xf32>, tensor<f32>) {
  %q = fuse.mul %x, %x : tensor<?x8192xf32>
  %s = fuse.reduce sum %q dims = [1] keep : tensor<?x8192xf32> -> tensor<?x1xf32>
  %y = fuse.mul %x, %s : tensor<?x8192xf32>, tensor<?x1xf32> -> tensor<?x8192xf32>
  %t = fuse.reduce sum %s dims = [0, 1] : tensor<?x1xf32> -> tensor<f32>
  return %y, %t : tensor<?x8192xf32>, tensor<f32>
}
