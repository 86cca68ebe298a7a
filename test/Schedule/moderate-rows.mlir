// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule="chip=sm_90 small=true" | FileCheck %s
// RUN: fuse-opt %s -fuse-form=chip=sm_80 -fuse-schedule="chip=sm_80 small=true" | FileCheck %s --check-prefix=ALONE

// Rows of calls of a few times the L2's size, as measurements chose them
// (results/sweeps.json.xz). A dynamic number of rows leaves the size to the flag.
// ALONE is a chip without clusters, whose blocks share no row; with them
// moderate-clusters.mlir has the rows that they share.

// Exponentials are held instead of 32-bit elements: threads have many, and find them once.
// ALONE-LABEL: func.func @exponentials_of_words(
// ALONE: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true>
// ALONE-NOT: fuse.softmax_stats
func.func @exponentials_of_words(%x: tensor<?x12288xf32>) -> tensor<?x12288xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x12288xf32>
  return %y : tensor<?x12288xf32>
}

// But not instead of narrow elements: they are computed again.
// CHECK-LABEL: func.func @exponentials_of_narrow_elements(
// ALONE-LABEL: func.func @exponentials_of_narrow_elements(
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = registers, preload = true>
// CHECK: fuse.softmax_stats
func.func @exponentials_of_narrow_elements(%x: tensor<?x12288xbf16>) -> tensor<?x12288xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x12288xbf16>
  return %y : tensor<?x12288xbf16>
}

// Not where threads of so large a block have not the same number of vectors.
// CHECK-LABEL: func.func @uneven_exponentials(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true>
// CHECK-NOT: fuse.softmax_stats
func.func @uneven_exponentials(%x: tensor<?x14336xbf16>) -> tensor<?x14336xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x14336xbf16>
  return %y : tensor<?x14336xbf16>
}

// Nor in smaller blocks, which have registers for both.
// CHECK-LABEL: func.func @fewer_exponentials(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true>
// CHECK-NOT: fuse.softmax_stats
func.func @fewer_exponentials(%x: tensor<?x8192xbf16>) -> tensor<?x8192xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x8192xbf16>
  return %y : tensor<?x8192xbf16>
}

// The smallest block where a thread has two vectors or three.
// CHECK-LABEL: func.func @short_words(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @short_words(%x: tensor<?x1024xf32>, %w: tensor<1024xf32>) -> tensor<?x1024xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x1024xf32>, tensor<1024xf32>
  return %y : tensor<?x1024xf32>
}

// Twice its threads from there on.
// CHECK-LABEL: func.func @words(
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @words(%x: tensor<?x2048xf32>, %w: tensor<2048xf32>) -> tensor<?x2048xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x2048xf32>, tensor<2048xf32>
  return %y : tensor<?x2048xf32>
}

// Four times where each has pairs of vectors, with weights beside them.
// ALONE-LABEL: func.func @pairs_of_words(
// ALONE: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @pairs_of_words(%x: tensor<?x8192xf32>, %w: tensor<8192xf32>) -> tensor<?x8192xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x8192xf32>, tensor<8192xf32>
  return %y : tensor<?x8192xf32>
}

// But not for half a vector more.
// ALONE-LABEL: func.func @odd_words(
// ALONE: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @odd_words(%x: tensor<?x9216xf32>, %w: tensor<9216xf32>) -> tensor<?x9216xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x9216xf32>, tensor<9216xf32>
  return %y : tensor<?x9216xf32>
}

// Narrow elements with weights are copied where no threads of clusters have as many
// vectors each; here they do.
// CHECK-LABEL: func.func @long_narrow(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @long_narrow(%x: tensor<?x12288xbf16>, %w: tensor<12288xbf16>) -> tensor<?x12288xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x12288xbf16>, tensor<12288xbf16>
  return %y : tensor<?x12288xbf16>
}

// Five vectors with weights do not fit into threads of a block of 256, but into
// those of two smaller blocks.
// CHECK-LABEL: func.func @many_weights(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 2>
func.func @many_weights(%x: tensor<?x10240xbf16>, %w: tensor<10240xbf16>) -> tensor<?x10240xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x10240xbf16>, tensor<10240xbf16>
  return %y : tensor<?x10240xbf16>
}

