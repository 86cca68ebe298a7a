// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=shared-bytes=166912 | FileCheck %s

// All threads copy, two steps before the first; a step's fragments come while the
// ones before are multiplied: of four instructions' elements of K, 64 rows and 64 columns
// for each warp. Results go through shared memory, 16 bytes of a row each.
// CHECK-LABEL: func.func @f(
// CHECK:         fuse.launch @linear::@linear
// CHECK-SAME:      threads(256)
// CHECK-NOT:       tensor_maps
// CHECK:       gpu.func @linear(
// CHECK:         nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache =  cg, %{{.*}}
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         nvvm.cp.async.commit.group
// CHECK-NOT:     nvvm.cp.async.commit.group
// CHECK:         nvvm.cp.async.wait.group 1
// CHECK-NEXT:    nvvm.barrier
// CHECK-COUNT-8: nvvm.ldmatrix {{.*}} #nvvm.mma_layout<row>
// CHECK:         scf.for
// CHECK-COUNT-8:   nvvm.ldmatrix
// CHECK-COUNT-4:   nvvm.cp.async.shared.global
// CHECK-COUNT-32:  nvvm.mma.sync
// CHECK-NOT:       nvvm.barrier
// CHECK-COUNT-64:  nvvm.mma.sync
// CHECK:           nvvm.cp.async.commit.group
// CHECK-NEXT:      nvvm.cp.async.wait.group 1
// CHECK-NEXT:      nvvm.barrier
// CHECK-COUNT-8:   nvvm.ldmatrix
// CHECK-COUNT-32:  nvvm.mma.sync
// CHECK:           scf.yield
// CHECK:         nvvm.cp.async.wait.group 0
// CHECK-NEXT:    nvvm.barrier
// CHECK-NOT:     nvvm.stmatrix
// CHECK:         llvm.store {{.*}} vector<8xbf16>, !llvm.ptr
func.func @f(%x: tensor<?x4096xbf16>, %w: tensor<1024x4096xbf16>) -> tensor<?x1024xbf16> {
  %y = fuse.kernel "linear" ins(%x, %w : tensor<?x4096xbf16>, tensor<1024x4096xbf16>) -> tensor<?x1024xbf16>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 256, tile_n = 128, tile_k = 64, stages = 3, consumers = 2, raster = 8, store = rows, persistent = 108> {
  ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<1024x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16>, tensor<1024x4096xbf16> -> tensor<?x1024xbf16>
    fuse.yield %p : tensor<?x1024xbf16>
  }
  return %y : tensor<?x1024xbf16>
}

// -----

// Across the summed axis fragments are transposed on the way.
// CHECK-LABEL: gpu.func @gradient(
// CHECK-COUNT-4: nvvm.ldmatrix {{.*}} #nvvm.mma_layout<col>
// CHECK-NOT:     #nvvm.mma_layout<row>, shape
// CHECK:         nvvm.mma.sync {{.*}} vector<2xf16>
func.func @f(%x: tensor<?x256xf16>, %w: tensor<3x?x512xf16>) -> tensor<3x256x512xf16> {
  %y = fuse.kernel "gradient" ins(%x, %w : tensor<?x256xf16>, tensor<3x?x512xf16>) -> tensor<3x256x512xf16>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 64, stages = 2, consumers = 1, raster = 8, store = direct, persistent = 108> {
  ^bb0(%a: tensor<?x256xf16>, %b: tensor<3x?x512xf16>):
    %p = fuse.contract "km,bkn->bmn" %a, %b : tensor<?x256xf16>, tensor<3x?x512xf16> -> tensor<3x256x512xf16>
    fuse.yield %p : tensor<3x256x512xf16>
  }
  return %y : tensor<3x256x512xf16>
}

// -----

// Each block sums a part of K, of the steps that are its, leaves its sums as f32, and the
// second launch adds them in their order before what follows.
// CHECK-LABEL: func.func @split(
// CHECK:         %[[SUMS:.*]] = fuse.launch @few::@few
// CHECK-SAME:      -> tensor<4x131072xf32>
// CHECK:         fuse.launch @few_combine::@few_combine
// CHECK-SAME:      ins(%arg2, %[[SUMS]] :
// CHECK:       gpu.func @few(
// CHECK-NOT:     nvvm.cluster
// CHECK:         arith.remui {{.*}}, %c4_i32
// CHECK:         llvm.store {{.*}} vector<4xf32>, !llvm.ptr
// CHECK:       gpu.func @few_combine(
// CHECK-COUNT-4: llvm.load {{.*}} -> vector<4xf32>
// CHECK-COUNT-3: arith.addf {{.*}} vector<4xf32>
// CHECK:         llvm.store {{.*}} vector<4xbf16>
func.func @split(%x: tensor<32x4096xbf16>, %w: tensor<4096x4096xbf16>, %r: tensor<32x4096xbf16>) -> tensor<32x4096xbf16> {
  %y = fuse.kernel "few" ins(%x, %w, %r : tensor<32x4096xbf16>, tensor<4096x4096xbf16>, tensor<32x4096xbf16>) -> tensor<32x4096xbf16>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 32, tile_k = 64, stages = 3, consumers = 1, raster = 8, store = direct, persistent = 216, split_k = 4, swap = true> {
  ^bb0(%a: tensor<32x4096xbf16>, %b: tensor<4096x4096xbf16>, %c: tensor<32x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<32x4096xbf16>, tensor<4096x4096xbf16> -> tensor<32x4096xbf16>
    %s = fuse.add %p, %c : tensor<32x4096xbf16>
    fuse.yield %s : tensor<32x4096xbf16>
  }
  return %y : tensor<32x4096xbf16>
}
