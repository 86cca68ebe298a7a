// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// Four neighbouring columns a thread; the rows are a loop, four at a time, then
// one by one.
// CHECK-LABEL: gpu.func @columns
// CHECK:         scf.for {{.*}} step %c4{{.*}} -> (vector<4xf32>)
// CHECK-COUNT-4:   llvm.load %{{.*}} -> vector<4xf32>
// CHECK:         %[[S:.*]] = scf.for {{.*}} -> (vector<4xf32>)
// CHECK:         scf.if
// CHECK:           %[[T:.*]] = arith.addf %[[S]]
// CHECK:           %[[PART:.*]] = arith.divf %cst{{.*}} : f32
// CHECK:           %[[PARTS:.*]] = vector.broadcast %[[PART]]
// CHECK:           %[[Q:.*]] = arith.mulf %[[T]], %[[PARTS]]
// CHECK:           %[[R:.*]] = math.fma %{{.*}}, %{{.*}}, %[[T]]
// CHECK:           %[[M:.*]] = math.fma %[[R]], %[[PARTS]], %[[Q]]
// CHECK:           %[[IS:.*]] = arith.cmpf ord, %[[R]], %[[R]]
// CHECK:           %[[Y:.*]] = arith.select %[[IS]], %[[M]], %[[Q]]
// CHECK:           llvm.store %[[Y]]
func.func @columns(%x: tensor<?x64xf32>) -> tensor<64xf32> {
  %y = fuse.kernel "columns" ins(%x : tensor<?x64xf32>) -> tensor<64xf32>
      schedule = #fuse.columns<threads = 32, vector = 4, splits = 1> {
  ^bb0(%a: tensor<?x64xf32>):
    %m = fuse.reduce mean %a dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
    fuse.yield %m : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// Neighbouring results lie apart in the operand: single elements. The elements of
// several reduced dimensions are counted through.
// CHECK-LABEL: gpu.func @apart
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c12{{.*}} step %c4{{.*}} -> (f32)
// CHECK-COUNT-4:   llvm.load %{{.*}} -> f32
// CHECK:         scf.for {{.*}} -> (f32)
// CHECK:         llvm.store %{{.*}} : f32
func.func @apart(%x: tensor<4x6x3xf32>) -> tensor<6xf32> {
  %y = fuse.kernel "apart" ins(%x : tensor<4x6x3xf32>) -> tensor<6xf32>
      schedule = #fuse.columns<threads = 32, vector = 1, splits = 1> {
  ^bb0(%a: tensor<4x6x3xf32>):
    %m = fuse.reduce max %a dims = [0, 2] : tensor<4x6x3xf32> -> tensor<6xf32>
    fuse.yield %m : tensor<6xf32>
  }
  return %y : tensor<6xf32>
}

// -----

