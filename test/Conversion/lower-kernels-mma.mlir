// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=wgmma | FileCheck %s

// A thread of the first warpgroup copies: 128 rows of x and 256 of w along the
// summed axis, 64 elements at a time. The others multiply, and give a slot back
// when the next one's products have started. Results go through shared memory.
// CHECK-LABEL: func.func @f(
// CHECK:         fuse.launch @linear::@linear
// CHECK-SAME:      tensor_maps = [#fuse.tensor_map<operand = 2, box = [64, 64]>, #fuse.tensor_map<operand = 0, box = [64, 128]>, #fuse.tensor_map<operand = 1, box = [64, 256]>]
// CHECK:       gpu.func @linear(
// CHECK-SAME:    %[[Y:arg[0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>}, %[[X:arg[0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>}, %[[W:arg[0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>})
// CHECK-SAME:    nvvm.minctasm = 1
// CHECK-COUNT-8: nvvm.mbarrier.init
// CHECK:         nvvm.fence.mbarrier.init
// CHECK:         nvvm.barrier
// CHECK:         nvvm.setmaxregister decrease 40
// CHECK:         nvvm.mbarrier.try_wait
// CHECK:         nvvm.mbarrier.arrive.expect_tx
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[X]]
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[W]]
// CHECK:         nvvm.setmaxregister increase 232
// CHECK:         nvvm.mbarrier.try_wait
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {{.*}} p, 1, 1, 0, 0; }
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 1
// CHECK:         nvvm.mbarrier.arrive
// CHECK:         wgmma.wait_group.sync.aligned 0;
// CHECK:         nvvm.mbarrier.arrive
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK:         nvvm.fence.proxy
// CHECK:         nvvm.barrier
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y]]
// CHECK:         nvvm.cp.async.bulk.wait_group 0
// CHECK-NOT:     llvm.store
func.func @f(%x: tensor<?x4096xbf16>, %w: tensor<1024x4096xbf16>) -> tensor<?x1024xbf16> {
  %y = fuse.kernel "linear" ins(%x, %w : tensor<?x4096xbf16>, tensor<1024x4096xbf16>) -> tensor<?x1024xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<1024x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16>, tensor<1024x4096xbf16> -> tensor<?x1024xbf16>
    fuse.yield %p : tensor<?x1024xbf16>
  }
  return %y : tensor<?x1024xbf16>
}

// -----

// Both operands across the summed axis, f16, a batch that the left one lacks.
// The boxes are 64 rows or columns of the product. With a K of unknown size
// there may be no step, so that sums start as zeros.
// CHECK-LABEL: func.func @f(
// CHECK:         tensor_maps = [#fuse.tensor_map<operand = 0, box = [64, 64]>, #fuse.tensor_map<operand = 1, box = [64, 64, 1]>]
// CHECK:       gpu.func @gradient(
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, box[%{{[^,]*}}, %{{[^,]*}}] :
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, box[%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}] :
// CHECK:         llvm.mlir.zero
// CHECK:         m64n128k16.f32.f16.f16 {{.*}} p, 1, 1, 1, 1; }
// CHECK:         llvm.store {{.*}} vector<2xf16>
func.func @f(%x: tensor<?x256xf16>, %w: tensor<3x?x512xf16>) -> tensor<3x256x512xf16> {
  %y = fuse.kernel "gradient" ins(%x, %w : tensor<?x256xf16>, tensor<3x?x512xf16>) -> tensor<3x256x512xf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 6, consumers = 2, raster = 8, store = direct, persistent = 132> {
  ^bb0(%a: tensor<?x256xf16>, %b: tensor<3x?x512xf16>):
    %p = fuse.contract "km,bkn->bmn" %a, %b : tensor<?x256xf16>, tensor<3x?x512xf16> -> tensor<3x256x512xf16>
    fuse.yield %p : tensor<3x256x512xf16>
  }
  return %y : tensor<3x256x512xf16>
}

// -----

