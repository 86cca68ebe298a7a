// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels -cse -canonicalize | FileCheck %s

// The stride of a row is one more size. Rows at multiples of 16 bytes keep full
// loads; a result is dense. No result can lie in a view, so all is noalias.
// CHECK-LABEL: func.func @aligned_rows
// CHECK-SAME:    (%[[X:.*]]: tensor<?x64xf32>
// CHECK:         %[[S:.*]] = fuse.stride %[[X]] dim = 0
// CHECK:         fuse.launch @k{{.*}} sizes(%{{.*}}, %[[S]])
// CHECK:       gpu.func @k(%[[A:[a-z0-9]+]]: !llvm.ptr {{[^%]*}}noalias{{[^%]*}}, %[[B:[a-z0-9]+]]: !llvm.ptr {{[^%]*}}noalias{{[^%]*}}, %{{[a-z0-9]+}}: i64, %[[STRIDE64:[a-z0-9]+]]: i64)
// CHECK:         %[[STRIDE:.*]] = arith.index_cast %[[STRIDE64]] : i64 to index
// CHECK:         %[[COLUMN:.*]] = arith.remui %[[POS:.*]], %c64
// CHECK:         %[[ROW:.*]] = arith.divui %[[POS]], %c64
// CHECK:         %[[START:.*]] = arith.muli %[[ROW]], %[[STRIDE]]
// CHECK:         %[[AT:.*]] = arith.addi %[[START]], %[[COLUMN]]
// CHECK:         %[[AT64:.*]] = arith.index_cast %[[AT]]
// CHECK:         %[[P:.*]] = llvm.getelementptr inbounds %[[A]][%[[AT64]]]
// CHECK:         llvm.load %[[P]] {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:         llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>
func.func @aligned_rows(%x: tensor<?x64xf32> {fuse.strided = "aligned_rows"}) -> tensor<?x64xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x64xf32>):
    %s = fuse.add %a, %a : tensor<?x64xf32>
    fuse.yield %s : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// Rows that start anywhere are read in vectors without alignment.
// CHECK-LABEL: func.func @rows
// CHECK:       gpu.func @k
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
func.func @rows(%x: tensor<?x64xf32> {fuse.strided = "rows"}) -> tensor<?x64xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x64xf32>):
    %s = fuse.add %a, %a : tensor<?x64xf32>
    fuse.yield %s : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// Elements that lie apart are read one by one; each has its own address.
// CHECK-LABEL: func.func @any
// CHECK-DAG:     %[[S0:.*]] = fuse.stride %{{.*}} dim = 0
// CHECK-DAG:     %[[S1:.*]] = fuse.stride %{{.*}} dim = 1
// CHECK:         fuse.launch {{.*}} sizes(%{{.*}}, %[[S0]], %[[S1]])
// CHECK:       gpu.func @k
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NOT:     llvm.load
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>
func.func @any(%x: tensor<?x64xf32> {fuse.strided = "any"}) -> tensor<?x64xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x64xf32>):
    %s = fuse.add %a, %a : tensor<?x64xf32>
    fuse.yield %s : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// A kernel that yields its input copies from a view to a dense result. A
// dimension of size 1 has no stride.
// CHECK-LABEL: func.func @copy
// CHECK:         %[[S:.*]] = fuse.stride %{{.*}} dim = 0
// CHECK-NOT:     fuse.stride
// CHECK:         fuse.launch {{.*}} sizes(%[[S]])
// CHECK:       gpu.func @k(%[[A:[a-z0-9]+]]: !llvm.ptr {{[^%]*}}, %[[B:[a-z0-9]+]]: !llvm.ptr
// CHECK:         %[[P:.*]] = llvm.getelementptr inbounds %[[A]]
// CHECK:         llvm.load %[[P]] {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:         %[[Q:.*]] = llvm.getelementptr inbounds %[[B]]
// CHECK:         llvm.store %{{.*}}, %[[Q]] {alignment = 16 : i64} : vector<4xf32>
func.func @copy(%x: tensor<8x1x64xf32> {fuse.strided = "rows"}) -> tensor<8x1x64xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<8x1x64xf32>) -> tensor<8x1x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<8x1x64xf32>):
    fuse.yield %a : tensor<8x1x64xf32>
  }
  return %y : tensor<8x1x64xf32>
}

// -----