// Eight slices of 4 vectors: each thread walks every eighth row, four rows at a
// time, then one by one. In shared memory lanes lie apart, so that threads write
// beside each other; then sixteen threads add the slices of a column each up in
// order, and write it.
// CHECK-LABEL: gpu.func @split
// CHECK-SAME:    memref<128xf32, #gpu.address_space<workgroup>>
// CHECK:         scf.for {{.*}} step %c32 {{.*}} -> (vector<4xf32>)
// CHECK-COUNT-4:   llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK:         scf.for {{.*}} step %c8 {{.*}} -> (vector<4xf32>)
// CHECK-COUNT-4: memref.store
// CHECK:         gpu.barrier
// CHECK:         %[[ADDS:.*]] = arith.cmpi slt, %thread_id_x, %c16
// CHECK-NEXT:    scf.if %[[ADDS]]
// CHECK:           scf.for {{.*}} to %c8 {{.*}} -> (f32)
// CHECK:             memref.load
// CHECK-NOT:         memref.load
// CHECK:             arith.addf
// CHECK:           scf.if
// CHECK:             llvm.store %{{.*}} : f32
// CHECK-NOT:       llvm.store
// CHECK:         gpu.return
func.func @split(%x: tensor<?x64xf32>) -> tensor<64xf32> {
  %y = fuse.kernel "split" ins(%x : tensor<?x64xf32>) -> tensor<64xf32>
      schedule = #fuse.columns<threads = 32, vector = 4, splits = 8> {
  ^bb0(%a: tensor<?x64xf32>):
    %m = fuse.reduce sum %a dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
    fuse.yield %m : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// A softmax over leading dimensions: a walk for the maximum and the sum, and one
// for the results, which every slice writes at its own indices.
// CHECK-LABEL: gpu.func @levels
// CHECK:         scf.for {{.*}} step %c16 {{.*}} -> (vector<4xf32>, vector<4xf32>)
// CHECK:         gpu.barrier
// CHECK:         scf.for {{.*}} step %c16
// CHECK-COUNT-2:   scf.if
// CHECK:             llvm.load %{{.*}} -> vector<4xf32>
// CHECK:             llvm.store %{{.*}} : vector<4xf32>
func.func @levels(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = fuse.kernel "levels" ins(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
      schedule = #fuse.columns<threads = 128, vector = 4, splits = 8, hold = loop<unroll = 2>> {
  ^bb0(%a: tensor<?x64xf32>):
    %m, %s = fuse.softmax_stats %a dims = [0] : tensor<?x64xf32> -> tensor<1x64xf32>, tensor<1x64xf32>
    %d = fuse.sub %a, %m : tensor<?x64xf32>, tensor<1x64xf32> -> tensor<?x64xf32>
    %e = fuse.exp %d : tensor<?x64xf32>
    %q = fuse.div %e, %s : tensor<?x64xf32>, tensor<1x64xf32> -> tensor<?x64xf32>
    fuse.yield %q : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// Held in registers: the operand is loaded once, 3 elements by the first slice and
// 2 by the others.
// CHECK-LABEL: gpu.func @held
// CHECK-COUNT-3: llvm.load
// CHECK-NOT:     llvm.load
// CHECK-COUNT-3: llvm.store
func.func @held(%x: tensor<9x64xf32>) -> tensor<9x64xf32> {
  %y = fuse.kernel "held" ins(%x : tensor<9x64xf32>) -> tensor<9x64xf32>
      schedule = #fuse.columns<threads = 64, vector = 4, splits = 4, hold = registers> {
  ^bb0(%a: tensor<9x64xf32>):
    %m = fuse.reduce mean %a dims = [0] keep : tensor<9x64xf32> -> tensor<1x64xf32>
    %d = fuse.sub %a, %m : tensor<9x64xf32>, tensor<1x64xf32> -> tensor<9x64xf32>
    fuse.yield %d : tensor<9x64xf32>
  }
  return %y : tensor<9x64xf32>
}

// -----

// Up to 5 blocks share a column: part p takes steps p, p + parts, ..., of 16
// elements each, and the part after the last one what is left. The states lie in a
// tensor for each reduction; the second launch combines them, 8 slices of 32
// columns a block, and computes what follows.
// CHECK-LABEL: func.func @shared_by_blocks(
// CHECK-SAME:    %[[X:.*]]: tensor<?x64xf32>
// CHECK:         %[[ROWS:.*]] = tensor.dim %[[X]]
// CHECK:         %[[STEPS:.*]] = arith.ceildivui %[[ROWS]], %c16
// CHECK:         %[[SOME:.*]] = arith.maxui %[[STEPS]], %c1
// CHECK:         %[[MOST:.*]] = arith.minui %[[SOME]], %c5
// CHECK:         %[[S:.*]]:2 = fuse.launch @parts::@parts blocks({{.*}}) threads(64) ins(%[[X]] : tensor<?x64xf32>)
// CHECK-SAME:      sizes(%{{.*}}, %[[MOST]]) result_dims(%[[MOST]], %[[MOST]]) -> tensor<?x64xf32>, tensor<?x64xf32>
// CHECK:         fuse.launch @parts_combine::@parts_combine blocks(%c2{{.*}}) threads(256) ins(%[[S]]#0, %[[S]]#1 :
// CHECK-SAME:      -> tensor<64xf32>, tensor<64xf32>
// CHECK-LABEL: gpu.func @parts(
// CHECK:         scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>)
// CHECK-COUNT-4:   llvm.load %{{.*}} -> vector<4xf32>
// CHECK:         %[[MINE:.*]] = arith.cmpi eq, %{{.*}}, %block_id_x
// CHECK:         arith.select %[[MINE]]
// CHECK:         gpu.barrier
// CHECK:         scf.if
// CHECK-COUNT-2:   llvm.store %{{.*}} : f32
// CHECK-NOT:       llvm.store
// CHECK-LABEL: gpu.func @parts_combine(
// CHECK-COUNT-4: llvm.load %{{.*}} -> f32
// CHECK-NOT:     llvm.load
// CHECK:         gpu.barrier
// CHECK:         scf.if
// CHECK:           arith.divf
// CHECK-COUNT-2:   llvm.store %{{.*}} : f32
func.func @shared_by_blocks(%x: tensor<?x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %y:2 = fuse.kernel "parts" ins(%x : tensor<?x64xf32>) -> tensor<64xf32>, tensor<64xf32>
      schedule = #fuse.columns<threads = 64, vector = 4, splits = 4, share = parts<5>> {
  ^bb0(%a: tensor<?x64xf32>):
    %m = fuse.reduce mean %a dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
    %n = fuse.reduce max %a dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
    fuse.yield %m, %n : tensor<64xf32>, tensor<64xf32>
  }
  return %y#0, %y#1 : tensor<64xf32>, tensor<64xf32>
}

// -----

// Everything is one sum: lanes lie along what is reduced, all threads of a block
// walk the one column, and shuffles combine them. The sizes are static: 3 parts.
// CHECK-LABEL: func.func @whole(
// CHECK:         fuse.launch @all::@all blocks(%c3{{.*}}) threads(64) {{.*}} -> tensor<3x1xf32>
// CHECK:         fuse.launch @all_combine::@all_combine blocks(%c1{{.*}}) threads(256)
// CHECK-LABEL: gpu.func @all(
// CHECK:         scf.for %{{.*}} step %c768{{.*}} -> (vector<4xf32>)
// CHECK-COUNT-4:   llvm.load %{{.*}} -> vector<4xf32>
// CHECK:         vector.shuffle
// CHECK:         gpu.shuffle xor
// CHECK:         scf.if
// CHECK:           llvm.store %{{.*}} : f32
func.func @whole(%x: tensor<32x128xf32>) -> tensor<f32> {
  %y = fuse.kernel "all" ins(%x : tensor<32x128xf32>) -> tensor<f32>
      schedule = #fuse.columns<threads = 64, vector = 4, splits = 64, share = parts<3>> {
  ^bb0(%a: tensor<32x128xf32>):
    %m = fuse.reduce sum %a dims = [0, 1] : tensor<32x128xf32> -> tensor<f32>
    fuse.yield %m : tensor<f32>
  }
  return %y : tensor<f32>
}

