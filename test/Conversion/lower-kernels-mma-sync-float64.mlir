// RUN: fuse-opt %s -fuse-lower-kernels="shared-bytes=166912 float64-places=4" | FileCheck %s --check-prefixes=CHECK,SMALL
// RUN: fuse-opt %s -fuse-lower-kernels="shared-bytes=232448 float64-places=8" | FileCheck %s --check-prefixes=CHECK,LARGE
// RUN: not fuse-opt %s -fuse-lower-kernels="shared-bytes=232448 float64-places=8 strict" 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: expected a program whose products may reach their sums unrounded for operand_bits = 64, but got a strict one; remove the schedule

// Of 16 elements of K two instructions of 8 places take each 16 x 8, or eight of 8 rows and 4 places. An
// element of each 4 places is a load, as many along K as across it: 8 of rows and 32 of columns.
// CHECK-LABEL:     gpu.func @along(
// CHECK-NOT:         nvvm.ldmatrix
// CHECK:             scf.for
// CHECK:             scf.for
// LARGE-COUNT-16:      llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.f64"
// SMALL-COUNT-64:      llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"
// CHECK-NOT:           llvm.call_intrinsic "llvm.nvvm.mma
// CHECK:               scf.yield
func.func @along(%x: tensor<?x4096xf64>, %w: tensor<1024x4096xf64>) -> tensor<?x1024xf64> {
  %y = fuse.kernel "along" ins(%x, %w : tensor<?x4096xf64>, tensor<1024x4096xf64>) -> tensor<?x1024xf64>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 16, stages = 3, consumers = 1, raster = 8, store = direct, persistent = 132, operand_bits = 64> {
  ^bb0(%a: tensor<?x4096xf64>, %b: tensor<1024x4096xf64>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xf64>, tensor<1024x4096xf64> -> tensor<?x1024xf64>
    fuse.yield %p : tensor<?x1024xf64>
  }
  return %y : tensor<?x1024xf64>
}

// CHECK-LABEL:     gpu.func @across(
// CHECK:             scf.for
// CHECK-COUNT-20:      llvm.load {{.*}} : !llvm.ptr<3> -> f64
// CHECK-NOT:           llvm.load
// CHECK:               scf.for
// CHECK-COUNT-40:      llvm.load {{.*}} : !llvm.ptr<3> -> f64
// CHECK-NOT:           llvm.load
// CHECK:               scf.yield
func.func @across(%x: tensor<?x4096xf64>, %w: tensor<4096x1024xf64>) -> tensor<?x1024xf64> {
  %y = fuse.kernel "across" ins(%x, %w : tensor<?x4096xf64>, tensor<4096x1024xf64>) -> tensor<?x1024xf64>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 16, stages = 3, consumers = 1, raster = 8, store = direct, persistent = 132, operand_bits = 64> {
  ^bb0(%a: tensor<?x4096xf64>, %b: tensor<4096x1024xf64>):
    %p = fuse.contract "mk,kn->mn" %a, %b : tensor<?x4096xf64>, tensor<4096x1024xf64> -> tensor<?x1024xf64>
    fuse.yield %p : tensor<?x1024xf64>
  }
  return %y : tensor<?x1024xf64>
}
