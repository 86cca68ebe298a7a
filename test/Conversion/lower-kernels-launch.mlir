// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=aligned=false | FileCheck %s --check-prefix=UNALIGNED
// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=in-place=false | FileCheck %s --check-prefix=SEPARATE

// The pass description's example: pointers, then sizes; ceil(n / 512) blocks.
// The result may overwrite the input, so neither is noalias.
// CHECK-LABEL: func.func @double
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>)
// CHECK:         %[[N:.*]] = tensor.dim %[[X]]
// CHECK:         %[[G:.*]] = arith.ceildivui %{{.*}}, %c512
// CHECK:         fuse.launch @double_0::@double blocks(%[[G]]) threads(128) ins(%[[X]] : tensor<?xf32>)
// CHECK-SAME:      sizes(%{{.*}}) result_dims(%{{.*}}) -> tensor<?xf32>
// CHECK-SAME:      in_place = {{\[}}[0, 0]]
// CHECK-SAME:      ops = ["add"]
// CHECK:       gpu.module @double_0
// CHECK:         gpu.func @double(%[[A:.*]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noundef}, %[[B:.*]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noundef}, %{{.*}}: i64)
// CHECK-SAME:      kernel attributes {known_block_size = array<i32: 128, 1, 1>}
// A whole vector, or what is left one by one.
// Where callers make no use of that, both are; the proof stays.
// SEPARATE:      fuse.launch {{.*}}in_place = {{\[}}[0, 0]]
// SEPARATE:      gpu.func @double(%{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias, llvm.noundef, llvm.readonly}, %{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias, llvm.noundef, llvm.writeonly}, %{{.*}}: i64)
// CHECK:           scf.if
// CHECK:             llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:             llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK:           } else {
// CHECK:             scf.for
// CHECK:               llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
// UNALIGNED:       llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// UNALIGNED:       llvm.store %{{.*}} {alignment = 4 : i64} : vector<4xf32>
func.func @double(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = fuse.kernel "double" ins(%x : tensor<?xf32>) -> tensor<?xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?xf32>):
    %s = fuse.add %a, %a : tensor<?xf32>
    fuse.yield %s : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// -----

// What cannot be in place is noalias, and read-only or write-only.
// CHECK:       gpu.func @widen(%{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias, llvm.noundef, llvm.readonly}, %{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias, llvm.noundef, llvm.writeonly})
func.func @widen(%x: tensor<64xbf16>) -> tensor<64xf32> {
  %y = fuse.kernel "widen" ins(%x : tensor<64xbf16>) -> tensor<64xf32>
      schedule = #fuse.pointwise<threads = 32, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<64xbf16>):
    %s = fuse.cast %a : tensor<64xbf16> -> tensor<64xf32>
    fuse.yield %s : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// A column is read by the threads of all rows: not in place, though its shape
// equals the result's when there is one row.
// CHECK-LABEL: func.func @broadcast
// CHECK:         in_place = {{\[}}[0, 0]]
// CHECK-NOT:     [0, 1]
func.func @broadcast(%x: tensor<?x64xf32>, %b: tensor<1x64xf32>) -> tensor<?x64xf32> {
  %y = fuse.kernel "broadcast" ins(%x, %b : tensor<?x64xf32>, tensor<1x64xf32>) -> tensor<?x64xf32>
      schedule = #fuse.pointwise<threads = 32, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x64xf32>, %c: tensor<1x64xf32>):
    %s = fuse.add %a, %c : tensor<?x64xf32>, tensor<1x64xf32> -> tensor<?x64xf32>
    fuse.yield %s : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// Booleans take a byte.
// CHECK-LABEL: gpu.func @positive
// CHECK:         arith.cmpf ogt
// CHECK:         %[[B:.*]] = arith.extui %{{.*}} : vector<4xi1> to vector<4xi8>
// CHECK:         llvm.store %[[B]], %{{.*}} {alignment = 4 : i64} : vector<4xi8>
func.func @positive(%x: tensor<64xf32>) -> tensor<64xi1> {
  %y = fuse.kernel "positive" ins(%x : tensor<64xf32>) -> tensor<64xi1>
      schedule = #fuse.pointwise<threads = 32, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<64xf32>):
    %z = fuse.constant dense<0.0> : tensor<f32>
    %s = fuse.compare gt %a, %z : tensor<64xf32>, tensor<f32> -> tensor<64xi1>
    fuse.yield %s : tensor<64xi1>
  }
  return %y : tensor<64xi1>
}

// -----

// Lanes run over leading dimensions where the last has size 1; an operand of
// one element still is one element.
// CHECK-LABEL: gpu.func @one_element
// CHECK-DAG:     llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK-DAG:     llvm.load %{{.*}} : !llvm.ptr -> f32
func.func @one_element(%x: tensor<32x1xf32>, %b: tensor<1xf32>) -> tensor<32x1xf32> {
  %y = fuse.kernel "one_element" ins(%x, %b : tensor<32x1xf32>, tensor<1xf32>) -> tensor<32x1xf32>
      schedule = #fuse.pointwise<threads = 32, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<32x1xf32>, %c: tensor<1xf32>):
    %s = fuse.add %a, %c : tensor<32x1xf32>, tensor<1xf32> -> tensor<32x1xf32>
    fuse.yield %s : tensor<32x1xf32>
  }
  return %y : tensor<32x1xf32>
}