// Of two inputs large blocks have more in flight,
// ALONE-LABEL: func.func @two_inputs(
// ALONE: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = registers, preload = true>
func.func @two_inputs(%x: tensor<?x8192xbf16>, %r: tensor<?x8192xbf16>, %w: tensor<8192xbf16>) -> (tensor<?x8192xbf16>, tensor<?x8192xbf16>) {
  %h = fuse.add %x, %r : tensor<?x8192xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x8192xbf16>, tensor<8192xbf16>
  return %h, %y : tensor<?x8192xbf16>, tensor<?x8192xbf16>
}

// unless threads have three vectors and a half.
// ALONE-LABEL: func.func @two_uneven_inputs(
// ALONE: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true>
func.func @two_uneven_inputs(%x: tensor<?x14336xbf16>, %r: tensor<?x14336xbf16>, %w: tensor<14336xbf16>) -> (tensor<?x14336xbf16>, tensor<?x14336xbf16>) {
  %h = fuse.add %x, %r : tensor<?x14336xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x14336xbf16>, tensor<14336xbf16>
  return %h, %y : tensor<?x14336xbf16>, tensor<?x14336xbf16>
}

// What larger calls have in the shared memory of a cluster is in its registers; in
// that of one block it stays.
// CHECK-LABEL: func.func @words_in_clusters(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @words_in_clusters(%x: tensor<?x8192xf32>, %r: tensor<?x8192xf32>, %w: tensor<8192xf32>) -> (tensor<?x8192xf32>, tensor<?x8192xf32>) {
  %h = fuse.add %x, %r : tensor<?x8192xf32>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x8192xf32>, tensor<8192xf32>
  return %h, %y : tensor<?x8192xf32>, tensor<?x8192xf32>
}

// Of one block, with eight vectors a thread, where that leaves none out.
// CHECK-LABEL: func.func @eight_each(
// CHECK: #fuse.rows<threads = 160, vector = 8, rows_per_block = 1, hold = shared, preload = true, copy_groups = 1>
func.func @eight_each(%x: tensor<?x10240xbf16>, %w: tensor<10240xbf16>, %b: tensor<10240xbf16>) -> tensor<?x10240xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x10240xbf16>, tensor<10240xbf16>, tensor<10240xbf16>
  return %y : tensor<?x10240xbf16>
}

// CHECK-LABEL: func.func @deviations_in_shared(
// CHECK: #fuse.rows<threads = 192, vector = 8, rows_per_block = 1, hold = shared, preload = true, copy_groups = 1>
func.func @deviations_in_shared(%x: tensor<?x12288xbf16>, %w: tensor<12288xbf16>, %b: tensor<12288xbf16>) -> tensor<?x12288xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x12288xbf16>, tensor<12288xbf16>, tensor<12288xbf16>
  return %y : tensor<?x12288xbf16>
}

// Variances of five vectors do not fit beside weights either: they are copied.
// CHECK-LABEL: func.func @many_deviations(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, preload = true, copy_groups = 1>
func.func @many_deviations(%x: tensor<?x5120xbf16>, %w: tensor<5120xbf16>, %b: tensor<5120xbf16>) -> tensor<?x5120xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x5120xbf16>, tensor<5120xbf16>, tensor<5120xbf16>
  return %y : tensor<?x5120xbf16>
}

// Two reductions where a block is small,
// CHECK-LABEL: func.func @deviations(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
// CHECK-NOT: fuse.welford
func.func @deviations(%x: tensor<?x4096xbf16>, %w: tensor<4096xbf16>, %b: tensor<4096xbf16>) -> tensor<?x4096xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// one where its copies leave registers for weights.
// CHECK-LABEL: func.func @longer_deviations(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, preload = true, copy_groups = 1>
// CHECK: fuse.welford
func.func @longer_deviations(%x: tensor<?x8192xbf16>, %w: tensor<8192xbf16>, %b: tensor<8192xbf16>) -> tensor<?x8192xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x8192xbf16>, tensor<8192xbf16>, tensor<8192xbf16>
  return %y : tensor<?x8192xbf16>
}

