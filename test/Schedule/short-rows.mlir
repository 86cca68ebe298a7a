// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 | FileCheck %s
// RUN: fuse inspect %s --entry three_halves --chip sm_90 --emit=stats | FileCheck %s --check-prefix=STATS
// STATS: loads {{.*}}3 x v2.b32
// STATS: spills 0 bytes

// Rows of few elements are bound by instructions: the vector and the threads are those
// that leave the least to do.

// Of half vectors all threads have as many and an edge, of full ones most would lack the
// second.
// CHECK-LABEL: func.func @three_halves
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers>
func.func @three_halves(%x: tensor<?x197xbf16>) -> tensor<?x197xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x197xbf16>
  return %y : tensor<?x197xbf16>
}
// What is read once takes no place in registers, so that fewer threads may have more.
// CHECK-LABEL: func.func @read_once
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 16, hold = registers>
func.func @read_once(%x: tensor<?x197xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x197xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// Weights are cut out of two vectors each, which takes the least of narrow ones.
// CHECK-LABEL: func.func @quarters
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 8, hold = registers>
func.func @quarters(%x: tensor<?x197xbf16>, %w: tensor<197xbf16>, %b: tensor<197xbf16>) -> tensor<?x197xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x197xbf16>, tensor<197xbf16>, tensor<197xbf16>
  return %y : tensor<?x197xbf16>
}
// From 321 elements on vectors are full.
// CHECK-LABEL: func.func @full
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 8, hold = registers>
func.func @full(%x: tensor<?x385xbf16>) -> tensor<?x385xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x385xbf16>
  return %y : tensor<?x385xbf16>
}
// Even rows are no different; where a vector divides them there is no edge.
// CHECK-LABEL: func.func @dividing
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 8, hold = registers>
func.func @dividing(%x: tensor<?x190xbf16>) -> tensor<?x190xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x190xbf16>
  return %y : tensor<?x190xbf16>
}
// Four threads with four pairs each and an edge.
// CHECK-LABEL: func.func @shorter
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers>
func.func @shorter(%x: tensor<?x33xbf16>) -> tensor<?x33xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x33xbf16>
  return %y : tensor<?x33xbf16>
}
// Of words only the shortest.
// CHECK-LABEL: func.func @words
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers>
func.func @words(%x: tensor<?x49xf32>) -> tensor<?x49xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x49xf32>
  return %y : tensor<?x49xf32>
}
// And of rows that full vectors divide.
// CHECK-LABEL: func.func @whole
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 64, hold = registers>
func.func @whole(%x: tensor<?x24xbf16>) -> tensor<?x24xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x24xbf16>
  return %y : tensor<?x24xbf16>
}
// No access is narrower than a word: of 8-bit results, vectors of four elements.
// CHECK-LABEL: func.func @narrowed
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers>
func.func @narrowed(%x: tensor<?x197xbf16>) -> tensor<?x197xf8E4M3FN> {
  %f = fuse.cast %x : tensor<?x197xbf16> -> tensor<?x197xf32>
  %m = fuse.reduce max %f dims = [1] keep : tensor<?x197xf32> -> tensor<?x1xf32>
  %d = fuse.div %f, %m : tensor<?x197xf32>, tensor<?x1xf32> -> tensor<?x197xf32>
  %q = fuse.cast %d : tensor<?x197xf32> -> tensor<?x197xf8E4M3FN>
  return %q : tensor<?x197xf8E4M3FN>
}
// Two inputs leave room for half as many elements.
// CHECK-LABEL: func.func @two_inputs
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers>
func.func @two_inputs(%x: tensor<?x77xbf16>, %r: tensor<?x77xbf16>) -> tensor<?x77xbf16> {
  %s = fuse.add %x, %r : tensor<?x77xbf16>
  %y = fuse.softmax %s dims = [1] : tensor<?x77xbf16>
  return %y : tensor<?x77xbf16>
}

// -----

// Where a call takes as long as a row, many threads have little each.
// CHECK-LABEL: func.func @few
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 4, hold = registers>
func.func @few(%x: tensor<64x197xbf16>) -> tensor<64x197xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<64x197xbf16>
  return %y : tensor<64x197xbf16>
}
// CHECK-LABEL: func.func @few_longer
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers>
func.func @few_longer(%x: tensor<64x577xbf16>, %w: tensor<577xbf16>, %b: tensor<577xbf16>) -> tensor<64x577xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<64x577xbf16>, tensor<577xbf16>, tensor<577xbf16>
  return %y : tensor<64x577xbf16>
}
// CHECK-LABEL: func.func @few_once
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 8, hold = registers>
func.func @few_once(%x: tensor<64x197xbf16>) -> tensor<64xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<64x197xbf16> -> tensor<64xbf16>
  return %y : tensor<64xbf16>
}
// CHECK-LABEL: func.func @few_words
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 1, hold = registers>
func.func @few_words(%x: tensor<64x577xf32>) -> tensor<64x577xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<64x577xf32>
  return %y : tensor<64x577xf32>
}
// Not where there are many rows.
// CHECK-LABEL: func.func @brief
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers>
func.func @brief(%x: tensor<9000x197xbf16>) -> tensor<9000x197xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<9000x197xbf16>
  return %y : tensor<9000x197xbf16>
}
// CHECK-LABEL: func.func @brief_longer
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 4, hold = registers>
func.func @brief_longer(%x: tensor<3500x577xbf16>) -> tensor<3500x577xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<3500x577xbf16>
  return %y : tensor<3500x577xbf16>
}
