// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// Four neighbouring columns a thread; the rows are a loop.
// CHECK-LABEL: gpu.func @columns
// CHECK:         scf.if
// CHECK:           %[[S:.*]] = scf.for {{.*}} -> (vector<4xf32>)
// CHECK:             llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK:             arith.addf
// CHECK:           %[[N:.*]] = vector.broadcast %{{.*}} : f32 to vector<4xf32>
// CHECK:           arith.divf %[[S]], %[[N]]
// CHECK:           llvm.store %{{.*}} : vector<4xf32>
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

// Neighbouring results lie apart in the operand: a loop each.
// CHECK-LABEL: gpu.func @apart
// CHECK-COUNT-2: scf.for {{.*}} -> (f32)
// CHECK:         vector.from_elements %{{.*}}, %{{.*}} : vector<2xf32>
func.func @apart(%x: tensor<4x6x3xf32>) -> tensor<6xf32> {
  %y = fuse.kernel "apart" ins(%x : tensor<4x6x3xf32>) -> tensor<6xf32>
      schedule = #fuse.columns<threads = 32, vector = 2, splits = 1> {
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
