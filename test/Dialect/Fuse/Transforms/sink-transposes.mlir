// RUN: fuse-opt %s -split-input-file -fuse-raise-movement | FileCheck %s

// CHECK-LABEL: func.func @pad
// CHECK:         %[[E:.*]] = fuse.exp %{{.*}} : tensor<?x40xf32>
// CHECK:         %[[P:.*]] = fuse.pad %[[E]] low = [1, 2] high = [3, 0] value = 0.000000e+00 : tensor<?x40xf32> -> tensor<?x42xf32>
// CHECK:         %[[T:.*]] = fuse.transpose %[[P]] permutation = [1, 0] : tensor<?x42xf32> -> tensor<42x?xf32>
// CHECK:         return %[[T]]
func.func @pad(%x: tensor<?x40xf32>) -> tensor<42x?xf32> {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<?x40xf32> -> tensor<40x?xf32>
  %e = fuse.exp %t : tensor<40x?xf32>
  %p = fuse.pad %e low = [2, 1] high = [0, 3] value = 0.0 : tensor<40x?xf32> -> tensor<42x?xf32>
  return %p : tensor<42x?xf32>
}

// -----

// One behind the other; dimension 0 of the result is dimension 2 of the input.
// CHECK-LABEL: func.func @reverse_and_join
// CHECK:         %[[R:.*]] = fuse.reverse %arg0 dims = [1, 2] : tensor<4x5x6xf32>
// CHECK:         %[[C:.*]] = fuse.concat %[[R]], %arg1 dim = 0 : tensor<4x5x6xf32>, tensor<3x5x6xf32> -> tensor<7x5x6xf32>
// CHECK:         %[[T:.*]] = fuse.transpose %[[C]] permutation = [2, 0, 1] : tensor<7x5x6xf32> -> tensor<6x7x5xf32>
// CHECK:         return %[[T]]
func.func @reverse_and_join(%x: tensor<4x5x6xf32>, %y: tensor<3x5x6xf32>) -> tensor<6x7x5xf32> {
  %t = fuse.transpose %x permutation = [2, 0, 1] : tensor<4x5x6xf32> -> tensor<6x4x5xf32>
  %u = fuse.transpose %y permutation = [2, 0, 1] : tensor<3x5x6xf32> -> tensor<6x3x5xf32>
  %r = fuse.reverse %t dims = [0, 2] : tensor<6x4x5xf32>
  %c = fuse.concat %r, %u dim = 1 : tensor<6x4x5xf32>, tensor<6x3x5xf32> -> tensor<6x7x5xf32>
  return %c : tensor<6x7x5xf32>
}

// -----

// What stays in its rows, what is not transposed alike, and what others need.
// CHECK-LABEL: func.func @stay
// CHECK-COUNT-3: fuse.transpose
// CHECK-NOT:     fuse.transpose
func.func @stay(%x: tensor<4x5x6xf32>, %y: tensor<6x4xf32>, %z: tensor<4x6xf32>) -> (tensor<5x4x8xf32>, tensor<6x8xf32>, tensor<6x6xf32>, tensor<6x4xf32>) {
  %t = fuse.transpose %x permutation = [1, 0, 2] : tensor<4x5x6xf32> -> tensor<5x4x6xf32>
  %p = fuse.pad %t low = [0, 0, 0] high = [0, 0, 2] value = 0.0 : tensor<5x4x6xf32> -> tensor<5x4x8xf32>
  %u = fuse.transpose %z permutation = [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %c = fuse.concat %u, %y dim = 1 : tensor<6x4xf32>, tensor<6x4xf32> -> tensor<6x8xf32>
  %v = fuse.transpose %z permutation = [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %e = fuse.exp %v : tensor<6x4xf32>
  %q = fuse.pad %e low = [0, 1] high = [0, 1] value = 0.0 : tensor<6x4xf32> -> tensor<6x6xf32>
  return %p, %c, %q, %e : tensor<5x4x8xf32>, tensor<6x8xf32>, tensor<6x6xf32>, tensor<6x4xf32>
}

// -----

// A scan that is transposed back walks another dimension.
// CHECK-LABEL: func.func @scan
// CHECK:         %[[E:.*]] = fuse.exp %arg0 : tensor<?x40x6xf32>
// CHECK:         fuse.scan max %[[E]] dim = 1 exclusive reverse : tensor<?x40x6xf32>
func.func @scan(%x: tensor<?x40x6xf32>) -> tensor<?x40x6xf32> {
  %t = fuse.transpose %x permutation = [2, 0, 1] : tensor<?x40x6xf32> -> tensor<6x?x40xf32>
  %e = fuse.exp %t : tensor<6x?x40xf32>
  %s = fuse.scan max %e exclusive reverse : tensor<6x?x40xf32>
  %b = fuse.transpose %s permutation = [1, 2, 0] : tensor<6x?x40xf32> -> tensor<?x40x6xf32>
  return %b : tensor<?x40x6xf32>
}

// -----

// One that is not keeps its rows.
// CHECK-LABEL: func.func @scan_of_rows
// CHECK:         fuse.scan sum %{{.*}} : tensor<40x?xf32>
func.func @scan_of_rows(%x: tensor<?x40xf32>) -> tensor<40x?xf32> {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<?x40xf32> -> tensor<40x?xf32>
  %s = fuse.scan sum %t : tensor<40x?xf32>
  return %s : tensor<40x?xf32>
}
