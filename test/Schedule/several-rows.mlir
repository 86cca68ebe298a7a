// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 | FileCheck %s
// RUN: fuse inspect %s --entry add_bf16_100 --chip sm_90 --emit=stats | FileCheck %s --check-prefix=STATS
// STATS: loads {{.*}} x v4.b32
// STATS: stores {{.*}} x v4.b32
// STATS: spills 0 bytes

// In large calls of short rows that full vectors do not divide a thread has several rows,
// or one with registers for all of its loads.

// Where little is computed, two rows of each thread; of the shortest one, but four where
// no edges are left.
// CHECK-LABEL: func.func @rms_bf16_20(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 64, hold = registers, least_blocks = 4>
func.func @rms_bf16_20(%x: tensor<?x20xbf16>, %w: tensor<20xbf16>) -> tensor<?x20xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x20xbf16>, tensor<20xbf16>
  return %y : tensor<?x20xbf16>
}
// CHECK-LABEL: func.func @rms_bf16_27(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4>
func.func @rms_bf16_27(%x: tensor<?x27xbf16>, %w: tensor<27xbf16>) -> tensor<?x27xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x27xbf16>, tensor<27xbf16>
  return %y : tensor<?x27xbf16>
}
// CHECK-LABEL: func.func @rms_bf16_26(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 128, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @rms_bf16_26(%x: tensor<?x26xbf16>, %w: tensor<26xbf16>) -> tensor<?x26xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x26xbf16>, tensor<26xbf16>
  return %y : tensor<?x26xbf16>
}
// CHECK-LABEL: func.func @rms_bf16_33(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @rms_bf16_33(%x: tensor<?x33xbf16>, %w: tensor<33xbf16>) -> tensor<?x33xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x33xbf16>, tensor<33xbf16>
  return %y : tensor<?x33xbf16>
}
// CHECK-LABEL: func.func @rms_bf16_58(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @rms_bf16_58(%x: tensor<?x58xbf16>, %w: tensor<58xbf16>) -> tensor<?x58xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x58xbf16>, tensor<58xbf16>
  return %y : tensor<?x58xbf16>
}
// CHECK-LABEL: func.func @rms_bf16_63(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @rms_bf16_63(%x: tensor<?x63xbf16>, %w: tensor<63xbf16>) -> tensor<?x63xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x63xbf16>, tensor<63xbf16>
  return %y : tensor<?x63xbf16>
}
// CHECK-LABEL: func.func @rms_bf16_71(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @rms_bf16_71(%x: tensor<?x71xbf16>, %w: tensor<71xbf16>) -> tensor<?x71xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x71xbf16>, tensor<71xbf16>
  return %y : tensor<?x71xbf16>
}
// CHECK-LABEL: func.func @rms_bf16_100(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @rms_bf16_100(%x: tensor<?x100xbf16>, %w: tensor<100xbf16>) -> tensor<?x100xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x100xbf16>, tensor<100xbf16>
  return %y : tensor<?x100xbf16>
}
// CHECK-LABEL: func.func @rms_bf16_77(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @rms_bf16_77(%x: tensor<?x77xbf16>, %w: tensor<77xbf16>) -> tensor<?x77xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x77xbf16>, tensor<77xbf16>
  return %y : tensor<?x77xbf16>
}
// CHECK-LABEL: func.func @rms_bf16_141(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @rms_bf16_141(%x: tensor<?x141xbf16>, %w: tensor<141xbf16>) -> tensor<?x141xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x141xbf16>, tensor<141xbf16>
  return %y : tensor<?x141xbf16>
}
// CHECK-LABEL: func.func @rms_bf16_150(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @rms_bf16_150(%x: tensor<?x150xbf16>, %w: tensor<150xbf16>) -> tensor<?x150xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x150xbf16>, tensor<150xbf16>
  return %y : tensor<?x150xbf16>
}
// CHECK-LABEL: func.func @rms_bf16_196(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @rms_bf16_196(%x: tensor<?x196xbf16>, %w: tensor<196xbf16>) -> tensor<?x196xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x196xbf16>, tensor<196xbf16>
  return %y : tensor<?x196xbf16>
}
// CHECK-LABEL: func.func @rms_bf16_290(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 8, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @rms_bf16_290(%x: tensor<?x290xbf16>, %w: tensor<290xbf16>) -> tensor<?x290xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x290xbf16>, tensor<290xbf16>
  return %y : tensor<?x290xbf16>
}
// CHECK-LABEL: func.func @rms_bf16_52(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @rms_bf16_52(%x: tensor<?x52xbf16>, %w: tensor<52xbf16>) -> tensor<?x52xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x52xbf16>, tensor<52xbf16>
  return %y : tensor<?x52xbf16>
}
// CHECK-LABEL: func.func @rms_bf16_68(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @rms_bf16_68(%x: tensor<?x68xbf16>, %w: tensor<68xbf16>) -> tensor<?x68xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x68xbf16>, tensor<68xbf16>
  return %y : tensor<?x68xbf16>
}