// -----

// Eight rows of 35 elements are 35 vectors; 2 x 8 parts of rows that none of the
// second launch's threads are idle for. It takes in what is left of the rows.
// CHECK-LABEL: func.func @folded(
// CHECK:         %[[S:.*]] = fuse.launch @folded_rows::@folded_rows blocks(%{{.*}}) threads(64) ins(%{{.*}} : tensor<?x35xf16>) {{.*}} -> tensor<?x35xf32>
// CHECK:         fuse.launch @folded_rows_combine::@folded_rows_combine blocks(%c3{{.*}}) threads(256) ins(%{{.*}}, %[[S]] : tensor<?x35xf16>, tensor<?x35xf32>)
// CHECK-LABEL: gpu.func @folded_rows(
// CHECK-COUNT-2:   llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<8xf16>
// CHECK:           gpu.barrier
// CHECK:           llvm.store %{{.*}} : f32
// CHECK-LABEL: gpu.func @folded_rows_combine(
// CHECK:           scf.for
// CHECK:           llvm.load %{{.*}} -> f32
// CHECK:           scf.for
// CHECK:             llvm.load %{{.*}} -> f16
// CHECK:           gpu.barrier
// CHECK:           llvm.store %{{.*}} : f16
func.func @folded(%x: tensor<?x35xf16>) -> tensor<35xf16> {
  %y = fuse.kernel "folded_rows" ins(%x : tensor<?x35xf16>) -> tensor<35xf16>
      schedule = #fuse.columns<threads = 64, vector = 8, splits = 8, hold = loop<unroll = 2>, share = parts<2>, fold = 8> {
  ^bb0(%a: tensor<?x35xf16>):
    %m = fuse.reduce sum %a dims = [0] : tensor<?x35xf16> -> tensor<35xf16>
    fuse.yield %m : tensor<35xf16>
  }
  return %y : tensor<35xf16>
}

// -----

// Nothing is left of 64 rows, and the second launch does not read them again.
// CHECK-LABEL: func.func @folded_whole(
// CHECK:         fuse.launch @whole_rows_combine::@whole_rows_combine blocks(%{{.*}}) threads(256) ins(%{{[^,]*}} : tensor<8x35xf32>)
func.func @folded_whole(%x: tensor<64x35xf16>) -> tensor<35xf16> {
  %y = fuse.kernel "whole_rows" ins(%x : tensor<64x35xf16>) -> tensor<35xf16>
      schedule = #fuse.columns<threads = 64, vector = 8, splits = 8, hold = loop<unroll = 2>, share = parts<2>, fold = 8> {
  ^bb0(%a: tensor<64x35xf16>):
    %m = fuse.reduce sum %a dims = [0] : tensor<64x35xf16> -> tensor<35xf16>
    fuse.yield %m : tensor<35xf16>
  }
  return %y : tensor<35xf16>
}
