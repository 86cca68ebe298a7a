// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// Four neighbouring columns a thread; the rows are a loop, four at a time, then
// one by one.
// CHECK-LABEL: gpu.func @columns
// CHECK:         scf.for {{.*}} step %c4{{.*}} -> (vector<4xf32>)
// CHECK-COUNT-4:   llvm.load %{{.*}} -> vector<4xf32>
// CHECK:         %[[S:.*]] = scf.for {{.*}} -> (vector<4xf32>)
// CHECK:         %[[M:.*]] = arith.divf %[[S]]
// CHECK:         scf.if
// CHECK:           llvm.store %[[M]]
func.func @columns(%x: tensor<?x64xf32>) -> tensor<64xf32> {
  %y = fuse.kernel "columns" ins(%x : tensor<?x64xf32>) -> tensor<64xf32>
      schedule = #fuse.columns<threads = 32, vector = 4, splits = 1> {
  ^bb0(%a: tensor<?x64xf32>):
    %m = fuse.reduce mean %a dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
    fuse.yield %m : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// Neighbouring results lie apart in the operand: single elements. The places of
// several reduced dimensions are counted through.
// CHECK-LABEL: gpu.func @apart
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c12{{.*}} step %c4{{.*}} -> (f32)
// CHECK-COUNT-4:   llvm.load %{{.*}} -> f32
// CHECK:         scf.for {{.*}} -> (f32)
// CHECK:         llvm.store %{{.*}} : f32
func.func @apart(%x: tensor<4x6x3xf32>) -> tensor<6xf32> {
  %y = fuse.kernel "apart" ins(%x : tensor<4x6x3xf32>) -> tensor<6xf32>
      schedule = #fuse.columns<threads = 32, vector = 1, splits = 1> {
  ^bb0(%a: tensor<4x6x3xf32>):
    %m = fuse.reduce max %a dims = [0, 2] : tensor<4x6x3xf32> -> tensor<6xf32>
    fuse.yield %m : tensor<6xf32>
  }
  return %y : tensor<6xf32>
}

// -----

// Eight slices of 4 vectors: each thread walks every eighth row, four rows at a
// time, then one by one; the slices are added up in order, and the first slice
// writes.
// CHECK-LABEL: gpu.func @split
// CHECK-SAME:    memref<128xf32, #gpu.address_space<workgroup>>
// CHECK:         scf.for {{.*}} step %c32 {{.*}} -> (vector<4xf32>)
// CHECK-COUNT-4:   llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK:         scf.for {{.*}} step %c8 {{.*}} -> (vector<4xf32>)
// CHECK-COUNT-4: memref.store
// CHECK:         gpu.barrier
// CHECK:         scf.for {{.*}} -> (vector<4xf32>)
// CHECK-COUNT-4:   memref.load
// CHECK:         scf.if
// CHECK:           llvm.store %{{.*}} : vector<4xf32>
func.func @split(%x: tensor<?x64xf32>) -> tensor<64xf32> {
  %y = fuse.kernel "split" ins(%x : tensor<?x64xf32>) -> tensor<64xf32>
      schedule = #fuse.columns<threads = 32, vector = 4, splits = 8> {
  ^bb0(%a: tensor<?x64xf32>):
    %m = fuse.reduce sum %a dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
    fuse.yield %m : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// A softmax over leading dimensions: a walk for the maximum and the sum, and one
// for the results, which every slice writes at its own places.
// CHECK-LABEL: gpu.func @levels
// CHECK:         scf.for {{.*}} step %c16 {{.*}} -> (vector<4xf32>, vector<4xf32>)
// CHECK:         gpu.barrier
// CHECK:         scf.for {{.*}} step %c16
// CHECK-COUNT-2:   scf.if
// CHECK:             llvm.load %{{.*}} -> vector<4xf32>
// CHECK:             llvm.store %{{.*}} : vector<4xf32>
func.func @levels(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = fuse.kernel "levels" ins(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
      schedule = #fuse.columns<threads = 128, vector = 4, splits = 8, unroll = 2> {
  ^bb0(%a: tensor<?x64xf32>):
    %m, %s = fuse.softmax_stats %a dims = [0] : tensor<?x64xf32> -> tensor<1x64xf32>, tensor<1x64xf32>
    %d = fuse.sub %a, %m : tensor<?x64xf32>, tensor<1x64xf32> -> tensor<?x64xf32>
    %e = fuse.exp %d : tensor<?x64xf32>
    %q = fuse.div %e, %s : tensor<?x64xf32>, tensor<1x64xf32> -> tensor<?x64xf32>
    fuse.yield %q : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// Held in registers: the operand is loaded once, 3 places by the first slice and
// 2 by the others.
// CHECK-LABEL: gpu.func @held
// CHECK-COUNT-3: llvm.load
// CHECK-NOT:     llvm.load
// CHECK-COUNT-3: llvm.store
func.func @held(%x: tensor<9x64xf32>) -> tensor<9x64xf32> {
  %y = fuse.kernel "held" ins(%x : tensor<9x64xf32>) -> tensor<9x64xf32>
      schedule = #fuse.columns<threads = 64, vector = 4, splits = 4, hold = registers> {
  ^bb0(%a: tensor<9x64xf32>):
    %m = fuse.reduce mean %a dims = [0] keep : tensor<9x64xf32> -> tensor<1x64xf32>
    %d = fuse.sub %a, %m : tensor<9x64xf32>, tensor<1x64xf32> -> tensor<9x64xf32>
    fuse.yield %d : tensor<9x64xf32>
  }
  return %y : tensor<9x64xf32>
}
