// RUN: fuse-opt %s -split-input-file -fuse-form-kernels -fuse-assign-schedules=chip=sm_90 | FileCheck %s

// Vectors of columns are cut out of aligned ones where none divides a row, and
// rows have operands that lanes of several would read one by one.
// CHECK-LABEL: func.func @sum
// CHECK: schedule = #fuse.columns<threads = {{[0-9]*}}, vector = 8,
func.func @sum(%x: tensor<?x4097xbf16>, %r: tensor<?x1xbf16>) -> tensor<4097xbf16> {
  %y = fuse.kernel "sum" ins(%x, %r : tensor<?x4097xbf16>, tensor<?x1xbf16>) -> tensor<4097xbf16> {
  ^bb0(%a: tensor<?x4097xbf16>, %b: tensor<?x1xbf16>):
    %m = fuse.mul %a, %b : tensor<?x4097xbf16>, tensor<?x1xbf16> -> tensor<?x4097xbf16>
    %s = fuse.reduce max %m dims = [0] : tensor<?x4097xbf16> -> tensor<4097xbf16>
    fuse.yield %s : tensor<4097xbf16>
  }
  return %y : tensor<4097xbf16>
}

// -----

// A full result would be written in single elements all the same, and weights
// end with a row.
// CHECK-LABEL: func.func @full
// CHECK: schedule = #fuse.columns<threads = {{[0-9]*}}, vector = 1,
func.func @full(%x: tensor<?x4097xbf16>) -> (tensor<4097xbf16>, tensor<?x4097xbf16>) {
  %y:2 = fuse.kernel "full" ins(%x : tensor<?x4097xbf16>) -> tensor<4097xbf16>, tensor<?x4097xbf16> {
  ^bb0(%a: tensor<?x4097xbf16>):
    %s = fuse.reduce max %a dims = [0] : tensor<?x4097xbf16> -> tensor<4097xbf16>
    %n = fuse.neg %a : tensor<?x4097xbf16>
    fuse.yield %s, %n : tensor<4097xbf16>, tensor<?x4097xbf16>
  }
  return %y#0, %y#1 : tensor<4097xbf16>, tensor<?x4097xbf16>
}

// -----

// CHECK-LABEL: func.func @weights
// CHECK: schedule = #fuse.columns<threads = {{[0-9]*}}, vector = 1,
func.func @weights(%x: tensor<?x4097xbf16>, %w: tensor<4097xbf16>) -> tensor<4097xbf16> {
  %y = fuse.kernel "weights" ins(%x, %w : tensor<?x4097xbf16>, tensor<4097xbf16>) -> tensor<4097xbf16> {
  ^bb0(%a: tensor<?x4097xbf16>, %b: tensor<4097xbf16>):
    %m = fuse.mul %a, %b : tensor<?x4097xbf16>, tensor<4097xbf16> -> tensor<?x4097xbf16>
    %s = fuse.reduce max %m dims = [0] : tensor<?x4097xbf16> -> tensor<4097xbf16>
    fuse.yield %s : tensor<4097xbf16>
  }
  return %y : tensor<4097xbf16>
}