// Without weights, only where a thread has more.
// CHECK-LABEL: func.func @l2_bf16_49(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4>
func.func @l2_bf16_49(%x: tensor<?x49xbf16>) -> tensor<?x49xbf16> {
  %q = fuse.mul %x, %x : tensor<?x49xbf16>
  %s = fuse.reduce sum %q dims = [1] keep : tensor<?x49xbf16> -> tensor<?x1xbf16>
  %r = fuse.rsqrt %s : tensor<?x1xbf16>
  %y = fuse.mul %x, %r : tensor<?x49xbf16>, tensor<?x1xbf16> -> tensor<?x49xbf16>
  return %y : tensor<?x49xbf16>
}
// CHECK-LABEL: func.func @l2_bf16_77(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @l2_bf16_77(%x: tensor<?x77xbf16>) -> tensor<?x77xbf16> {
  %q = fuse.mul %x, %x : tensor<?x77xbf16>
  %s = fuse.reduce sum %q dims = [1] keep : tensor<?x77xbf16> -> tensor<?x1xbf16>
  %r = fuse.rsqrt %s : tensor<?x1xbf16>
  %y = fuse.mul %x, %r : tensor<?x77xbf16>, tensor<?x1xbf16> -> tensor<?x77xbf16>
  return %y : tensor<?x77xbf16>
}