// Where a tile may be cut, what it reads stays inside, and what it writes from
// registers is masked; a whole tile does neither.
// CHECK-LABEL: gpu.func @bias(
// CHECK:         scf.if %{{.*}} {
// CHECK-NOT:       arith.minsi
// CHECK:           llvm.load %{{.*}} : !llvm.ptr -> vector<2xbf16>
// CHECK:           llvm.store %{{.*}} : vector<2xf32>, !llvm.ptr{{$}}
// CHECK:         } else {
// CHECK:           arith.minsi
// CHECK:           llvm.load %{{.*}} : !llvm.ptr -> vector<2xbf16>
// CHECK:           %[[ROW:.*]] = arith.cmpi slt
// CHECK-NEXT:      %[[COLUMN:.*]] = arith.cmpi slt, %{{.*}}, %c1000
// CHECK-NEXT:      %[[INSIDE:.*]] = arith.andi %[[ROW]], %[[COLUMN]]
// CHECK-NEXT:      scf.if %[[INSIDE]] {
func.func @f(%x: tensor<?x64xbf16>, %w: tensor<1000x64xbf16>, %b: tensor<1000xbf16>) -> tensor<?x1000xf32> {
  %y = fuse.kernel "bias" ins(%x, %w, %b : tensor<?x64xbf16>, tensor<1000x64xbf16>, tensor<1000xbf16>) -> tensor<?x1000xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = direct, persistent = 132> {
  ^bb0(%a: tensor<?x64xbf16>, %c: tensor<1000x64xbf16>, %d: tensor<1000xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %c : tensor<?x64xbf16>, tensor<1000x64xbf16> -> tensor<?x1000xbf16>
    %s = fuse.add %p, %d : tensor<?x1000xbf16>, tensor<1000xbf16> -> tensor<?x1000xbf16>
    %t = fuse.cast %s : tensor<?x1000xbf16> -> tensor<?x1000xf32>
    fuse.yield %t : tensor<?x1000xf32>
  }
  return %y : tensor<?x1000xf32>
}

// -----

// Rows of b and of s follow each other: one dimension of the maps of x and of
// the result, which a tile's rows walk through, and two of points.
// CHECK-LABEL: func.func @f(
// CHECK:         %[[ROWS:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK:         map_dims(%c512{{[_0-9]*}}, %{{.*}}, %c512{{[_0-9]*}}, %c64{{[_0-9]*}}, %{{.*}}, %c64{{[_0-9]*}}, %c64{{[_0-9]*}}, %c512{{[_0-9]*}}, %c64{{[_0-9]*}})
// CHECK:       gpu.func @joined(
// CHECK:         arith.divui %{{.*}}, %[[S:.*]] : index
// CHECK:         arith.remui %{{.*}}, %[[S]] : index
func.func @f(%x: tensor<?x?x64xbf16>, %w: tensor<512x64xbf16>, %r: tensor<?x?x512xbf16>) -> tensor<?x?x512xbf16> {
  %y = fuse.kernel "joined" ins(%x, %w, %r : tensor<?x?x64xbf16>, tensor<512x64xbf16>, tensor<?x?x512xbf16>) -> tensor<?x?x512xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<?x?x64xbf16>, %b: tensor<512x64xbf16>, %c: tensor<?x?x512xbf16>):
    %p = fuse.contract "bsk,nk->bsn" %a, %b : tensor<?x?x64xbf16>, tensor<512x64xbf16> -> tensor<?x?x512xbf16>
    %s = fuse.add %p, %c : tensor<?x?x512xbf16>
    fuse.yield %s : tensor<?x?x512xbf16>
  }
  return %y : tensor<?x?x512xbf16>
}

// -----

