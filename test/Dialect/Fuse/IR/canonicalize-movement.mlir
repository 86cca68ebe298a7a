// RUN: fuse-opt %s -canonicalize -split-input-file | FileCheck %s

// What moves nothing is its operand.
// CHECK-LABEL: func.func @identities(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf32>
// CHECK-NEXT:  return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]] :
func.func @identities(%x: tensor<?x8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>,
        tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = fuse.transpose %x permutation = [0, 1] : tensor<?x8xf32> -> tensor<?x8xf32>
  %1 = fuse.slice %x offsets = [0, 0] sizes = [-1, 8] : tensor<?x8xf32> -> tensor<?x8xf32>
  %2 = fuse.pad %x low = [0, 0] high = [0, 0] value = 1.0 : tensor<?x8xf32> -> tensor<?x8xf32>
  %3 = fuse.reverse %x dims = [] : tensor<?x8xf32>
  %4 = fuse.concat %x dim = 0 : tensor<?x8xf32> -> tensor<?x8xf32>
  %5 = fuse.broadcast %x : tensor<?x8xf32> -> tensor<?x8xf32>
  %6 = fuse.reverse %x dims = [0] : tensor<?x8xf32>
  %7 = fuse.reverse %6 dims = [0] : tensor<?x8xf32>
  return %0, %1, %2, %3, %4, %5, %7
      : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>,
        tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// A slice of a dynamic dimension may have its type and yet be another.
// CHECK-LABEL: func.func @not_identities(
// CHECK:  fuse.slice {{.*}} offsets = [1] sizes = [-1] :
// CHECK:  fuse.slice {{.*}} offsets = [0] sizes = [-1] steps = [2]
// CHECK:  fuse.pad
func.func @not_identities(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = fuse.slice %x offsets = [1] sizes = [-1] : tensor<?xf32> -> tensor<?xf32>
  %1 = fuse.slice %x offsets = [0] sizes = [-1] steps = [2] : tensor<?xf32> -> tensor<?xf32>
  %2 = fuse.pad %x low = [0] high = [1] value = 0.0 : tensor<?xf32> -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// What is cut and joined again is what it was; not where the parts are in another
// order, leave something out, or overlap.
// CHECK-LABEL: func.func @joined_again(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf32>
// CHECK-COUNT-3: fuse.concat
// CHECK-NOT:     fuse.concat
// CHECK:         return %[[X]], %{{.*}}, %{{.*}}, %{{.*}} :
func.func @joined_again(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x7xf32>, tensor<?x8xf32>) {
  %a = fuse.slice %x offsets = [0, 0] sizes = [-1, 5] : tensor<?x8xf32> -> tensor<?x5xf32>
  %b = fuse.slice %x offsets = [0, 5] sizes = [-1, 3] : tensor<?x8xf32> -> tensor<?x3xf32>
  %c = fuse.slice %x offsets = [0, 6] sizes = [-1, 2] : tensor<?x8xf32> -> tensor<?x2xf32>
  %d = fuse.slice %x offsets = [0, 4] sizes = [-1, 3] : tensor<?x8xf32> -> tensor<?x3xf32>
  %0 = fuse.concat %a, %b dim = 1 : tensor<?x5xf32>, tensor<?x3xf32> -> tensor<?x8xf32>
  %1 = fuse.concat %b, %a dim = 1 : tensor<?x3xf32>, tensor<?x5xf32> -> tensor<?x8xf32>
  %2 = fuse.concat %a, %c dim = 1 : tensor<?x5xf32>, tensor<?x2xf32> -> tensor<?x7xf32>
  %3 = fuse.concat %a, %d dim = 1 : tensor<?x5xf32>, tensor<?x3xf32> -> tensor<?x8xf32>
  return %0, %1, %2, %3 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x7xf32>, tensor<?x8xf32>
}

// -----

// Two of a kind are one.
// CHECK-LABEL: func.func @composed(
// CHECK-SAME:    %[[X:.*]]: tensor<2x?x8xf32>
// CHECK-DAG:   fuse.transpose %[[X]] permutation = [0, 2, 1] : tensor<2x?x8xf32> -> tensor<2x8x?xf32>
// CHECK-DAG:   fuse.reverse %[[X]] dims = [0, 2] : tensor<2x?x8xf32>
// CHECK-DAG:   fuse.slice %[[X]] offsets = [0, 3, 5] sizes = [2, -1, 1] steps = [1, 2, 6] : tensor<2x?x8xf32> -> tensor<2x?x1xf32>
func.func @composed(%x: tensor<2x?x8xf32>)
    -> (tensor<2x8x?xf32>, tensor<2x?x8xf32>, tensor<2x?x1xf32>) {
  %0 = fuse.transpose %x permutation = [1, 2, 0] : tensor<2x?x8xf32> -> tensor<?x8x2xf32>
  %1 = fuse.transpose %0 permutation = [2, 1, 0] : tensor<?x8x2xf32> -> tensor<2x8x?xf32>
  %2 = fuse.reverse %x dims = [0, 1] : tensor<2x?x8xf32>
  %3 = fuse.reverse %2 dims = [1, 2] : tensor<2x?x8xf32>
  %4 = fuse.slice %x offsets = [0, 1, 1] sizes = [-1, -1, 4] steps = [1, 1, 2]
      : tensor<2x?x8xf32> -> tensor<2x?x4xf32>
  %5 = fuse.slice %4 offsets = [0, 2, 2] sizes = [-1, -1, 1] steps = [1, 2, 3]
      : tensor<2x?x4xf32> -> tensor<2x?x1xf32>
  return %1, %3, %5 : tensor<2x8x?xf32>, tensor<2x?x8xf32>, tensor<2x?x1xf32>
}

// -----

// Five elements give %0 three of them, of which the last starts %1; the
// composed slice would ask for six.
// CHECK-LABEL: func.func @short_slice(
// CHECK:  fuse.slice
// CHECK:  fuse.slice
func.func @short_slice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fuse.slice %x offsets = [0] sizes = [-1] steps = [2] : tensor<?xf32> -> tensor<?xf32>
  %1 = fuse.slice %0 offsets = [3] sizes = [-1] : tensor<?xf32> -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// A splat stays one.
// CHECK-LABEL: func.func @splats(
// CHECK-DAG:   %[[PADDED:.*]] = fuse.constant dense<2.000000e+00> : tensor<5xf8E5M2>
// CHECK-DAG:   %[[WIDE:.*]] = fuse.constant dense<2.000000e+00> : tensor<2x3xf8E5M2>
// CHECK-DAG:   %[[TALL:.*]] = fuse.constant dense<2.000000e+00> : tensor<3x2xf8E5M2>
// CHECK:       return %[[PADDED]], %[[WIDE]], %[[TALL]] :
func.func @splats() -> (tensor<5xf8E5M2>, tensor<2x3xf8E5M2>, tensor<3x2xf8E5M2>) {
  %c = fuse.constant dense<2.0> : tensor<4xf8E5M2>
  %0 = fuse.slice %c offsets = [1] sizes = [3] : tensor<4xf8E5M2> -> tensor<3xf8E5M2>
  %1 = fuse.pad %0 low = [1] high = [1] value = 2.0 : tensor<3xf8E5M2> -> tensor<5xf8E5M2>
  %2 = fuse.broadcast %0 : tensor<3xf8E5M2> -> tensor<2x3xf8E5M2>
  %3 = fuse.reverse %2 dims = [0] : tensor<2x3xf8E5M2>
  %4 = fuse.transpose %3 permutation = [1, 0] : tensor<2x3xf8E5M2> -> tensor<3x2xf8E5M2>
  return %1, %3, %4 : tensor<5xf8E5M2>, tensor<2x3xf8E5M2>, tensor<3x2xf8E5M2>
}

// -----

// Casts to 8 bits saturate; NaN stays.
// CHECK-LABEL: func.func @storage_casts(
// CHECK-DAG:   fuse.constant dense<4.480000e+02> : tensor<f8E4M3FN>
// CHECK-DAG:   fuse.constant dense<-5.734400e+04> : tensor<f8E5M2>
// CHECK-DAG:   fuse.constant dense<0x7F> : tensor<f8E4M3FN>
// CHECK-DAG:   fuse.constant dense<-128> : tensor<i8>
// CHECK-DAG:   fuse.constant dense<44> : tensor<i8>
// CHECK-DAG:   fuse.constant dense<1.600000e+01> : tensor<f8E4M3FN>
func.func @storage_casts() -> (tensor<f8E4M3FN>, tensor<f8E5M2>, tensor<f8E4M3FN>,
                               tensor<i8>, tensor<i8>, tensor<f8E4M3FN>) {
  %inf = fuse.constant dense<0x7F800000> : tensor<f32>
  %low = fuse.constant dense<-65000.0> : tensor<f64>
  %nan = fuse.constant dense<0x7FC00000> : tensor<f32>
  %int = fuse.constant dense<300> : tensor<i32>
  // Between 16 and 18: to even.
  %tie = fuse.constant dense<17.0> : tensor<f32>
  %0 = fuse.cast %inf : tensor<f32> -> tensor<f8E4M3FN>
  %1 = fuse.cast %low : tensor<f64> -> tensor<f8E5M2>
  %2 = fuse.cast %nan : tensor<f32> -> tensor<f8E4M3FN>
  %3 = fuse.cast %low : tensor<f64> -> tensor<i8>
  %4 = fuse.cast %int : tensor<i32> -> tensor<i8>
  %5 = fuse.cast %tie : tensor<f32> -> tensor<f8E4M3FN>
  return %0, %1, %2, %3, %4, %5
      : tensor<f8E4M3FN>, tensor<f8E5M2>, tensor<f8E4M3FN>, tensor<i8>, tensor<i8>,
        tensor<f8E4M3FN>
}