// Vectors that are cut for weights are cut once for four rows.
// CHECK-LABEL: func.func @ln_bf16_26(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 128, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @ln_bf16_26(%x: tensor<?x26xbf16>, %w: tensor<26xbf16>, %b: tensor<26xbf16>) -> tensor<?x26xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x26xbf16>, tensor<26xbf16>, tensor<26xbf16>
  return %y : tensor<?x26xbf16>
}
// CHECK-LABEL: func.func @ln_bf16_27(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 64, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @ln_bf16_27(%x: tensor<?x27xbf16>, %w: tensor<27xbf16>, %b: tensor<27xbf16>) -> tensor<?x27xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x27xbf16>, tensor<27xbf16>, tensor<27xbf16>
  return %y : tensor<?x27xbf16>
}
// CHECK-LABEL: func.func @ln_bf16_49(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 64, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @ln_bf16_49(%x: tensor<?x49xbf16>, %w: tensor<49xbf16>, %b: tensor<49xbf16>) -> tensor<?x49xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x49xbf16>, tensor<49xbf16>, tensor<49xbf16>
  return %y : tensor<?x49xbf16>
}
// CHECK-LABEL: func.func @ln_bf16_71(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @ln_bf16_71(%x: tensor<?x71xbf16>, %w: tensor<71xbf16>, %b: tensor<71xbf16>) -> tensor<?x71xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x71xbf16>, tensor<71xbf16>, tensor<71xbf16>
  return %y : tensor<?x71xbf16>
}
// CHECK-LABEL: func.func @ln_bf16_77(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @ln_bf16_77(%x: tensor<?x77xbf16>, %w: tensor<77xbf16>, %b: tensor<77xbf16>) -> tensor<?x77xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x77xbf16>, tensor<77xbf16>, tensor<77xbf16>
  return %y : tensor<?x77xbf16>
}
// CHECK-LABEL: func.func @ln_bf16_83(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers>
func.func @ln_bf16_83(%x: tensor<?x83xbf16>, %w: tensor<83xbf16>, %b: tensor<83xbf16>) -> tensor<?x83xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x83xbf16>, tensor<83xbf16>, tensor<83xbf16>
  return %y : tensor<?x83xbf16>
}
// CHECK-LABEL: func.func @ln_bf16_100(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @ln_bf16_100(%x: tensor<?x100xbf16>, %w: tensor<100xbf16>, %b: tensor<100xbf16>) -> tensor<?x100xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x100xbf16>, tensor<100xbf16>, tensor<100xbf16>
  return %y : tensor<?x100xbf16>
}
// CHECK-LABEL: func.func @ln_bf16_68(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @ln_bf16_68(%x: tensor<?x68xbf16>, %w: tensor<68xbf16>, %b: tensor<68xbf16>) -> tensor<?x68xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x68xbf16>, tensor<68xbf16>, tensor<68xbf16>
  return %y : tensor<?x68xbf16>
}
// CHECK-LABEL: func.func @ln_bf16_166(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @ln_bf16_166(%x: tensor<?x166xbf16>, %w: tensor<166xbf16>, %b: tensor<166xbf16>) -> tensor<?x166xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x166xbf16>, tensor<166xbf16>, tensor<166xbf16>
  return %y : tensor<?x166xbf16>
}
// CHECK-LABEL: func.func @ln_bf16_196(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @ln_bf16_196(%x: tensor<?x196xbf16>, %w: tensor<196xbf16>, %b: tensor<196xbf16>) -> tensor<?x196xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x196xbf16>, tensor<196xbf16>, tensor<196xbf16>
  return %y : tensor<?x196xbf16>
}
// CHECK-LABEL: func.func @ln_bf16_197(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @ln_bf16_197(%x: tensor<?x197xbf16>, %w: tensor<197xbf16>, %b: tensor<197xbf16>) -> tensor<?x197xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x197xbf16>, tensor<197xbf16>, tensor<197xbf16>
  return %y : tensor<?x197xbf16>
}
// CHECK-LABEL: func.func @ln_bf16_257(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @ln_bf16_257(%x: tensor<?x257xbf16>, %w: tensor<257xbf16>, %b: tensor<257xbf16>) -> tensor<?x257xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x257xbf16>, tensor<257xbf16>, tensor<257xbf16>
  return %y : tensor<?x257xbf16>
}
// CHECK-LABEL: func.func @ln_bf16_290(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @ln_bf16_290(%x: tensor<?x290xbf16>, %w: tensor<290xbf16>, %b: tensor<290xbf16>) -> tensor<?x290xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x290xbf16>, tensor<290xbf16>, tensor<290xbf16>
  return %y : tensor<?x290xbf16>
}