// A residual comes through the ring: two stages of 128 columns after the steps of
// a tile, in panels of 128 rows; a thread reads its part of the matrices, and its
// warpgroup gives the slot back. Its memory may be the result's. Of each row four
// threads leave the sum of squares of 256 columns, which a second launch combines.
// CHECK-LABEL: func.func @f(
// CHECK:         fuse.launch @residual::@residual
// CHECK-SAME:      -> tensor<?x1024xbf16>, tensor<4x?xf32>
// CHECK-SAME:      in_place = {{\[\[}}0, 2]]
// CHECK-SAME:      tensor_maps = [#fuse.tensor_map<operand = 2, box = [64, 128]>, #fuse.tensor_map<operand = 3, box = [64, 64]>, #fuse.tensor_map<operand = 0, box = [64, 128]>, #fuse.tensor_map<operand = 1, box = [64, 256]>]
// CHECK:         fuse.launch @residual_combine::@residual_combine
// CHECK:       gpu.func @residual(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-2:     nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:           nvvm.mbarrier.try_wait
// CHECK:           nvvm.mbarrier.arrive.expect_tx {{.*}} %c32768
// CHECK-COUNT-2:   nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:           nvvm.mbarrier.try_wait
// CHECK:           nvvm.mbarrier.arrive.expect_tx {{.*}} %c32768
// CHECK-COUNT-2:   nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:         wgmma.wait_group.sync.aligned 0;
// CHECK:         nvvm.mbarrier.try_wait
// CHECK-COUNT-4: nvvm.ldmatrix
// CHECK:         nvvm.stmatrix
// CHECK-COUNT-4: nvvm.ldmatrix
// CHECK:         nvvm.barrier id
// CHECK:         nvvm.mbarrier.arrive
// CHECK:         nvvm.mbarrier.try_wait
// CHECK-COUNT-8: nvvm.ldmatrix
// CHECK:         gpu.shuffle xor
// CHECK:         gpu.shuffle xor
// CHECK-NOT:     gpu.shuffle xor
// CHECK:         llvm.store {{.*}} : f32, !llvm.ptr
func.func @f(%x: tensor<?x4096xbf16>, %w: tensor<1024x4096xbf16>, %r: tensor<?x1024xbf16>) -> (tensor<?x1024xbf16>, tensor<?x1xf32>) {
  %y, %z = fuse.kernel "residual" ins(%x, %w, %r : tensor<?x4096xbf16>, tensor<1024x4096xbf16>, tensor<?x1024xbf16>) -> tensor<?x1024xbf16>, tensor<?x1xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<1024x4096xbf16>, %c: tensor<?x1024xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16>, tensor<1024x4096xbf16> -> tensor<?x1024xbf16>
    %h = fuse.add %p, %c : tensor<?x1024xbf16>
    %f = fuse.cast %h : tensor<?x1024xbf16> -> tensor<?x1024xf32>
    %s = fuse.mul %f, %f : tensor<?x1024xf32>
    %q = fuse.reduce sum %s dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
    fuse.yield %h, %q : tensor<?x1024xbf16>, tensor<?x1xf32>
  }
  return %y, %z : tensor<?x1024xbf16>, tensor<?x1xf32>
}

// -----

// Results of a byte: a buffer has 128 columns, whose pairs are stored one by one.
// CHECK-LABEL: func.func @f(
// CHECK:         tensor_maps = [#fuse.tensor_map<operand = 2, box = [128, 64]>
// CHECK:       gpu.func @bytes(
// CHECK-NOT:     nvvm.stmatrix
// CHECK-COUNT-64: llvm.store {{.*}} {alignment = 2 : i64} : vector<2xi8>, !llvm.ptr<3>
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta
func.func @f(%x: tensor<?x4096xbf16>, %w: tensor<1024x4096xbf16>) -> tensor<?x1024xi8> {
  %y = fuse.kernel "bytes" ins(%x, %w : tensor<?x4096xbf16>, tensor<1024x4096xbf16>) -> tensor<?x1024xi8>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<1024x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16>, tensor<1024x4096xbf16> -> tensor<?x1024xbf16>
    %q = fuse.cast %p : tensor<?x1024xbf16> -> tensor<?x1024xi8>
    fuse.yield %q : tensor<?x1024xi8>
  }
  return %y : tensor<?x1024xi8>
}
