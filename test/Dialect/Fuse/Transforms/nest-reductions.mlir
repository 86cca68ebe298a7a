// RUN: fuse-opt %s -split-input-file -fuse-nest-reductions | FileCheck %s

// CHECK-LABEL: func.func @rows_and_all
// CHECK:         %[[R:.*]] = fuse.reduce max %arg0 dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
// CHECK-NEXT:    %[[A:.*]] = fuse.reduce max %[[R]] dims = [0] : tensor<?xf32> -> tensor<f32>
// CHECK-NEXT:    return %[[R]], %[[A]]
func.func @rows_and_all(%x: tensor<?x64xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %r = fuse.reduce max %x dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  %a = fuse.reduce max %x dims = [0, 1] : tensor<?x64xf32> -> tensor<f32>
  return %r, %a : tensor<?xf32>, tensor<f32>
}

// -----

// The rows come later, of what the same ops compute, and the whole keeps its
// dimensions.
// CHECK-LABEL: func.func @later
// CHECK:         %[[X:.*]] = fuse.abs %arg0
// CHECK-NEXT:    %[[R:.*]] = fuse.reduce min %[[X]] dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
// CHECK-NEXT:    %[[C:.*]] = tensor.collapse_shape %[[R]] {{\[\[}}0, 1]]
// CHECK-NEXT:    %[[A:.*]] = fuse.reduce min %[[R]] dims = [0, 1] keep : tensor<?x1xf32> -> tensor<1x1xf32>
// CHECK:         return %[[C]], %[[A]]
func.func @later(%x: tensor<?x64xf32>) -> (tensor<?xf32>, tensor<1x1xf32>) {
  %p = fuse.abs %x : tensor<?x64xf32>
  %a = fuse.reduce min %p dims = [0, 1] keep : tensor<?x64xf32> -> tensor<1x1xf32>
  %q = fuse.abs %x : tensor<?x64xf32>
  %r = fuse.reduce min %q dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  return %r, %a : tensor<?xf32>, tensor<1x1xf32>
}

// -----

// Each goes on from the one that leaves least; of two that leave as much, from
// that of rows.
// CHECK-LABEL: func.func @chain
// CHECK:         %[[P:.*]] = fuse.reduce sum %arg0 dims = [2] keep : tensor<4x8x64xf32> -> tensor<4x8x1xf32>
// CHECK:         %[[Q:.*]] = fuse.reduce sum %[[P]] dims = [1, 2] : tensor<4x8x1xf32> -> tensor<4xf32>
// CHECK:         fuse.reduce sum %[[Q]] dims = [0] : tensor<4xf32> -> tensor<f32>
func.func @chain(%x: tensor<4x8x64xf32>) -> (tensor<8x64xf32>, tensor<4x8x1xf32>, tensor<4xf32>, tensor<f32>) {
  %c = fuse.reduce sum %x dims = [0] : tensor<4x8x64xf32> -> tensor<8x64xf32>
  %p = fuse.reduce sum %x dims = [2] keep : tensor<4x8x64xf32> -> tensor<4x8x1xf32>
  %q = fuse.reduce sum %x dims = [1, 2] : tensor<4x8x64xf32> -> tensor<4xf32>
  %a = fuse.reduce sum %x dims = [0, 1, 2] : tensor<4x8x64xf32> -> tensor<f32>
  return %c, %p, %q, %a : tensor<8x64xf32>, tensor<4x8x1xf32>, tensor<4xf32>, tensor<f32>
}

// -----