// Without weights two rows have less to save.
// CHECK-LABEL: func.func @dev_bf16_49(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @dev_bf16_49(%x: tensor<?x49xbf16>) -> tensor<?x49xbf16> {
  %m = fuse.reduce mean %x dims = [1] keep : tensor<?x49xbf16> -> tensor<?x1xbf16>
  %d = fuse.sub %x, %m : tensor<?x49xbf16>, tensor<?x1xbf16> -> tensor<?x49xbf16>
  %q = fuse.mul %d, %d : tensor<?x49xbf16>
  %v = fuse.reduce mean %q dims = [1] keep : tensor<?x49xbf16> -> tensor<?x1xbf16>
  %s = fuse.rsqrt %v : tensor<?x1xbf16>
  %y = fuse.mul %d, %s : tensor<?x49xbf16>, tensor<?x1xbf16> -> tensor<?x49xbf16>
  return %y : tensor<?x49xbf16>
}
// CHECK-LABEL: func.func @dev_bf16_77(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @dev_bf16_77(%x: tensor<?x77xbf16>) -> tensor<?x77xbf16> {
  %m = fuse.reduce mean %x dims = [1] keep : tensor<?x77xbf16> -> tensor<?x1xbf16>
  %d = fuse.sub %x, %m : tensor<?x77xbf16>, tensor<?x1xbf16> -> tensor<?x77xbf16>
  %q = fuse.mul %d, %d : tensor<?x77xbf16>
  %v = fuse.reduce mean %q dims = [1] keep : tensor<?x77xbf16> -> tensor<?x1xbf16>
  %s = fuse.rsqrt %v : tensor<?x1xbf16>
  %y = fuse.mul %d, %s : tensor<?x77xbf16>, tensor<?x1xbf16> -> tensor<?x77xbf16>
  return %y : tensor<?x77xbf16>
}
// CHECK-LABEL: func.func @dev_bf16_83(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers>
func.func @dev_bf16_83(%x: tensor<?x83xbf16>) -> tensor<?x83xbf16> {
  %m = fuse.reduce mean %x dims = [1] keep : tensor<?x83xbf16> -> tensor<?x1xbf16>
  %d = fuse.sub %x, %m : tensor<?x83xbf16>, tensor<?x1xbf16> -> tensor<?x83xbf16>
  %q = fuse.mul %d, %d : tensor<?x83xbf16>
  %v = fuse.reduce mean %q dims = [1] keep : tensor<?x83xbf16> -> tensor<?x1xbf16>
  %s = fuse.rsqrt %v : tensor<?x1xbf16>
  %y = fuse.mul %d, %s : tensor<?x83xbf16>, tensor<?x1xbf16> -> tensor<?x83xbf16>
  return %y : tensor<?x83xbf16>
}
// CHECK-LABEL: func.func @dev_bf16_197(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers>
func.func @dev_bf16_197(%x: tensor<?x197xbf16>) -> tensor<?x197xbf16> {
  %m = fuse.reduce mean %x dims = [1] keep : tensor<?x197xbf16> -> tensor<?x1xbf16>
  %d = fuse.sub %x, %m : tensor<?x197xbf16>, tensor<?x1xbf16> -> tensor<?x197xbf16>
  %q = fuse.mul %d, %d : tensor<?x197xbf16>
  %v = fuse.reduce mean %q dims = [1] keep : tensor<?x197xbf16> -> tensor<?x1xbf16>
  %s = fuse.rsqrt %v : tensor<?x1xbf16>
  %y = fuse.mul %d, %s : tensor<?x197xbf16>, tensor<?x1xbf16> -> tensor<?x197xbf16>
  return %y : tensor<?x197xbf16>
}

// Exponentials take registers.
// CHECK-LABEL: func.func @softmax_bf16_26(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 64, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @softmax_bf16_26(%x: tensor<?x26xbf16>) -> tensor<?x26xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x26xbf16>
  return %y : tensor<?x26xbf16>
}
// CHECK-LABEL: func.func @softmax_bf16_33(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers>
func.func @softmax_bf16_33(%x: tensor<?x33xbf16>) -> tensor<?x33xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x33xbf16>
  return %y : tensor<?x33xbf16>
}
// CHECK-LABEL: func.func @softmax_bf16_36(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 64, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @softmax_bf16_36(%x: tensor<?x36xbf16>) -> tensor<?x36xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x36xbf16>
  return %y : tensor<?x36xbf16>
}
// CHECK-LABEL: func.func @softmax_bf16_49(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @softmax_bf16_49(%x: tensor<?x49xbf16>) -> tensor<?x49xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x49xbf16>
  return %y : tensor<?x49xbf16>
}
// CHECK-LABEL: func.func @softmax_bf16_77(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @softmax_bf16_77(%x: tensor<?x77xbf16>) -> tensor<?x77xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x77xbf16>
  return %y : tensor<?x77xbf16>
}
// CHECK-LABEL: func.func @softmax_bf16_83(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers>
func.func @softmax_bf16_83(%x: tensor<?x83xbf16>) -> tensor<?x83xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x83xbf16>
  return %y : tensor<?x83xbf16>
}
// CHECK-LABEL: func.func @softmax_bf16_197(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @softmax_bf16_197(%x: tensor<?x197xbf16>) -> tensor<?x197xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x197xbf16>
  return %y : tensor<?x197xbf16>
}
// CHECK-LABEL: func.func @softmax_bf16_257(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 8, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @softmax_bf16_257(%x: tensor<?x257xbf16>) -> tensor<?x257xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x257xbf16>
  return %y : tensor<?x257xbf16>
}

