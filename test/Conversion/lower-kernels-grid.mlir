// RUN: fuse-opt %s -split-input-file -verify-diagnostics -fuse-lower-kernels | FileCheck %s

// The threads of all blocks share the only row. One thread a block leaves the
// block's state and counts the block in, after a fence; it waits until the
// counter's highest bit has changed. Then all threads of the block read what the
// blocks have left. The first block adds 2^31 - (blocks - 1), the others 1.
// CHECK-LABEL: func.func @share
// CHECK:         fuse.launch @share{{.*}}::@share blocks(%c3{{.*}}) threads(64)
// CHECK-SAME:    -> tensor<?x100xf32>, tensor<1x1xf32>, tensor<3xf32> {cooperative
// CHECK-LABEL: gpu.func @share
// CHECK-SAME:    (%{{.*}}: !llvm.ptr {{{.*}}}, %{{.*}}: !llvm.ptr {{{.*}}}, %{{.*}}: !llvm.ptr {{{.*}}}, %[[LEFT:[a-z0-9]+]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noundef}, %[[COUNTER:[a-z0-9]+]]: !llvm.ptr, %{{.*}}: i64)
// CHECK-NOT:     known_cluster_size
// CHECK:         %[[BLOCK:.*]] = gpu.block_id  x
// CHECK:         %[[BLOCKS:.*]] = gpu.grid_dim  x
// CHECK:         %[[WALKERS:.*]] = arith.muli %[[BLOCKS]], %c64
// CHECK:         scf.for {{.*}} step %{{.*}} iter_args
// CHECK:         gpu.barrier
// CHECK:         scf.if
// CHECK:           llvm.getelementptr inbounds %[[LEFT]]
// CHECK:           llvm.store {{.*}} : f32, !llvm.ptr
// CHECK:           llvm.fence syncscope("device") acq_rel
// CHECK:           %[[OF_FIRST:.*]] = arith.subi %c-2147483647_i32, %{{.*}} : i32
// CHECK:           %[[ADDED:.*]] = arith.select %{{.*}}, %[[OF_FIRST]], %c1_i32{{.*}} : i32
// CHECK:           %[[BEFORE:.*]] = llvm.atomicrmw add %[[COUNTER]], %[[ADDED]] syncscope("device") acq_rel
// CHECK:           scf.while
// CHECK:             %[[NOW:.*]] = llvm.load %[[COUNTER]] atomic syncscope("device") acquire
// CHECK:             %[[CHANGE:.*]] = arith.xori %[[BEFORE]], %[[NOW]]
// CHECK:             %[[SAME:.*]] = arith.cmpi sge, %[[CHANGE]], %c0_i32
// CHECK:             scf.condition(%[[SAME]])
// CHECK:         gpu.barrier
// CHECK:         scf.for {{.*}} to %{{.*}} step %c64
// CHECK:           llvm.getelementptr inbounds %[[LEFT]]
// CHECK:         gpu.barrier
// CHECK:         gpu.return
func.func @share(%x: tensor<?x100xf32>) -> (tensor<?x100xf32>, tensor<1x1xf32>) {
  %y:2 = fuse.kernel "share" ins(%x : tensor<?x100xf32>) -> tensor<?x100xf32>, tensor<1x1xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = loop<unroll = 2>, share = grid<3>> {
  ^bb0(%a: tensor<?x100xf32>):
    %m = fuse.reduce max %a dims = [0, 1] keep : tensor<?x100xf32> -> tensor<1x1xf32>
    %q = fuse.sub %a, %m : tensor<?x100xf32>, tensor<1x1xf32> -> tensor<?x100xf32>
    fuse.yield %q, %m : tensor<?x100xf32>, tensor<1x1xf32>
  }
  return %y#0, %y#1 : tensor<?x100xf32>, tensor<1x1xf32>
}

// -----

func.func @rows(%x: tensor<?x100xf32>) -> tensor<?x100xf32> {
  // expected-error @below {{expected a kernel that reduces all dimensions of one shape where the whole grid shares a row, but got one with several rows or shapes; leave share out}}
  %y = fuse.kernel "rows" ins(%x : tensor<?x100xf32>) -> tensor<?x100xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = loop, share = grid<3>> {
  ^bb0(%a: tensor<?x100xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x100xf32> -> tensor<?x1xf32>
    %q = fuse.sub %a, %m : tensor<?x100xf32>, tensor<?x1xf32> -> tensor<?x100xf32>
    fuse.yield %q : tensor<?x100xf32>
  }
  return %y : tensor<?x100xf32>
}
