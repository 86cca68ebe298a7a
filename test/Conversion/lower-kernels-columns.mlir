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
      schedule = #fuse.columns<threads = 32, vector = 4> {
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
      schedule = #fuse.columns<threads = 32, vector = 2> {
  ^bb0(%a: tensor<4x6x3xf32>):
    %m = fuse.reduce max %a dims = [0, 2] : tensor<4x6x3xf32> -> tensor<6xf32>
    fuse.yield %m : tensor<6xf32>
  }
  return %y : tensor<6xf32>
}
