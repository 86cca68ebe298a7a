// RUN: fuse-opt %s -split-input-file -fuse-assign-schedules=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-assign-schedules=chip=sm_120 | FileCheck %s --check-prefix=SMALLER

// Rows of two inputs that are read once, and steps whose copies run ahead. In
// short rows the steps are small; where they leave something over, of 16-bit elements, blocks
// are, too.
// CHECK-LABEL: func.func @short_rows
// CHECK: #fuse.rows<
func.func @short_rows(%x: tensor<?x12288xbf16>, %y: tensor<?x12288xbf16>) -> tensor<?x1xbf16> {
  %z = fuse.kernel "k" ins(%x, %y : tensor<?x12288xbf16>, tensor<?x12288xbf16>) -> tensor<?x1xbf16> {
  ^bb0(%a: tensor<?x12288xbf16>, %b: tensor<?x12288xbf16>):
    %p = fuse.mul %a, %b : tensor<?x12288xbf16>
    %s = fuse.reduce max %p dims = [1] keep : tensor<?x12288xbf16> -> tensor<?x1xbf16>
    fuse.yield %s : tensor<?x1xbf16>
  }
  return %z : tensor<?x1xbf16>
}

// -----

// CHECK-LABEL: func.func @rest
// CHECK: #fuse.rows<
func.func @rest(%x: tensor<?x20000xbf16>, %y: tensor<?x20000xbf16>) -> tensor<?x1xbf16> {
  %z = fuse.kernel "k" ins(%x, %y : tensor<?x20000xbf16>, tensor<?x20000xbf16>) -> tensor<?x1xbf16> {
  ^bb0(%a: tensor<?x20000xbf16>, %b: tensor<?x20000xbf16>):
    %p = fuse.mul %a, %b : tensor<?x20000xbf16>
    %s = fuse.reduce max %p dims = [1] keep : tensor<?x20000xbf16> -> tensor<?x1xbf16>
    fuse.yield %s : tensor<?x1xbf16>
  }
  return %z : tensor<?x1xbf16>
}

// -----

