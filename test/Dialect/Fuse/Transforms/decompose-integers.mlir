// RUN: fuse-opt %s --fuse-decompose --split-input-file | FileCheck %s

// What 32 bits compute, cut to eight.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[X:.*]]: tensor<?xi8>, %[[Y:.*]]: tensor<?xi8>
// CHECK-NEXT:  %[[A:.*]] = fuse.cast %[[X]] : tensor<?xi8> -> tensor<?xi32>
// CHECK-NEXT:  %[[B:.*]] = fuse.cast %[[Y]] : tensor<?xi8> -> tensor<?xi32>
// CHECK-NEXT:  %[[S:.*]] = fuse.add %[[A]], %[[B]] : tensor<?xi32>
// CHECK-NEXT:  fuse.cast %[[S]] : tensor<?xi32> -> tensor<?xi8>
func.func @sum(%x: tensor<?xi8>, %y: tensor<?xi8>) -> tensor<?xi8> {
  %s = fuse.add %x, %y : tensor<?xi8>
  return %s : tensor<?xi8>
}

// -----

// The maximum of no elements is the smallest ui8, and not the smallest i32.
// CHECK-LABEL: func.func @largest(
// CHECK:       %[[M:.*]] = fuse.reduce max %{{.*}} dims = [1] : tensor<?x?xi32> -> tensor<?xi32>
// CHECK-DAG:   %[[L:.*]] = fuse.constant dense<0> : tensor<i32>
// CHECK-DAG:   %[[H:.*]] = fuse.constant dense<255> : tensor<i32>
// CHECK:       %[[C:.*]] = fuse.clamp %[[M]], %[[L]], %[[H]]
// CHECK:       fuse.cast %[[C]] : tensor<?xi32> -> tensor<?xui8>
func.func @largest(%x: tensor<?x?xui8>) -> tensor<?xui8> {
  %m = fuse.reduce max %x dims = [1] : tensor<?x?xui8> -> tensor<?xui8>
  return %m : tensor<?xui8>
}

// -----

// What is moved or chosen by the op itself stays as narrow as it is.
// CHECK-LABEL: func.func @moved(
// CHECK-NEXT:  fuse.transpose
// CHECK-NEXT:  fuse.compare lt %{{.*}} : tensor<?x4xi32>
// CHECK-NOT:   i32
func.func @moved(%x: tensor<4x?xi16>, %y: tensor<?x4xi32>) -> (tensor<?x4xi16>, tensor<?x4xi1>) {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<4x?xi16> -> tensor<?x4xi16>
  %c = fuse.compare lt %y, %y : tensor<?x4xi32>
  return %t, %c : tensor<?x4xi16>, tensor<?x4xi1>
}