// Five vectors of 32-bit elements leave room for weights,
// ALONE-LABEL: func.func @deviations_of_words(
// ALONE: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @deviations_of_words(%x: tensor<?x5120xf32>, %w: tensor<5120xf32>, %b: tensor<5120xf32>) -> tensor<?x5120xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x5120xf32>, tensor<5120xf32>, tensor<5120xf32>
  return %y : tensor<?x5120xf32>
}

// six do not.
// ALONE-LABEL: func.func @more_deviations_of_words(
// ALONE: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers>
func.func @more_deviations_of_words(%x: tensor<?x6144xf32>, %w: tensor<6144xf32>, %b: tensor<6144xf32>) -> tensor<?x6144xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x6144xf32>, tensor<6144xf32>, tensor<6144xf32>
  return %y : tensor<?x6144xf32>
}

// Large blocks where vectors divide neither,
// ALONE-LABEL: func.func @uneven_deviations_of_words(
// ALONE: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = registers>
func.func @uneven_deviations_of_words(%x: tensor<?x11008xf32>, %w: tensor<11008xf32>, %b: tensor<11008xf32>) -> tensor<?x11008xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x11008xf32>, tensor<11008xf32>, tensor<11008xf32>
  return %y : tensor<?x11008xf32>
}

// or take as many of each thread.
// ALONE-LABEL: func.func @even_deviations_of_words(
// ALONE: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = registers>
func.func @even_deviations_of_words(%x: tensor<?x10240xf32>, %w: tensor<10240xf32>, %b: tensor<10240xf32>) -> tensor<?x10240xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x10240xf32>, tensor<10240xf32>, tensor<10240xf32>
  return %y : tensor<?x10240xf32>
}

// Threads of smaller blocks have as many, too, where half of a larger one had
// one vector less.
// ALONE-LABEL: func.func @half_deviations_of_words(
// ALONE: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers>
func.func @half_deviations_of_words(%x: tensor<?x9216xf32>, %w: tensor<9216xf32>, %b: tensor<9216xf32>) -> tensor<?x9216xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x9216xf32>, tensor<9216xf32>, tensor<9216xf32>
  return %y : tensor<?x9216xf32>
}

// A multiprocessor has one block of so many in any case, so that weights are
// loaded ahead.
// ALONE-LABEL: func.func @lone_deviations_of_words(
// ALONE: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @lone_deviations_of_words(%x: tensor<?x16384xf32>, %w: tensor<16384xf32>, %b: tensor<16384xf32>) -> tensor<?x16384xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x16384xf32>, tensor<16384xf32>, tensor<16384xf32>
  return %y : tensor<?x16384xf32>
}

// Four vectors of each thread that are divided are read again from the caches,
// CHECK-LABEL: func.func @divided(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = cache>
func.func @divided(%x: tensor<?x4096xbf16>) -> tensor<?x4096xf8E4M3FN> {
  %f = fuse.cast %x : tensor<?x4096xbf16> -> tensor<?x4096xf32>
  %m = fuse.abs %f : tensor<?x4096xf32>
  %s = fuse.reduce max %m dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
  %q = fuse.div %f, %s : tensor<?x4096xf32>, tensor<?x1xf32> -> tensor<?x4096xf32>
  %y = fuse.cast %q : tensor<?x4096xf32> -> tensor<?x4096xf8E4M3FN>
  return %y : tensor<?x4096xf8E4M3FN>
}

// while registers have four and a half,
// CHECK-LABEL: func.func @more_divided(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers>
func.func @more_divided(%x: tensor<?x9216xbf16>) -> tensor<?x9216xf8E4M3FN> {
  %f = fuse.cast %x : tensor<?x9216xbf16> -> tensor<?x9216xf32>
  %m = fuse.abs %f : tensor<?x9216xf32>
  %s = fuse.reduce max %m dims = [1] keep : tensor<?x9216xf32> -> tensor<?x1xf32>
  %q = fuse.div %f, %s : tensor<?x9216xf32>, tensor<?x1xf32> -> tensor<?x9216xf32>
  %y = fuse.cast %q : tensor<?x9216xf32> -> tensor<?x9216xf8E4M3FN>
  return %y : tensor<?x9216xf8E4M3FN>
}

