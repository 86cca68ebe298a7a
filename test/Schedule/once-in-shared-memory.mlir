// RUN: fuse-opt %s -split-input-file -fuse-assign-schedules=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-assign-schedules=chip=sm_120 | FileCheck %s --check-prefix=SMALLER

// Rows that are read once and too long for registers: all copies start at once.
// CHECK-LABEL: func.func @half_the_threads
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared>
func.func @half_the_threads(%x: tensor<?x11008xbf16>) -> tensor<?x1xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x11008xbf16>) -> tensor<?x1xbf16> {
  ^bb0(%a: tensor<?x11008xbf16>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x11008xbf16> -> tensor<?x1xbf16>
    fuse.yield %s : tensor<?x1xbf16>
  }
  return %y : tensor<?x1xbf16>
}

// -----

// CHECK-LABEL: func.func @rest
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared>
func.func @rest(%x: tensor<?x20000xbf16>) -> tensor<?x1xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x20000xbf16>) -> tensor<?x1xbf16> {
  ^bb0(%a: tensor<?x20000xbf16>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x20000xbf16> -> tensor<?x1xbf16>
    fuse.yield %s : tensor<?x1xbf16>
  }
  return %y : tensor<?x1xbf16>
}

// -----

// CHECK-LABEL: func.func @twice_the_threads
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared>
func.func @twice_the_threads(%x: tensor<?x32768xbf16>) -> tensor<?x1xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x32768xbf16>) -> tensor<?x1xbf16> {
  ^bb0(%a: tensor<?x32768xbf16>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x32768xbf16> -> tensor<?x1xbf16>
    fuse.yield %s : tensor<?x1xbf16>
  }
  return %y : tensor<?x1xbf16>
}

// -----

// SMALLER-LABEL: func.func @words
// SMALLER: hold = loop
// CHECK-LABEL: func.func @words
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = shared>
func.func @words(%x: tensor<?x20000xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x20000xf32>) -> tensor<?x1xf32> {
  ^bb0(%a: tensor<?x20000xf32>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x20000xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}

// -----

// CHECK-LABEL: func.func @no_room_for_two
// CHECK: hold = loop, unroll = 2, stages = 4>
func.func @no_room_for_two(%x: tensor<?x30720xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x30720xf32>) -> tensor<?x1xf32> {
  ^bb0(%a: tensor<?x30720xf32>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x30720xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}

// -----

// Long rows of 32-bit elements are in the registers of several blocks, of larger ones where these
// would be too many.
// CHECK-LABEL: func.func @spread_words
// CHECK: #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, blocks_per_row = 4>
func.func @spread_words(%x: tensor<?x32768xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x32768xf32>) -> tensor<?x1xf32> {
  ^bb0(%a: tensor<?x32768xf32>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x32768xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}

// -----

// CHECK-LABEL: func.func @spread_longer_words
// CHECK: #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = registers, blocks_per_row = 8>
func.func @spread_longer_words(%x: tensor<?x151936xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x151936xf32>) -> tensor<?x1xf32> {
  ^bb0(%a: tensor<?x151936xf32>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x151936xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}

// -----

// CHECK-LABEL: func.func @no_room_for_words
// CHECK: hold = loop, stages = 3>
func.func @no_room_for_words(%x: tensor<?x262144xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x262144xf32>) -> tensor<?x1xf32> {
  ^bb0(%a: tensor<?x262144xf32>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x262144xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}

// -----

// CHECK-LABEL: func.func @edges
// CHECK: hold = loop
func.func @edges(%x: tensor<?x20001xbf16>) -> tensor<?x1xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x20001xbf16>) -> tensor<?x1xbf16> {
  ^bb0(%a: tensor<?x20001xbf16>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x20001xbf16> -> tensor<?x1xbf16>
    fuse.yield %s : tensor<?x1xbf16>
  }
  return %y : tensor<?x1xbf16>
}
