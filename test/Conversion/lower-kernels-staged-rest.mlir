// RUN: fuse-opt %s -fuse-lower-kernels | FileCheck %s
// RUN: fuse run %s --entry staged --target emu --dim rows=3 --verify
// RUN: fuse run %s --entry weights --target emu --dim rows=3 --verify

// Seven vectors a thread in shared memory, three a step: copies in two groups of
// whole steps, but for the last; what no step takes is a step of its own, in the
// walk that waits and in the one that writes.
// CHECK-LABEL: gpu.func @staged
// CHECK-COUNT-2: nvvm.cp.async.commit.group
// CHECK:         nvvm.cp.async.wait.group 1
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c6{{.*}} step %c3
// CHECK:         nvvm.cp.async.wait.group 0
// CHECK:         scf.for %{{.*}} = %c6{{.*}} to %c7{{.*}} step %c1
// CHECK-NOT:     nvvm.cp.async.wait
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c6{{.*}} step %c3
// CHECK:         scf.for %{{.*}} = %c6{{.*}} to %c7{{.*}} step %c1
func.func @staged(%x: tensor<?x910xf32> {fuse.dims = ["rows"]}) -> tensor<?x910xf32> {
  %y = fuse.kernel "staged" ins(%x : tensor<?x910xf32>) -> tensor<?x910xf32>
      schedule = #fuse.rows<threads = 64, vector = 2, rows_per_block = 1, hold = shared<unroll = 3, copy_groups = 2>> {
  ^bb0(%a: tensor<?x910xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x910xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x910xf32>, tensor<?x1xf32> -> tensor<?x910xf32>
    fuse.yield %d : tensor<?x910xf32>
  }
  return %y : tensor<?x910xf32>
}

// The weights of the first step are loaded before the threads exchange their maxima,
// those of each other step in the one before; the last one has no next.
// CHECK-LABEL: gpu.func @weights
// CHECK:         %[[W:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK:         gpu.barrier
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c3{{.*}} step %c1{{.*}} iter_args(%[[NOW:.*]] = %[[W]]) -> (vector<4xf32>)
// CHECK:           %[[NEXT:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK:           arith.mulf %{{.*}}, %[[NOW]]{{.*}} : vector<4xf32>
// CHECK:           scf.yield %[[NEXT]]
// CHECK-COUNT-1: llvm.store
// CHECK-NOT:     llvm.load {{.*}}!llvm.ptr -> vector<4xf32>
// CHECK:         gpu.return
func.func @weights(%x: tensor<?x1024xf32> {fuse.dims = ["rows"]}, %w: tensor<1024xf32>) -> tensor<?x1024xf32> {
  %y = fuse.kernel "weights" ins(%x, %w : tensor<?x1024xf32>, tensor<1024xf32>) -> tensor<?x1024xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = shared<unroll = 1, preload = true>> {
  ^bb0(%a: tensor<?x1024xf32>, %b: tensor<1024xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
    %e = fuse.mul %d, %b : tensor<?x1024xf32>, tensor<1024xf32> -> tensor<?x1024xf32>
    fuse.yield %e : tensor<?x1024xf32>
  }
  return %y : tensor<?x1024xf32>
}