// CHECK-LABEL: func.func @words
// CHECK: #fuse.rows<
func.func @words(%x: tensor<?x16384xf32>, %y: tensor<?x16384xf32>) -> tensor<?x1xf32> {
  %z = fuse.kernel "k" ins(%x, %y : tensor<?x16384xf32>, tensor<?x16384xf32>) -> tensor<?x1xf32> {
  ^bb0(%a: tensor<?x16384xf32>, %b: tensor<?x16384xf32>):
    %p = fuse.mul %a, %b : tensor<?x16384xf32>
    %s = fuse.reduce max %p dims = [1] keep : tensor<?x16384xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %z : tensor<?x1xf32>
}

// -----

// CHECK-LABEL: func.func @rest_of_words
// CHECK: #fuse.rows<
func.func @rest_of_words(%x: tensor<?x20000xf32>, %y: tensor<?x20000xf32>) -> tensor<?x1xf32> {
  %z = fuse.kernel "k" ins(%x, %y : tensor<?x20000xf32>, tensor<?x20000xf32>) -> tensor<?x1xf32> {
  ^bb0(%a: tensor<?x20000xf32>, %b: tensor<?x20000xf32>):
    %p = fuse.mul %a, %b : tensor<?x20000xf32>
    %s = fuse.reduce max %p dims = [1] keep : tensor<?x20000xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %z : tensor<?x1xf32>
}

// -----

// Long ones have larger steps; more inputs have no room.
// CHECK-LABEL: func.func @two_inputs
// CHECK: #fuse.rows<
func.func @two_inputs(%x: tensor<?x65536xbf16>, %y: tensor<?x65536xbf16>) -> tensor<?x1xbf16> {
  %z = fuse.kernel "k" ins(%x, %y : tensor<?x65536xbf16>, tensor<?x65536xbf16>) -> tensor<?x1xbf16> {
  ^bb0(%a: tensor<?x65536xbf16>, %b: tensor<?x65536xbf16>):
    %p = fuse.mul %a, %b : tensor<?x65536xbf16>
    %s = fuse.reduce sum %p dims = [1] keep : tensor<?x65536xbf16> -> tensor<?x1xbf16>
    fuse.yield %s : tensor<?x1xbf16>
  }
  return %z : tensor<?x1xbf16>
}

// -----

// CHECK-LABEL: func.func @three_inputs
// CHECK: #fuse.rows<
func.func @three_inputs(%x: tensor<?x65536xbf16>, %y: tensor<?x65536xbf16>, %z: tensor<?x65536xbf16>) -> tensor<?x1xbf16> {
  %w = fuse.kernel "k" ins(%x, %y, %z : tensor<?x65536xbf16>, tensor<?x65536xbf16>, tensor<?x65536xbf16>) -> tensor<?x1xbf16> {
  ^bb0(%a: tensor<?x65536xbf16>, %b: tensor<?x65536xbf16>, %c: tensor<?x65536xbf16>):
    %p = fuse.mul %a, %b : tensor<?x65536xbf16>
    %q = fuse.mul %p, %c : tensor<?x65536xbf16>
    %s = fuse.reduce sum %q dims = [1] keep : tensor<?x65536xbf16> -> tensor<?x1xbf16>
    fuse.yield %s : tensor<?x1xbf16>
  }
  return %w : tensor<?x1xbf16>
}

// -----

// What no input streams has nothing to copy.
// CHECK-LABEL: func.func @no_streamed_input
// CHECK: #fuse.rows<
func.func @no_streamed_input(%x: tensor<9000x1xf32>, %w: tensor<1x65536xf32>) -> tensor<9000x1xf32> {
  %y = fuse.kernel "k" ins(%x, %w : tensor<9000x1xf32>, tensor<1x65536xf32>) -> tensor<9000x1xf32> {
  ^bb0(%a: tensor<9000x1xf32>, %b: tensor<1x65536xf32>):
    %p = fuse.mul %a, %b : tensor<9000x1xf32>, tensor<1x65536xf32> -> tensor<9000x65536xf32>
    %s = fuse.reduce max %p dims = [1] keep : tensor<9000x65536xf32> -> tensor<9000x1xf32>
    fuse.yield %s : tensor<9000x1xf32>
  }
  return %y : tensor<9000x1xf32>
}

// -----

// CHECK-LABEL: func.func @no_streamed_columns
// CHECK: #fuse.columns<
// CHECK-NOT: stages
// CHECK: fuse.reduce
func.func @no_streamed_columns(%x: tensor<9000x1xf32>, %w: tensor<1x65536xf32>) -> tensor<1x65536xf32> {
  %y = fuse.kernel "k" ins(%x, %w : tensor<9000x1xf32>, tensor<1x65536xf32>) -> tensor<1x65536xf32> {
  ^bb0(%a: tensor<9000x1xf32>, %b: tensor<1x65536xf32>):
    %p = fuse.mul %a, %b : tensor<9000x1xf32>, tensor<1x65536xf32> -> tensor<9000x65536xf32>
    %s = fuse.reduce max %p dims = [0] keep : tensor<9000x65536xf32> -> tensor<1x65536xf32>
    fuse.yield %s : tensor<1x65536xf32>
  }
  return %y : tensor<1x65536xf32>
}

// -----

// Of rows this long the threads leave the least part of a step over, if there is
// room for another block.
// SMALLER-LABEL: func.func @least_left
// SMALLER: #fuse.rows<
// CHECK-LABEL: func.func @least_left
// CHECK: #fuse.rows<
func.func @least_left(%x: tensor<?x151936xbf16>) -> tensor<?x1xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x151936xbf16>) -> tensor<?x1xbf16> {
  ^bb0(%a: tensor<?x151936xbf16>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x151936xbf16> -> tensor<?x1xbf16>
    fuse.yield %s : tensor<?x1xbf16>
  }
  return %y : tensor<?x1xbf16>
}

// -----

// CHECK-LABEL: func.func @none_left
// CHECK: #fuse.rows<
func.func @none_left(%x: tensor<?x100352xbf16>) -> tensor<?x1xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x100352xbf16>) -> tensor<?x1xbf16> {
  ^bb0(%a: tensor<?x100352xbf16>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x100352xbf16> -> tensor<?x1xbf16>
    fuse.yield %s : tensor<?x1xbf16>
  }
  return %y : tensor<?x1xbf16>
}