// A mean of means, and one of sums.
// CHECK-LABEL: func.func @means
// CHECK:         %[[M:.*]] = fuse.reduce mean %arg0 dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
// CHECK:         fuse.reduce mean %[[M]] dims = [0] : tensor<?xf32> -> tensor<f32>
// CHECK:         %[[S:.*]] = fuse.reduce sum %arg1 dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
// CHECK:         %[[T:.*]] = fuse.reduce mean %[[S]] dims = [0] : tensor<?xf32> -> tensor<f32>
// CHECK:         %[[N:.*]] = fuse.constant dense<6.400000e+01> : tensor<f32>
// CHECK:         fuse.div %[[T]], %[[N]] : tensor<f32>
func.func @means(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> (tensor<?xf32>, tensor<f32>, tensor<?xf32>, tensor<f32>) {
  %r = fuse.reduce mean %x dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  %a = fuse.reduce mean %x dims = [0, 1] : tensor<?x64xf32> -> tensor<f32>
  %s = fuse.reduce sum %y dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  %b = fuse.reduce mean %y dims = [0, 1] : tensor<?x64xf32> -> tensor<f32>
  return %r, %a, %s, %b : tensor<?xf32>, tensor<f32>, tensor<?xf32>, tensor<f32>
}

// -----

// The mean of no element is no sum divided by 0.
// CHECK-LABEL: func.func @mean_of_unknown
// CHECK:         fuse.reduce mean %arg0 dims = [0, 1]
// CHECK:         fuse.reduce mean %arg1 dims = [0, 1]
func.func @mean_of_unknown(%x: tensor<?x?xf32>, %y: tensor<?x0xf32>) -> (tensor<?xf32>, tensor<f32>, tensor<?xf32>, tensor<f32>) {
  %r = fuse.reduce sum %x dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
  %a = fuse.reduce mean %x dims = [0, 1] : tensor<?x?xf32> -> tensor<f32>
  %s = fuse.reduce sum %y dims = [1] : tensor<?x0xf32> -> tensor<?xf32>
  %b = fuse.reduce mean %y dims = [0, 1] : tensor<?x0xf32> -> tensor<f32>
  return %r, %a, %s, %b : tensor<?xf32>, tensor<f32>, tensor<?xf32>, tensor<f32>
}

// -----

// Sums of 16 bits are rounded behind what goes on from them.
// CHECK-LABEL: func.func @rounded
// CHECK:         %[[X:.*]] = fuse.cast %arg0 : tensor<?x64xbf16> -> tensor<?x64xf32>
// CHECK:         %[[R:.*]] = fuse.reduce sum %[[X]] dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
// CHECK:         %[[C:.*]] = fuse.cast %[[R]] {fuse.implicit} : tensor<?xf32> -> tensor<?xbf16>
// CHECK:         %[[A:.*]] = fuse.reduce sum %[[R]] dims = [0] : tensor<?xf32> -> tensor<f32>
// CHECK:         %[[D:.*]] = fuse.cast %[[A]] {fuse.implicit} : tensor<f32> -> tensor<bf16>
// CHECK:         return %[[C]], %[[D]]
func.func @rounded(%x: tensor<?x64xbf16>) -> (tensor<?xbf16>, tensor<bf16>) {
  %r = fuse.reduce sum %x dims = [1] : tensor<?x64xbf16> -> tensor<?xbf16>
  %a = fuse.reduce sum %x dims = [0, 1] : tensor<?x64xbf16> -> tensor<bf16>
  return %r, %a : tensor<?xbf16>, tensor<bf16>
}

// -----

// Casts that change no number change no extreme either; sums in another type
// have another precision.
// CHECK-LABEL: func.func @widened
// CHECK:         %[[R:.*]] = fuse.reduce max %arg0 dims = [1] : tensor<?x64xbf16> -> tensor<?xbf16>
// CHECK:         %[[A:.*]] = fuse.reduce max %[[R]] dims = [0] : tensor<?xbf16> -> tensor<bf16>
// CHECK:         fuse.cast %[[A]] : tensor<bf16> -> tensor<f32>
// CHECK:         fuse.reduce sum %arg0 dims = [1]
// CHECK:         fuse.reduce sum %{{.*}} dims = [0, 1] : tensor<?x64xf64> -> tensor<f64>
func.func @widened(%x: tensor<?x64xbf16>) -> (tensor<?xbf16>, tensor<f32>, tensor<?xbf16>, tensor<f64>) {
  %r = fuse.reduce max %x dims = [1] : tensor<?x64xbf16> -> tensor<?xbf16>
  %w = fuse.cast %x : tensor<?x64xbf16> -> tensor<?x64xf32>
  %a = fuse.reduce max %w dims = [0, 1] : tensor<?x64xf32> -> tensor<f32>
  %s = fuse.reduce sum %x dims = [1] : tensor<?x64xbf16> -> tensor<?xbf16>
  %d = fuse.cast %x : tensor<?x64xbf16> -> tensor<?x64xf64>
  %b = fuse.reduce sum %d dims = [0, 1] : tensor<?x64xf64> -> tensor<f64>
  return %r, %a, %s, %b : tensor<?xbf16>, tensor<f32>, tensor<?xbf16>, tensor<f64>
}

// -----

// Integers wrap around, whichever are added first.
// CHECK-LABEL: func.func @integers
// CHECK:         %[[R:.*]] = fuse.reduce sum %arg0 dims = [0] : tensor<?x64xi8> -> tensor<64xi8>
// CHECK:         fuse.reduce sum %[[R]] dims = [0] : tensor<64xi8> -> tensor<i8>
func.func @integers(%x: tensor<?x64xi8>) -> (tensor<64xi8>, tensor<i8>) {
  %r = fuse.reduce sum %x dims = [0] : tensor<?x64xi8> -> tensor<64xi8>
  %a = fuse.reduce sum %x dims = [0, 1] : tensor<?x64xi8> -> tensor<i8>
  return %r, %a : tensor<64xi8>, tensor<i8>
}

// -----

// Of another kind, of other elements, over other dimensions.
// CHECK-LABEL: func.func @others
// CHECK:         fuse.reduce max %arg0 dims = [0, 1]
// CHECK:         fuse.reduce min %{{.*}} dims = [0, 1]
// CHECK:         fuse.reduce min %arg0 dims = [1, 2]
func.func @others(%x: tensor<4x8x64xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<64xf32>, tensor<64xf32>, tensor<4xf32>) {
  %r = fuse.reduce sum %x dims = [2] : tensor<4x8x64xf32> -> tensor<4x8xf32>
  %m = fuse.reduce min %x dims = [0, 2] : tensor<4x8x64xf32> -> tensor<8xf32>
  %a = fuse.reduce max %x dims = [0, 1] : tensor<4x8x64xf32> -> tensor<64xf32>
  %n = fuse.neg %x : tensor<4x8x64xf32>
  %b = fuse.reduce min %n dims = [0, 1] : tensor<4x8x64xf32> -> tensor<64xf32>
  %c = fuse.reduce min %x dims = [1, 2] : tensor<4x8x64xf32> -> tensor<4xf32>
  return %r, %m, %a, %b, %c : tensor<4x8xf32>, tensor<8xf32>, tensor<64xf32>, tensor<64xf32>, tensor<4xf32>
}

// -----

// Rows of another shape have one of each of these elements, and take in all.
// CHECK-LABEL: func.func @numbers_of_rows
// CHECK:         fuse.reduce sum %{{.*}} dims = [0, 1] : tensor<?x64xf32> -> tensor<f32>
func.func @numbers_of_rows(%x: tensor<?x64x1024xf32>, %k: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?xf32>, tensor<f32>) {
  %m = fuse.reduce max %x dims = [2] keep : tensor<?x64x1024xf32> -> tensor<?x64x1xf32>
  %c = tensor.collapse_shape %m [[0], [1, 2]] : tensor<?x64x1xf32> into tensor<?x64xf32>
  %p = fuse.mul %c, %k : tensor<?x64xf32>
  %r = fuse.reduce sum %k dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  %s = fuse.reduce sum %k dims = [0, 1] : tensor<?x64xf32> -> tensor<f32>
  return %p, %r, %s : tensor<?x64xf32>, tensor<?xf32>, tensor<f32>
}
