// RUN: fuse-opt %s -split-input-file -fuse-assign-schedules=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-assign-schedules=chip=sm_90 -fuse-lower-kernels
// RUN: fuse-opt %s -split-input-file -fuse-assign-schedules=chip=cpu -fuse-lower-kernels

// The longest rows decide.
// CHECK-LABEL: func.func @lengths
// CHECK:         #fuse.rows<threads = {{[0-9]+}}, vector = 4, rows_per_block = 1,
func.func @lengths(%x: tensor<512x256xf32>, %y: tensor<512x4096xf32>) -> (tensor<512x1xf32>, tensor<512x4096xf32>) {
  %0:2 = fuse.kernel "lengths" ins(%x, %y : tensor<512x256xf32>, tensor<512x4096xf32>) -> tensor<512x1xf32>, tensor<512x4096xf32> {
  ^bb0(%a: tensor<512x256xf32>, %b: tensor<512x4096xf32>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<512x256xf32> -> tensor<512x1xf32>
    %m = fuse.reduce max %b dims = [1] keep : tensor<512x4096xf32> -> tensor<512x1xf32>
    %r = fuse.sub %b, %m : tensor<512x4096xf32>, tensor<512x1xf32> -> tensor<512x4096xf32>
    fuse.yield %s, %r : tensor<512x1xf32>, tensor<512x4096xf32>
  }
  return %0#0, %0#1 : tensor<512x1xf32>, tensor<512x4096xf32>
}

// -----

// Where short rows have narrower vectors, which leave edges, loops suit both.
// CHECK-LABEL: func.func @odd
// CHECK:         #fuse.rows<
func.func @odd(%x: tensor<512x31xf32>, %y: tensor<512x4096xf32>) -> (tensor<512x1xf32>, tensor<512x4096xf32>) {
  %0:2 = fuse.kernel "odd" ins(%x, %y : tensor<512x31xf32>, tensor<512x4096xf32>) -> tensor<512x1xf32>, tensor<512x4096xf32> {
  ^bb0(%a: tensor<512x31xf32>, %b: tensor<512x4096xf32>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<512x31xf32> -> tensor<512x1xf32>
    %m = fuse.reduce max %b dims = [1] keep : tensor<512x4096xf32> -> tensor<512x1xf32>
    %r = fuse.sub %b, %m : tensor<512x4096xf32>, tensor<512x1xf32> -> tensor<512x4096xf32>
    fuse.yield %s, %r : tensor<512x1xf32>, tensor<512x4096xf32>
  }
  return %0#0, %0#1 : tensor<512x1xf32>, tensor<512x4096xf32>
}

// -----

// Rows of unknown length are walked in loops, and so are those beside them.
// CHECK-LABEL: func.func @dynamic
// CHECK:         #fuse.rows<
func.func @dynamic(%x: tensor<512x256xf32>, %y: tensor<512x?xf32>) -> (tensor<512x1xf32>, tensor<512x1xf32>) {
  %0:2 = fuse.kernel "dynamic" ins(%x, %y : tensor<512x256xf32>, tensor<512x?xf32>) -> tensor<512x1xf32>, tensor<512x1xf32> {
  ^bb0(%a: tensor<512x256xf32>, %b: tensor<512x?xf32>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<512x256xf32> -> tensor<512x1xf32>
    %m = fuse.reduce max %b dims = [1] keep : tensor<512x?xf32> -> tensor<512x1xf32>
    fuse.yield %s, %m : tensor<512x1xf32>, tensor<512x1xf32>
  }
  return %0#0, %0#1 : tensor<512x1xf32>, tensor<512x1xf32>
}

// -----

// Long rows need no vector that divides them, in whichever company.
// CHECK-LABEL: func.func @edges
// CHECK:         #fuse.rows<threads = {{[0-9]+}}, vector = {{[248]}}, rows_per_block = 1
func.func @edges(%x: tensor<512x1025xf32>, %y: tensor<512x2049xf32>) -> (tensor<512x1xf32>, tensor<512x2049xf32>) {
  %0:2 = fuse.kernel "edges" ins(%x, %y : tensor<512x1025xf32>, tensor<512x2049xf32>) -> tensor<512x1xf32>, tensor<512x2049xf32> {
  ^bb0(%a: tensor<512x1025xf32>, %b: tensor<512x2049xf32>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<512x1025xf32> -> tensor<512x1xf32>
    %m = fuse.reduce max %b dims = [1] keep : tensor<512x2049xf32> -> tensor<512x1xf32>
    %r = fuse.sub %b, %m : tensor<512x2049xf32>, tensor<512x1xf32> -> tensor<512x2049xf32>
    fuse.yield %s, %r : tensor<512x1xf32>, tensor<512x2049xf32>
  }
  return %0#0, %0#1 : tensor<512x1xf32>, tensor<512x2049xf32>
}
