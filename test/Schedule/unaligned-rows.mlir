// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 -fuse-schedule="chip=sm_90 small=true" | FileCheck %s --check-prefix=SMALL
// RUN: fuse inspect %s --entry halves_with_edges --chip sm_90 --emit=stats | FileCheck %s --check-prefix=STATS
// STATS: loads {{.*}} x v4.b32
// STATS: stores {{.*}} x v4.b32
// STATS: spills 0 bytes

// Rows that no full vector divides leave edges where it takes less time. Few threads have a short one,
// since each has an edge, and what it does once for the row, besides its vectors.
// CHECK-LABEL: func.func @words
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers>
func.func @words(%x: tensor<?x197xf32>) -> tensor<?x197xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x197xf32>
  return %y : tensor<?x197xf32>
}

// -----

// Three vectors of 32-bit elements a thread, five where a mean and a variance are
// combined, eight where the row is read once.
// CHECK-LABEL: func.func @three
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers>
func.func @three(%x: tensor<?x1001xf32>) -> tensor<?x1001xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x1001xf32>
  return %y : tensor<?x1001xf32>
}
// CHECK-LABEL: func.func @five
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 2, hold = registers>
func.func @five(%x: tensor<?x1001xf32>, %w: tensor<1001xf32>, %b: tensor<1001xf32>) -> tensor<?x1001xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x1001xf32>, tensor<1001xf32>, tensor<1001xf32>
  return %y : tensor<?x1001xf32>
}
// CHECK-LABEL: func.func @eight
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 4, hold = registers>
func.func @eight(%x: tensor<?x1001xf32>) -> tensor<?xf32> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x1001xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Longer ones are read again from the caches; 16-bit ones with much to compute are
// in shared memory.
// CHECK-LABEL: func.func @cached
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = cache>
func.func @cached(%x: tensor<?x5001xf32>) -> tensor<?x5001xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x5001xf32>
  return %y : tensor<?x5001xf32>
}
// CHECK-LABEL: func.func @late
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared>
func.func @late(%x: tensor<?x12289xbf16>) -> tensor<?x12289xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x12289xbf16>
  return %y : tensor<?x12289xbf16>
}
// Where little is computed more threads share it, but of rows up to 12,000, which are not
// longer than registers could hold.
// CHECK-LABEL: func.func @light
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared>
func.func @light(%x: tensor<?x12289xbf16>, %w: tensor<12289xbf16>) -> tensor<?x12289xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x12289xbf16>, tensor<12289xbf16>
  return %y : tensor<?x12289xbf16>
}
// CHECK-LABEL: func.func @shorter_light
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared>
func.func @shorter_light(%x: tensor<?x10001xbf16>, %w: tensor<10001xbf16>) -> tensor<?x10001xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x10001xbf16>, tensor<10001xbf16>
  return %y : tensor<?x10001xbf16>
}
// Two vectors each would take more than 256 threads: the caches hold the row.
// CHECK-LABEL: func.func @light_in_caches
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache>
func.func @light_in_caches(%x: tensor<?x8191xbf16>, %w: tensor<8191xbf16>) -> tensor<?x8191xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x8191xbf16>, tensor<8191xbf16>
  return %y : tensor<?x8191xbf16>
}
// What is read once, with exponentials, is held in half vectors up to 18,000 elements.
// CHECK-LABEL: func.func @exponentials_once
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers>
func.func @exponentials_once(%x: tensor<?x10001xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x10001xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// CHECK-LABEL: func.func @longer_once
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = loop
func.func @longer_once(%x: tensor<?x20001xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x20001xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// Several inputs of 32-bit elements longer than aligned ones, by fewer threads.
// CHECK-LABEL: func.func @several
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = cache>
func.func @several(%x: tensor<?x12289xf32>, %r: tensor<?x12289xf32>, %w: tensor<12289xf32>) -> tensor<?x12289xf32> {
  %s = fuse.add %x, %r : tensor<?x12289xf32>
  %y = fuse.rms_norm %s, %w eps = 1.0e-5 : tensor<?x12289xf32>, tensor<12289xf32>
  return %y : tensor<?x12289xf32>
}

// -----

// Aligned ones are in clusters then.
// CHECK-LABEL: func.func @aligned
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 4>
func.func @aligned(%x: tensor<?x8192xf32>, %r: tensor<?x8192xf32>, %w: tensor<8192xf32>) -> tensor<?x8192xf32> {
  %s = fuse.add %x, %r : tensor<?x8192xf32>
  %y = fuse.rms_norm %s, %w eps = 1.0e-5 : tensor<?x8192xf32>, tensor<8192xf32>
  return %y : tensor<?x8192xf32>
}
// CHECK-LABEL: func.func @before
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = cache, least_blocks = 2>
func.func @before(%x: tensor<?x7168xf32>, %r: tensor<?x7168xf32>, %w: tensor<7168xf32>) -> tensor<?x7168xf32> {
  %s = fuse.add %x, %r : tensor<?x7168xf32>
  %y = fuse.rms_norm %s, %w eps = 1.0e-5 : tensor<?x7168xf32>, tensor<7168xf32>
  return %y : tensor<?x7168xf32>
}

// -----

// In few or brief calls a thread has one vector, in small ones three of 32-bit elements.
// CHECK-LABEL: func.func @brief
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
func.func @brief(%x: tensor<64x1001xbf16>) -> tensor<64x1001xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<64x1001xbf16>
  return %y : tensor<64x1001xbf16>
}
// CHECK-LABEL: func.func @small
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers>
func.func @small(%x: tensor<4096x1001xf32>, %w: tensor<1001xf32>, %b: tensor<1001xf32>) -> tensor<4096x1001xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<4096x1001xf32>, tensor<1001xf32>, tensor<1001xf32>
  return %y : tensor<4096x1001xf32>
}

