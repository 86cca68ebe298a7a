// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule="chip=sm_90 small=true" | FileCheck %s

// Rows that no full vector divides, in calls of a few times the L2's size, as measurements
// chose them (results/sweeps.json.xz).

// Exponentials in registers, where all loads of a row start at once.
// CHECK-LABEL: func.func @exponentials(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>
func.func @exponentials(%x: tensor<?x8191xbf16>) -> tensor<?x8191xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x8191xbf16>
  return %y : tensor<?x8191xbf16>
}
// CHECK-LABEL: func.func @more_exponentials(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers>
func.func @more_exponentials(%x: tensor<?x8193xf16>) -> tensor<?x8193xf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x8193xf16>
  return %y : tensor<?x8193xf16>
}
// Up to 16,384 elements.
// CHECK-LABEL: func.func @most_exponentials(
// CHECK: hold = shared
func.func @most_exponentials(%x: tensor<?x16385xbf16>) -> tensor<?x16385xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x16385xbf16>
  return %y : tensor<?x16385xbf16>
}

// Little to compute, and variances, in shared memory.
// CHECK-LABEL: func.func @light(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared>
func.func @light(%x: tensor<?x6143xbf16>, %w: tensor<6143xbf16>) -> tensor<?x6143xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x6143xbf16>, tensor<6143xbf16>
  return %y : tensor<?x6143xbf16>
}
// CHECK-LABEL: func.func @longer_light(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared>
func.func @longer_light(%x: tensor<?x6145xbf16>, %w: tensor<6145xbf16>) -> tensor<?x6145xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x6145xbf16>, tensor<6145xbf16>
  return %y : tensor<?x6145xbf16>
}
// CHECK-LABEL: func.func @long_light(
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared>
func.func @long_light(%x: tensor<?x12001xbf16>, %w: tensor<12001xbf16>) -> tensor<?x12001xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x12001xbf16>, tensor<12001xbf16>
  return %y : tensor<?x12001xbf16>
}
// CHECK-LABEL: func.func @deviations(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared>
func.func @deviations(%x: tensor<?x8191xbf16>, %w: tensor<8191xbf16>, %b: tensor<8191xbf16>) -> tensor<?x8191xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x8191xbf16>, tensor<8191xbf16>, tensor<8191xbf16>
  return %y : tensor<?x8191xbf16>
}
// CHECK-LABEL: func.func @more_deviations(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared>
func.func @more_deviations(%x: tensor<?x8193xbf16>, %w: tensor<8193xbf16>, %b: tensor<8193xbf16>) -> tensor<?x8193xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x8193xbf16>, tensor<8193xbf16>, tensor<8193xbf16>
  return %y : tensor<?x8193xbf16>
}
// CHECK-LABEL: func.func @most_deviations(
// CHECK: blocks_per_row
func.func @most_deviations(%x: tensor<?x16385xbf16>, %w: tensor<16385xbf16>, %b: tensor<16385xbf16>) -> tensor<?x16385xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x16385xbf16>, tensor<16385xbf16>, tensor<16385xbf16>
  return %y : tensor<?x16385xbf16>
}
// CHECK-LABEL: func.func @longest_light(
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared>
func.func @longest_light(%x: tensor<?x32767xbf16>, %w: tensor<32767xbf16>) -> tensor<?x32767xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x32767xbf16>, tensor<32767xbf16>
  return %y : tensor<?x32767xbf16>
}
// CHECK-LABEL: func.func @too_long(
// CHECK: blocks_per_row
func.func @too_long(%x: tensor<?x32769xbf16>, %w: tensor<32769xbf16>) -> tensor<?x32769xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x32769xbf16>, tensor<32769xbf16>
  return %y : tensor<?x32769xbf16>
}

