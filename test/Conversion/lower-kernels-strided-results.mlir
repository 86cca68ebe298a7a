// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels -cse -canonicalize | FileCheck %s

// The stride of a result's row is one more size, that of a buffer which the
// caller gives. Rows at multiples of 16 bytes keep full stores.
// CHECK-LABEL: func.func @aligned_rows
// CHECK-SAME:    (%[[X:.*]]: tensor<?x64xf32>
// CHECK:         %[[Y:.*]] = tensor.empty(%{{.*}}) {fuse.result = 0 : i64} : tensor<?x64xf32>
// CHECK:         %[[S:.*]] = fuse.stride %[[Y]] dim = 0
// CHECK:         fuse.launch @k{{.*}} sizes(%{{.*}}, %[[S]])
// CHECK:       gpu.func @k(%[[A:[a-z0-9]+]]: !llvm.ptr {{[^%]*}}noalias{{[^%]*}}, %[[B:[a-z0-9]+]]: !llvm.ptr {{[^%]*}}noalias{{[^%]*}}, %{{[a-z0-9]+}}: i64, %[[STRIDE64:[a-z0-9]+]]: i64)
// CHECK:         %[[STRIDE:.*]] = arith.index_cast %[[STRIDE64]] : i64 to index
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:         %[[START:.*]] = arith.muli %{{.*}}, %[[STRIDE]]
// CHECK:         %[[AT:.*]] = arith.addi %[[START]], %{{.*}}
// CHECK:         %[[AT64:.*]] = arith.index_cast %[[AT]]
// CHECK:         %[[P:.*]] = llvm.getelementptr inbounds %[[B]][%[[AT64]]]
// CHECK:         llvm.store %{{.*}}, %[[P]] {alignment = 16 : i64} : vector<4xf32>
func.func @aligned_rows(%x: tensor<?x64xf32>) -> (tensor<?x64xf32> {fuse.strided = "aligned_rows"}) {
  %y = fuse.kernel "k" ins(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x64xf32>):
    %s = fuse.add %a, %a : tensor<?x64xf32>
    fuse.yield %s : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// Rows that start anywhere are written in vectors without alignment.
// CHECK-LABEL: func.func @rows
// CHECK:       gpu.func @k
// CHECK:         llvm.store %{{.*}} {alignment = 4 : i64} : vector<4xf32>
func.func @rows(%x: tensor<?x64xf32>) -> (tensor<?x64xf32> {fuse.strided = "rows"}) {
  %y = fuse.kernel "k" ins(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x64xf32>):
    %s = fuse.add %a, %a : tensor<?x64xf32>
    fuse.yield %s : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// Elements that lie apart are written one by one.
// CHECK-LABEL: func.func @any
// CHECK-DAG:     %[[S0:.*]] = fuse.stride %{{.*}} dim = 0
// CHECK-DAG:     %[[S1:.*]] = fuse.stride %{{.*}} dim = 1
// CHECK:         fuse.launch {{.*}} sizes(%{{.*}}, %[[S0]], %[[S1]])
// CHECK:       gpu.func @k
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 4 : i64} : f32
// CHECK-NOT:     llvm.store
func.func @any(%x: tensor<?x64xf32>) -> (tensor<?x64xf32> {fuse.strided = "any"}) {
  %y = fuse.kernel "k" ins(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x64xf32>):
    %s = fuse.add %a, %a : tensor<?x64xf32>
    fuse.yield %s : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// A row of 6 is no multiple of a vector: no store crosses its end.
// CHECK-LABEL: func.func @crossing
// CHECK:       gpu.func @k
// CHECK-NOT:     llvm.store {{.*}} : vector
// CHECK:         return
func.func @crossing(%x: tensor<8x6xf32>) -> (tensor<8x6xf32> {fuse.strided = "aligned_rows"}) {
  %y = fuse.kernel "k" ins(%x : tensor<8x6xf32>) -> tensor<8x6xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<8x6xf32>):
    %s = fuse.add %a, %a : tensor<8x6xf32>
    fuse.yield %s : tensor<8x6xf32>
  }
  return %y : tensor<8x6xf32>
}

// -----

// A reshape splits the kernel's rows: their strides must follow each other. One
// that joins dimensions splits strides.
// CHECK-LABEL: func.func @reshaped
// CHECK-DAG:     %[[Y:.*]] = tensor.empty() {fuse.result = 0 : i64} : tensor<2x4x8xf32>
// CHECK-DAG:     %[[S0:.*]] = fuse.stride %[[Y]] dim = 0 : tensor<2x4x8xf32>
// CHECK-DAG:     %[[S1:.*]] = fuse.stride %[[Y]] dim = 1 : tensor<2x4x8xf32>
// CHECK-DAG:     %[[W:.*]] = arith.muli %[[S1]], %c4
// CHECK-DAG:     fuse.require %[[S0]] eq %[[W]] "the strides of 'y' to let the program join dimensions 0 and 1 of tensor<2x4x8xf32>; pass a contiguous buffer"
// CHECK-DAG:     %[[Z:.*]] = tensor.empty() {fuse.result = 1 : i64} : tensor<64xf32>
// CHECK-DAG:     %[[T:.*]] = fuse.stride %[[Z]] dim = 0 : tensor<64xf32>
// CHECK-DAG:     %[[T8:.*]] = arith.muli %[[T]], %c8
// CHECK:         fuse.launch {{.*}} sizes(%[[S1]], %[[T8]], %[[T]])
func.func @reshaped(%x: tensor<8x8xf32>)
    -> (tensor<2x4x8xf32> {fuse.strided = "rows", fuse.name = "y"}, tensor<64xf32> {fuse.strided = "any"}) {
  %y:2 = fuse.kernel "k" ins(%x : tensor<8x8xf32>) -> tensor<8x8xf32>, tensor<8x8xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<8x8xf32>):
    %s = fuse.add %a, %a : tensor<8x8xf32>
    %t = fuse.neg %a : tensor<8x8xf32>
    fuse.yield %s, %t : tensor<8x8xf32>, tensor<8x8xf32>
  }
  %v = tensor.expand_shape %y#0 [[0, 1], [2]] output_shape [2, 4, 8] : tensor<8x8xf32> into tensor<2x4x8xf32>
  %w = tensor.collapse_shape %y#1 [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
  return %v, %w : tensor<2x4x8xf32>, tensor<64xf32>
}

// -----

// Where a result may take the buffer of an input with its strides, neither is
// alone.
// CHECK-LABEL: func.func @in_place
// CHECK:       gpu.func @k(%{{[a-z0-9]+}}: !llvm.ptr {llvm.align = 1 : i64, llvm.noundef}, %{{[a-z0-9]+}}: !llvm.ptr {llvm.align = 1 : i64, llvm.noundef}
func.func @in_place(%x: tensor<8x64xf32> {fuse.strided = "rows"}) -> (tensor<8x64xf32> {fuse.strided = "rows"}) {
  %y = fuse.kernel "k" ins(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<8x64xf32>):
    %s = fuse.add %a, %a : tensor<8x64xf32>
    fuse.yield %s : tensor<8x64xf32>
  }
  return %y : tensor<8x64xf32>
}
