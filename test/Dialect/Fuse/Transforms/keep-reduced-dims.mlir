// RUN: fuse-opt %s -split-input-file -fuse-keep-reduced-dims | FileCheck %s

// An expansion goes up past what follows from the reduction; who reads that
// without the dimension gets it so.
// CHECK-LABEL: func.func @unsqueezed
// CHECK:         %[[M:.*]] = fuse.reduce max %[[X:.*]] dims = [1] keep
// CHECK:         %[[S:.*]] = fuse.mul %[[M]], %{{.*}} : tensor<?x1xf32>, tensor<f32>
// CHECK:         %[[F:.*]] = tensor.collapse_shape %[[S]] {{\[}}[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
// CHECK:         %[[Y:.*]] = fuse.div %[[X]], %[[S]] : tensor<?x64xf32>, tensor<?x1xf32>
// CHECK:         return %[[Y]], %[[F]]
func.func @unsqueezed(%x: tensor<?x64xf32>, %c: tensor<f32>) -> (tensor<?x64xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %m = fuse.reduce max %x dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  %s = fuse.mul %m, %c : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %u = tensor.expand_shape %s [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %y = fuse.div %x, %u : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  return %y, %s : tensor<?x64xf32>, tensor<?xf32>
}

// -----

// Leading dimensions need no reshape, and the variance keeps what the mean does.
// CHECK-LABEL: func.func @leading
// CHECK:         %[[M:.*]] = fuse.reduce mean %[[X:.*]] dims = [0, 2, 3] keep
// CHECK:         %[[D:.*]] = fuse.sub %[[X]], %[[M]] : tensor<8x64x5x7xf32>, tensor<1x64x1x1xf32>
// CHECK:         fuse.reduce mean %{{.*}} dims = [0, 2, 3] keep
func.func @leading(%x: tensor<8x64x5x7xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %m = fuse.reduce mean %x dims = [0, 2, 3] : tensor<8x64x5x7xf32> -> tensor<64xf32>
  %u = tensor.expand_shape %m [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
  %d = fuse.sub %x, %u : tensor<8x64x5x7xf32>, tensor<64x1x1xf32> -> tensor<8x64x5x7xf32>
  %q = fuse.mul %d, %d : tensor<8x64x5x7xf32>
  %v = fuse.reduce mean %q dims = [0, 2, 3] : tensor<8x64x5x7xf32> -> tensor<64xf32>
  return %m, %v : tensor<64xf32>, tensor<64xf32>
}

// -----

// Nothing gives the dimension back, or another than was reduced.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     keep
// CHECK:         return
func.func @others(%x: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64x64xf32>) {
  %r = fuse.reduce sum %x dims = [1] : tensor<64x64xf32> -> tensor<64xf32>
  %m = fuse.reduce max %x dims = [1] : tensor<64x64xf32> -> tensor<64xf32>
  %u = tensor.expand_shape %m [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
  %y = fuse.div %x, %u : tensor<64x64xf32>, tensor<1x64xf32> -> tensor<64x64xf32>
  return %r, %y : tensor<64xf32>, tensor<64x64xf32>
}

// -----

// Reductions of columns that follow each other are one; rows, other kinds and what
// others read are left.
// CHECK-LABEL: func.func @joined
// CHECK:         %[[C:.*]] = fuse.constant dense<2.000000e+00> : tensor<f32>
// CHECK:         %[[M:.*]] = fuse.reduce mean %arg0 dims = [0, 1] keep : tensor<?x2x64xf32> -> tensor<1x1x64xf32>
// CHECK:         %[[L:.*]] = tensor.collapse_shape %[[M]]
// CHECK:         %[[A:.*]] = fuse.mul %[[L]], %[[C]]
// CHECK:         %[[B:.*]] = fuse.reduce max %arg0 dims = [0, 1] keep : tensor<?x2x64xf32> -> tensor<1x1x64xf32>
// CHECK:         fuse.reduce sum %arg0 dims = [2] : tensor<?x2x64xf32> -> tensor<?x2xf32>
// CHECK:         fuse.reduce sum %{{.*}} dims = [1] : tensor<?x2xf32> -> tensor<?xf32>
// CHECK:         return %[[A]], %[[B]]
func.func @joined(%x: tensor<?x2x64xf32>) -> (tensor<64xf32>, tensor<1x1x64xf32>, tensor<?xf32>) {
  %s = fuse.reduce sum %x dims = [1] : tensor<?x2x64xf32> -> tensor<?x64xf32>
  %a = fuse.reduce mean %s dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x2x64xf32> -> tensor<?x1x64xf32>
  %b = fuse.reduce max %m dims = [0] keep : tensor<?x1x64xf32> -> tensor<1x1x64xf32>
  %r = fuse.reduce sum %x dims = [2] : tensor<?x2x64xf32> -> tensor<?x2xf32>
  %c = fuse.reduce sum %r dims = [1] : tensor<?x2xf32> -> tensor<?xf32>
  return %a, %b, %c : tensor<64xf32>, tensor<1x1x64xf32>, tensor<?xf32>
}

// -----

// A product may overflow in another order.
// CHECK-LABEL: func.func @products
// CHECK-COUNT-2: fuse.reduce prod
func.func @products(%x: tensor<?x2x64xf32>) -> tensor<64xf32> {
  %p = fuse.reduce prod %x dims = [1] : tensor<?x2x64xf32> -> tensor<?x64xf32>
  %q = fuse.reduce prod %p dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
  return %q : tensor<64xf32>
}

// -----

// What groups of a row have been reduced to is reduced with their dimensions.
// CHECK-LABEL: func.func @groups
// CHECK:         %[[M:.*]] = fuse.reduce max %arg0 dims = [2] keep
// CHECK:         %[[S:.*]] = fuse.reduce sum %[[M]] dims = [1] keep : tensor<?x8x1xf32> -> tensor<?x1x1xf32>
// CHECK-NOT:     tensor.expand_shape
// CHECK:         fuse.div %arg0, %[[S]]
func.func @groups(%x: tensor<?x8x32xf32>) -> tensor<?x8x32xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x32xf32>
  %m = fuse.reduce max %x dims = [2] : tensor<?x8x32xf32> -> tensor<?x8xf32>
  %s = fuse.reduce sum %m dims = [1] : tensor<?x8xf32> -> tensor<?xf32>
  %e = tensor.expand_shape %s [[0, 1, 2]] output_shape [%n, 1, 1] : tensor<?xf32> into tensor<?x1x1xf32>
  %y = fuse.div %x, %e : tensor<?x8x32xf32>, tensor<?x1x1xf32> -> tensor<?x8x32xf32>
  return %y : tensor<?x8x32xf32>
}

// -----

// Weights are summed in the shape in which losses are weighted.
// CHECK-LABEL: func.func @weights
// CHECK:         %[[U:.*]] = tensor.expand_shape %arg0 {{\[\[}}0, 1]] output_shape [%{{.*}}, 1] : tensor<?xf32> into tensor<?x1xf32>
// CHECK:         fuse.reduce sum %{{.*}} dims = [0, 1] : tensor<?x1xf32> -> tensor<f32>
func.func @weights(%w: tensor<?xf32>, %x: tensor<?x1xf32>) -> (tensor<?x1xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %w, %c0 : tensor<?xf32>
  %u = tensor.expand_shape %w [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %y = fuse.mul %x, %u : tensor<?x1xf32>
  %s = fuse.reduce sum %w dims = [0] : tensor<?xf32> -> tensor<f32>
  return %y, %s : tensor<?x1xf32>, tensor<f32>
}

// -----

// So are those that ids choose.
// CHECK-LABEL: func.func @gathered
// CHECK:         %[[I:.*]] = tensor.expand_shape %arg1 {{\[\[}}0, 1]] output_shape [%{{.*}}, 1] : tensor<?xi64> into tensor<?x1xi64>
// CHECK:         %[[G:.*]] = fuse.gather %arg0, %[[I]] dim = 0 : tensor<64xf32>, tensor<?x1xi64> -> tensor<?x1xf32>
// CHECK:         fuse.mul %arg2, %[[G]] : tensor<?x1xf32>
func.func @gathered(%w: tensor<64xf32>, %ids: tensor<?xi64>, %x: tensor<?x1xf32>) -> (tensor<?x1xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %g = fuse.gather %w, %ids dim = 0 : tensor<64xf32>, tensor<?xi64> -> tensor<?xf32>
  %n = tensor.dim %ids, %c0 : tensor<?xi64>
  %u = tensor.expand_shape %g [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %y = fuse.mul %x, %u : tensor<?x1xf32>
  %s = fuse.reduce sum %g dims = [0] : tensor<?xf32> -> tensor<f32>
  return %y, %s : tensor<?x1xf32>, tensor<f32>
}

// -----

// Beside a reduction that keeps the same dimensions, one keeps them, too.
// CHECK-LABEL: func.func @beside
// CHECK:         fuse.reduce max %arg0 dims = [1] keep
// CHECK:         fuse.reduce sum %arg0 dims = [1] keep
func.func @beside(%x: tensor<?x8xf32>) -> (tensor<?x1xf32>, tensor<?xf32>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x8xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %x dims = [1] : tensor<?x8xf32> -> tensor<?xf32>
  return %m, %s : tensor<?x1xf32>, tensor<?xf32>
}

// -----

// Beside one of other dimensions, it does not.
// CHECK-LABEL: func.func @beside_others
// CHECK:         fuse.reduce sum %arg0 dims = [1] : tensor<?x8x4xf32> -> tensor<?x4xf32>
func.func @beside_others(%x: tensor<?x8x4xf32>) -> (tensor<?x8x1xf32>, tensor<?x4xf32>) {
  %m = fuse.reduce max %x dims = [2] keep : tensor<?x8x4xf32> -> tensor<?x8x1xf32>
  %s = fuse.reduce sum %x dims = [1] : tensor<?x8x4xf32> -> tensor<?x4xf32>
  return %m, %s : tensor<?x8x1xf32>, tensor<?x4xf32>
}
