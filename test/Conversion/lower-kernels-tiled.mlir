// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// On a CPU: columns are packed, rows copied, 2 x 2 vectors of sums kept in
// registers, whole pieces first and then those of the edge. Operands come from
// memory for packing only; the bias is read where results are written.
// CHECK-LABEL: gpu.module @linear
// CHECK:         llvm.mlir.global external @__scratch_linear{{.*}} : !llvm.array<{{[0-9]+}} x i8>
// CHECK:         gpu.func @linear(%[[X:[^:]*]]: {{.*}}, %[[W:[^:]*]]: {{.*}}, %[[B:[^:]*]]: {{.*}}, %[[Y:[^:]*]]: !llvm.ptr
// CHECK:         llvm.mlir.addressof @__scratch_linear
// CHECK:         llvm.getelementptr inbounds %[[W]]
// CHECK:         llvm.getelementptr inbounds %[[X]]
// CHECK:         scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK-COUNT-4:   arith.mulf %{{.*}} fastmath<contract> : vector<4xf32>
// CHECK:           scf.yield
// CHECK-NOT:     llvm.getelementptr inbounds %[[X]]
// CHECK-NOT:     llvm.getelementptr inbounds %[[W]]
// CHECK:         llvm.getelementptr inbounds %[[B]]
// CHECK:         llvm.getelementptr inbounds %[[Y]]
func.func @linear(%x: tensor<6x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<6x16xf32> {
  %y = fuse.kernel "linear" ins(%x, %w, %b : tensor<6x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
      schedule = #fuse.tiled<threads = 1, vector = 4, tile_m = 6, tile_n = 16, tile_k = 8, rows = 2, columns = 8> {
  ^bb0(%a: tensor<6x8xf32>, %c: tensor<8x16xf32>, %d: tensor<16xf32>):
    %p = fuse.contract "mk,kn->mn" %a, %c : tensor<6x8xf32>, tensor<8x16xf32> -> tensor<6x16xf32>
    %s = fuse.add %p, %d : tensor<6x16xf32>, tensor<16xf32> -> tensor<6x16xf32>
    fuse.yield %s : tensor<6x16xf32>
  }
  return %y : tensor<6x16xf32>
}

// -----

// Columns whose neighbours follow the summed axis are turned in registers, two
// steps of shuffles for vectors of 4.
// CHECK-LABEL: gpu.func @turned
// CHECK-COUNT-8: vector.shuffle
// CHECK-NOT:     vector.shuffle
// CHECK:         arith.mulf
func.func @turned(%x: tensor<6x8xf32>, %w: tensor<16x8xf32>) -> tensor<6x16xf32> {
  %y = fuse.kernel "turned" ins(%x, %w : tensor<6x8xf32>, tensor<16x8xf32>) -> tensor<6x16xf32>
      schedule = #fuse.tiled<threads = 1, vector = 4, tile_m = 6, tile_n = 16, tile_k = 8, rows = 2, columns = 8> {
  ^bb0(%a: tensor<6x8xf32>, %c: tensor<16x8xf32>):
    %p = fuse.contract "mk,nk->mn" %a, %c : tensor<6x8xf32>, tensor<16x8xf32> -> tensor<6x16xf32>
    fuse.yield %p : tensor<6x16xf32>
  }
  return %y : tensor<6x16xf32>
}