// but not in the smallest block.
// CHECK-LABEL: func.func @divided_by_few(
// CHECK: #fuse.rows<threads = 160, vector = 8, rows_per_block = 1, hold = cache>
func.func @divided_by_few(%x: tensor<?x5120xbf16>) -> tensor<?x5120xf8E4M3FN> {
  %f = fuse.cast %x : tensor<?x5120xbf16> -> tensor<?x5120xf32>
  %m = fuse.abs %f : tensor<?x5120xf32>
  %s = fuse.reduce max %m dims = [1] keep : tensor<?x5120xf32> -> tensor<?x1xf32>
  %q = fuse.div %f, %s : tensor<?x5120xf32>, tensor<?x1xf32> -> tensor<?x5120xf32>
  %y = fuse.cast %q : tensor<?x5120xf32> -> tensor<?x5120xf8E4M3FN>
  return %y : tensor<?x5120xf8E4M3FN>
}

// Three vectors of two accesses fit,
// CHECK-LABEL: func.func @divided_words(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers>
func.func @divided_words(%x: tensor<?x6144xf32>) -> tensor<?x6144xf8E4M3FN> {
  %m = fuse.abs %x : tensor<?x6144xf32>
  %s = fuse.reduce max %m dims = [1] keep : tensor<?x6144xf32> -> tensor<?x1xf32>
  %q = fuse.div %x, %s : tensor<?x6144xf32>, tensor<?x1xf32> -> tensor<?x6144xf32>
  %y = fuse.cast %q : tensor<?x6144xf32> -> tensor<?x6144xf8E4M3FN>
  return %y : tensor<?x6144xf8E4M3FN>
}

// four do not, and are two of a larger block.
// CHECK-LABEL: func.func @more_divided_words(
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = registers>
func.func @more_divided_words(%x: tensor<?x7168xf32>) -> tensor<?x7168xf8E4M3FN> {
  %m = fuse.abs %x : tensor<?x7168xf32>
  %s = fuse.reduce max %m dims = [1] keep : tensor<?x7168xf32> -> tensor<?x1xf32>
  %q = fuse.div %x, %s : tensor<?x7168xf32>, tensor<?x1xf32> -> tensor<?x7168xf32>
  %y = fuse.cast %q : tensor<?x7168xf32> -> tensor<?x7168xf8E4M3FN>
  return %y : tensor<?x7168xf8E4M3FN>
}

// Read once: narrow elements as four vectors a thread,
// CHECK-LABEL: func.func @once(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = cache>
func.func @once(%x: tensor<?x4096xbf16>) -> tensor<?x1xbf16> {
  %y = fuse.logsumexp %x dims = [1] keep : tensor<?x4096xbf16> -> tensor<?x1xbf16>
  return %y : tensor<?x1xbf16>
}

// a row a warp where there would be one each,
// CHECK-LABEL: func.func @once_one_vector(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 4, hold = cache>
func.func @once_one_vector(%x: tensor<?x1024xbf16>) -> tensor<?x1xbf16> {
  %y = fuse.logsumexp %x dims = [1] keep : tensor<?x1024xbf16> -> tensor<?x1xbf16>
  return %y : tensor<?x1xbf16>
}

// eight of longer ones,
// CHECK-LABEL: func.func @once_longest_narrow(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache>
func.func @once_longest_narrow(%x: tensor<?x16384xbf16>) -> tensor<?x1xbf16> {
  %y = fuse.logsumexp %x dims = [1] keep : tensor<?x16384xbf16> -> tensor<?x1xbf16>
  return %y : tensor<?x1xbf16>
}

// and in shared memory what larger calls have there.
// CHECK-LABEL: func.func @once_in_shared(
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared>
func.func @once_in_shared(%x: tensor<?x32768xbf16>) -> tensor<?x1xbf16> {
  %y = fuse.logsumexp %x dims = [1] keep : tensor<?x32768xbf16> -> tensor<?x1xbf16>
  return %y : tensor<?x1xbf16>
}