// What becomes one element a row holds nothing.
// CHECK-LABEL: func.func @lse_bf16_20(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 128, hold = registers>
func.func @lse_bf16_20(%x: tensor<?x20xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x20xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// CHECK-LABEL: func.func @lse_bf16_26(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 256, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @lse_bf16_26(%x: tensor<?x26xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x26xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// CHECK-LABEL: func.func @lse_bf16_36(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 64, hold = registers, least_blocks = 4>
func.func @lse_bf16_36(%x: tensor<?x36xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x36xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// CHECK-LABEL: func.func @lse_bf16_49(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 128, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @lse_bf16_49(%x: tensor<?x49xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x49xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// CHECK-LABEL: func.func @lse_bf16_58(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 64, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @lse_bf16_58(%x: tensor<?x58xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x58xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// CHECK-LABEL: func.func @lse_bf16_68(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 64, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @lse_bf16_68(%x: tensor<?x68xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x68xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// CHECK-LABEL: func.func @lse_bf16_77(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 64, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @lse_bf16_77(%x: tensor<?x77xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x77xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// CHECK-LABEL: func.func @lse_bf16_121(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @lse_bf16_121(%x: tensor<?x121xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x121xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// CHECK-LABEL: func.func @lse_bf16_257(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 16, hold = registers, least_blocks = 4>
func.func @lse_bf16_257(%x: tensor<?x257xbf16>) -> tensor<?xbf16> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x257xbf16> -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}

// Where each row has an input of its own, fewer threads load it.
// CHECK-LABEL: func.func @offset_bf16_77(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 64, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @offset_bf16_77(%x: tensor<?x77xbf16>, %o: tensor<?xbf16>) -> tensor<?xbf16> {
  %l = fuse.logsumexp %x dims = [1] : tensor<?x77xbf16> -> tensor<?xbf16>
  %y = fuse.sub %l, %o : tensor<?xbf16>
  return %y : tensor<?xbf16>
}
// CHECK-LABEL: func.func @offset_bf16_91(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 64, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @offset_bf16_91(%x: tensor<?x91xbf16>, %o: tensor<?xbf16>) -> tensor<?xbf16> {
  %l = fuse.logsumexp %x dims = [1] : tensor<?x91xbf16> -> tensor<?xbf16>
  %y = fuse.sub %l, %o : tensor<?xbf16>
  return %y : tensor<?xbf16>
}

