// RUN: fuse-opt %s -fuse-lower-kernels | FileCheck %s

// What a row takes at an index that it is reduced to is loaded once, before the
// walk that needs it.
// CHECK-LABEL: gpu.func @taken
// CHECK:         gpu.barrier
// CHECK:         %[[TAKEN:.*]] = scf.if
// CHECK:           llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK:         scf.for
// CHECK:           vector.broadcast %[[TAKEN]]
// CHECK-NOT:       scf.if
// CHECK:         gpu.return
func.func @taken(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %y = fuse.kernel "taken" ins(%x : tensor<?x1024xf32>) -> tensor<?x1024xf32> attributes {
      schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = loop>} {
  ^bb0(%a: tensor<?x1024xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
    %i = fuse.cast %m : tensor<?x1xf32> -> tensor<?x1xi32>
    %e = fuse.take_along %a, %i dim = 1 : tensor<?x1024xf32>, tensor<?x1xi32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %e : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
    fuse.yield %d : tensor<?x1024xf32>
  }
  return %y : tensor<?x1024xf32>
}
