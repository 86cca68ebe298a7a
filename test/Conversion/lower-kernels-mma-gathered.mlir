// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=wgmma | FileCheck %s

// Four blocks of a cluster share each tile: 33 clusters at most. They meet at
// the start, leave their sums, arrive at a barrier of each, and read those of
// all in one order. Vectors of four are written; a tile may be cut at its rows.
// CHECK-LABEL: func.func @f(
// CHECK:         fuse.launch @split::@split
// CHECK-SAME:      cluster = 4
// CHECK:       gpu.func @split(
// CHECK-SAME:    known_cluster_size = array<i32: 4, 1, 1>
// CHECK:         %[[RANK:.*]] = arith.remui %{{.*}}, %c4{{.*}} : i32
// CHECK:         %[[SCALED:.*]] = arith.muli %[[RANK]], %c64{{.*}} : i32
// CHECK:         arith.divui %[[SCALED]], %c4{{.*}} : i32
// CHECK-COUNT-16: nvvm.mbarrier.init
// CHECK:         nvvm.cluster.arrive
// CHECK:         nvvm.cluster.wait
// CHECK:         nvvm.setmaxregister increase
// CHECK-COUNT-4: nvvm.mapa %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK:         wgmma.wait_group.sync.aligned 0;
// CHECK:         nvvm.mbarrier.try_wait {{.*}}cluster
// CHECK:         llvm.store %{{.*}} : vector<2xf32>, !llvm.ptr<3>
// CHECK:         nvvm.barrier id = %{{.*}} number_of_threads = %c256
// CHECK:         nvvm.mapa
// CHECK:         nvvm.mbarrier.arrive %{{.*}}cluster{{.*}} : !llvm.ptr<7>
// CHECK:         nvvm.mbarrier.try_wait {{.*}}cluster
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<7> -> vector<4xf32>
// CHECK-COUNT-3: arith.addf
// CHECK:         llvm.store %{{.*}} : vector<4xbf16>, !llvm.ptr
// CHECK:         nvvm.cluster.arrive
// CHECK:         nvvm.cluster.wait
// CHECK-NEXT:    gpu.return
func.func @f(%x: tensor<?x4096xbf16>, %w: tensor<1024x4096xbf16>) -> tensor<?x1024xbf16> {
  %y = fuse.kernel "split" ins(%x, %w : tensor<?x4096xbf16>, tensor<1024x4096xbf16>) -> tensor<?x1024xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 7, consumers = 2, raster = 8, store = direct, persistent = 132, split_k = 4> {
  ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<1024x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16>, tensor<1024x4096xbf16> -> tensor<?x1024xbf16>
    fuse.yield %p : tensor<?x1024xbf16>
  }
  return %y : tensor<?x1024xbf16>
}

// -----

// The rows of the tile are those of w: its map comes first, and its box has
// them. There is no cluster, and single sums are left across.
// CHECK-LABEL: func.func @f(
// CHECK:         fuse.launch @swapped::@swapped
// CHECK-NOT:       cluster =
// CHECK-SAME:      tensor_maps = [#fuse.tensor_map<operand = 1, box = [64, 128]>, #fuse.tensor_map<operand = 0, box = [64, 16]>]
// CHECK:       gpu.func @swapped(
// CHECK-NOT:     nvvm.cluster
// CHECK:         m64n16k16.f32.bf16.bf16 {{.*}} p, 1, 1, 0, 0; }
// CHECK:         llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK:         nvvm.barrier id = %{{.*}} number_of_threads = %c256
// CHECK:         llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT:     arith.addf
// CHECK:         llvm.store %{{.*}} : vector<4xbf16>, !llvm.ptr
// CHECK:         nvvm.barrier id
func.func @f(%x: tensor<?x4096xbf16>, %w: tensor<1024x4096xbf16>) -> tensor<?x1024xbf16> {
  %y = fuse.kernel "swapped" ins(%x, %w : tensor<?x4096xbf16>, tensor<1024x4096xbf16>) -> tensor<?x1024xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 16, tile_k = 64, stages = 8, consumers = 2, raster = 8, store = direct, persistent = 132, swap = true> {
  ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<1024x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16>, tensor<1024x4096xbf16> -> tensor<?x1024xbf16>
    fuse.yield %p : tensor<?x1024xbf16>
  }
  return %y : tensor<?x1024xbf16>
}
