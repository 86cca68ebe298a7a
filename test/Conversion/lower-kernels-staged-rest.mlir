// RUN: fuse-opt %s -fuse-lower-kernels | FileCheck %s
// RUN: fuse run %s --target emu --dim rows=3 --verify

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
      schedule = #fuse.rows<threads = 64, vector = 2, rows_per_block = 1, hold = shared, unroll = 3, copy_groups = 2> {
  ^bb0(%a: tensor<?x910xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x910xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x910xf32>, tensor<?x1xf32> -> tensor<?x910xf32>
    fuse.yield %d : tensor<?x910xf32>
  }
  return %y : tensor<?x910xf32>
}
