// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=cluster=16 | FileCheck %s
// RUN: not fuse-opt %s -split-input-file -fuse-lower-kernels=cluster=2 2>&1 | FileCheck %s --check-prefix=SMALLER
// SMALLER: error: expected a chip with clusters of 4 blocks, but got one with 2; leave share out, or take another chip

// Four blocks of 64 threads hold a row. They say at their start that they run.
// Of each warp, four lanes write to one block each, once that has started; each
// waits for the 32 bytes of all eight warps, and reads its own memory.
// CHECK-LABEL: func.func @held
// CHECK:         %[[BLOCKS:.*]] = arith.muli %{{.*}}, %c4
// CHECK:         fuse.launch @held{{.*}}::@held blocks(%[[BLOCKS]]) threads(64) {{.*}}cluster = 4 : i64
// CHECK:         llvm.mlir.global internal @[[SLOTS:__cluster_held_1]]() {addr_space = 3 : i32} : !llvm.array<8 x f32>
// CHECK:         llvm.mlir.global internal @[[ARRIVALS:__cluster_held_0]]() {addr_space = 3 : i32} : !llvm.array<1 x i64>
// CHECK-LABEL: gpu.func @held
// CHECK-SAME:    known_cluster_size = array<i32: 4, 1, 1>
// CHECK-DAG:     %[[RANK:.*]] = arith.remui %block_id_x, %c4
// CHECK-DAG:     %[[ROW:.*]] = arith.divui %block_id_x, %c4
// CHECK-DAG:     %[[BEFORE:.*]] = arith.muli %[[RANK]], %c64
// CHECK-DAG:     %[[LANE:.*]] = arith.addi %[[BEFORE]], %thread_id_x
// CHECK:         %[[ARRIVALS_OF_OWN:.*]] = llvm.mlir.addressof @[[ARRIVALS]] : !llvm.ptr<3>
// CHECK:         %[[ARRIVAL:.*]] = llvm.getelementptr inbounds %[[ARRIVALS_OF_OWN]]
// CHECK:         %[[IS_FIRST:.*]] = arith.cmpi slt, %thread_id_x, %c1
// CHECK:         scf.if %[[IS_FIRST]] {
// CHECK:           %[[ONE:.*]] = arith.index_cast %c1
// CHECK:           llvm.inline_asm {{.*}}"mbarrier.init.shared::cta.b64 [$0], $1;"{{.*}} %[[ARRIVAL]], %[[ONE]] :
// CHECK:           llvm.inline_asm {{.*}}"fence.mbarrier_init.release.cluster;"{{.*}}
// CHECK-NEXT:    }
// CHECK-NEXT:    nvvm.cluster.arrive.relaxed {aligned}
// CHECK-COUNT-4: llvm.load {{.*}} -> vector<4xf32>
// CHECK:         nvvm.cluster.wait {aligned}
// CHECK:         %[[OWN:.*]] = llvm.mlir.addressof @[[SLOTS]] : !llvm.ptr<3>
// CHECK:         %[[IN_WARP:.*]] = arith.remui %[[LANE]], %c32
// CHECK:           %[[BYTES:.*]] = arith.index_cast %c32
// CHECK:           llvm.inline_asm {{.*}}"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [$0], $1;"{{.*}} %[[ARRIVAL]], %[[BYTES]] :{{.*}}
// CHECK-NEXT:    }
// CHECK:         %[[PUSHES:.*]] = arith.cmpi slt, %[[IN_WARP]], %c4
// CHECK:         scf.if %[[PUSHES]] {
// CHECK-DAG:       %[[PLACE:.*]] = llvm.getelementptr inbounds %[[OWN]]{{.*}} -> !llvm.ptr<3>, f32
// CHECK-DAG:       %[[TO:.*]] = arith.index_cast %[[IN_WARP]] : index to i32
// CHECK:           %[[THERE:.*]] = nvvm.mapa %[[PLACE]], %[[TO]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK:           %[[ARRIVAL_THERE:.*]] = nvvm.mapa %[[ARRIVAL]], %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK:           llvm.inline_asm {{.*}}"st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], $1, [$2];"{{.*}} %[[THERE]], %{{.*}}, %[[ARRIVAL_THERE]] :{{.*}}
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.inline_asm {{.*}}mbarrier.try_wait.parity.shared::cta{{.*}} %[[ARRIVAL]] :
// CHECK-NOT:     nvvm.cluster
// CHECK-COUNT-8: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT:     gpu.barrier
// CHECK-COUNT-4: llvm.store {{.*}} : vector<4xf32>
// CHECK:         gpu.return
func.func @held(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %y = fuse.kernel "held" ins(%x : tensor<?x4096xf32>) -> tensor<?x4096xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = registers, share = cluster<4>> {
  ^bb0(%a: tensor<?x4096xf32>):
    %s = fuse.reduce sum %a dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
    %q = fuse.mul %a, %s : tensor<?x4096xf32>, tensor<?x1xf32> -> tensor<?x4096xf32>
    fuse.yield %q : tensor<?x4096xf32>
  }
  return %y : tensor<?x4096xf32>
}

