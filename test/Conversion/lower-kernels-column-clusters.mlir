// RUN: fuse-opt %s -split-input-file -verify-diagnostics -fuse-lower-kernels=cluster=8 | FileCheck %s

// Two blocks share the columns: steps are dealt to them, and what is after the
// last to the next of them. Each adds up its slices; sixteen threads send the
// sums of a column each to the first block, which waits for all 128 bytes and
// adds up blocks in order.
// CHECK:         fuse.launch @split{{.*}}::@split blocks(%c8{{[_0-9]*}}) threads(32) {{.*}}cluster = 2 : i64
// CHECK:         llvm.mlir.global internal @[[SLOTS:__cluster_split_1]]() {addr_space = 3 : i32} : !llvm.array<32 x f32>
// CHECK:         llvm.mlir.global internal @[[ARRIVALS:__cluster_split_0]]() {addr_space = 3 : i32} : !llvm.array<1 x i64>
// CHECK-LABEL: gpu.func @split
// CHECK-SAME:    known_cluster_size = array<i32: 2, 1, 1>
// CHECK:         %[[RANK:.*]] = arith.remui %block_id_x, %c2
// CHECK:         arith.divui %block_id_x, %c2
// CHECK:         mbarrier.init
// CHECK:         nvvm.cluster.arrive.relaxed {aligned}
// CHECK:         %[[STEPS:.*]] = arith.divui %[[ROWS:.*]], %c16
// CHECK:         %[[STEPPED:.*]] = arith.muli %[[STEPS]], %c16
// CHECK:         %[[FIRST:.*]] = arith.muli %[[RANK]], %c16
// A block of 64 terms is 32 of the 2 that a step has.
// CHECK:         scf.for %[[BLOCK:.*]] = %[[FIRST]] to %[[STEPPED]] step %c1024
// CHECK:           scf.for {{.*}} = %[[BLOCK]] to {{.*}} step %c32
// CHECK:         %[[NEXT:.*]] = arith.remui %[[STEPS]], %c2
// CHECK:         arith.cmpi eq, %[[NEXT]], %[[RANK]]
// CHECK:         scf.for {{.*}} step %c8
// CHECK:         nvvm.cluster.wait {aligned}
// CHECK-COUNT-4: memref.store
// CHECK:         gpu.barrier
// CHECK:         %[[ADDS:.*]] = arith.cmpi slt, %thread_id_x, %c16
// CHECK-NEXT:    scf.if %[[ADDS]]
// CHECK:           scf.for {{.*}} to %c8 {{.*}} -> (f32)
// CHECK:           %[[OWN:.*]] = llvm.mlir.addressof @[[SLOTS]]
// CHECK:           %[[SLOT:.*]] = arith.addi %[[FIRST]], %thread_id_x
// CHECK:           %[[TO:.*]] = arith.index_cast %c0
// CHECK:           nvvm.mapa %{{.*}}, %[[TO]]
// CHECK:           st.async.shared::cluster
// CHECK-NOT:       st.async
// CHECK:           %[[IS_FIRST:.*]] = arith.cmpi slt, %[[RANK]], %c1
// CHECK-NEXT:      scf.if %[[IS_FIRST]]
// CHECK:             arith.index_cast %c128
// CHECK:             mbarrier.arrive.expect_tx
// CHECK:             mbarrier.try_wait
// CHECK:             scf.for {{.*}} to %c2 {{.*}} -> (f32)
// CHECK:             llvm.store {{.*}} : f32
// CHECK:         gpu.return
func.func @split(%x: tensor<?x64xf32>) -> tensor<64xf32> {
  %y = fuse.kernel "split" ins(%x : tensor<?x64xf32>) -> tensor<64xf32>
      schedule = #fuse.columns<threads = 32, vector = 4, splits = 8, hold = loop<unroll = 2>, share = cluster<2>> {
  ^bb0(%a: tensor<?x64xf32>):
    %m = fuse.reduce sum %a dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
    fuse.yield %m : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// Fewer slices than lanes: the first slice adds up vectors, and sends each lane.
// CHECK-LABEL: gpu.func @vectors
// CHECK:         gpu.barrier
// CHECK:         scf.for {{.*}} to %c2 {{.*}} -> (vector<4xf32>)
// CHECK-COUNT-4: st.async.shared::cluster
// CHECK:         mbarrier.try_wait
// CHECK:         scf.for {{.*}} to %c4 {{.*}} -> (vector<4xf32>)
// CHECK:         llvm.store {{.*}} : vector<4xf32>
func.func @vectors(%x: tensor<?x64xf32>) -> tensor<64xf32> {
  %y = fuse.kernel "vectors" ins(%x : tensor<?x64xf32>) -> tensor<64xf32>
      schedule = #fuse.columns<threads = 32, vector = 4, splits = 2, share = cluster<4>> {
  ^bb0(%a: tensor<?x64xf32>):
    %m = fuse.reduce sum %a dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
    fuse.yield %m : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

func.func @large(%x: tensor<?x64xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{expected a chip with clusters of 16 blocks, but got one with 8; leave share out, or take another chip}}
  %y = fuse.kernel "large" ins(%x : tensor<?x64xf32>) -> tensor<64xf32>
      schedule = #fuse.columns<threads = 32, vector = 4, splits = 2, share = cluster<16>> {
  ^bb0(%a: tensor<?x64xf32>):
    %m = fuse.reduce sum %a dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
    fuse.yield %m : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

func.func @walks(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @+1 {{expected a cluster where one walk is enough, but got reductions that need others, an op that reads them at other indices, or a result of the reduced shape that needs one; leave share out}}
  %y = fuse.kernel "walks" ins(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
      schedule = #fuse.columns<threads = 32, vector = 4, splits = 2, share = cluster<2>> {
  ^bb0(%a: tensor<?x64xf32>):
    %m = fuse.reduce sum %a dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
    %s = fuse.sub %a, %m : tensor<?x64xf32>, tensor<64xf32> -> tensor<?x64xf32>
    fuse.yield %s : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}
