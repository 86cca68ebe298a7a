// RUN: fuse-opt %s -split-input-file -fuse-form -fuse-schedule | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form -fuse-schedule=few=true | FileCheck %s --check-prefix=FEW

// Rows that find a mean and a variance at once, as measurements chose them
// (results/sweeps.json.xz).

// In registers two exchanges cost less; a call that moves so few bytes that
// multiprocessors are idle waits for them.
// CHECK-LABEL: func.func @held
// CHECK:         hold = registers>
// CHECK-NOT:     fuse.welford
// CHECK:         fuse.reduce mean
// CHECK:         fuse.reduce mean
// FEW-LABEL: func.func @held
// FEW:         hold = registers, preload = true>
// FEW:         fuse.welford mean
func.func @held(%x: tensor<?x1024xbf16>, %w: tensor<1024xbf16>, %b: tensor<1024xbf16>) -> tensor<?x1024xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x1024xbf16>, tensor<1024xbf16>, tensor<1024xbf16>
  return %y : tensor<?x1024xbf16>
}

// -----

// As many threads as there are keep what each has to find few; a norm without
// variances takes half as many.
// FEW-LABEL: func.func @many_threads
// FEW:         #fuse.rows<threads = 1024, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @many_threads(%x: tensor<64x7168xf32>) -> tensor<64x7168xf32> {
  %y = fuse.layer_norm %x eps = 1.0e-5 : tensor<64x7168xf32>
  return %y : tensor<64x7168xf32>
}

// -----

// FEW-LABEL: func.func @fewer_threads
// FEW:         #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = registers, preload = true>
func.func @fewer_threads(%x: tensor<64x7168xf32>) -> tensor<64x7168xf32> {
  %y = fuse.rms_norm %x eps = 1.0e-5 : tensor<64x7168xf32>
  return %y : tensor<64x7168xf32>
}

// -----

// Beyond 8192 the caches keep a row, with registers for loads ahead:
// CHECK-LABEL: func.func @whole_part
// CHECK:         #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache, least_blocks = 4>
// CHECK:         fuse.welford mean
func.func @whole_part(%x: tensor<?x16384xbf16>, %w: tensor<16384xbf16>, %b: tensor<16384xbf16>) -> tensor<?x16384xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x16384xbf16>, tensor<16384xbf16>, tensor<16384xbf16>
  return %y : tensor<?x16384xbf16>
}

// -----

// and with more threads beyond 19456, if these have whole vectors.
// CHECK-LABEL: func.func @many_threads
// CHECK:         #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = cache, least_blocks = 2>
func.func @many_threads(%x: tensor<?x24576xbf16>, %w: tensor<24576xbf16>, %b: tensor<24576xbf16>) -> tensor<?x24576xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x24576xbf16>, tensor<24576xbf16>, tensor<24576xbf16>
  return %y : tensor<?x24576xbf16>
}

// -----

// CHECK-LABEL: func.func @no_whole_vectors_of_many
// CHECK:         #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 2>
func.func @no_whole_vectors_of_many(%x: tensor<?x22528xbf16>, %w: tensor<22528xbf16>, %b: tensor<22528xbf16>) -> tensor<?x22528xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x22528xbf16>, tensor<22528xbf16>, tensor<22528xbf16>
  return %y : tensor<?x22528xbf16>
}

// -----

// What would be computed again takes the registers.
// CHECK-LABEL: func.func @repeated_work
// CHECK:         #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 2>
func.func @repeated_work(%x: tensor<?x24576xbf16>, %w: tensor<24576xbf16>, %b: tensor<24576xbf16>) -> tensor<?x24576xbf16> {
  %q = fuse.mul %x, %x : tensor<?x24576xbf16>
  %c = fuse.mul %q, %x : tensor<?x24576xbf16>
  %s = fuse.add %c, %x : tensor<?x24576xbf16>
  %y = fuse.layer_norm %s, %w, %b eps = 1.0e-5 : tensor<?x24576xbf16>, tensor<24576xbf16>, tensor<24576xbf16>
  return %y : tensor<?x24576xbf16>
}

// -----

// And so does what takes long after them.
// CHECK-LABEL: func.func @long_ops
// CHECK:         #fuse.rows<threads = 192, vector = 8, rows_per_block = 1, hold = shared, preload = true, copy_groups = 1>
func.func @long_ops(%x: tensor<?x12288xbf16>, %w: tensor<12288xbf16>, %b: tensor<12288xbf16>) -> tensor<?x12288xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x12288xbf16>, tensor<12288xbf16>, tensor<12288xbf16>
  %s = fuse.sin %y : tensor<?x12288xbf16>
  return %s : tensor<?x12288xbf16>
}

// -----

// Up to 8192 shared memory has a row, with its weights before it is there, where the
// caches' threads have no three whole vectors each.
// CHECK-LABEL: func.func @no_whole_vectors
// CHECK:         #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, preload = true, copy_groups = 1>
func.func @no_whole_vectors(%x: tensor<?x6656xbf16>, %w: tensor<6656xbf16>, %b: tensor<6656xbf16>) -> tensor<?x6656xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x6656xbf16>, tensor<6656xbf16>, tensor<6656xbf16>
  return %y : tensor<?x6656xbf16>
}