// A row that is held, from a view: loads of 16 bytes from where the row starts.
// CHECK-LABEL: func.func @held
// CHECK:       gpu.func @k
// CHECK:         %[[STRIDE:.*]] = arith.index_cast %arg{{[0-9]+}} : i64 to index
// CHECK:         arith.muli %{{.*}}, %[[STRIDE]]
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
func.func @held(%x: tensor<32x128xf32> {fuse.strided = "aligned_rows"}) -> tensor<32xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<32x128xf32>) -> tensor<32xf32>
      schedule = #fuse.rows<threads = 32, vector = 4, rows_per_block = 1, hold = registers> {
  ^bb0(%a: tensor<32x128xf32>):
    %s = fuse.reduce sum %a dims = [1] : tensor<32x128xf32> -> tensor<32xf32>
    fuse.yield %s : tensor<32xf32>
  }
  return %y : tensor<32xf32>
}

// -----

// A split dimension has the stride of the whole, times what lies inside; where
// that is no multiple of 16 bytes, loads are not aligned.
// CHECK-LABEL: func.func @expanded
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<?x64xf32>
// CHECK:         %[[S:.*]] = fuse.stride %[[X]] dim = 0
// CHECK:         fuse.launch {{.*}} sizes(%{{.*}}, %[[S]])
// CHECK:       gpu.func @k
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<2xf32>
func.func @expanded(%x: tensor<?x64xf32> {fuse.strided = "aligned_rows"}, %n: index) -> tensor<?x32x2xf32> {
  %v = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 32, 2]
      : tensor<?x64xf32> into tensor<?x32x2xf32>
  %y = fuse.kernel "k" ins(%v : tensor<?x32x2xf32>) -> tensor<?x32x2xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 2, unroll = 1> {
  ^bb0(%a: tensor<?x32x2xf32>):
    %s = fuse.add %a, %a : tensor<?x32x2xf32>
    fuse.yield %s : tensor<?x32x2xf32>
  }
  return %y : tensor<?x32x2xf32>
}

// -----

// Dimensions can be joined where one walks on at the end of the other; with one
// index in the outer one there is nothing to walk.
// CHECK-LABEL: func.func @collapsed
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<?x?x8xf32>
// CHECK-DAG:     %[[S0:.*]] = fuse.stride %[[X]] dim = 0
// CHECK-DAG:     %[[S1:.*]] = fuse.stride %[[X]] dim = 1
// CHECK-DAG:     %[[B:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG:     %[[T:.*]] = tensor.dim %[[X]], %c1
// CHECK-DAG:     %[[WALK:.*]] = arith.muli %[[S1]], %[[T]]
// CHECK-DAG:     %[[STEPS:.*]] = arith.subi %[[B]], %c1
// CHECK-DAG:     %[[L:.*]] = arith.muli %[[STEPS]], %[[S0]]
// CHECK-DAG:     %[[R:.*]] = arith.muli %[[STEPS]], %[[WALK]]
// CHECK:         fuse.require %[[L]] eq %[[R]] "the strides of 'x' to let the program join dimensions 0 and 1 of tensor<?x?x8xf32>; make a contiguous copy"
// CHECK:         fuse.launch {{.*}} sizes(%{{.*}}, %[[S1]])
func.func @collapsed(%x: tensor<?x?x8xf32> {fuse.name = "x", fuse.strided = "rows"}) -> tensor<?x8xf32> {
  %v = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %y = fuse.kernel "k" ins(%v : tensor<?x8xf32>) -> tensor<?x8xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 2, unroll = 1> {
  ^bb0(%a: tensor<?x8xf32>):
    %s = fuse.add %a, %a : tensor<?x8xf32>
    fuse.yield %s : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}

// -----

// Operands of a contraction.
// CHECK-LABEL: func.func @product
// CHECK:         fuse.launch {{.*}} sizes(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}})
// CHECK:       gpu.func @k
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
func.func @product(%x: tensor<8x16xf32> {fuse.strided = "any"}, %w: tensor<4x16xf32> {fuse.strided = "aligned_rows"}) -> tensor<8x4xf32> {
  %y = fuse.kernel "k" ins(%x, %w : tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<8x4xf32>
      schedule = #fuse.contraction<threads = 32, tile_m = 1, tile_n = 1, vector = 4, along = k> {
  ^bb0(%a: tensor<8x16xf32>, %b: tensor<4x16xf32>):
    %s = fuse.contract "mk,nk->mn" %a, %b : tensor<8x16xf32>, tensor<4x16xf32> -> tensor<8x4xf32>
    fuse.yield %s : tensor<8x4xf32>
  }
  return %y : tensor<8x4xf32>
}
