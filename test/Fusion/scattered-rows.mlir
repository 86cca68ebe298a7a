// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 | FileCheck %s

// Rows go as a whole where ids say.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-1: fuse.kernel
// CHECK:         fuse.scatter
// CHECK-NOT:     fuse.kernel
func.func @rows(%x: tensor<?x2x64xf32> {fuse.dims = ["t"]}, %i: tensor<?xi32> {fuse.dims = ["t"]}, %c: tensor<?x2x64xf32> {fuse.dims = ["s"]}) -> tensor<?x2x64xf32> {
  %y = fuse.softmax %x dims = [2] : tensor<?x2x64xf32>
  %z = fuse.scatter %c, %i, %y dim = 0 : tensor<?x2x64xf32>, tensor<?xi32>, tensor<?x2x64xf32> -> tensor<?x2x64xf32>
  return %z : tensor<?x2x64xf32>
}

// -----

// So does what is found of each row.
// CHECK-LABEL: func.func @values
// CHECK-COUNT-1: fuse.kernel
// CHECK:         fuse.scatter
// CHECK-NOT:     fuse.kernel
func.func @values(%x: tensor<?x64xf32> {fuse.dims = ["t"]}, %i: tensor<?xi32> {fuse.dims = ["t"]}, %c: tensor<?xf32> {fuse.dims = ["s"]}) -> tensor<?xf32> {
  %y = fuse.reduce max %x dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  %z = fuse.scatter %c, %i, %y dim = 0 : tensor<?xf32>, tensor<?xi32>, tensor<?xf32> -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

// Rows that are joined to others go by vectors, and so do numbers of groups, each by itself.
// CHECK-LABEL: func.func @joined
// CHECK-COUNT-1: fuse.kernel
// CHECK:         fuse.scatter
// CHECK:         fuse.scatter
// CHECK-NOT:     fuse.kernel
func.func @joined(%x: tensor<?x2x64xf32> {fuse.dims = ["t"]}, %z: tensor<?x2x8xf32> {fuse.dims = ["t"]}, %i: tensor<?xi32> {fuse.dims = ["t"]}, %c: tensor<?x2x72xf32> {fuse.dims = ["s"]}, %d: tensor<?x2x4x1xf32> {fuse.dims = ["s"]}) -> (tensor<?x2x72xf32>, tensor<?x2x4x1xf32>) {
  %zero = arith.constant 0 : index
  %t = tensor.dim %x, %zero : tensor<?x2x64xf32>
  %s = fuse.softmax %x dims = [2] : tensor<?x2x64xf32>
  %g = tensor.expand_shape %s [[0], [1], [2, 3]] output_shape [%t, 2, 4, 16] : tensor<?x2x64xf32> into tensor<?x2x4x16xf32>
  %m = fuse.reduce max %g dims = [3] keep : tensor<?x2x4x16xf32> -> tensor<?x2x4x1xf32>
  %y = fuse.concat %s, %z dim = 2 : tensor<?x2x64xf32>, tensor<?x2x8xf32> -> tensor<?x2x72xf32>
  %a = fuse.scatter %c, %i, %y dim = 0 : tensor<?x2x72xf32>, tensor<?xi32>, tensor<?x2x72xf32> -> tensor<?x2x72xf32>
  %b = fuse.scatter %d, %i, %m dim = 0 : tensor<?x2x4x1xf32>, tensor<?xi32>, tensor<?x2x4x1xf32> -> tensor<?x2x4x1xf32>
  return %a, %b : tensor<?x2x72xf32>, tensor<?x2x4x1xf32>
}

// -----

// The elements of a row stay together.
// CHECK-LABEL: func.func @elements
// CHECK-SAME:    kind = "scatterPartOfRows"
// CHECK-COUNT-2: fuse.kernel
func.func @elements(%x: tensor<?x64xf32> {fuse.dims = ["t"]}, %i: tensor<64xi32>, %c: tensor<?x99xf32> {fuse.dims = ["t"]}) -> tensor<?x99xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x64xf32>
  %z = fuse.scatter %c, %i, %y dim = 1 : tensor<?x99xf32>, tensor<64xi32>, tensor<?x64xf32> -> tensor<?x99xf32>
  return %z : tensor<?x99xf32>
}

// -----

// CHECK-LABEL: func.func @columns
// CHECK-SAME:    kind = "scatterBesideColumns"
// CHECK-COUNT-2: fuse.kernel
func.func @columns(%x: tensor<5x64xf32>, %i: tensor<5xi32>, %c: tensor<9x64xf32>) -> tensor<9x64xf32> {
  %y = fuse.softmax %x dims = [0] : tensor<5x64xf32>
  %z = fuse.scatter %c, %i, %y dim = 0 : tensor<9x64xf32>, tensor<5xi32>, tensor<5x64xf32> -> tensor<9x64xf32>
  return %z : tensor<9x64xf32>
}