// -----

// A part that 192 threads have whole vectors of.
// CHECK-LABEL: func.func @wide_part
// CHECK:         #fuse.rows<threads = 192, vector = 8, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 2>
func.func @wide_part(%x: tensor<?x27648xbf16>, %w: tensor<27648xbf16>, %b: tensor<27648xbf16>) -> tensor<?x27648xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x27648xbf16>, tensor<27648xbf16>, tensor<27648xbf16>
  return %y : tensor<?x27648xbf16>
}

// -----

// CHECK-LABEL: func.func @cached
// CHECK:         hold = cache>
// CHECK:         fuse.welford mean
func.func @cached(%x: tensor<?x7168xbf16>, %w: tensor<7168xbf16>, %b: tensor<7168xbf16>) -> tensor<?x7168xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x7168xbf16>, tensor<7168xbf16>, tensor<7168xbf16>
  return %y : tensor<?x7168xbf16>
}

// -----

// Parts of 32 KiB by few threads, which take four vectors a step.
// CHECK-LABEL: func.func @divided
// CHECK:         #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, blocks_per_row = 8>
func.func @divided(%x: tensor<?x131072xbf16>) -> tensor<?x131072xbf16> {
  %y = fuse.layer_norm %x eps = 1.0e-5 : tensor<?x131072xbf16>
  return %y : tensor<?x131072xbf16>
}

// -----

// CHECK-LABEL: func.func @with_rest
// CHECK:         #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, blocks_per_row = 8>
func.func @with_rest(%x: tensor<?x128256xbf16>) -> tensor<?x128256xbf16> {
  %y = fuse.layer_norm %x eps = 1.0e-5 : tensor<?x128256xbf16>
  return %y : tensor<?x128256xbf16>
}

// -----

// CHECK-LABEL: func.func @four_blocks
// CHECK:         #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared, blocks_per_row = 4>
func.func @four_blocks(%x: tensor<?x65536xbf16>) -> tensor<?x65536xbf16> {
  %y = fuse.layer_norm %x eps = 1.0e-5 : tensor<?x65536xbf16>
  return %y : tensor<?x65536xbf16>
}

// -----

// Two vectors a step of rows that start anywhere.
// CHECK-LABEL: func.func @unaligned
// CHECK:         #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = shared, unroll = 2, blocks_per_row = 8>
func.func @unaligned(%x: tensor<?x50257xf32>) -> tensor<?x50257xf32> {
  %y = fuse.layer_norm %x eps = 1.0e-5 : tensor<?x50257xf32>
  return %y : tensor<?x50257xf32>
}

// -----

// One walk less of what is held nowhere.
// CHECK-LABEL: func.func @dynamic
// CHECK:         vector = 8, rows_per_block = 1, hold = loop, unroll = 2>
// CHECK:         fuse.welford mean
func.func @dynamic(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %y = fuse.layer_norm %x eps = 1.0e-5 : tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

// -----

// Blocks share the columns of a variance, as those of a sum.
// CHECK-LABEL: func.func @columns
// CHECK:         #fuse.columns<{{.*}}parts = {{[0-9]+}}>
// CHECK:         fuse.welford mean
func.func @columns(%x: tensor<?x64xf32>) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
  %m = fuse.reduce mean %x dims = [0] keep : tensor<?x64xf32> -> tensor<1x64xf32>
  %d = fuse.sub %x, %m : tensor<?x64xf32>, tensor<1x64xf32> -> tensor<?x64xf32>
  %q = fuse.mul %d, %d : tensor<?x64xf32>
  %v = fuse.reduce mean %q dims = [0] keep : tensor<?x64xf32> -> tensor<1x64xf32>
  return %m, %v : tensor<1x64xf32>, tensor<1x64xf32>
}

// -----

// Of elements whose number no vector is known to divide.
// CHECK-LABEL: func.func @images
// CHECK:         #fuse.columns<threads = 512, vector = 1,
// CHECK:         fuse.welford mean
func.func @images(%x: tensor<?x24x?x?xf16>) -> (tensor<1x24x1x1xf16>, tensor<1x24x1x1xf16>) {
  %m = fuse.reduce mean %x dims = [0, 2, 3] keep : tensor<?x24x?x?xf16> -> tensor<1x24x1x1xf16>
  %d = fuse.sub %x, %m : tensor<?x24x?x?xf16>, tensor<1x24x1x1xf16> -> tensor<?x24x?x?xf16>
  %q = fuse.mul %d, %d : tensor<?x24x?x?xf16>
  %v = fuse.reduce mean %q dims = [0, 2, 3] keep : tensor<?x24x?x?xf16> -> tensor<1x24x1x1xf16>
  return %m, %v : tensor<1x24x1x1xf16>, tensor<1x24x1x1xf16>
}

// -----

// Parts of 32-bit elements with variances are half as large as others.
// CHECK-LABEL: func.func @long_words
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = shared, preload = true, blocks_per_row = 8>
func.func @long_words(%x: tensor<?x24576xf32>, %w: tensor<24576xf32>, %b: tensor<24576xf32>) -> tensor<?x24576xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x24576xf32>, tensor<24576xf32>, tensor<24576xf32>
  return %y : tensor<?x24576xf32>
}