// -----

// 16-bit elements whose variance is computed stay in registers for
// somewhat longer.
// CHECK-LABEL: func.func @deviations
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers>
func.func @deviations(%x: tensor<?x8193xbf16>, %w: tensor<8193xbf16>, %b: tensor<8193xbf16>) -> tensor<?x8193xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x8193xbf16>, tensor<8193xbf16>, tensor<8193xbf16>
  return %y : tensor<?x8193xbf16>
}
// Full vectors would be five for each of its threads: half ones, but in small calls.
// CHECK-LABEL: func.func @halved_deviations
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers>
// SMALL-LABEL: func.func @halved_deviations
// SMALL: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared>
func.func @halved_deviations(%x: tensor<?x9001xbf16>, %w: tensor<9001xbf16>, %b: tensor<9001xbf16>) -> tensor<?x9001xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x9001xbf16>, tensor<9001xbf16>, tensor<9001xbf16>
  return %y : tensor<?x9001xbf16>
}
// CHECK-LABEL: func.func @longer_deviations
// SMALL-LABEL: func.func @longer_deviations
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared>
func.func @longer_deviations(%x: tensor<?x9217xbf16>, %w: tensor<9217xbf16>, %b: tensor<9217xbf16>) -> tensor<?x9217xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x9217xbf16>, tensor<9217xbf16>, tensor<9217xbf16>
  return %y : tensor<?x9217xbf16>
}
// CHECK-LABEL: func.func @shorter_deviations
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
func.func @shorter_deviations(%x: tensor<?x8701xbf16>, %w: tensor<8701xbf16>, %b: tensor<8701xbf16>) -> tensor<?x8701xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x8701xbf16>, tensor<8701xbf16>, tensor<8701xbf16>
  return %y : tensor<?x8701xbf16>
}

// -----

// Small calls keep halves longer.
// CHECK-LABEL: func.func @halves_with_edges
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 2, hold = registers>
// SMALL-LABEL: func.func @halves_with_edges
// SMALL: vector = 4
func.func @halves_with_edges(%x: tensor<?x2052xbf16>) -> tensor<?x2052xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x2052xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %x, %m : tensor<?x2052xbf16>, tensor<?x1xbf16> -> tensor<?x2052xbf16>
  return %y : tensor<?x2052xbf16>
}
// CHECK-LABEL: func.func @words_with_edges
// SMALL-LABEL: func.func @words_with_edges
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers>
func.func @words_with_edges(%x: tensor<?x102xf32>) -> tensor<?x102xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x102xf32>
  return %y : tensor<?x102xf32>
}
// Of those that are read once halves stay between the two.
// CHECK-LABEL: func.func @halves_once
// CHECK: vector = 4
func.func @halves_once(%x: tensor<?x6004xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x6004xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// 32-bit elements in registers up to twice as many as aligned ones.
// CHECK-LABEL: func.func @once_in_registers
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = registers>
func.func @once_in_registers(%x: tensor<?x12290xf32>) -> tensor<?xf32> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x12290xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
// Two vectors of each thread of 256 would leave most of the second empty.
// CHECK-LABEL: func.func @hardly_two
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
func.func @hardly_two(%x: tensor<?x2561xbf16>) -> tensor<?x2561xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x2561xbf16>
  return %y : tensor<?x2561xbf16>
}
// Hardly anything is left of steps of 256 threads.
// CHECK-LABEL: func.func @little_left
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 4>
func.func @little_left(%x: tensor<?x32772xbf16>) -> tensor<?x32772xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x32772xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %x, %m : tensor<?x32772xbf16>, tensor<?x1xbf16> -> tensor<?x32772xbf16>
  return %y : tensor<?x32772xbf16>
}

// -----

// Little is computed: threads have two vectors of a 16-bit row at least, more where
// it is short, and four where each element is divided, rather than one that many
// have not. Small calls have more threads.
// CHECK-LABEL: func.func @light_short
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 4, hold = registers>
// SMALL-LABEL: func.func @light_short
// SMALL: #fuse.rows<threads = 128, vector = 8, rows_per_block = 2, hold = registers>
func.func @light_short(%x: tensor<?x1025xbf16>, %w: tensor<1025xbf16>) -> tensor<?x1025xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x1025xbf16>, tensor<1025xbf16>
  return %y : tensor<?x1025xbf16>
}
// CHECK-LABEL: func.func @light_long
// SMALL-LABEL: func.func @light_long
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
func.func @light_long(%x: tensor<?x2561xbf16>, %w: tensor<2561xbf16>) -> tensor<?x2561xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x2561xbf16>, tensor<2561xbf16>
  return %y : tensor<?x2561xbf16>
}
// CHECK-LABEL: func.func @divided
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 2, hold = registers>
func.func @divided(%x: tensor<?x2561xbf16>) -> (tensor<?x2561xf8E4M3FN>, tensor<?x1xf32>) {
  %m = fuse.abs %x : tensor<?x2561xbf16>
  %f = fuse.cast %m : tensor<?x2561xbf16> -> tensor<?x2561xf32>
  %s = fuse.reduce max %f dims = [1] keep : tensor<?x2561xf32> -> tensor<?x1xf32>
  %g = fuse.cast %x : tensor<?x2561xbf16> -> tensor<?x2561xf32>
  %d = fuse.div %g, %s : tensor<?x2561xf32>, tensor<?x1xf32> -> tensor<?x2561xf32>
  %q = fuse.cast %d : tensor<?x2561xf32> -> tensor<?x2561xf8E4M3FN>
  return %q, %s : tensor<?x2561xf8E4M3FN>, tensor<?x1xf32>
}