// Two inputs are in registers; none of 32-bit elements, which nobody has measured.
// CHECK-LABEL: func.func @of_two(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers>
func.func @of_two(%x: tensor<?x16383xbf16>, %r: tensor<?x16383xbf16>, %w: tensor<16383xbf16>) -> (tensor<?x16383xbf16>, tensor<?x16383xbf16>) {
  %h = fuse.add %x, %r : tensor<?x16383xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x16383xbf16>, tensor<16383xbf16>
  return %h, %y : tensor<?x16383xbf16>, tensor<?x16383xbf16>
}
// CHECK-LABEL: func.func @long_of_two(
// CHECK: blocks_per_row = 4
func.func @long_of_two(%x: tensor<?x16385xbf16>, %r: tensor<?x16385xbf16>, %w: tensor<16385xbf16>) -> (tensor<?x16385xbf16>, tensor<?x16385xbf16>) {
  %h = fuse.add %x, %r : tensor<?x16385xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x16385xbf16>, tensor<16385xbf16>
  return %h, %y : tensor<?x16385xbf16>, tensor<?x16385xbf16>
}
// CHECK-LABEL: func.func @words_of_two(
// CHECK: hold = cache
func.func @words_of_two(%x: tensor<?x9001xf32>, %r: tensor<?x9001xf32>, %w: tensor<9001xf32>) -> (tensor<?x9001xf32>, tensor<?x9001xf32>) {
  %h = fuse.add %x, %r : tensor<?x9001xf32>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x9001xf32>, tensor<9001xf32>
  return %h, %y : tensor<?x9001xf32>, tensor<?x9001xf32>
}

// 32-bit elements are in registers: 256 threads find exponentials, and 512 the rest of long rows.
// CHECK-LABEL: func.func @exponentials_of_words(
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers>
func.func @exponentials_of_words(%x: tensor<?x16383xf32>) -> tensor<?x16383xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x16383xf32>
  return %y : tensor<?x16383xf32>
}
// CHECK-LABEL: func.func @words(
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers>
func.func @words(%x: tensor<?x8191xf32>, %w: tensor<8191xf32>, %b: tensor<8191xf32>) -> tensor<?x8191xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x8191xf32>, tensor<8191xf32>, tensor<8191xf32>
  return %y : tensor<?x8191xf32>
}
// CHECK-LABEL: func.func @long_words(
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = registers>
func.func @long_words(%x: tensor<?x8193xf32>, %w: tensor<8193xf32>) -> tensor<?x8193xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x8193xf32>, tensor<8193xf32>
  return %y : tensor<?x8193xf32>
}
// CHECK-LABEL: func.func @longest_words(
// CHECK-NOT: hold = registers>
func.func @longest_words(%x: tensor<?x16385xf32>, %w: tensor<16385xf32>) -> tensor<?x16385xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x16385xf32>, tensor<16385xf32>
  return %y : tensor<?x16385xf32>
}

// As in other calls: shorter rows, those that are divided, exponentials beside variances,
// and operations that are repeated for the second walk.
// CHECK-LABEL: func.func @shorter(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers>
func.func @shorter(%x: tensor<?x4095xbf16>, %w: tensor<4095xbf16>) -> tensor<?x4095xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x4095xbf16>, tensor<4095xbf16>
  return %y : tensor<?x4095xbf16>
}
// CHECK-LABEL: func.func @repeated(
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers>
func.func @repeated(%x: tensor<?x7001xbf16>) -> tensor<?x7001xbf16> {
  %t = fuse.gelu tanh %x : tensor<?x7001xbf16>
  %y = fuse.softmax %t dims = [1] : tensor<?x7001xbf16>
  return %y : tensor<?x7001xbf16>
}
// CHECK-LABEL: func.func @divided(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = cache>
func.func @divided(%x: tensor<?x9001xbf16>) -> tensor<?x9001xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x9001xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %x, %m : tensor<?x9001xbf16>, tensor<?x1xbf16> -> tensor<?x9001xbf16>
  return %y : tensor<?x9001xbf16>
}
// CHECK-LABEL: func.func @narrowed_words(
// CHECK-NOT: rows_per_block = 1, hold = registers>
func.func @narrowed_words(%x: tensor<?x9001xf32>) -> tensor<?x9001xbf16> {
  %s = fuse.softmax %x dims = [1] : tensor<?x9001xf32>
  %y = fuse.cast %s : tensor<?x9001xf32> -> tensor<?x9001xbf16>
  return %y : tensor<?x9001xbf16>
}