// -----

// Places in shared memory are those of a block. Two reductions that depend on
// each other have an arrival each, and wait for the start once.
// CHECK-LABEL: func.func @shared
// CHECK:         fuse.launch @shared{{.*}}cluster = 2 : i64{{.*}}shared_bytes = 16384 : i64
// CHECK:         @__cluster_shared_0() {{.*}}array<2 x i64>
// CHECK-LABEL: gpu.func @shared
// CHECK:         %[[FIRST:.*]] = llvm.getelementptr inbounds %{{.*}}[%{{.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
// CHECK:         %[[SECOND:.*]] = llvm.getelementptr inbounds %{{.*}}[%{{.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
// CHECK-COUNT-2: mbarrier.init
// CHECK:         nvvm.cluster.arrive.relaxed
// CHECK:         nvvm.cp.async.shared.global
// CHECK:         nvvm.cluster.wait
// CHECK:         expect_tx{{.*}} %[[FIRST]],
// CHECK:         nvvm.mapa %[[FIRST]]
// CHECK:         try_wait{{.*}} %[[FIRST]] :
// CHECK:         expect_tx{{.*}} %[[SECOND]],
// CHECK:         nvvm.mapa %[[SECOND]]
// CHECK:         try_wait{{.*}} %[[SECOND]] :
// CHECK-NOT:     nvvm.cluster
func.func @shared(%x: tensor<?x8192xf32>) -> tensor<?x8192xf32> {
  %y = fuse.kernel "shared" ins(%x : tensor<?x8192xf32>) -> tensor<?x8192xf32>
      schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = shared, share = cluster<2>> {
  ^bb0(%a: tensor<?x8192xf32>):
    %m = fuse.reduce mean %a dims = [1] keep : tensor<?x8192xf32> -> tensor<?x1xf32>
    %c = fuse.sub %a, %m : tensor<?x8192xf32>, tensor<?x1xf32> -> tensor<?x8192xf32>
    %q = fuse.mul %c, %c : tensor<?x8192xf32>
    %v = fuse.reduce sum %q dims = [1] keep : tensor<?x8192xf32> -> tensor<?x1xf32>
    %r = fuse.mul %c, %v : tensor<?x8192xf32>, tensor<?x1xf32> -> tensor<?x8192xf32>
    fuse.yield %r : tensor<?x8192xf32>
  }
  return %y : tensor<?x8192xf32>
}

// -----

// The states of more than 32 warps are combined in lanes: two for each, then a
// butterfly.
// CHECK-LABEL: gpu.func @many_warps
// CHECK:         try_wait
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK-COUNT-5: gpu.shuffle
// CHECK-NOT:     llvm.load
// CHECK:         gpu.return
func.func @many_warps(%x: tensor<?x8192xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "many_warps" ins(%x : tensor<?x8192xf32>) -> tensor<?x1xf32>
      schedule = #fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = registers, share = cluster<8>> {
  ^bb0(%a: tensor<?x8192xf32>):
    %s = fuse.reduce sum %a dims = [1] keep : tensor<?x8192xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}
