// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 | FileCheck %s
// RUN: fuse inspect %s --entry exponentials_15 --chip sm_90 --emit=stats | FileCheck %s --check-prefix=STATS
// STATS: spills 0 bytes

// Rows of up to 24 elements of 16 bits that vectors of four do not divide: what threads do
// once for a row is what counts, so that few have a row, and several rows.

// Read once: one thread has a row, or two have four rows each.
// CHECK-LABEL: func.func @once_7(
// CHECK: #fuse.rows<threads = 128, vector = 1, rows_per_block = 128, hold = registers, least_blocks = 4>
func.func @once_7(%x: tensor<?x7xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x7xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// CHECK-LABEL: func.func @once_13(
// CHECK: #fuse.rows<threads = 128, vector = 1, rows_per_block = 256, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @once_13(%x: tensor<?x13xf16>) -> tensor<?xf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x13xf16> -> tensor<?xf16>
  return %y : tensor<?xf16>
}
// CHECK-LABEL: func.func @once_21(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 128, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @once_21(%x: tensor<?x21xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x21xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// Where more than the row is read for it two threads have longer ones, too.
// CHECK-LABEL: func.func @loss_23(
// CHECK: #fuse.rows<threads = 128, vector = 1, rows_per_block = 256, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @loss_23(%x: tensor<?x23xbf16>, %own: tensor<?xbf16>) -> tensor<?xbf16> {
  %e = fuse.logsumexp %x dims = [1] : tensor<?x23xbf16> -> tensor<?xbf16>
  %y = fuse.sub %e, %own : tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// CHECK-LABEL: func.func @once_22(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 128, hold = registers>
func.func @once_22(%x: tensor<?x22xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x22xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}

// Needed twice: four threads have four rows each, but for the shortest.
// CHECK-LABEL: func.func @weighed_9(
// CHECK: #fuse.rows<threads = 128, vector = 1, rows_per_block = 64, hold = registers, least_blocks = 4>
func.func @weighed_9(%x: tensor<?x9xbf16>, %w: tensor<9xbf16>) -> tensor<?x9xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x9xbf16>, tensor<9xbf16>
  return %y : tensor<?x9xbf16>
}
// CHECK-LABEL: func.func @exponentials_15(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 128, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @exponentials_15(%x: tensor<?x15xf16>) -> tensor<?x15xf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x15xf16>
  return %y : tensor<?x15xf16>
}
// CHECK-LABEL: func.func @deviations_22(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 128, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @deviations_22(%x: tensor<?x22xbf16>, %w: tensor<22xbf16>, %b: tensor<22xbf16>) -> tensor<?x22xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x22xbf16>, tensor<22xbf16>, tensor<22xbf16>
  return %y : tensor<?x22xbf16>
}
// Not of two more than a multiple of four below 18, nor of multiples: two threads.
// CHECK-LABEL: func.func @exponentials_14(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 64, hold = registers>
func.func @exponentials_14(%x: tensor<?x14xbf16>) -> tensor<?x14xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x14xbf16>
  return %y : tensor<?x14xbf16>
}
// CHECK-LABEL: func.func @exponentials_20(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 64, hold = registers>
func.func @exponentials_20(%x: tensor<?x20xbf16>) -> tensor<?x20xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x20xbf16>
  return %y : tensor<?x20xbf16>
}
// Eight-bit results have tables of their own.
// CHECK-LABEL: func.func @narrowed_9(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 128, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @narrowed_9(%x: tensor<?x9xbf16>) -> tensor<?x9xf8E4M3FN> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x9xbf16> -> tensor<?x1xbf16>
  %n = fuse.sub %x, %m : tensor<?x9xbf16>, tensor<?x1xbf16> -> tensor<?x9xbf16>
  %y = fuse.cast %n : tensor<?x9xbf16> -> tensor<?x9xf8E4M3FN>
  return %y : tensor<?x9xf8E4M3FN>
}

// Of 32-bit elements that full vectors divide two threads have a row of five vectors to seven, where
// exponentials of lanes without a vector would cost as much.
// CHECK-LABEL: func.func @words_20(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 64, hold = registers>
func.func @words_20(%x: tensor<?x20xf32>) -> tensor<?xf32> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x20xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func @words_32(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers>
func.func @words_32(%x: tensor<?x32xf32>) -> tensor<?xf32> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x32xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func @sum_20(
// CHECK-NOT: rows_per_block = 64
func.func @sum_20(%x: tensor<?x20xf32>) -> tensor<?xf32> {
  %y = fuse.reduce sum %x dims = [1] : tensor<?x20xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func @end(
func.func @end(%x: tensor<?x20xf32>) -> tensor<?x20xf32> {
  return %x : tensor<?x20xf32>
}
