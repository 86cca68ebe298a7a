// RUN: fuse-opt %s -split-input-file -fuse-propagate-reshapes | FileCheck %s

// A weight of all heads is expanded, so that the norm of each head keeps its
// shape until the end.
// CHECK-LABEL: func.func @per_head
// CHECK:         %[[M:.*]] = fuse.reduce mean
// CHECK:         %[[W:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [4, 32] : tensor<128xf32> into tensor<4x32xf32>
// CHECK:         %[[Y:.*]] = fuse.mul %{{.*}}, %[[W]] : tensor<?x4x32xf32>, tensor<4x32xf32>
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0], [1, 2]]
// CHECK:         return %[[C]]
func.func @per_head(%x: tensor<?x4x32xf32>, %w: tensor<128xf32>) -> tensor<?x128xf32> {
  %m = fuse.reduce mean %x dims = [2] keep : tensor<?x4x32xf32> -> tensor<?x4x1xf32>
  %h = fuse.mul %x, %m : tensor<?x4x32xf32>, tensor<?x4x1xf32> -> tensor<?x4x32xf32>
  %c = tensor.collapse_shape %h [[0], [1, 2]] : tensor<?x4x32xf32> into tensor<?x128xf32>
  %y = fuse.mul %c, %w : tensor<?x128xf32>, tensor<128xf32> -> tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}

// -----

// CHECK-LABEL: func.func @raise
// CHECK:         %[[E:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]]
// CHECK:         %[[X:.*]] = fuse.exp %[[E]] : tensor<?x4x32xf32>
// CHECK:         return %[[X]]
func.func @raise(%x: tensor<?x128xf32>) -> tensor<?x4x32xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x128xf32>
  %e = fuse.exp %x : tensor<?x128xf32>
  %f = tensor.expand_shape %e [[0], [1, 2]] output_shape [%n, 4, 32] : tensor<?x128xf32> into tensor<?x4x32xf32>
  return %f : tensor<?x4x32xf32>
}

// -----

// A reduction over a dimension that is not collapsed.
// CHECK-LABEL: func.func @reduce
// CHECK:         %[[E:.*]] = fuse.exp
// CHECK:         %[[R:.*]] = fuse.reduce max %[[E]] dims = [2] : tensor<2x3x8xf32> -> tensor<2x3xf32>
// CHECK:         tensor.collapse_shape %[[R]] {{\[\[}}0, 1]] : tensor<2x3xf32> into tensor<6xf32>
func.func @reduce(%x: tensor<2x3x8xf32>) -> tensor<6xf32> {
  %e = fuse.exp %x : tensor<2x3x8xf32>
  %c = tensor.collapse_shape %e [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %r = fuse.reduce max %c dims = [1] : tensor<6x8xf32> -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// -----

// One over the collapsed dimension stays: its rows are what they were.
// CHECK-LABEL: func.func @stays
// CHECK:         tensor.collapse_shape
// CHECK-NEXT:    fuse.reduce max
func.func @stays(%x: tensor<2x3x8xf32>) -> tensor<8xf32> {
  %e = fuse.exp %x : tensor<2x3x8xf32>
  %c = tensor.collapse_shape %e [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %r = fuse.reduce max %c dims = [0] : tensor<6x8xf32> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// What asks where it is keeps its shape, and so does a view of an input.
// CHECK-LABEL: func.func @no_change
// CHECK:         tensor.collapse_shape %{{.*}} {{.*}} into tensor<6xf32>
// CHECK-NEXT:    fuse.exp
// CHECK-NEXT:    tensor.collapse_shape
// CHECK-NEXT:    fuse.iota
func.func @no_change(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<6xi32>) {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %e = fuse.exp %c : tensor<6xf32>
  %d = tensor.collapse_shape %y [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %i = fuse.iota dim = 0 like %d : tensor<6xf32> -> tensor<6xi32>
  return %e, %i : tensor<6xf32>, tensor<6xi32>
}

// -----

// Reshapes to the same shape go, and nothing turns in circles.
// CHECK-LABEL: func.func @identity
// CHECK-NOT:     tensor.
// CHECK:         return
func.func @identity(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = fuse.exp %x : tensor<2xf64>
  %c = tensor.collapse_shape %y [[0]] : tensor<2xf64> into tensor<2xf64>
  %e = tensor.expand_shape %c [[0]] output_shape [2] : tensor<2xf64> into tensor<2xf64>
  %z = fuse.add %x, %e : tensor<2xf64>
  return %z : tensor<2xf64>
}
