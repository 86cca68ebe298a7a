// RUN: fuse-opt %s --fuse-decompose --split-input-file | FileCheck %s

// The example of the pass description. bf16 is squared and summed in f32.
// CHECK-LABEL: func.func @norm(
// CHECK-SAME:    %[[X:.*]]: tensor<?x64xbf16>, %[[W:.*]]: tensor<64xbf16>
// CHECK-NEXT:  %[[WIDE:.*]] = fuse.cast %[[X]] : tensor<?x64xbf16> -> tensor<?x64xf32>
// CHECK-NEXT:  %[[SQUARE:.*]] = fuse.mul %[[WIDE]], %[[WIDE]] : tensor<?x64xf32>
// CHECK-NEXT:  %[[MEAN:.*]] = fuse.reduce mean %[[SQUARE]] dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
// CHECK-NEXT:  %[[EPS:.*]] = fuse.constant dense<9.99999974E-6> : tensor<f32>
// CHECK-NEXT:  %[[SUM:.*]] = fuse.add %[[MEAN]], %[[EPS]] : tensor<?x1xf32>, tensor<f32>
// CHECK-NEXT:  %[[SCALE:.*]] = fuse.rsqrt %[[SUM]] : tensor<?x1xf32>
// CHECK-NEXT:  %[[NORMED:.*]] = fuse.mul %[[WIDE]], %[[SCALE]] : tensor<?x64xf32>, tensor<?x1xf32>
// CHECK-NEXT:  %[[WIDEW:.*]] = fuse.cast %[[W]] : tensor<64xbf16> -> tensor<64xf32>
// CHECK-NEXT:  %[[SCALED:.*]] = fuse.mul %[[NORMED]], %[[WIDEW]] : tensor<?x64xf32>, tensor<64xf32>
// CHECK-NEXT:  %[[Y:.*]] = fuse.cast %[[SCALED]] {fuse.implicit} : tensor<?x64xf32> -> tensor<?x64xbf16>
// CHECK-NEXT:  return %[[Y]]
func.func @norm(%x: tensor<?x64xbf16>, %w: tensor<64xbf16>) -> tensor<?x64xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x64xbf16>, tensor<64xbf16>
  return %y : tensor<?x64xbf16>
}

// -----

// Without a weight there is no second product; f32 needs no cast.
// CHECK-LABEL: func.func @rms_norm_plain
// CHECK-NOT:   fuse.cast
// CHECK:       %[[SCALE:.*]] = fuse.rsqrt
// CHECK-NEXT:  %[[Y:.*]] = fuse.mul %{{.*}}, %[[SCALE]]
// CHECK-NEXT:  return %[[Y]]
func.func @rms_norm_plain(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = fuse.rms_norm %x eps = 0.0 : tensor<64xf32>
  return %y : tensor<64xf32>
}

// -----

// The variance is the mean square of the centred values.
// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME:    %[[X:.*]]: tensor<2x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK-NEXT:  %[[MEAN:.*]] = fuse.reduce mean %[[X]] dims = [1] keep
// CHECK-NEXT:  %[[CENTRED:.*]] = fuse.sub %[[X]], %[[MEAN]]
// CHECK-NEXT:  %[[SQUARE:.*]] = fuse.mul %[[CENTRED]], %[[CENTRED]]
// CHECK-NEXT:  %[[VAR:.*]] = fuse.reduce mean %[[SQUARE]] dims = [1] keep
// CHECK-NEXT:  %[[EPS:.*]] = fuse.constant
// CHECK-NEXT:  %[[SUM:.*]] = fuse.add %[[VAR]], %[[EPS]]
// CHECK-NEXT:  %[[SCALE:.*]] = fuse.rsqrt %[[SUM]]
// CHECK-NEXT:  %[[NORMED:.*]] = fuse.mul %[[CENTRED]], %[[SCALE]]
// CHECK-NEXT:  %[[SCALED:.*]] = fuse.mul %[[NORMED]], %[[W]]
// CHECK-NEXT:  %[[Y:.*]] = fuse.add %[[SCALED]], %[[B]]
// CHECK-NEXT:  return %[[Y]]
func.func @layer_norm(%x: tensor<2x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>
  return %y : tensor<2x8xf32>
}