// Eight-bit results.
// CHECK-LABEL: func.func @q_bf16_20(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 64, hold = registers, least_blocks = 4>
func.func @q_bf16_20(%x: tensor<?x20xbf16>) -> tensor<?x20xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x20xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x20xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x20xbf16>, tensor<?x1xbf16> -> tensor<?x20xbf16>
  %q = fuse.cast %d : tensor<?x20xbf16> -> tensor<?x20xf8E4M3FN>
  return %q : tensor<?x20xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_bf16_27(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 128, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @q_bf16_27(%x: tensor<?x27xbf16>) -> tensor<?x27xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x27xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x27xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x27xbf16>, tensor<?x1xbf16> -> tensor<?x27xbf16>
  %q = fuse.cast %d : tensor<?x27xbf16> -> tensor<?x27xf8E4M3FN>
  return %q : tensor<?x27xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_bf16_33(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4>
func.func @q_bf16_33(%x: tensor<?x33xbf16>) -> tensor<?x33xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x33xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x33xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x33xbf16>, tensor<?x1xbf16> -> tensor<?x33xbf16>
  %q = fuse.cast %d : tensor<?x33xbf16> -> tensor<?x33xf8E4M3FN>
  return %q : tensor<?x33xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_bf16_36(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 128, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @q_bf16_36(%x: tensor<?x36xbf16>) -> tensor<?x36xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x36xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x36xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x36xbf16>, tensor<?x1xbf16> -> tensor<?x36xbf16>
  %q = fuse.cast %d : tensor<?x36xbf16> -> tensor<?x36xf8E4M3FN>
  return %q : tensor<?x36xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_bf16_49(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @q_bf16_49(%x: tensor<?x49xbf16>) -> tensor<?x49xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x49xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x49xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x49xbf16>, tensor<?x1xbf16> -> tensor<?x49xbf16>
  %q = fuse.cast %d : tensor<?x49xbf16> -> tensor<?x49xf8E4M3FN>
  return %q : tensor<?x49xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_bf16_60(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, least_blocks = 4>
func.func @q_bf16_60(%x: tensor<?x60xbf16>) -> tensor<?x60xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x60xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x60xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x60xbf16>, tensor<?x1xbf16> -> tensor<?x60xbf16>
  %q = fuse.cast %d : tensor<?x60xbf16> -> tensor<?x60xf8E4M3FN>
  return %q : tensor<?x60xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_bf16_77(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @q_bf16_77(%x: tensor<?x77xbf16>) -> tensor<?x77xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x77xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x77xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x77xbf16>, tensor<?x1xbf16> -> tensor<?x77xbf16>
  %q = fuse.cast %d : tensor<?x77xbf16> -> tensor<?x77xf8E4M3FN>
  return %q : tensor<?x77xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_bf16_83(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @q_bf16_83(%x: tensor<?x83xbf16>) -> tensor<?x83xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x83xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x83xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x83xbf16>, tensor<?x1xbf16> -> tensor<?x83xbf16>
  %q = fuse.cast %d : tensor<?x83xbf16> -> tensor<?x83xf8E4M3FN>
  return %q : tensor<?x83xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_bf16_100(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @q_bf16_100(%x: tensor<?x100xbf16>) -> tensor<?x100xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x100xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x100xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x100xbf16>, tensor<?x1xbf16> -> tensor<?x100xbf16>
  %q = fuse.cast %d : tensor<?x100xbf16> -> tensor<?x100xf8E4M3FN>
  return %q : tensor<?x100xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_bf16_121(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @q_bf16_121(%x: tensor<?x121xbf16>) -> tensor<?x121xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x121xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x121xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x121xbf16>, tensor<?x1xbf16> -> tensor<?x121xbf16>
  %q = fuse.cast %d : tensor<?x121xbf16> -> tensor<?x121xf8E4M3FN>
  return %q : tensor<?x121xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_bf16_141(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 4>
func.func @q_bf16_141(%x: tensor<?x141xbf16>) -> tensor<?x141xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x141xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x141xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x141xbf16>, tensor<?x1xbf16> -> tensor<?x141xbf16>
  %q = fuse.cast %d : tensor<?x141xbf16> -> tensor<?x141xf8E4M3FN>
  return %q : tensor<?x141xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_bf16_150(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @q_bf16_150(%x: tensor<?x150xbf16>) -> tensor<?x150xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x150xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x150xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x150xbf16>, tensor<?x1xbf16> -> tensor<?x150xbf16>
  %q = fuse.cast %d : tensor<?x150xbf16> -> tensor<?x150xf8E4M3FN>
  return %q : tensor<?x150xf8E4M3FN>
}
// CHECK-LABEL: func.func @q_bf16_257(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 16, hold = registers, least_blocks = 4>
func.func @q_bf16_257(%x: tensor<?x257xbf16>) -> tensor<?x257xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x257xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x257xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x257xbf16>, tensor<?x1xbf16> -> tensor<?x257xbf16>
  %q = fuse.cast %d : tensor<?x257xbf16> -> tensor<?x257xf8E4M3FN>
  return %q : tensor<?x257xf8E4M3FN>
}

// Two inputs: one vector for most threads.
// CHECK-LABEL: func.func @add_bf16_20(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @add_bf16_20(%x: tensor<?x20xbf16>, %r: tensor<?x20xbf16>, %w: tensor<20xbf16>) -> (tensor<?x20xbf16>, tensor<?x20xbf16>) {
  %h = fuse.add %x, %r : tensor<?x20xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x20xbf16>, tensor<20xbf16>
  return %h, %y : tensor<?x20xbf16>, tensor<?x20xbf16>
}
// CHECK-LABEL: func.func @add_bf16_33(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 32, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @add_bf16_33(%x: tensor<?x33xbf16>, %r: tensor<?x33xbf16>, %w: tensor<33xbf16>) -> (tensor<?x33xbf16>, tensor<?x33xbf16>) {
  %h = fuse.add %x, %r : tensor<?x33xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x33xbf16>, tensor<33xbf16>
  return %h, %y : tensor<?x33xbf16>, tensor<?x33xbf16>
}
// CHECK-LABEL: func.func @add_bf16_41(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @add_bf16_41(%x: tensor<?x41xbf16>, %r: tensor<?x41xbf16>, %w: tensor<41xbf16>) -> (tensor<?x41xbf16>, tensor<?x41xbf16>) {
  %h = fuse.add %x, %r : tensor<?x41xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x41xbf16>, tensor<41xbf16>
  return %h, %y : tensor<?x41xbf16>, tensor<?x41xbf16>
}
// CHECK-LABEL: func.func @add_bf16_44(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @add_bf16_44(%x: tensor<?x44xbf16>, %r: tensor<?x44xbf16>, %w: tensor<44xbf16>) -> (tensor<?x44xbf16>, tensor<?x44xbf16>) {
  %h = fuse.add %x, %r : tensor<?x44xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x44xbf16>, tensor<44xbf16>
  return %h, %y : tensor<?x44xbf16>, tensor<?x44xbf16>
}
// CHECK-LABEL: func.func @add_bf16_49(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @add_bf16_49(%x: tensor<?x49xbf16>, %r: tensor<?x49xbf16>, %w: tensor<49xbf16>) -> (tensor<?x49xbf16>, tensor<?x49xbf16>) {
  %h = fuse.add %x, %r : tensor<?x49xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x49xbf16>, tensor<49xbf16>
  return %h, %y : tensor<?x49xbf16>, tensor<?x49xbf16>
}
// CHECK-LABEL: func.func @add_bf16_100(
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @add_bf16_100(%x: tensor<?x100xbf16>, %r: tensor<?x100xbf16>, %w: tensor<100xbf16>) -> (tensor<?x100xbf16>, tensor<?x100xbf16>) {
  %h = fuse.add %x, %r : tensor<?x100xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x100xbf16>, tensor<100xbf16>
  return %h, %y : tensor<?x100xbf16>, tensor<?x100xbf16>
}
// CHECK-LABEL: func.func @add_bf16_197(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @add_bf16_197(%x: tensor<?x197xbf16>, %r: tensor<?x197xbf16>, %w: tensor<197xbf16>) -> (tensor<?x197xbf16>, tensor<?x197xbf16>) {
  %h = fuse.add %x, %r : tensor<?x197xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x197xbf16>, tensor<197xbf16>
  return %h, %y : tensor<?x197xbf16>, tensor<?x197xbf16>
}

// With exponentials one row, of narrow vectors.
// CHECK-LABEL: func.func @masked_bf16_27(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers, least_blocks = 4>
func.func @masked_bf16_27(%x: tensor<?x27xbf16>, %k: tensor<?x27xbf16>) -> tensor<?x27xbf16> {
  %h = fuse.add %x, %k : tensor<?x27xbf16>
  %y = fuse.softmax %h dims = [1] : tensor<?x27xbf16>
  return %y : tensor<?x27xbf16>
}
// CHECK-LABEL: func.func @masked_bf16_49(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4>
func.func @masked_bf16_49(%x: tensor<?x49xbf16>, %k: tensor<?x49xbf16>) -> tensor<?x49xbf16> {
  %h = fuse.add %x, %k : tensor<?x49xbf16>
  %y = fuse.softmax %h dims = [1] : tensor<?x49xbf16>
  return %y : tensor<?x49xbf16>
}
// CHECK-LABEL: func.func @masked_bf16_77(
// CHECK: #fuse.rows<threads = 128, vector = 4, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @masked_bf16_77(%x: tensor<?x77xbf16>, %k: tensor<?x77xbf16>) -> tensor<?x77xbf16> {
  %h = fuse.add %x, %k : tensor<?x77xbf16>
  %y = fuse.softmax %h dims = [1] : tensor<?x77xbf16>
  return %y : tensor<?x77xbf16>
}

// The model of time was not fitted to such schedules, and overrules none.
// CHECK-LABEL: func.func @known_bf16_63(
// CHECK: #fuse.rows<threads = 128, vector = 2, rows_per_block = 16, hold = registers, least_blocks = 4, rows_per_thread = 2>
func.func @known_bf16_63(%x: tensor<2113923x63xbf16>, %w: tensor<63xbf16>) -> tensor<2113923x63xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<2113923x63xbf16>, tensor<63xbf16>
  return %y : tensor<2113923x63xbf16>
}
