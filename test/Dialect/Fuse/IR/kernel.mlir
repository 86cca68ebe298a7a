// RUN: fuse-opt %s | FileCheck %s
// RUN: fuse-opt %s | fuse-opt | FileCheck %s
// RUN: fuse-opt %s -mlir-print-op-generic | fuse-opt | FileCheck %s

// CHECK-LABEL: func.func @kernel
// CHECK-SAME: fuse.dims = ["T"], fuse.name = "x"
// CHECK-SAME: {fuse.in_place = "x", fuse.name = "y"}
func.func @kernel(%x: tensor<?x4096xf32> {fuse.name = "x", fuse.dims = ["T"]})
    -> (tensor<?x4096xf32> {fuse.name = "y", fuse.in_place = "x"}) {
  // CHECK: fuse.kernel "double" ins(%{{.*}} : tensor<?x4096xf32>) -> tensor<?x4096xf32> schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<?x4096xf32>):
  %y = fuse.kernel "double" ins(%x : tensor<?x4096xf32>) -> tensor<?x4096xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x4096xf32>):
    %s = fuse.add %a, %a : tensor<?x4096xf32>
    // CHECK: fuse.yield %{{.*}} : tensor<?x4096xf32>
    fuse.yield %s : tensor<?x4096xf32>
  }
  // Reshapes are free, and a kernel may have no input.
  // CHECK: fuse.kernel "split" ins() -> tensor<2x4xi32>, tensor<8xi32> {
  %i, %j = fuse.kernel "split" ins() -> tensor<2x4xi32>, tensor<8xi32> {
    %n = fuse.iota dim = 0 : tensor<8xi32>
    %e = tensor.expand_shape %n [[0, 1]] output_shape [2, 4] : tensor<8xi32> into tensor<2x4xi32>
    %c = tensor.collapse_shape %e [[0, 1]] : tensor<2x4xi32> into tensor<8xi32>
    // CHECK: fuse.yield %{{.*}}, %{{.*}} : tensor<2x4xi32>, tensor<8xi32>
    fuse.yield %e, %c : tensor<2x4xi32>, tensor<8xi32>
  }
  return %y : tensor<?x4096xf32>
}

// CHECK-LABEL: func.func @launch
func.func @launch(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  // CHECK: fuse.launch @gelu::@gelu blocks(%{{.*}}) threads(256) ins(%{{.*}} : tensor<?xf32>) sizes(%{{.*}}) result_dims(%{{.*}}) -> tensor<?xf32>
  // CHECK-SAME: in_place = {{\[\[}}0, 0{{\]\]}}
  %y = fuse.launch @gelu::@gelu blocks(%n) threads(256) ins(%x : tensor<?xf32>)
       sizes(%n) result_dims(%n) -> tensor<?xf32> {in_place = [[0, 0]]}
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @gathered
func.func @gathered(%x: tensor<8xf32>, %i: tensor<4xi64>, %n: index) -> tensor<4xf32> {
  // CHECK: gathered = array<i64: 0>
  %y = fuse.launch @k::@k blocks(%n) threads(1) ins(%x, %i : tensor<8xf32>, tensor<4xi64>)
       -> tensor<4xf32> {gathered = array<i64: 0>}
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @touched
func.func @touched(%x: tensor<8xf32>, %n: index) -> tensor<4xf32> {
  // CHECK: touched(%{{.*}}) -> tensor<4xf32>
  // CHECK-SAME: at_most = array<i64: 0>
  // CHECK-SAME: touched_pointers = array<i64: 0>
  %y = fuse.launch @k::@k blocks(%n) threads(1) ins(%x : tensor<8xf32>)
       touched(%n) -> tensor<4xf32>
       {at_most = array<i64: 0>, touched_pointers = array<i64: 0>}
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @copies
func.func @copies(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  // CHECK: copies = {{\[\[}}0, 0{{\]\]}}
  %y = fuse.launch @k::@k blocks(%n) threads(1) ins(%x : tensor<8xf32>)
       -> tensor<8xf32> {copies = [[0, 0]]}
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @sizes
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32> {fuse.strided = "rows"}
func.func @sizes(%x: tensor<?x8xf32> {fuse.strided = "rows"}) {
  // CHECK: %[[S:.*]] = fuse.stride %[[X]] dim = 0 : tensor<?x8xf32>
  %s = fuse.stride %x dim = 0 : tensor<?x8xf32>
  // CHECK: %[[C:.*]] = arith.constant 8 : index
  %c8 = arith.constant 8 : index
  // CHECK: fuse.require %[[S]] eq %[[C]] "'x' to be contiguous"
  fuse.require %s eq %c8 "'x' to be contiguous"
  // CHECK: fuse.require %[[S]] ge %[[C]] "rows of 8"
  fuse.require %s ge %c8 "rows of 8"
  return
}
