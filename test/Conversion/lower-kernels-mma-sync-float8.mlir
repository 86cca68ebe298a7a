// RUN: fuse-opt %s -fuse-lower-kernels="shared-bytes=101376 float8=true" | FileCheck %s

// Of 8-bit floats, in either format, an instruction takes 32 elements of K: four of a step of 128.
// Their sums start from zero in each step, and are then added to those of the steps before.
// CHECK:         gpu.func @f(
// CHECK:         scf.for
// CHECK-COUNT-32:  llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e5m2.e4m3.f32"
// CHECK-COUNT-32:  arith.addf
// CHECK-NOT:       arith.addf
// CHECK:           scf.yield
func.func @scaled(%x: tensor<?x4096xf8E5M2>, %w: tensor<1024x4096xf8E4M3FN>, %s: tensor<?x1xf32>) -> tensor<?x1024xbf16> {
  %y = fuse.kernel "f" ins(%x, %w, %s : tensor<?x4096xf8E5M2>, tensor<1024x4096xf8E4M3FN>, tensor<?x1xf32>) -> tensor<?x1024xbf16>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 128, stages = 3, consumers = 1, raster = 8, store = rows, persistent = 142, operand_bits = 8> {
  ^bb0(%a: tensor<?x4096xf8E5M2>, %b: tensor<1024x4096xf8E4M3FN>, %c: tensor<?x1xf32>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xf8E5M2>, tensor<1024x4096xf8E4M3FN> -> tensor<?x1024xf32>
    %q = fuse.mul %p, %c : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
    %r = fuse.cast %q : tensor<?x1024xf32> -> tensor<?x1024xbf16>
    fuse.yield %r : tensor<?x1024xbf16>
  }
  return %y : tensor<?x1024xbf16>
}
