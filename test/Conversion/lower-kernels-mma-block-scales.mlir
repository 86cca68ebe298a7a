// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=wgmma | FileCheck %s
// RUN: fuse-opt %s -split-input-file "-fuse-lower-kernels=wgmma strict" | FileCheck %s --check-prefix=STRICT

// A thread has two rows and 64 columns, which share a scale. What is loaded for a
// step comes from the step before, while whose products are under way the next
// step's is loaded. A factor for each row is multiplied once for all columns, so
// that each sum takes one multiplication and one addition, which may be one.
// CHECK-LABEL: gpu.func @scaled(
// CHECK:         nvvm.setmaxregister increase
// CHECK-COUNT-3: llvm.load
// CHECK-NOT:     llvm.load
// CHECK:         scf.for
// CHECK-NOT:     llvm.load
// CHECK-COUNT-4: m64n128k32.f32.e4m3.e4m3
// CHECK:         nvvm.wgmma.commit.group
// CHECK-COUNT-3: llvm.load
// CHECK:         wgmma.wait_group.sync.aligned 0;
// CHECK:         nvvm.mbarrier.arrive
// CHECK-NOT:     llvm.load
// CHECK:         arith.mulf %{{[^<]*}} : f32
// CHECK:         arith.mulf {{.*}} fastmath<contract> : vector<2xf32>
// CHECK:         arith.addf {{.*}} fastmath<contract> : f32
// CHECK:         arith.addf {{.*}} fastmath<contract> : f32
// CHECK:         arith.mulf {{.*}} fastmath<contract> : vector<2xf32>
// CHECK-NOT:     llvm.load
// CHECK:         scf.yield

// Each operation of the program rounds.
// STRICT-LABEL: gpu.func @scaled(
// STRICT:         scf.for
// STRICT:         wgmma.wait_group.sync.aligned 0;
// STRICT-NOT:     fastmath<contract>
// STRICT:         gpu.return
func.func @f(%x: tensor<?x8x128xf8E4M3FN>, %w: tensor<512x8x128xf8E4M3FN>, %a: tensor<8x?x1x1xf32>, %b: tensor<8x1x4x1xf32>) -> tensor<?x512xbf16> {
  %y = fuse.kernel "scaled" ins(%x, %w, %a, %b : tensor<?x8x128xf8E4M3FN>, tensor<512x8x128xf8E4M3FN>, tensor<8x?x1x1xf32>, tensor<8x1x4x1xf32>) -> tensor<?x512xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 128, stages = 6, consumers = 2, raster = 16, store = tma, persistent = 132, operand_bits = 8> {
  ^bb0(%l: tensor<?x8x128xf8E4M3FN>, %r: tensor<512x8x128xf8E4M3FN>, %rows: tensor<8x?x1x1xf32>, %columns: tensor<8x1x4x1xf32>):
    %c0 = arith.constant 0 : index
    %m = tensor.dim %l, %c0 : tensor<?x8x128xf8E4M3FN>
    %p = fuse.contract "mbk,nbk->bmn" %l, %r : tensor<?x8x128xf8E4M3FN>, tensor<512x8x128xf8E4M3FN> -> tensor<8x?x512xf32>
    %e = tensor.expand_shape %p [[0], [1], [2, 3]] output_shape [8, %m, 4, 128] : tensor<8x?x512xf32> into tensor<8x?x4x128xf32>
    %q = fuse.mul %e, %rows : tensor<8x?x4x128xf32>, tensor<8x?x1x1xf32>
    %s = fuse.mul %q, %columns : tensor<8x?x4x128xf32>, tensor<8x1x4x1xf32>
    %t = tensor.collapse_shape %s [[0], [1], [2, 3]] : tensor<8x?x4x128xf32> into tensor<8x?x512xf32>
    %u = fuse.reduce sum %t dims = [0] : tensor<8x?x512xf32> -> tensor<?x512xf32>
    %v = fuse.cast %u : tensor<?x512xf32> -> tensor<?x512xbf16>
    fuse.yield %v : tensor<?x512xbf16>
  }
  return %y : tensor<?x512xbf16>
}
