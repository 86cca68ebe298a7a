// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form -fuse-schedule=small=true | FileCheck %s --check-prefix=SMALL

// The model of time, which was fitted to kernels that write as much as they read,
// does not overrule the choice for rows that are read once.
// CHECK-LABEL: func.func @labelled
// CHECK:         #fuse.rows<threads = 128, vector = 8, rows_per_block = 32, hold = registers>
func.func @labelled(%x: tensor<?x256xbf16>, %place: tensor<?xi64>) -> tensor<?xf32> {
  %f = fuse.cast %x : tensor<?x256xbf16> -> tensor<?x256xf32>
  %l = fuse.logsumexp %f dims = [1] : tensor<?x256xf32> -> tensor<?xf32>
  %all = tensor.collapse_shape %x [[0, 1]] : tensor<?x256xbf16> into tensor<?xbf16>
  %own = fuse.gather %all, %place dim = 0 : tensor<?xbf16>, tensor<?xi64> -> tensor<?xbf16>
  %w = fuse.cast %own : tensor<?xbf16> -> tensor<?xf32>
  %y = fuse.sub %l, %w : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Few long rows are held in the registers of clusters. Where that leaves no
// multiprocessor idle, they are read by as many blocks as do so, where their number is
// unknown by a few.
// CHECK-LABEL: func.func @logits
// CHECK:         #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 8>
func.func @logits(%x: tensor<4x128256xbf16>) -> tensor<4xf32> {
  %f = fuse.cast %x : tensor<4x128256xbf16> -> tensor<4x128256xf32>
  %l = fuse.logsumexp %f dims = [1] : tensor<4x128256xf32> -> tensor<4xf32>
  return %l : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @longer_logits
// CHECK:         #fuse.rows<threads = 1024, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 8>
func.func @longer_logits(%x: tensor<4x151936xbf16>) -> tensor<4xf32> {
  %f = fuse.cast %x : tensor<4x151936xbf16> -> tensor<4x151936xf32>
  %l = fuse.logsumexp %f dims = [1] : tensor<4x151936xf32> -> tensor<4xf32>
  return %l : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @longest_logits
// CHECK:         #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = loop, blocks_per_row = 8>
func.func @longest_logits(%x: tensor<4x300000xbf16>) -> tensor<4xf32> {
  %f = fuse.cast %x : tensor<4x300000xbf16> -> tensor<4x300000xf32>
  %l = fuse.logsumexp %f dims = [1] : tensor<4x300000xf32> -> tensor<4xf32>
  return %l : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @more_logits
// CHECK:         #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, blocks_per_row = 8>
func.func @more_logits(%x: tensor<256x128256xbf16>) -> tensor<256xf32> {
  %f = fuse.cast %x : tensor<256x128256xbf16> -> tensor<256x128256xf32>
  %l = fuse.logsumexp %f dims = [1] : tensor<256x128256xf32> -> tensor<256xf32>
  return %l : tensor<256xf32>
}

// -----

// CHECK-LABEL: func.func @many_logits
// CHECK:         #fuse.rows<threads = 384, vector = 8, rows_per_block = 1, hold = loop, stages = 4>
// SMALL-LABEL: func.func @many_logits
// SMALL:         #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, blocks_per_row = 8>
func.func @many_logits(%x: tensor<?x128256xbf16>) -> tensor<?xf32> {
  %f = fuse.cast %x : tensor<?x128256xbf16> -> tensor<?x128256xf32>
  %l = fuse.logsumexp %f dims = [1] : tensor<?x128256xf32> -> tensor<?xf32>
  return %l : tensor<?xf32>
}

// -----

// One launch, where blocks that leave parts for each other need two; longer rows and
// more elements of one result have these.
// CHECK-LABEL: func.func @sums
// CHECK:         #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = registers, preload = true, blocks_per_row = 8>
func.func @sums(%x: tensor<2x128256xbf16>) -> tensor<2xbf16> {
  %s = fuse.reduce sum %x dims = [1] : tensor<2x128256xbf16> -> tensor<2xbf16>
  return %s : tensor<2xbf16>
}

// -----

// CHECK-LABEL: func.func @long_sums
// CHECK:         #fuse.columns<{{.*}} parts = {{[0-9]+}}>
func.func @long_sums(%x: tensor<2x524288xbf16>) -> tensor<2xbf16> {
  %s = fuse.reduce sum %x dims = [1] : tensor<2x524288xbf16> -> tensor<2xbf16>
  return %s : tensor<2xbf16>
}

// -----

// Four threads would have room for twelve vectors of nine.
// CHECK-LABEL: func.func @nine_vectors
// CHECK:         #fuse.rows<threads = 128, vector = 8, rows_per_block = 64, hold = registers>
func.func @nine_vectors(%x: tensor<?x72xbf16>) -> tensor<?xf32> {
  %f = fuse.cast %x : tensor<?x72xbf16> -> tensor<?x72xf32>
  %l = fuse.logsumexp %f dims = [1] : tensor<?x72xf32> -> tensor<?xf32>
  return %l : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @thirteen_vectors
// CHECK:         #fuse.rows<threads = 128, vector = 8, rows_per_block = 32, hold = registers>
func.func @thirteen_vectors(%x: tensor<?x104xbf16>) -> tensor<?xf32> {
  %f = fuse.cast %x : tensor<?x104xbf16> -> tensor<?x104xf32>
  %l = fuse.logsumexp %f dims = [1] : tensor<?x104xf32> -> tensor<?xf32>
  return %l : tensor<?xf32>
}
