// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 | FileCheck %s

// Of 32-bit elements only the shortest rows are bound by more than memory.
// CHECK-LABEL: func.func @rms_f32_21(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 64, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @rms_f32_21(%x: tensor<?x21xf32>, %w: tensor<21xf32>) -> tensor<?x21xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x21xf32>, tensor<21xf32>
  return %y : tensor<?x21xf32>
}
// CHECK-LABEL: func.func @rms_f32_33(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @rms_f32_33(%x: tensor<?x33xf32>, %w: tensor<33xf32>) -> tensor<?x33xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x33xf32>, tensor<33xf32>
  return %y : tensor<?x33xf32>
}
// CHECK-LABEL: func.func @rms_f32_49(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @rms_f32_49(%x: tensor<?x49xf32>, %w: tensor<49xf32>) -> tensor<?x49xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x49xf32>, tensor<49xf32>
  return %y : tensor<?x49xf32>
}
// CHECK-LABEL: func.func @rms_f32_77(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers>
func.func @rms_f32_77(%x: tensor<?x77xf32>, %w: tensor<77xf32>) -> tensor<?x77xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x77xf32>, tensor<77xf32>
  return %y : tensor<?x77xf32>
}
// CHECK-LABEL: func.func @ln_f32_21(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 64, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @ln_f32_21(%x: tensor<?x21xf32>, %w: tensor<21xf32>, %b: tensor<21xf32>) -> tensor<?x21xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x21xf32>, tensor<21xf32>, tensor<21xf32>
  return %y : tensor<?x21xf32>
}
// CHECK-LABEL: func.func @ln_f32_49(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @ln_f32_49(%x: tensor<?x49xf32>, %w: tensor<49xf32>, %b: tensor<49xf32>) -> tensor<?x49xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x49xf32>, tensor<49xf32>, tensor<49xf32>
  return %y : tensor<?x49xf32>
}
// CHECK-LABEL: func.func @lse_f32_21(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 128, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @lse_f32_21(%x: tensor<?x21xf32>) -> tensor<?xf32> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x21xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func @lse_f32_33(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers>
func.func @lse_f32_33(%x: tensor<?x33xf32>) -> tensor<?xf32> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x33xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func @softmax_f32_33(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers>
func.func @softmax_f32_33(%x: tensor<?x33xf32>) -> tensor<?x33xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x33xf32>
  return %y : tensor<?x33xf32>
}
// CHECK-LABEL: func.func @q_f32_19(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 64, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @q_f32_19(%x: tensor<?x19xf32>) -> tensor<?x19xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x19xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x19xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x19xf32>, tensor<?x1xf32> -> tensor<?x19xf32>
  %q = fuse.cast %d : tensor<?x19xf32> -> tensor<?x19xf8E4M3FN>
  return %q : tensor<?x19xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_f32_21(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 64, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @q_f32_21(%x: tensor<?x21xf32>) -> tensor<?x21xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x21xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x21xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x21xf32>, tensor<?x1xf32> -> tensor<?x21xf32>
  %q = fuse.cast %d : tensor<?x21xf32> -> tensor<?x21xf8E4M3FN>
  return %q : tensor<?x21xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_f32_33(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @q_f32_33(%x: tensor<?x33xf32>) -> tensor<?x33xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x33xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x33xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x33xf32>, tensor<?x1xf32> -> tensor<?x33xf32>
  %q = fuse.cast %d : tensor<?x33xf32> -> tensor<?x33xf8E4M3FN>
  return %q : tensor<?x33xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_f32_50(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4>
func.func @q_f32_50(%x: tensor<?x50xf32>) -> tensor<?x50xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x50xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x50xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x50xf32>, tensor<?x1xf32> -> tensor<?x50xf32>
  %q = fuse.cast %d : tensor<?x50xf32> -> tensor<?x50xf8E4M3FN>
  return %q : tensor<?x50xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_f32_77(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @q_f32_77(%x: tensor<?x77xf32>) -> tensor<?x77xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x77xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x77xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x77xf32>, tensor<?x1xf32> -> tensor<?x77xf32>
  %q = fuse.cast %d : tensor<?x77xf32> -> tensor<?x77xf8E4M3FN>
  return %q : tensor<?x77xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_f32_110(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @q_f32_110(%x: tensor<?x110xf32>) -> tensor<?x110xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x110xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x110xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x110xf32>, tensor<?x1xf32> -> tensor<?x110xf32>
  %q = fuse.cast %d : tensor<?x110xf32> -> tensor<?x110xf8E4M3FN>
  return %q : tensor<?x110xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_f32_150(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 16, hold = registers, least_blocks = 4>
func.func @q_f32_150(%x: tensor<?x150xf32>) -> tensor<?x150xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x150xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x150xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x150xf32>, tensor<?x1xf32> -> tensor<?x150xf32>
  %q = fuse.cast %d : tensor<?x150xf32> -> tensor<?x150xf8E4M3FN>
  return %q : tensor<?x150xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_f32_170(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers, least_blocks = 4>
func.func @q_f32_170(%x: tensor<?x170xf32>) -> tensor<?x170xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x170xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x170xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x170xf32>, tensor<?x1xf32> -> tensor<?x170xf32>
  %q = fuse.cast %d : tensor<?x170xf32> -> tensor<?x170xf8E4M3FN>
  return %q : tensor<?x170xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_f32_44(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers>
func.func @q_f32_44(%x: tensor<?x44xf32>) -> tensor<?x44xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x44xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x44xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x44xf32>, tensor<?x1xf32> -> tensor<?x44xf32>
  %q = fuse.cast %d : tensor<?x44xf32> -> tensor<?x44xf8E4M3FN>
  return %q : tensor<?x44xf8E4M3FN>
}
// CHECK-LABEL: func.func @add_f32_33(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @add_f32_33(%x: tensor<?x33xf32>, %r: tensor<?x33xf32>, %w: tensor<33xf32>) -> (tensor<?x33xf32>, tensor<?x33xf32>) {
  %h = fuse.add %x, %r : tensor<?x33xf32>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x33xf32>, tensor<33xf32>
  return %h, %y : tensor<?x33xf32>, tensor<?x33xf32>
}
// CHECK-LABEL: func.func @add_f32_37(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 16, hold = registers, least_blocks = 4>
func.func @add_f32_37(%x: tensor<?x37xf32>, %r: tensor<?x37xf32>, %w: tensor<37xf32>) -> (tensor<?x37xf32>, tensor<?x37xf32>) {
  %h = fuse.add %x, %r : tensor<?x37xf32>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x37xf32>, tensor<37xf32>
  return %h, %y : tensor<?x37xf32>, tensor<?x37xf32>
}
// CHECK-LABEL: func.func @add_f32_49(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 8, hold = registers>
func.func @add_f32_49(%x: tensor<?x49xf32>, %r: tensor<?x49xf32>, %w: tensor<49xf32>) -> (tensor<?x49xf32>, tensor<?x49xf32>) {
  %h = fuse.add %x, %r : tensor<?x49xf32>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x49xf32>, tensor<49xf32>
  return %h, %y : tensor<?x49xf32>, tensor<?x49xf32>
}
