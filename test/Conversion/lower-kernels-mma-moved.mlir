// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=wgmma | FileCheck %s

// Both sides of a pair are a thread's own: no choice is left, and no column is
// divided. Heads lie as the contraction's columns do, so that copies write them.
// CHECK-LABEL: func.func @f(
// CHECK:         tensor_maps = [#fuse.tensor_map<operand = 4, box = [64, 64]>, #fuse.tensor_map<operand = 0, box = [64, 128]>, #fuse.tensor_map<operand = 1, box = [64, 256]>]
// CHECK:       gpu.func @pairs(
// CHECK:         wgmma.wait_group.sync.aligned 0;
// CHECK:         gpu.shuffle
// CHECK-NOT:     arith.select
// CHECK:         llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<2xf32>
// CHECK-NOT:     arith.select
// CHECK-NOT:     arith.divui {{.*}} : index
// CHECK:         nvvm.stmatrix
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NOT:     llvm.store
func.func @f(%x: tensor<128x64xbf16>, %w: tensor<512x64xbf16>, %cos: tensor<128x64xf32>, %sin: tensor<128x64xf32>) -> tensor<128x4x128xbf16> {
  %y = fuse.kernel "pairs" ins(%x, %w, %cos, %sin : tensor<128x64xbf16>, tensor<512x64xbf16>, tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x4x128xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<128x64xbf16>, %b: tensor<512x64xbf16>, %c: tensor<128x64xf32>, %s: tensor<128x64xf32>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<128x64xbf16>, tensor<512x64xbf16> -> tensor<128x512xbf16>
    %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [128, 4, 128] : tensor<128x512xbf16> into tensor<128x4x128xbf16>
    %r = fuse.rotary half tokens_heads %h tables(%c, %s) : tensor<128x4x128xbf16>, tensor<128x64xf32>
    fuse.yield %r : tensor<128x4x128xbf16>
  }
  return %y : tensor<128x4x128xbf16>
}

// -----

// Rows that go to slots of a cache: from shared memory, 16 bytes a thread, where
// the slot exists. No copy by tensor map has a result.
// CHECK-LABEL: func.func @f(
// CHECK:         tensor_maps = [#fuse.tensor_map<operand = 0, box = [64, 128]>, #fuse.tensor_map<operand = 1, box = [64, 128]>]
// CHECK:       gpu.func @append(
// CHECK:         nvvm.stmatrix
// CHECK-NOT:     nvvm.fence.proxy
// CHECK:         nvvm.barrier
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK:         %[[EXISTS:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : i64
// CHECK:         scf.if %[[EXISTS]] {
// CHECK:           llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr{{$}}
// CHECK-NOT:     nvvm.cp.async.bulk.tensor.global.shared.cta
func.func @f(%x: tensor<128x64xbf16>, %w: tensor<256x64xbf16>, %at: tensor<128xi32>, %cache: tensor<999x2x128xbf16>) -> tensor<999x2x128xbf16> {
  %y = fuse.kernel "append" ins(%x, %w, %at, %cache : tensor<128x64xbf16>, tensor<256x64xbf16>, tensor<128xi32>, tensor<999x2x128xbf16>) -> tensor<999x2x128xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<128x64xbf16>, %b: tensor<256x64xbf16>, %i: tensor<128xi32>, %c: tensor<999x2x128xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xbf16>
    %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [128, 2, 128] : tensor<128x256xbf16> into tensor<128x2x128xbf16>
    %s = fuse.scatter %c, %i, %h dim = 0 : tensor<999x2x128xbf16>, tensor<128xi32>, tensor<128x2x128xbf16> -> tensor<999x2x128xbf16>
    fuse.yield %s : tensor<999x2x128xbf16>
  }
  return %y : tensor<999x2x128xbf16>
}

// -----

// Columns of a slice are written by tiles that have them: a branch for the group,
// which all threads of a consumer take or none.
// CHECK-LABEL: gpu.func @values(
// CHECK:         %[[FROM:.*]] = arith.cmpi slt, %c255{{[_0-9]*}}, %[[COLUMN:.*]] : index
// CHECK:         %[[TO:.*]] = arith.cmpi slt, %[[COLUMN]], %c384{{[_0-9]*}} : index
// CHECK-NEXT:    %[[HAS:.*]] = arith.andi %[[FROM]], %[[TO]] : i1
// CHECK-NEXT:    scf.if %[[HAS]] {
// CHECK:           nvvm.stmatrix
func.func @f(%x: tensor<128x64xbf16>, %w: tensor<512x64xbf16>) -> tensor<128x128xbf16> {
  %y = fuse.kernel "values" ins(%x, %w : tensor<128x64xbf16>, tensor<512x64xbf16>) -> tensor<128x128xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<128x64xbf16>, %b: tensor<512x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<128x64xbf16>, tensor<512x64xbf16> -> tensor<128x512xbf16>
    %s = fuse.slice %p offsets = [0, 256] sizes = [128, 128] : tensor<128x512xbf16> -> tensor<128x128xbf16>
    fuse.yield %s : tensor<128x128xbf16>
  }
  return %y : tensor<128x128xbf16>
}