// -----

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16>
// CHECK-NEXT:  %[[WIDE:.*]] = fuse.cast %[[X]] : tensor<?x8xf16> -> tensor<?x8xf32>
// CHECK-NEXT:  %[[MAX:.*]] = fuse.reduce max %[[WIDE]] dims = [1] keep
// CHECK-NEXT:  %[[SHIFTED:.*]] = fuse.sub %[[WIDE]], %[[MAX]]
// CHECK-NEXT:  %[[EXP:.*]] = fuse.exp %[[SHIFTED]]
// CHECK-NEXT:  %[[SUM:.*]] = fuse.reduce sum %[[EXP]] dims = [1] keep
// CHECK-NEXT:  %[[QUOTIENT:.*]] = fuse.div %[[EXP]], %[[SUM]]
// CHECK-NEXT:  %[[Y:.*]] = fuse.cast %[[QUOTIENT]] {fuse.implicit} : tensor<?x8xf32> -> tensor<?x8xf16>
// CHECK-NEXT:  return %[[Y]]
func.func @softmax(%x: tensor<?x8xf16>) -> tensor<?x8xf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x8xf16>
  return %y : tensor<?x8xf16>
}

// -----

// CHECK-LABEL: func.func @log_softmax(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf64>
// CHECK-NEXT:  %[[MAX:.*]] = fuse.reduce max %[[X]] dims = [0, 1] keep
// CHECK-NEXT:  %[[SHIFTED:.*]] = fuse.sub %[[X]], %[[MAX]]
// CHECK-NEXT:  %[[EXP:.*]] = fuse.exp %[[SHIFTED]]
// CHECK-NEXT:  %[[SUM:.*]] = fuse.reduce sum %[[EXP]] dims = [0, 1] keep
// CHECK-NEXT:  %[[LOG:.*]] = fuse.log %[[SUM]]
// CHECK-NEXT:  %[[Y:.*]] = fuse.sub %[[SHIFTED]], %[[LOG]]
// CHECK-NEXT:  return %[[Y]]
func.func @log_softmax(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %y = fuse.log_softmax %x dims = [0, 1] : tensor<4x8xf64>
  return %y : tensor<4x8xf64>
}

// -----

// An infinite maximum must not be subtracted from itself.
// CHECK-LABEL: func.func @logsumexp(
// CHECK-SAME:    %[[X:.*]]: tensor<3x?x8xf32>
// CHECK-NEXT:  %[[MAX:.*]] = fuse.reduce max %[[X]] dims = [0, 2] keep
// CHECK-NEXT:  %[[INF:.*]] = fuse.constant dense<0x7F800000> : tensor<f32>
// CHECK-NEXT:  %[[ZERO:.*]] = fuse.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:  %[[ABS:.*]] = fuse.abs %[[MAX]]
// CHECK-NEXT:  %[[INFINITE:.*]] = fuse.compare eq %[[ABS]], %[[INF]]
// CHECK-NEXT:  %[[SHIFT:.*]] = fuse.select %[[INFINITE]], %[[ZERO]], %[[MAX]]
// CHECK-NEXT:  %[[SHIFTED:.*]] = fuse.sub %[[X]], %[[SHIFT]]
// CHECK-NEXT:  %[[EXP:.*]] = fuse.exp %[[SHIFTED]]
// CHECK-NEXT:  %[[SUM:.*]] = fuse.reduce sum %[[EXP]] dims = [0, 2] keep
// CHECK-NEXT:  %[[LOG:.*]] = fuse.log %[[SUM]]
// CHECK-NEXT:  %[[KEPT:.*]] = fuse.add %[[LOG]], %[[SHIFT]]
// CHECK-NEXT:  %[[Y:.*]] = tensor.collapse_shape %[[KEPT]] {{\[}}[0, 1, 2]] : tensor<1x?x1xf32> into tensor<?xf32>
// CHECK-NEXT:  return %[[Y]]
func.func @logsumexp(%x: tensor<3x?x8xf32>) -> tensor<?xf32> {
  %y = fuse.logsumexp %x dims = [0, 2] : tensor<3x?x8xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @logsumexp_all
// CHECK:       tensor.collapse_shape %{{.*}} [] : tensor<1x1xf16> into tensor<f16>
func.func @logsumexp_all(%x: tensor<3x?xf16>) -> tensor<f16> {
  %y = fuse.logsumexp %x dims = [0, 1] : tensor<3x?xf16> -> tensor<f16>
  return %y : tensor<f16>
}

// -----

// CHECK-LABEL: func.func @logsumexp_keep
// CHECK-NOT:   tensor.collapse_shape
// CHECK:       return %{{.*}} : tensor<3x1xf32>
func.func @logsumexp_keep(%x: tensor<3x?xf32>) -> tensor<3x1xf32> {
  %y = fuse.logsumexp %x dims = [1] keep : tensor<3x?xf32> -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}
