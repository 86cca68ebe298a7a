// RUN: fuse-opt %s -split-input-file -fuse-form -fuse-schedule | FileCheck %s

// Each thread has four whole vectors, instead of 256 two or three.
// CHECK-LABEL: func.func @whole_vectors
// CHECK: #fuse.rows<threads = 160, vector = 8, rows_per_block = 1, hold = cache>
func.func @whole_vectors(%x: tensor<?x5120xbf16>, %w: tensor<5120xbf16>, %b: tensor<5120xbf16>) -> tensor<?x5120xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x5120xbf16>, tensor<5120xbf16>, tensor<5120xbf16>
  return %y : tensor<?x5120xbf16>
}

// -----

// CHECK-LABEL: func.func @words
// CHECK: #fuse.rows<threads = 320, vector = 4, rows_per_block = 1, hold = cache>
func.func @words(%x: tensor<?x2560xf32>) -> tensor<?x2560xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x2560xf32>
  return %y : tensor<?x2560xf32>
}

// -----

// Where little is to be computed as many threads as have two or more.
// CHECK-LABEL: func.func @light
// CHECK: #fuse.rows<threads = 320, vector = 8, rows_per_block = 1, hold = cache>
func.func @light(%x: tensor<?x5120xbf16>, %w: tensor<5120xbf16>) -> tensor<?x5120xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x5120xbf16>, tensor<5120xbf16>
  return %y : tensor<?x5120xbf16>
}

// -----

// Not 448 of two each, for which registers have less room.
// CHECK-LABEL: func.func @few_vectors
// CHECK: #fuse.rows<threads = 224, vector = 4, rows_per_block = 1, hold = cache>
func.func @few_vectors(%x: tensor<?x3584xf32>, %w: tensor<3584xf32>, %b: tensor<3584xf32>) -> tensor<?x3584xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x3584xf32>, tensor<3584xf32>, tensor<3584xf32>
  return %y : tensor<?x3584xf32>
}

// -----

// No whole warps have whole vectors: fewer threads of which some have none.
// CHECK-LABEL: func.func @none_is_near
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = cache>
func.func @none_is_near(%x: tensor<?x2880xf32>) -> tensor<?x2880xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x2880xf32>
  return %y : tensor<?x2880xf32>
}

// -----

// Several inputs keep about as many threads as have their loads in flight, and
// have registers for them;
// CHECK-LABEL: func.func @several_inputs
// CHECK: #fuse.rows<threads = 448, vector = 4, rows_per_block = 1, hold = cache, least_blocks = 1>
func.func @several_inputs(%x: tensor<?x3584xf32>, %r: tensor<?x3584xf32>, %w: tensor<3584xf32>) -> tensor<?x3584xf32> {
  %s = fuse.add %x, %r : tensor<?x3584xf32>
  %y = fuse.rms_norm %s, %w eps = 1.0e-5 : tensor<?x3584xf32>, tensor<3584xf32>
  return %y : tensor<?x3584xf32>
}

// -----

// of longer rows in fewer threads.
// CHECK-LABEL: func.func @several_inputs_have_few_threads
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = cache, least_blocks = 2>
func.func @several_inputs_have_few_threads(%x: tensor<?x5120xf32>, %r: tensor<?x5120xf32>, %w: tensor<5120xf32>) -> tensor<?x5120xf32> {
  %s = fuse.add %x, %r : tensor<?x5120xf32>
  %y = fuse.rms_norm %s, %w eps = 1.0e-5 : tensor<?x5120xf32>, tensor<5120xf32>
  return %y : tensor<?x5120xf32>
}

// -----

// 65 vectors: 16 threads of five, not 64 of which one has two; 75 are for 32.
// CHECK-LABEL: func.func @few_of_a_group
// CHECK: #fuse.rows<threads = 64, vector = 8, rows_per_block = 4, hold = registers>
func.func @few_of_a_group(%x: tensor<?x520xbf16>, %w: tensor<520xbf16>, %b: tensor<520xbf16>) -> tensor<?x520xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x520xbf16>, tensor<520xbf16>, tensor<520xbf16>
  return %y : tensor<?x520xbf16>
}

// -----

// CHECK-LABEL: func.func @fewer_of_a_group
// CHECK: #fuse.rows<threads = 64, vector = 8, rows_per_block = 4, hold = registers>
func.func @fewer_of_a_group(%x: tensor<?x264xbf16>) -> tensor<?x264xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x264xbf16>
  return %y : tensor<?x264xbf16>
}

// -----

// CHECK-LABEL: func.func @fewer_words_of_a_group
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 4, hold = registers>
func.func @fewer_words_of_a_group(%x: tensor<?x264xf32>) -> tensor<?x264xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x264xf32>
  return %y : tensor<?x264xf32>
}

// -----

// Where variances take time, half of the threads without a second vector are
// too many; exponentials have whole warps without.
// CHECK-LABEL: func.func @half_of_a_group
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 2, hold = registers>
func.func @half_of_a_group(%x: tensor<?x1536xbf16>, %w: tensor<1536xbf16>, %b: tensor<1536xbf16>) -> tensor<?x1536xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x1536xbf16>, tensor<1536xbf16>, tensor<1536xbf16>
  return %y : tensor<?x1536xbf16>
}

// -----

// CHECK-LABEL: func.func @whole_warps_without
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
func.func @whole_warps_without(%x: tensor<?x1536xbf16>) -> tensor<?x1536xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x1536xbf16>
  return %y : tensor<?x1536xbf16>
}

// -----

// CHECK-LABEL: func.func @light_group
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
func.func @light_group(%x: tensor<?x1280xbf16>, %w: tensor<1280xbf16>) -> tensor<?x1280xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x1280xbf16>, tensor<1280xbf16>
  return %y : tensor<?x1280xbf16>
}

// -----

// Blocks of two warps where some threads have a vector less.
// CHECK-LABEL: func.func @uneven
// CHECK: #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = registers>
func.func @uneven(%x: tensor<?x1000xbf16>, %w: tensor<1000xbf16>, %b: tensor<1000xbf16>) -> tensor<?x1000xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x1000xbf16>, tensor<1000xbf16>, tensor<1000xbf16>
  return %y : tensor<?x1000xbf16>
}