// 32-bit elements as two vectors,
// CHECK-LABEL: func.func @once_words(
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = cache>
func.func @once_words(%x: tensor<?x4096xf32>) -> tensor<?x1xf32> {
  %y = fuse.logsumexp %x dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// four from 8192 on,
// CHECK-LABEL: func.func @once_long_words(
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = cache>
func.func @once_long_words(%x: tensor<?x8192xf32>) -> tensor<?x1xf32> {
  %y = fuse.logsumexp %x dims = [1] keep : tensor<?x8192xf32> -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// twice as many where they divide no larger block,
// CHECK-LABEL: func.func @once_uneven_words(
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = cache>
func.func @once_uneven_words(%x: tensor<?x9216xf32>) -> tensor<?x1xf32> {
  %y = fuse.logsumexp %x dims = [1] keep : tensor<?x9216xf32> -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// and eight of the longest.
// CHECK-LABEL: func.func @once_longest_words(
// CHECK: #fuse.rows<threads = 1024, vector = 4, rows_per_block = 1, hold = cache>
func.func @once_longest_words(%x: tensor<?x32768xf32>) -> tensor<?x1xf32> {
  %y = fuse.logsumexp %x dims = [1] keep : tensor<?x32768xf32> -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// Rows that one block has hardly registers for are in the shared memory of two,
// CHECK-LABEL: func.func @shared_by_four(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 2>
func.func @shared_by_four(%x: tensor<?x16384xbf16>, %w: tensor<16384xbf16>) -> tensor<?x16384xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x16384xbf16>, tensor<16384xbf16>
  return %y : tensor<?x16384xbf16>
}

// of 32-bit elements, too,
// CHECK-LABEL: func.func @words_shared_by_four(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 4>
func.func @words_shared_by_four(%x: tensor<?x16384xf32>, %w: tensor<16384xf32>) -> tensor<?x16384xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x16384xf32>, tensor<16384xf32>
  return %y : tensor<?x16384xf32>
}

// and by two where narrow elements have exponentials, which are found once.
// CHECK-LABEL: func.func @shared_by_two(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 2>
// CHECK: fuse.softmax_stats
func.func @shared_by_two(%x: tensor<?x16384xbf16>) -> tensor<?x16384xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x16384xbf16>
  return %y : tensor<?x16384xbf16>
}

// Two accesses for each thread of a large block are copied,
// ALONE-LABEL: func.func @copied(
// ALONE: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared, preload = true, copy_groups = 1>
func.func @copied(%x: tensor<?x8192xbf16>, %w: tensor<8192xbf16>) -> tensor<?x8192xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x8192xbf16>, tensor<8192xbf16>
  return %y : tensor<?x8192xbf16>
}

// of 32-bit elements, too.
// CHECK-LABEL: func.func @copied_words(
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = shared, preload = true, copy_groups = 1>
func.func @copied_words(%x: tensor<?x4096xf32>, %w: tensor<4096xf32>) -> tensor<?x4096xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x4096xf32>, tensor<4096xf32>
  return %y : tensor<?x4096xf32>
}

// One vector a thread, and weights with it.
// CHECK-LABEL: func.func @one_vector(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers, preload = true>
func.func @one_vector(%x: tensor<?x1024xbf16>, %w: tensor<1024xbf16>) -> tensor<?x1024xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x1024xbf16>, tensor<1024xbf16>
  return %y : tensor<?x1024xbf16>
}

// Two of two inputs.
// CHECK-LABEL: func.func @two_vectors(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 2, hold = registers, preload = true>
func.func @two_vectors(%x: tensor<?x1024xbf16>, %r: tensor<?x1024xbf16>, %w: tensor<1024xbf16>) -> (tensor<?x1024xbf16>, tensor<?x1024xbf16>) {
  %h = fuse.add %x, %r : tensor<?x1024xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x1024xbf16>, tensor<1024xbf16>
  return %h, %y : tensor<?x1024xbf16>, tensor<?x1024xbf16>
}

