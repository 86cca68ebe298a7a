// RUN: fuse-opt %s --fuse-decompose --split-input-file | FileCheck %s

// x sigmoid(2 sqrt(2/pi) x (1 + 0.044715 x^2)), in f32: the constants would
// lose their digits in bf16.
// CHECK-LABEL: func.func @gelu_tanh(
// CHECK-SAME:    %[[X:.*]]: tensor<?xbf16>
// CHECK-NEXT:  %[[WIDE:.*]] = fuse.cast %[[X]] : tensor<?xbf16> -> tensor<?xf32>
// CHECK-NEXT:  %[[SQUARE:.*]] = fuse.mul %[[WIDE]], %[[WIDE]]
// CHECK-NEXT:  %[[CUBIC:.*]] = fuse.constant dense<0.0713548139> : tensor<f32>
// CHECK-NEXT:  %[[LINEAR:.*]] = fuse.constant dense<1.59576917> : tensor<f32>
// CHECK-NEXT:  %[[T:.*]] = fuse.mul %[[SQUARE]], %[[CUBIC]]
// CHECK-NEXT:  %[[FACTOR:.*]] = fuse.add %[[T]], %[[LINEAR]]
// CHECK-NEXT:  %[[ANGLE:.*]] = fuse.mul %[[WIDE]], %[[FACTOR]]
// CHECK-NEXT:  %[[GATE:.*]] = fuse.sigmoid %[[ANGLE]]
// CHECK-NEXT:  %[[GELU:.*]] = fuse.mul %[[WIDE]], %[[GATE]]
// CHECK-NEXT:  %[[Y:.*]] = fuse.cast %[[GELU]] {fuse.implicit} : tensor<?xf32> -> tensor<?xbf16>
// CHECK-NEXT:  return %[[Y]]
func.func @gelu_tanh(%x: tensor<?xbf16>) -> tensor<?xbf16> {
  %y = fuse.gelu tanh %x : tensor<?xbf16>
  return %y : tensor<?xbf16>
}

// -----

// CHECK-LABEL: func.func @gelu_erf(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
// CHECK-DAG:   %[[C:.*]] = fuse.constant dense<0.707106769> : tensor<f32>
// CHECK-DAG:   %[[ONE:.*]] = fuse.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG:   %[[HALF:.*]] = fuse.constant dense<5.000000e-01> : tensor<f32>
// CHECK:       %[[S:.*]] = fuse.mul %[[X]], %[[C]]
// CHECK-NEXT:  %[[ERF:.*]] = fuse.erf %[[S]]
// CHECK-NEXT:  %[[SUM:.*]] = fuse.add %[[ERF]], %[[ONE]]
// CHECK-NEXT:  %[[HALVED:.*]] = fuse.mul %[[X]], %[[HALF]]
// CHECK-NEXT:  %[[Y:.*]] = fuse.mul %[[HALVED]], %[[SUM]]
// CHECK-NEXT:  return %[[Y]]
func.func @gelu_erf(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = fuse.gelu erf %x : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @gelu_sigmoid(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
// CHECK-NEXT:  %[[C:.*]] = fuse.constant dense<1.702000e+00> : tensor<f32>
// CHECK-NEXT:  %[[ANGLE:.*]] = fuse.mul %[[X]], %[[C]]
// CHECK-NEXT:  %[[GATE:.*]] = fuse.sigmoid %[[ANGLE]]
// CHECK-NEXT:  %[[Y:.*]] = fuse.mul %[[X]], %[[GATE]]
// CHECK-NEXT:  return %[[Y]]
func.func @gelu_sigmoid(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = fuse.gelu sigmoid %x : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// One rounding at the end: the product is taken before the cast.
// CHECK-LABEL: func.func @geglu(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf16>, %[[Y:.*]]: tensor<8xf16>
// CHECK-NEXT:  %[[GATE:.*]] = fuse.cast %[[X]]
// CHECK-NEXT:  %[[RHS:.*]] = fuse.cast %[[Y]]
// CHECK:       fuse.sigmoid
// CHECK-NEXT:  %[[GELU:.*]] = fuse.mul %[[GATE]]
// CHECK-NEXT:  %[[PRODUCT:.*]] = fuse.mul %[[GELU]], %[[RHS]]
// CHECK-NEXT:  %[[Z:.*]] = fuse.cast %[[PRODUCT]] {fuse.implicit} : tensor<8xf32> -> tensor<8xf16>
// CHECK-NEXT:  return %[[Z]]
func.func @geglu(%x: tensor<8xf16>, %y: tensor<8xf16>) -> tensor<8xf16> {
  %z = fuse.geglu sigmoid %x, %y : tensor<8xf16>
  return %z : tensor<8xf16>
}

// -----

// No constant, so no cast.
// CHECK-LABEL: func.func @swiglu(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xbf16>, %[[Y:.*]]: tensor<?x8xbf16>
// CHECK-NEXT:  %[[GATE:.*]] = fuse.sigmoid %[[X]] : tensor<?x8xbf16>
// CHECK-NEXT:  %[[SILU:.*]] = fuse.mul %[[X]], %[[GATE]] : tensor<?x8xbf16>
// CHECK-NEXT:  %[[Z:.*]] = fuse.mul %[[SILU]], %[[Y]] : tensor<?x8xbf16>
// CHECK-NEXT:  return %[[Z]]
func.func @swiglu(%x: tensor<?x8xbf16>, %y: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %z = fuse.swiglu %x, %y : tensor<?x8xbf16>
  return %z : tensor<?x8xbf16>
}

// -----

// CHECK-LABEL: func.func @silu_relu(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>, %[[I:.*]]: tensor<8xi32>
// CHECK-NEXT:  %[[GATE:.*]] = fuse.sigmoid %[[X]]
// CHECK-NEXT:  %[[SILU:.*]] = fuse.mul %[[X]], %[[GATE]]
// CHECK-NEXT:  %[[ZERO:.*]] = fuse.constant dense<0> : tensor<i32>
// CHECK-NEXT:  %[[RELU:.*]] = fuse.max %[[I]], %[[ZERO]] : tensor<8xi32>, tensor<i32>
// CHECK-NEXT:  return %[[SILU]], %[[RELU]]
func.func @silu_relu(%x: tensor<8xf32>, %i: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %s = fuse.silu %x : tensor<8xf32>
  %r = fuse.relu %i : tensor<8xi32>
  return %s, %r : tensor<8xf32>, tensor<8xi32>
}
