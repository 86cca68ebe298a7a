// RUN: fuse-opt %s -fuse-unroll-reductions | FileCheck %s

// CHECK-LABEL: func.func @three_terms
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<3x8x64xf32>
// CHECK:         %[[A:.*]] = fuse.slice %[[X]] offsets = [0, 0, 0] sizes = [1, -1, -1]
// CHECK:         %[[B:.*]] = fuse.slice %[[X]] offsets = [1, 0, 0] sizes = [1, -1, -1]
// CHECK:         %[[C:.*]] = fuse.slice %[[X]] offsets = [2, 0, 0] sizes = [1, -1, -1]
// CHECK:         %[[P:.*]] = fuse.add %[[A]], %[[B]] : tensor<1x8x64xf32>
// CHECK:         %[[S:.*]] = fuse.add %[[P]], %[[C]] : tensor<1x8x64xf32>
// CHECK:         %[[R:.*]] = tensor.collapse_shape %[[S]] {{\[}}[0, 1], [2]]
// CHECK:         fuse.reduce max %[[R]] dims = [1]
func.func @three_terms(%x: tensor<3x8x64xf32>) -> tensor<8xf32> {
  %s = fuse.reduce sum %x dims = [0] : tensor<3x8x64xf32> -> tensor<8x64xf32>
  %m = fuse.reduce max %s dims = [1] : tensor<8x64xf32> -> tensor<8xf32>
  return %m : tensor<8xf32>
}

// A mean is divided once; two dimensions count through both.
// CHECK-LABEL: func.func @mean_of_windows
// CHECK:         fuse.slice %{{.*}} offsets = [0, 1, 0, 1, 0] sizes = [-1, 1, -1, 1, -1]
// CHECK:         %[[N:.*]] = fuse.constant dense<4.000000e+00>
// CHECK:         fuse.div %{{.*}}, %[[N]]
// CHECK:         fuse.reduce max
func.func @mean_of_windows(%x: tensor<5x2x3x2x64xf32>) -> tensor<5x3xf32> {
  %s = fuse.reduce mean %x dims = [1, 3] : tensor<5x2x3x2x64xf32> -> tensor<5x3x64xf32>
  %m = fuse.reduce max %s dims = [2] : tensor<5x3x64xf32> -> tensor<5x3xf32>
  return %m : tensor<5x3xf32>
}

// No reduction of rows follows.
// CHECK-LABEL: func.func @stored
// CHECK:         fuse.reduce sum
func.func @stored(%x: tensor<3x8x64xf32>) -> tensor<8x64xf32> {
  %s = fuse.reduce sum %x dims = [0] : tensor<3x8x64xf32> -> tensor<8x64xf32>
  return %s : tensor<8x64xf32>
}

// Sums of 16 bits would be rounded after each term.
// CHECK-LABEL: func.func @rounded
// CHECK:         fuse.reduce sum %{{.*}} dims = [0]
func.func @rounded(%x: tensor<3x8x64xbf16>) -> tensor<8xbf16> {
  %s = fuse.reduce sum %x dims = [0] : tensor<3x8x64xbf16> -> tensor<8x64xbf16>
  %m = fuse.reduce max %s dims = [1] : tensor<8x64xbf16> -> tensor<8xbf16>
  return %m : tensor<8xbf16>
}

// Too many terms, and those of a row itself.
// CHECK-LABEL: func.func @others
// CHECK:         fuse.reduce sum %{{.*}} dims = [0]
// CHECK:         fuse.reduce max %{{.*}} dims = [2]
func.func @others(%x: tensor<9x8x64xf32>, %y: tensor<8x64x4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %s = fuse.reduce sum %x dims = [0] : tensor<9x8x64xf32> -> tensor<8x64xf32>
  %m = fuse.reduce max %s dims = [1] : tensor<8x64xf32> -> tensor<8xf32>
  %t = fuse.reduce max %y dims = [2] : tensor<8x64x4xf32> -> tensor<8x64xf32>
  %n = fuse.reduce sum %t dims = [1] : tensor<8x64xf32> -> tensor<8xf32>
  return %m, %n : tensor<8xf32>, tensor<8xf32>
}

// What is summed follows from a reduction of the same places.
// CHECK-LABEL: func.func @from_columns
// CHECK:         fuse.reduce max %{{.*}} dims = [0] keep
// CHECK:         fuse.reduce sum %{{.*}} dims = [0]
func.func @from_columns(%x: tensor<3x8x64xf32>) -> tensor<8xf32> {
  %a = fuse.reduce max %x dims = [0] keep : tensor<3x8x64xf32> -> tensor<1x8x64xf32>
  %d = fuse.sub %x, %a : tensor<3x8x64xf32>, tensor<1x8x64xf32> -> tensor<3x8x64xf32>
  %s = fuse.reduce sum %d dims = [0] : tensor<3x8x64xf32> -> tensor<8x64xf32>
  %m = fuse.reduce max %s dims = [1] : tensor<8x64xf32> -> tensor<8xf32>
  return %m : tensor<8xf32>
}