// The longest rows that are read once are eight blocks',
// CHECK-LABEL: func.func @once_shared(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache, blocks_per_row = 8>
func.func @once_shared(%x: tensor<?x65536xbf16>) -> tensor<?x1xbf16> {
  %y = fuse.logsumexp %x dims = [1] keep : tensor<?x65536xbf16> -> tensor<?x1xbf16>
  return %y : tensor<?x1xbf16>
}

// in shared memory where narrow elements of a thread are many,
// CHECK-LABEL: func.func @once_shared_by_few(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, blocks_per_row = 8>
func.func @once_shared_by_few(%x: tensor<64x131072xbf16>) -> tensor<64x1xbf16> {
  %y = fuse.logsumexp %x dims = [1] keep : tensor<64x131072xbf16> -> tensor<64x1xbf16>
  return %y : tensor<64x1xbf16>
}

// but not of 32-bit elements.
// CHECK-LABEL: func.func @once_shared_words(
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = cache, blocks_per_row = 8>
func.func @once_shared_words(%x: tensor<64x131072xf32>) -> tensor<64x1xf32> {
  %y = fuse.logsumexp %x dims = [1] keep : tensor<64x131072xf32> -> tensor<64x1xf32>
  return %y : tensor<64x1xf32>
}

// In the smallest block six vectors of exponentials that are divided spill.
// CHECK-LABEL: func.func @six_vectors(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true>
func.func @six_vectors(%x: tensor<?x6144xbf16>) -> tensor<?x6144xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x6144xbf16>
  return %y : tensor<?x6144xbf16>
}

// Two vectors for each thread of a block that is smaller than the others,
// CHECK-LABEL: func.func @pairs_of_few(
// CHECK: #fuse.rows<threads = 96, vector = 8, rows_per_block = 1, hold = registers, preload = true>
func.func @pairs_of_few(%x: tensor<?x1536xbf16>, %w: tensor<1536xbf16>) -> tensor<?x1536xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x1536xbf16>, tensor<1536xbf16>
  return %y : tensor<?x1536xbf16>
}

// of two rows where each element is divided,
// CHECK-LABEL: func.func @pairs_divided(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 2, hold = registers>
func.func @pairs_divided(%x: tensor<?x1024xbf16>) -> tensor<?x1024xf8E4M3FN> {
  %f = fuse.cast %x : tensor<?x1024xbf16> -> tensor<?x1024xf32>
  %m = fuse.abs %f : tensor<?x1024xf32>
  %s = fuse.reduce max %m dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
  %q = fuse.div %f, %s : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
  %y = fuse.cast %q : tensor<?x1024xf32> -> tensor<?x1024xf8E4M3FN>
  return %y : tensor<?x1024xf8E4M3FN>
}

// and of twice the smallest block where the weights of these fit, too,
// CHECK-LABEL: func.func @pairs_with_weights(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true>
func.func @pairs_with_weights(%x: tensor<?x4096xbf16>, %w: tensor<4096xbf16>) -> tensor<?x4096xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x4096xbf16>, tensor<4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// unless some have one more than others: these are copied,
// CHECK-LABEL: func.func @uneven_with_weights(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, preload = true, copy_groups = 1>
func.func @uneven_with_weights(%x: tensor<?x5120xbf16>, %w: tensor<5120xbf16>) -> tensor<?x5120xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x5120xbf16>, tensor<5120xbf16>
  return %y : tensor<?x5120xbf16>
}

// which counts less than the loads of two inputs.
// CHECK-LABEL: func.func @uneven_of_two(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true>
func.func @uneven_of_two(%x: tensor<?x5120xbf16>, %r: tensor<?x5120xbf16>, %w: tensor<5120xbf16>) -> (tensor<?x5120xbf16>, tensor<?x5120xbf16>) {
  %h = fuse.add %x, %r : tensor<?x5120xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x5120xbf16>, tensor<5120xbf16>
  return %y, %h : tensor<?x5120xbf16>, tensor<?x5120xbf16>
}

// Of 32-bit elements of two inputs threads of the smallest block have an even number of
// vectors.
// CHECK-LABEL: func.func @odd_words_of_two(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @odd_words_of_two(%x: tensor<?x5120xf32>, %r: tensor<?x5120xf32>, %w: tensor<5120xf32>) -> (tensor<?x5120xf32>, tensor<?x5120xf32>) {
  %h = fuse.add %x, %r : tensor<?x5120xf32>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x5120xf32>, tensor<5120xf32>
  return %y, %h : tensor<?x5120xf32>, tensor<?x5120xf32>
}

