// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 | FileCheck %s
// RUN: fuse inspect %s --entry three_halves --chip sm_90 --emit=stats | FileCheck %s --check-prefix=STATS
// STATS: loads {{.*}}3 x v2.b32
// STATS: spills 0 bytes

// Rows of few elements are bound by instructions: the vector and the threads are those
// that leave the least to do. In large calls threads have several; several-rows.mlir.

// Of half vectors all threads have as many and an edge, of full ones most would lack the
// second.
// CHECK-LABEL: func.func @three_halves
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers>
func.func @three_halves(%x: tensor<100000x197xbf16>) -> tensor<100000x197xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<100000x197xbf16>
  return %y : tensor<100000x197xbf16>
}
// In small calls what is read once counts as what is held.
// CHECK-LABEL: func.func @read_once
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers>
func.func @read_once(%x: tensor<100000x197xbf16>) -> tensor<100000xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<100000x197xbf16> -> tensor<100000xbf16>
  return %y : tensor<100000xbf16>
}
// A vector of weights would be cut out of two, but an access of a word loads them
// one by one.
// CHECK-LABEL: func.func @quarters
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 8, hold = registers>
func.func @quarters(%x: tensor<100000x197xbf16>, %w: tensor<197xbf16>, %b: tensor<197xbf16>) -> tensor<100000x197xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<100000x197xbf16>, tensor<197xbf16>, tensor<197xbf16>
  return %y : tensor<100000x197xbf16>
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
func.func @dividing(%x: tensor<100000x190xbf16>) -> tensor<100000x190xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<100000x190xbf16>
  return %y : tensor<100000x190xbf16>
}
// Four threads with four pairs each and an edge.
// CHECK-LABEL: func.func @shorter
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers>
func.func @shorter(%x: tensor<?x33xbf16>) -> tensor<?x33xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x33xbf16>
  return %y : tensor<?x33xbf16>
}
// Of 32-bit elements only the shortest.
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
// A vector that divides the row has no edges: more of its elements may be held.
// CHECK-LABEL: func.func @divided_in_half
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 16, hold = registers>
func.func @divided_in_half(%x: tensor<100000x100xbf16>, %w: tensor<100xbf16>) -> tensor<100000x100xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<100000x100xbf16>, tensor<100xbf16>
  return %y : tensor<100000x100xbf16>
}
// Weights of longer rows are not cut out of two vectors each, either: up to 320 elements
// with half a warp, then one, two and four.
// CHECK-LABEL: func.func @deviations_of_half_a_warp
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 8, hold = registers>
func.func @deviations_of_half_a_warp(%x: tensor<100000x257xbf16>, %w: tensor<257xbf16>, %b: tensor<257xbf16>) -> tensor<100000x257xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<100000x257xbf16>, tensor<257xbf16>, tensor<257xbf16>
  return %y : tensor<100000x257xbf16>
}
// CHECK-LABEL: func.func @deviations_of_a_warp
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 4, hold = registers>
func.func @deviations_of_a_warp(%x: tensor<?x577xf16>, %w: tensor<577xf16>, %b: tensor<577xf16>) -> tensor<?x577xf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x577xf16>, tensor<577xf16>, tensor<577xf16>
  return %y : tensor<?x577xf16>
}
// Where they divide the row, vectors are twice as wide.
// CHECK-LABEL: func.func @divided_deviations
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 4, hold = registers>
func.func @divided_deviations(%x: tensor<?x700xbf16>, %w: tensor<700xbf16>, %b: tensor<700xbf16>) -> tensor<?x700xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x700xbf16>, tensor<700xbf16>, tensor<700xbf16>
  return %y : tensor<?x700xbf16>
}
// CHECK-LABEL: func.func @deviations_of_two_warps
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 2, hold = registers>
func.func @deviations_of_two_warps(%x: tensor<?x1537xbf16>, %w: tensor<1537xbf16>, %b: tensor<1537xbf16>) -> tensor<?x1537xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x1537xbf16>, tensor<1537xbf16>, tensor<1537xbf16>
  return %y : tensor<?x1537xbf16>
}
// CHECK-LABEL: func.func @deviations_of_a_block
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 1, hold = registers>
func.func @deviations_of_a_block(%x: tensor<?x3001xbf16>, %w: tensor<3001xbf16>, %b: tensor<3001xbf16>) -> tensor<?x3001xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x3001xbf16>, tensor<3001xbf16>, tensor<3001xbf16>
  return %y : tensor<?x3001xbf16>
}
// CHECK-LABEL: func.func @longest_deviations
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers>
func.func @longest_deviations(%x: tensor<?x8191xbf16>, %w: tensor<8191xbf16>, %b: tensor<8191xbf16>) -> tensor<?x8191xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x8191xbf16>, tensor<8191xbf16>, tensor<8191xbf16>
  return %y : tensor<?x8191xbf16>
}
// Not of 32-bit elements, and not without weights.
// CHECK-LABEL: func.func @unweighed
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 8, hold = registers>
func.func @unweighed(%x: tensor<?x577xbf16>) -> tensor<?x577xbf16> {
  %m = fuse.reduce mean %x dims = [1] keep : tensor<?x577xbf16> -> tensor<?x1xbf16>
  %d = fuse.sub %x, %m : tensor<?x577xbf16>, tensor<?x1xbf16> -> tensor<?x577xbf16>
  %q = fuse.mul %d, %d : tensor<?x577xbf16>
  %v = fuse.reduce mean %q dims = [1] keep : tensor<?x577xbf16> -> tensor<?x1xbf16>
  %s = fuse.rsqrt %v : tensor<?x1xbf16>
  %y = fuse.mul %d, %s : tensor<?x577xbf16>, tensor<?x1xbf16> -> tensor<?x577xbf16>
  return %y : tensor<?x577xbf16>
}
// Of two inputs each thread has one vector and an edge, of four elements or, of rows of
// up to 144, eight; of longer rows a warp.
// CHECK-LABEL: func.func @two_inputs
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers>
func.func @two_inputs(%x: tensor<100000x77xbf16>, %r: tensor<100000x77xbf16>) -> tensor<100000x77xbf16> {
  %s = fuse.add %x, %r : tensor<100000x77xbf16>
  %y = fuse.softmax %s dims = [1] : tensor<100000x77xbf16>
  return %y : tensor<100000x77xbf16>
}
// CHECK-LABEL: func.func @two_longer
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 8, hold = registers>
func.func @two_longer(%x: tensor<100000x129xbf16>, %r: tensor<100000x129xbf16>) -> tensor<100000x129xbf16> {
  %s = fuse.add %x, %r : tensor<100000x129xbf16>
  %y = fuse.softmax %s dims = [1] : tensor<100000x129xbf16>
  return %y : tensor<100000x129xbf16>
}
// CHECK-LABEL: func.func @two_of_a_warp
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 4, hold = registers>
func.func @two_of_a_warp(%x: tensor<100000x150xbf16>, %r: tensor<100000x150xbf16>) -> tensor<100000x150xbf16> {
  %s = fuse.add %x, %r : tensor<100000x150xbf16>
  %y = fuse.softmax %s dims = [1] : tensor<100000x150xbf16>
  return %y : tensor<100000x150xbf16>
}
// CHECK-LABEL: func.func @two_of_two_vectors
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 8, hold = registers>
func.func @two_of_two_vectors(%x: tensor<100000x197xbf16>, %r: tensor<100000x197xbf16>) -> tensor<100000x197xbf16> {
  %s = fuse.add %x, %r : tensor<100000x197xbf16>
  %y = fuse.softmax %s dims = [1] : tensor<100000x197xbf16>
  return %y : tensor<100000x197xbf16>
}
// CHECK-LABEL: func.func @two_of_two_warps
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 2, hold = registers>
func.func @two_of_two_warps(%x: tensor<?x577xbf16>, %r: tensor<?x577xbf16>) -> tensor<?x577xbf16> {
  %s = fuse.add %x, %r : tensor<?x577xbf16>
  %y = fuse.softmax %s dims = [1] : tensor<?x577xbf16>
  return %y : tensor<?x577xbf16>
}
// CHECK-LABEL: func.func @two_of_words
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers>
func.func @two_of_words(%x: tensor<?x63xf32>, %r: tensor<?x63xf32>) -> tensor<?x63xf32> {
  %s = fuse.add %x, %r : tensor<?x63xf32>
  %y = fuse.softmax %s dims = [1] : tensor<?x63xf32>
  return %y : tensor<?x63xf32>
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
// Weights wait for memory, too: as many threads as there are vectors, up to two warps.
// CHECK-LABEL: func.func @few_weighed
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 2, hold = registers>
func.func @few_weighed(%x: tensor<64x150xbf16>, %w: tensor<150xbf16>) -> tensor<64x150xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<64x150xbf16>, tensor<150xbf16>
  return %y : tensor<64x150xbf16>
}
// CHECK-LABEL: func.func @few_weighed_in_half
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 4, hold = registers>
func.func @few_weighed_in_half(%x: tensor<64x100xbf16>, %w: tensor<100xbf16>) -> tensor<64x100xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<64x100xbf16>, tensor<100xbf16>
  return %y : tensor<64x100xbf16>
}
// Edges take four threads at least.
// CHECK-LABEL: func.func @few_of_three
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers>
func.func @few_of_three(%x: tensor<64x3xbf16>, %w: tensor<3xbf16>) -> tensor<64x3xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<64x3xbf16>, tensor<3xbf16>
  return %y : tensor<64x3xbf16>
}
// CHECK-LABEL: func.func @few_of_two
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 1, hold = registers>
func.func @few_of_two(%x: tensor<64x257xbf16>, %r: tensor<64x257xbf16>) -> tensor<64x257xbf16> {
  %s = fuse.add %x, %r : tensor<64x257xbf16>
  %y = fuse.softmax %s dims = [1] : tensor<64x257xbf16>
  return %y : tensor<64x257xbf16>
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
// Vectors of a whole access that divide them leave nothing to cut.
// CHECK-LABEL: func.func @divided_words
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers>
func.func @divided_words(%x: tensor<?x100xf32>) -> (tensor<?x100xf8E4M3FN>, tensor<?x1xf32>) {
  %m = fuse.abs %x : tensor<?x100xf32>
  %largest = fuse.reduce max %m dims = [1] keep : tensor<?x100xf32> -> tensor<?x1xf32>
  %s = fuse.div %x, %largest : tensor<?x100xf32>, tensor<?x1xf32> -> tensor<?x100xf32>
  %y = fuse.cast %s : tensor<?x100xf32> -> tensor<?x100xf8E4M3FN>
  return %y, %largest : tensor<?x100xf8E4M3FN>, tensor<?x1xf32>
}
// Of two inputs of 32-bit elements a warp has a row, two have a longer one.
// CHECK-LABEL: func.func @two_inputs_of_words
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 4, hold = registers>
func.func @two_inputs_of_words(%x: tensor<?x149xf32>, %r: tensor<?x149xf32>, %w: tensor<149xf32>) -> (tensor<?x149xf32>, tensor<?x149xf32>) {
  %h = fuse.add %x, %r : tensor<?x149xf32>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x149xf32>, tensor<149xf32>
  return %h, %y : tensor<?x149xf32>, tensor<?x149xf32>
}
// CHECK-LABEL: func.func @longer_inputs_of_words
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 2, hold = registers>
func.func @longer_inputs_of_words(%x: tensor<?x197xf32>, %r: tensor<?x197xf32>, %w: tensor<197xf32>) -> (tensor<?x197xf32>, tensor<?x197xf32>) {
  %h = fuse.add %x, %r : tensor<?x197xf32>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x197xf32>, tensor<197xf32>
  return %h, %y : tensor<?x197xf32>, tensor<?x197xf32>
}

// -----
// Those that full accesses divide have no edges.
// CHECK-LABEL: func.func @narrowed_f32_44(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers>
func.func @narrowed_f32_44(%x: tensor<?x44xf32>) -> tensor<?x44xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x44xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x44xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x44xf32>, tensor<?x1xf32> -> tensor<?x44xf32>
  %q = fuse.cast %d : tensor<?x44xf32> -> tensor<?x44xf8E4M3FN>
  return %q : tensor<?x44xf8E4M3FN>
}
// Variances of 32-bit elements want narrow vectors, too.
// CHECK-LABEL: func.func @word_deviations_77
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 8, hold = registers>
func.func @word_deviations_77(%x: tensor<?x77xf32>, %w: tensor<77xf32>, %b: tensor<77xf32>) -> tensor<?x77xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x77xf32>, tensor<77xf32>, tensor<77xf32>
  return %y : tensor<?x77xf32>
}
// CHECK-LABEL: func.func @word_deviations_150
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 4, hold = registers>
func.func @word_deviations_150(%x: tensor<?x150xf32>, %w: tensor<150xf32>, %b: tensor<150xf32>) -> tensor<?x150xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x150xf32>, tensor<150xf32>, tensor<150xf32>
  return %y : tensor<?x150xf32>
}
