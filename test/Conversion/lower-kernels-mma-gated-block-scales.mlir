// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=wgmma -verify-diagnostics | FileCheck %s

// Gate and up are columns of one instruction. A thread has two rows, whose scales both
// contractions have, and 32 columns of each, which share a scale: four loads a step,
// which come from the step before.
// CHECK-LABEL: gpu.func @gated(
// CHECK:         nvvm.setmaxregister increase
// CHECK-COUNT-4: llvm.load
// CHECK-NOT:     llvm.load
// CHECK:         scf.for
// CHECK-NOT:     llvm.load
// CHECK-COUNT-4: m64n128k32.f32.e4m3.e4m3
// CHECK:         nvvm.wgmma.commit.group
// CHECK-COUNT-4: llvm.load
// CHECK-NOT:     llvm.load
// CHECK:         wgmma.wait_group.sync.aligned 0;
// CHECK:         nvvm.mbarrier.arrive
// CHECK-NOT:     llvm.load
// CHECK:         arith.mulf %{{[^<]*}} : f32
// CHECK:         arith.mulf {{.*}} fastmath<contract> : vector<2xf32>
// CHECK:         arith.addf {{.*}} fastmath<contract> : f32
// CHECK-NOT:     llvm.load
// CHECK:         scf.yield
func.func @f(%x: tensor<?x8x128xf8E4M3FN>, %g: tensor<512x8x128xf8E4M3FN>, %u: tensor<512x8x128xf8E4M3FN>, %a: tensor<8x?x1x1xf32>, %b: tensor<8x1x4x1xf32>, %c: tensor<8x1x4x1xf32>) -> tensor<?x512xbf16> {
  %y = fuse.kernel "gated" ins(%x, %g, %u, %a, %b, %c : tensor<?x8x128xf8E4M3FN>, tensor<512x8x128xf8E4M3FN>, tensor<512x8x128xf8E4M3FN>, tensor<8x?x1x1xf32>, tensor<8x1x4x1xf32>, tensor<8x1x4x1xf32>) -> tensor<?x512xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 128, stages = 6, consumers = 2, raster = 16, store = tma, persistent = 132, operand_bits = 8> {
  ^bb0(%l: tensor<?x8x128xf8E4M3FN>, %r: tensor<512x8x128xf8E4M3FN>, %s: tensor<512x8x128xf8E4M3FN>, %rows: tensor<8x?x1x1xf32>, %columns: tensor<8x1x4x1xf32>, %others: tensor<8x1x4x1xf32>):
    %c0 = arith.constant 0 : index
    %m = tensor.dim %l, %c0 : tensor<?x8x128xf8E4M3FN>
    %p = fuse.contract "mbk,nbk->bmn" %l, %r : tensor<?x8x128xf8E4M3FN>, tensor<512x8x128xf8E4M3FN> -> tensor<8x?x512xf32>
    %e = tensor.expand_shape %p [[0], [1], [2, 3]] output_shape [8, %m, 4, 128] : tensor<8x?x512xf32> into tensor<8x?x4x128xf32>
    %e1 = fuse.mul %e, %rows : tensor<8x?x4x128xf32>, tensor<8x?x1x1xf32>
    %e2 = fuse.mul %e1, %columns : tensor<8x?x4x128xf32>, tensor<8x1x4x1xf32>
    %e3 = tensor.collapse_shape %e2 [[0], [1], [2, 3]] : tensor<8x?x4x128xf32> into tensor<8x?x512xf32>
    %gate = fuse.reduce sum %e3 dims = [0] : tensor<8x?x512xf32> -> tensor<?x512xf32>
    %q = fuse.contract "mbk,nbk->bmn" %l, %s : tensor<?x8x128xf8E4M3FN>, tensor<512x8x128xf8E4M3FN> -> tensor<8x?x512xf32>
    %f = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [8, %m, 4, 128] : tensor<8x?x512xf32> into tensor<8x?x4x128xf32>
    %f1 = fuse.mul %f, %rows : tensor<8x?x4x128xf32>, tensor<8x?x1x1xf32>
    %f2 = fuse.mul %f1, %others : tensor<8x?x4x128xf32>, tensor<8x1x4x1xf32>
    %f3 = tensor.collapse_shape %f2 [[0], [1], [2, 3]] : tensor<8x?x4x128xf32> into tensor<8x?x512xf32>
    %up = fuse.reduce sum %f3 dims = [0] : tensor<8x?x512xf32> -> tensor<?x512xf32>
    %open = fuse.sigmoid %gate : tensor<?x512xf32>
    %both = fuse.mul %open, %up : tensor<?x512xf32>
    %v = fuse.cast %both : tensor<?x512xf32> -> tensor<?x512xbf16>
    fuse.yield %v : tensor<?x512xbf16>
  }
  return %y : tensor<?x512xbf16>
}

// -----

// Those of one alone would not be the other one's.
func.func @f(%x: tensor<64x8x128xf8E4M3FN>, %z: tensor<64x1024xf8E4M3FN>, %g: tensor<128x8x128xf8E4M3FN>, %u: tensor<128x1024xf8E4M3FN>, %a: tensor<8x64x1xf32>) -> tensor<64x128xf32> {
  // expected-error @+1 {{expected a contraction that tensor cores run for #fuse.mma, but}}
  %y = fuse.kernel "mixed" ins(%x, %z, %g, %u, %a : tensor<64x8x128xf8E4M3FN>, tensor<64x1024xf8E4M3FN>, tensor<128x8x128xf8E4M3FN>, tensor<128x1024xf8E4M3FN>, tensor<8x64x1xf32>) -> tensor<64x128xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 128, stages = 6, consumers = 2, raster = 16, store = direct, persistent = 132, operand_bits = 8> {
  ^bb0(%l: tensor<64x8x128xf8E4M3FN>, %k: tensor<64x1024xf8E4M3FN>, %r: tensor<128x8x128xf8E4M3FN>, %s: tensor<128x1024xf8E4M3FN>, %rows: tensor<8x64x1xf32>):
    %p = fuse.contract "mbk,nbk->bmn" %l, %r : tensor<64x8x128xf8E4M3FN>, tensor<128x8x128xf8E4M3FN> -> tensor<8x64x128xf32>
    %e = fuse.mul %p, %rows : tensor<8x64x128xf32>, tensor<8x64x1xf32>
    %gate = fuse.reduce sum %e dims = [0] : tensor<8x64x128xf32> -> tensor<64x128xf32>
    %up = fuse.contract "mk,nk->mn" %k, %s : tensor<64x1024xf8E4M3FN>, tensor<128x1024xf8E4M3FN> -> tensor<64x128xf32>
    %both = fuse.mul %gate, %up : tensor<64x128xf32>
    fuse.yield %both : tensor<64x128xf32>
  }
  return %y : tensor<64x128xf32>
}
