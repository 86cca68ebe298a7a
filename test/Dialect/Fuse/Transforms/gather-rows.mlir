// RUN: fuse-opt %s -split-input-file -fuse-decompose -fuse-gather-rows -canonicalize -cse | FileCheck %s

// Nothing else needs the rows: those that are read are computed, and of them the element.
// CHECK-LABEL: func.func @rows(
// CHECK-DAG:     %[[N:.*]] = fuse.constant dense<64> : tensor<i64>
// CHECK:         %[[PLACE:.*]] = fuse.add
// CHECK:         %[[ROW:.*]] = fuse.div %[[PLACE]], %[[N]]
// CHECK:         %[[START:.*]] = fuse.mul %[[ROW]], %[[N]]
// CHECK:         %[[COLUMN:.*]] = fuse.sub %[[PLACE]], %[[START]]
// CHECK:         %[[INSIDE:.*]] = fuse.compare eq %{{.*}}, %[[PLACE]]
// CHECK:         %[[X:.*]] = fuse.gather %arg0, %[[ROW]] dim = 0
// CHECK:         fuse.reduce max %[[X]]
// CHECK:         %[[ALL:.*]] = fuse.sub %{{.*}} : tensor<8x64xf32>, tensor<8x1xf32>
// CHECK:         %[[ID:.*]] = fuse.select %[[INSIDE]], %[[COLUMN]]
// CHECK:         %[[IDS:.*]] = tensor.expand_shape %[[ID]]
// CHECK:         %[[OWN:.*]] = fuse.take_along %{{.*}}, %[[IDS]] dim = 1
// CHECK:         tensor.collapse_shape %[[OWN]]
// CHECK-NOT:     fuse.gather
func.func @rows(%x: tensor<8x64xf32>, %labels: tensor<8xi64>) -> tensor<8xf32> {
  %l = fuse.log_softmax %x dims = [1] : tensor<8x64xf32>
  %n = fuse.constant dense<64> : tensor<i64>
  %i = fuse.iota dim = 0 : tensor<8xi64>
  %s = fuse.mul %i, %n : tensor<8xi64>, tensor<i64>
  %p = fuse.add %s, %labels : tensor<8xi64>
  %f = tensor.collapse_shape %l [[0, 1]] : tensor<8x64xf32> into tensor<512xf32>
  %y = fuse.gather %f, %p dim = 0 : tensor<512xf32>, tensor<8xi64> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// The maximum is needed elsewhere: what follows from it is computed at the places alone,
// with each row's number and each column's weight, and NaN where there is no element.
// CHECK-LABEL: func.func @elements(
// CHECK-DAG:     %[[NAN:.*]] = fuse.constant dense<0x7FC00000>
// CHECK-DAG:     %[[M:.*]] = fuse.reduce max %arg0
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1, 2]]
// CHECK:         %[[X:.*]] = fuse.gather %[[FLAT]], %[[PLACE:.*]] dim = 0
// CHECK:         %[[ROWS:.*]] = tensor.collapse_shape %[[M]] {{\[}}[0, 1, 2]]
// CHECK:         %[[R:.*]] = fuse.gather %[[ROWS]], %{{.*}} dim = 0
// CHECK:         %[[D:.*]] = fuse.sub %[[X]], %[[R]] : tensor<8xf32>
// CHECK:         %[[W:.*]] = fuse.gather %arg2, %{{.*}} dim = 0 : tensor<64xf32>
// CHECK:         %[[P:.*]] = fuse.mul %[[D]], %[[W]] : tensor<8xf32>
// CHECK:         %[[Y:.*]] = fuse.select %{{.*}}, %[[P]], %[[NAN]]
// CHECK:         return %[[Y]], %[[M]]
func.func @elements(%x: tensor<2x4x64xf32>, %labels: tensor<8xi64>, %w: tensor<64xf32>)
    -> (tensor<8xf32>, tensor<2x4x1xf32>) {
  %m = fuse.reduce max %x dims = [2] keep : tensor<2x4x64xf32> -> tensor<2x4x1xf32>
  %d = fuse.sub %x, %m : tensor<2x4x64xf32>, tensor<2x4x1xf32>
  %e = fuse.mul %d, %w : tensor<2x4x64xf32>, tensor<64xf32>
  %n = fuse.constant dense<64> : tensor<i64>
  %i = fuse.iota dim = 0 : tensor<8xi64>
  %s = fuse.mul %i, %n : tensor<8xi64>, tensor<i64>
  %p = fuse.add %labels, %s : tensor<8xi64>
  %f = tensor.collapse_shape %e [[0, 1, 2]] : tensor<2x4x64xf32> into tensor<512xf32>
  %y = fuse.gather %f, %p dim = 0 : tensor<512xf32>, tensor<8xi64> -> tensor<8xf32>
  return %y, %m : tensor<8xf32>, tensor<2x4x1xf32>
}

// -----

// Rows that are returned are in memory, and places that are not one a row may be many.
// CHECK-LABEL: func.func @stored(
// CHECK:         fuse.gather %{{.*}} : tensor<512xf32>
// CHECK-NOT:     fuse.select
func.func @stored(%x: tensor<8x64xf32>, %labels: tensor<8xi64>) -> (tensor<8x64xf32>, tensor<8xf32>) {
  %l = fuse.log_softmax %x dims = [1] : tensor<8x64xf32>
  %n = fuse.constant dense<64> : tensor<i64>
  %i = fuse.iota dim = 0 : tensor<8xi64>
  %s = fuse.mul %i, %n : tensor<8xi64>, tensor<i64>
  %p = fuse.add %s, %labels : tensor<8xi64>
  %f = tensor.collapse_shape %l [[0, 1]] : tensor<8x64xf32> into tensor<512xf32>
  %y = fuse.gather %f, %p dim = 0 : tensor<512xf32>, tensor<8xi64> -> tensor<8xf32>
  return %l, %y : tensor<8x64xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @anywhere(
// CHECK:         fuse.gather %{{.*}} : tensor<512xf32>
// CHECK-NOT:     fuse.select
func.func @anywhere(%x: tensor<8x64xf32>, %p: tensor<?xi64>) -> tensor<?xf32> {
  %l = fuse.log_softmax %x dims = [1] : tensor<8x64xf32>
  %f = tensor.collapse_shape %l [[0, 1]] : tensor<8x64xf32> into tensor<512xf32>
  %y = fuse.gather %f, %p dim = 0 : tensor<512xf32>, tensor<?xi64> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Products of 32 bits may wrap around where the sizes are not known.
// CHECK-LABEL: func.func @narrow(
// CHECK:         fuse.gather %{{.*}} : tensor<?xf32>, tensor<?xi32>
// CHECK-NOT:     fuse.select
func.func @narrow(%x: tensor<?x64xf32>, %labels: tensor<?xi32>) -> tensor<?xf32> {
  %l = fuse.log_softmax %x dims = [1] : tensor<?x64xf32>
  %n = fuse.constant dense<64> : tensor<i32>
  %i = fuse.iota dim = 0 like %labels : tensor<?xi32> -> tensor<?xi32>
  %s = fuse.mul %i, %n : tensor<?xi32>, tensor<i32>
  %p = fuse.add %s, %labels : tensor<?xi32>
  %f = tensor.collapse_shape %l [[0, 1]] : tensor<?x64xf32> into tensor<?xf32>
  %y = fuse.gather %f, %p dim = 0 : tensor<?xf32>, tensor<?xi32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