// Six vectors of each thread of six warps, not four or five of eight.
// CHECK-LABEL: func.func @six_warps(
// CHECK: #fuse.rows<threads = 192, vector = 8, rows_per_block = 1, hold = registers, preload = true>
func.func @six_warps(%x: tensor<?x9216xbf16>) -> tensor<?x9216xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x9216xbf16>
  return %y : tensor<?x9216xbf16>
}

// Where no cluster's threads have as many vectors each, shared memory has the row: of
// eleven warps with four vectors each, or of sixteen.
// CHECK-LABEL: func.func @uneven_many_weights(
// CHECK: #fuse.rows<threads = 352, vector = 8, rows_per_block = 1, hold = shared, preload = true, copy_groups = 1>
func.func @uneven_many_weights(%x: tensor<?x11008xbf16>, %w: tensor<11008xbf16>) -> tensor<?x11008xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x11008xbf16>, tensor<11008xbf16>
  return %y : tensor<?x11008xbf16>
}
// CHECK-LABEL: func.func @more_uneven_weights(
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared, preload = true, copy_groups = 1>
func.func @more_uneven_weights(%x: tensor<?x12160xbf16>, %w: tensor<12160xbf16>) -> tensor<?x12160xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x12160xbf16>, tensor<12160xbf16>
  return %y : tensor<?x12160xbf16>
}

// Blocks share what is read once in shared memory as long as it has room for
// what all inputs have of a part.
// CHECK-LABEL: func.func @once_of_four(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache, blocks_per_row = 8>
func.func @once_of_four(%a: tensor<64x262144xbf16>, %b: tensor<64x262144xbf16>, %c: tensor<64x262144xbf16>, %d: tensor<64x262144xbf16>) -> tensor<64x1xbf16> {
  %e = fuse.mul %a, %b : tensor<64x262144xbf16>
  %f = fuse.mul %c, %d : tensor<64x262144xbf16>
  %g = fuse.mul %e, %f : tensor<64x262144xbf16>
  %y = fuse.reduce sum %g dims = [1] keep : tensor<64x262144xbf16> -> tensor<64x1xbf16>
  return %y : tensor<64x1xbf16>
}

// Nine vectors are more than such a thread holds.
// CHECK-LABEL: func.func @six_warps_are_too_few(
// CHECK-NOT: threads = 192
func.func @six_warps_are_too_few(%x: tensor<?x13824xbf16>) -> tensor<?x13824xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x13824xbf16>
  return %y : tensor<?x13824xbf16>
}

// Short rows of 32-bit elements with variances share a block in pairs, four vectors a thread,
// CHECK-LABEL: func.func @pairs_of_deviations(
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 2, hold = registers, preload = true>
func.func @pairs_of_deviations(%x: tensor<?x2048xf32>, %w: tensor<2048xf32>, %b: tensor<2048xf32>) -> tensor<?x2048xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x2048xf32>, tensor<2048xf32>, tensor<2048xf32>
  return %y : tensor<?x2048xf32>
}

// but not where these are no half block.
// CHECK-LABEL: func.func @uneven_pairs_of_deviations(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @uneven_pairs_of_deviations(%x: tensor<?x1536xf32>, %w: tensor<1536xf32>, %b: tensor<1536xf32>) -> tensor<?x1536xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x1536xf32>, tensor<1536xf32>, tensor<1536xf32>
  return %y : tensor<?x1536xf32>
}

// Vectors of two accesses count twice.
// CHECK-LABEL: func.func @divided_into_narrow(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers, preload = true>
func.func @divided_into_narrow(%x: tensor<?x2048xf32>) -> tensor<?x2048xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x2048xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x2048xf32>, tensor<?x1xf32> -> tensor<?x2048xf32>
  %y = fuse.cast %d : tensor<?x2048xf32> -> tensor<?x2048xbf16>
  return %y : tensor<?x2048xbf16>
}
