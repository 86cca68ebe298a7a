// RUN: fuse-opt %s -split-input-file -fuse-form -fuse-schedule | FileCheck %s

// One vector a thread leaves nothing to do while it is loaded: nine vectors of a
// heavy row are for four threads.
// CHECK-LABEL: func.func @nine_vectors
// CHECK: #fuse.rows<threads = 64, vector = 8, rows_per_block = 16, hold = registers>
func.func @nine_vectors(%x: tensor<?x72xbf16>, %w: tensor<72xbf16>, %b: tensor<72xbf16>) -> tensor<?x72xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x72xbf16>, tensor<72xbf16>, tensor<72xbf16>
  return %y : tensor<?x72xbf16>
}

// -----

// Four vectors a thread, although some have none.
// CHECK-LABEL: func.func @four_each
// CHECK: #fuse.rows<threads = 64, vector = 8, rows_per_block = 8, hold = registers>
func.func @four_each(%x: tensor<?x200xbf16>, %w: tensor<200xbf16>, %b: tensor<200xbf16>) -> tensor<?x200xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x200xbf16>, tensor<200xbf16>, tensor<200xbf16>
  return %y : tensor<?x200xbf16>
}

// -----

// 31 vectors: one each would fill a warp, but two each are faster.
// CHECK-LABEL: func.func @not_one_each
// CHECK: #fuse.rows<threads = 64, vector = 8, rows_per_block = 4, hold = registers>
func.func @not_one_each(%x: tensor<?x248xbf16>, %w: tensor<248xbf16>, %b: tensor<248xbf16>) -> tensor<?x248xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x248xbf16>, tensor<248xbf16>, tensor<248xbf16>
  return %y : tensor<?x248xbf16>
}

// -----

// Exponentials are worth more threads.
// CHECK-LABEL: func.func @two_each
// CHECK: #fuse.rows<threads = 64, vector = 8, rows_per_block = 4, hold = registers>
func.func @two_each(%x: tensor<?x200xbf16>) -> tensor<?x200xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x200xbf16>
  return %y : tensor<?x200xbf16>
}

// -----

// One each where that fills a power of two.
// CHECK-LABEL: func.func @one_each
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 4, hold = registers>
func.func @one_each(%x: tensor<?x256xbf16>) -> tensor<?x256xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x256xbf16>
  return %y : tensor<?x256xbf16>
}

// -----

// 25 vectors of a light row are for 16 threads; 29 are for 32.
// CHECK-LABEL: func.func @light
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers>
func.func @light(%x: tensor<?x100xf32>, %w: tensor<100xf32>) -> tensor<?x100xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x100xf32>, tensor<100xf32>
  return %y : tensor<?x100xf32>
}

// -----

// CHECK-LABEL: func.func @nearly_full
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 4, hold = registers>
func.func @nearly_full(%x: tensor<?x116xf32>, %w: tensor<116xf32>) -> tensor<?x116xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x116xf32>, tensor<116xf32>
  return %y : tensor<?x116xf32>
}
