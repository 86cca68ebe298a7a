// RUN: fuse-opt %s -split-input-file -fuse-copy-views='copied=2' | FileCheck %s

// What one kernel computes it writes to the view; sizes are known before it.
// CHECK-LABEL: func.func @written
// CHECK:         %[[N:.*]] = arith.divui
// CHECK:         %[[K:.*]] = fuse.kernel "k"
// CHECK:         %[[V:.*]] = tensor.expand_shape %[[K]] {{.*}} output_shape [%[[N]], 2, 4]
// CHECK-NEXT:    return %[[V]]
func.func @written(%x: tensor<?x4xf32>) -> (tensor<?x2x4xf32> {fuse.strided = "rows"}) {
  %y = fuse.kernel "k" ins(%x : tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%a: tensor<?x4xf32>):
    %s = fuse.neg %a : tensor<?x4xf32>
    fuse.yield %s : tensor<?x4xf32>
  }
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %half = arith.divui %n, %c2 : index
  %v = tensor.expand_shape %y [[0, 1], [2]] output_shape [%half, 2, 4]
      : tensor<?x4xf32> into tensor<?x2x4xf32>
  return %v : tensor<?x2x4xf32>
}

// -----

// Result 1 has strides that keep apart what the kernel has as one dimension.
// CHECK-LABEL: func.func @joined
// CHECK:         %[[K:.*]]:2 = fuse.kernel "k"
// CHECK-DAG:     %[[V:.*]] = tensor.expand_shape %[[K]]#0
// CHECK-DAG:     %[[W:.*]] = tensor.expand_shape %[[K]]#1
// CHECK:         %[[C:.*]] = fuse.kernel "copy" ins(%[[W]] : tensor<2x2x4xf32>)
// CHECK:         return %[[V]], %[[C]]
func.func @joined(%x: tensor<4x4xf32>)
    -> (tensor<2x2x4xf32> {fuse.strided = "rows"}, tensor<2x2x4xf32> {fuse.strided = "rows"}) {
  %y:2 = fuse.kernel "k" ins(%x : tensor<4x4xf32>) -> tensor<4x4xf32>, tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %s = fuse.neg %a : tensor<4x4xf32>
    %t = fuse.exp %a : tensor<4x4xf32>
    fuse.yield %s, %t : tensor<4x4xf32>, tensor<4x4xf32>
  }
  %v = tensor.expand_shape %y#0 [[0, 1], [2]] output_shape [2, 2, 4] : tensor<4x4xf32> into tensor<2x2x4xf32>
  %w = tensor.expand_shape %y#1 [[0, 1], [2]] output_shape [2, 2, 4] : tensor<4x4xf32> into tensor<2x2x4xf32>
  return %v, %w : tensor<2x2x4xf32>, tensor<2x2x4xf32>
}

// -----

// An argument, what is returned twice, what another kernel reads.
// CHECK-LABEL: func.func @copied
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<4xf32>)
// CHECK:         %[[K:.*]]:2 = fuse.kernel "k"
// CHECK:         %[[R:.*]] = fuse.kernel "reader"
// CHECK-DAG:     %[[C0:.*]] = fuse.kernel "copy" ins(%[[X]] : tensor<4xf32>)
// CHECK-DAG:     %[[C1:.*]] = fuse.kernel "copy_1" ins(%[[K]]#0 : tensor<4xf32>)
// CHECK-DAG:     %[[C2:.*]] = fuse.kernel "copy_2" ins(%[[K]]#1 : tensor<4xf32>)
// CHECK:         return %[[C0]], %[[C1]], %[[K]]#0, %[[C2]], %[[R]]
func.func @copied(%x: tensor<4xf32>)
    -> (tensor<4xf32> {fuse.strided = "any"}, tensor<4xf32> {fuse.strided = "any"}, tensor<4xf32>,
        tensor<4xf32> {fuse.strided = "any"}, tensor<4xf32> {fuse.strided = "any"}) {
  %y:2 = fuse.kernel "k" ins(%x : tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = fuse.neg %a : tensor<4xf32>
    %t = fuse.exp %a : tensor<4xf32>
    fuse.yield %s, %t : tensor<4xf32>, tensor<4xf32>
  }
  %r = fuse.kernel "reader" ins(%y#1 : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = fuse.neg %a : tensor<4xf32>
    fuse.yield %s : tensor<4xf32>
  }
  return %x, %y#0, %y#0, %y#1, %r
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A scatter writes a part; a size is known only behind the kernel.
// CHECK-LABEL: func.func @late
// CHECK:         %[[S:.*]] = fuse.kernel "scatter"
// CHECK:         %[[K:.*]] = fuse.kernel "k"
// CHECK:         %[[V:.*]] = tensor.expand_shape %[[K]]
// CHECK-DAG:     %[[C0:.*]] = fuse.kernel "copy" ins(%[[S]] : tensor<8x4xf32>)
// CHECK-DAG:     %[[C1:.*]] = fuse.kernel "copy_1" ins(%[[V]] : tensor<?x2x4xf32>)
// CHECK:         return %[[C0]], %[[C1]]
func.func @late(%x: tensor<8x4xf32>, %ids: tensor<2xi32>, %u: tensor<2x4xf32>, %z: tensor<?x4xf32>)
    -> (tensor<8x4xf32> {fuse.strided = "any"}, tensor<?x2x4xf32> {fuse.strided = "rows"}) {
  %y = fuse.kernel "scatter" ins(%x, %ids, %u : tensor<8x4xf32>, tensor<2xi32>, tensor<2x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%a: tensor<8x4xf32>, %i: tensor<2xi32>, %b: tensor<2x4xf32>):
    %s = fuse.scatter %a, %i, %b dim = 0 : tensor<8x4xf32>, tensor<2xi32>, tensor<2x4xf32> -> tensor<8x4xf32>
    fuse.yield %s : tensor<8x4xf32>
  }
  %k = fuse.kernel "k" ins(%z : tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%a: tensor<?x4xf32>):
    %s = fuse.neg %a : tensor<?x4xf32>
    fuse.yield %s : tensor<?x4xf32>
  }
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %k, %c0 : tensor<?x4xf32>
  %half = arith.divui %n, %c2 : index
  %v = tensor.expand_shape %k [[0, 1], [2]] output_shape [%half, 2, 4]
      : tensor<?x4xf32> into tensor<?x2x4xf32>
  return %y, %v : tensor<8x4xf32>, tensor<?x2x4xf32>
}
