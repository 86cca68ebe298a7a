// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=wgmma | FileCheck %s

// Two contractions that are combined: 128 columns of each lie after the rows, so that one
// instruction takes both. What is written has half of the tile's columns.
// CHECK-LABEL: func.func @f(
// CHECK:         tensor_maps = [#fuse.tensor_map<operand = 3, box = [64, 64]>, #fuse.tensor_map<operand = 0, box = [64, 128]>, #fuse.tensor_map<operand = 1, box = [64, 128]>, #fuse.tensor_map<operand = 2, box = [64, 128]>]
// CHECK:       gpu.func @gated(
// CHECK-SAME:    %[[Y:arg[0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>}, %[[X:arg[0-9]+]]: !llvm.ptr {{{[^}]*}}}, %[[V:arg[0-9]+]]: !llvm.ptr {{{[^}]*}}}, %[[W:arg[0-9]+]]: !llvm.ptr
// CHECK:         nvvm.mbarrier.arrive.expect_tx
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[X]]
// CHECK-NOT:     nvvm.mbarrier
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[V]]
// CHECK-NOT:     nvvm.mbarrier
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[W]]
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// CHECK-NOT:     wgmma.mma_async
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y]]
// CHECK-NOT:     nvvm.cp.async.bulk.tensor.global.shared.cta
func.func @f(%x: tensor<?x4096xbf16>, %v: tensor<1024x4096xbf16>, %w: tensor<1024x4096xbf16>) -> tensor<?x1024xbf16> {
  %y = fuse.kernel "gated" ins(%x, %v, %w : tensor<?x4096xbf16>, tensor<1024x4096xbf16>, tensor<1024x4096xbf16>) -> tensor<?x1024xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<1024x4096xbf16>, %c: tensor<1024x4096xbf16>):
    %g = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16>, tensor<1024x4096xbf16> -> tensor<?x1024xbf16>
    %u = fuse.contract "mk,nk->mn" %a, %c : tensor<?x4096xbf16>, tensor<1024x4096xbf16> -> tensor<?x1024xbf16>
    %p = fuse.mul %g, %u : tensor<?x1024xbf16>
    fuse.yield %p : tensor<?x1024xbf16>
  }
  return %y : tensor<?x1024xbf16>
}

// -----

// Two orders in memory: an instruction for each.
// CHECK-LABEL: gpu.func @orders(
// CHECK:         wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}} p, 1, 1, 0, 0; }
// CHECK:         wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}} p, 1, 1, 0, 1; }
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
func.func @f(%x: tensor<256x64xf16>, %v: tensor<512x64xf16>, %w: tensor<64x512xf16>) -> tensor<256x512xf16> {
  %y = fuse.kernel "orders" ins(%x, %v, %w : tensor<256x64xf16>, tensor<512x64xf16>, tensor<64x512xf16>) -> tensor<256x512xf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<256x64xf16>, %b: tensor<512x64xf16>, %c: tensor<64x512xf16>):
    %g = fuse.contract "mk,nk->mn" %a, %b : tensor<256x64xf16>, tensor<512x64xf16> -> tensor<256x512xf16>
    %u = fuse.contract "mk,kn->mn" %a, %c : tensor<256x64xf16>, tensor<64x512xf16> -> tensor<256x512xf16>
    %p = fuse.mul %g, %u : tensor<256x512xf16>
    fuse.yield %p : tensor<256x512xf16>
  }
  return %y : tensor<256x512xf16>
}

// -----

// Two that do not meet: 8 and 2 tiles of columns, of two rows of tiles. One main
// loop; what is copied and what is written differs.
// CHECK-LABEL: func.func @f(
// CHECK:         blocks(%c20{{[_0-9]*}})
// CHECK:       gpu.func @segments(
// CHECK-SAME:    %[[Y:arg[0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>}, %[[Z:arg[0-9]+]]: !llvm.ptr {{{[^}]*}}}, %[[X:arg[0-9]+]]: !llvm.ptr {{{[^}]*}}}, %[[V:arg[0-9]+]]: !llvm.ptr {{{[^}]*}}}, %[[W:arg[0-9]+]]: !llvm.ptr
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[X]]
// CHECK:         scf.if
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[V]]
// CHECK:         } else {
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[W]]
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK-NOT:     wgmma.mma_async
// CHECK:         wgmma.wait_group.sync.aligned 0;
// CHECK:         scf.if
// CHECK:           nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y]]
// CHECK:         } else {
// CHECK:           nvvm.cp.async.bulk.tensor.global.shared.cta %[[Z]]
func.func @f(%x: tensor<256x64xbf16>, %v: tensor<1024x64xbf16>, %w: tensor<256x64xbf16>) -> (tensor<256x1024xbf16>, tensor<256x256xbf16>) {
  %y:2 = fuse.kernel "segments" ins(%x, %v, %w : tensor<256x64xbf16>, tensor<1024x64xbf16>, tensor<256x64xbf16>) -> tensor<256x1024xbf16>, tensor<256x256xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<256x64xbf16>, %b: tensor<1024x64xbf16>, %c: tensor<256x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<256x64xbf16>, tensor<1024x64xbf16> -> tensor<256x1024xbf16>
    %q = fuse.contract "mk,nk->mn" %a, %c : tensor<256x64xbf16>, tensor<256x64xbf16> -> tensor<256x256xbf16>
    fuse.yield %p, %q : tensor<256x1024xbf16>, tensor<256x256xbf16>
  }
  return %y#0, %y#1 : tensor<256x1024xbf16>, tensor<256x256xbf16>
}
