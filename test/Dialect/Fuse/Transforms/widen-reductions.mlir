// RUN: fuse-opt %s -split-input-file -fuse-widen-reductions | FileCheck %s

// The count of a mask is added up with the columns that read it.
// CHECK-LABEL: func.func @mean_of_kept
// CHECK:         %[[S:.*]] = fuse.reduce sum %{{.*}} dims = [1] : tensor<?x?x64xf32> -> tensor<?x64xf32>
// CHECK:         %[[B:.*]] = fuse.broadcast %arg1 : tensor<?x?x1xf32> -> tensor<?x?x64xf32>
// CHECK:         %[[C:.*]] = fuse.reduce sum %[[B]] dims = [1] : tensor<?x?x64xf32> -> tensor<?x64xf32>
// CHECK:         %[[M:.*]] = fuse.max %[[C]], %{{.*}} : tensor<?x64xf32>, tensor<f32>
// CHECK:         fuse.div %[[S]], %[[M]] : tensor<?x64xf32>
func.func @mean_of_kept(%x: tensor<?x?x64xf32>, %f: tensor<?x?x1xf32>) -> tensor<?x64xf32> {
  %p = fuse.mul %x, %f : tensor<?x?x64xf32>, tensor<?x?x1xf32> -> tensor<?x?x64xf32>
  %s = fuse.reduce sum %p dims = [1] : tensor<?x?x64xf32> -> tensor<?x64xf32>
  %c = fuse.reduce sum %f dims = [1] : tensor<?x?x1xf32> -> tensor<?x1xf32>
  %one = fuse.constant dense<1.0> : tensor<f32>
  %m = fuse.max %c, %one : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %y = fuse.div %s, %m : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// The program returns the count in its own shape.
// CHECK-LABEL: func.func @returned
// CHECK-NOT:     fuse.broadcast
func.func @returned(%x: tensor<8x50x64xf32>, %f: tensor<8x50x1xf32>) -> (tensor<8x64xf32>, tensor<8x1xf32>) {
  %p = fuse.mul %x, %f : tensor<8x50x64xf32>, tensor<8x50x1xf32> -> tensor<8x50x64xf32>
  %s = fuse.reduce sum %p dims = [1] : tensor<8x50x64xf32> -> tensor<8x64xf32>
  %c = fuse.reduce sum %f dims = [1] : tensor<8x50x1xf32> -> tensor<8x1xf32>
  %y = fuse.div %s, %c : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  return %y, %c : tensor<8x64xf32>, tensor<8x1xf32>
}

// -----

// The columns do not read what else is summed.
// CHECK-LABEL: func.func @of_another
// CHECK-NOT:     fuse.broadcast
func.func @of_another(%x: tensor<8x50x64xf32>, %f: tensor<8x50x1xf32>) -> tensor<8x64xf32> {
  %s = fuse.reduce sum %x dims = [1] : tensor<8x50x64xf32> -> tensor<8x64xf32>
  %c = fuse.reduce sum %f dims = [1] : tensor<8x50x1xf32> -> tensor<8x1xf32>
  %y = fuse.div %s, %c : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

// What rows have in common is theirs already.
// CHECK-LABEL: func.func @rows
// CHECK-NOT:     fuse.broadcast
func.func @rows(%x: tensor<8x50x64xf32>, %f: tensor<1x50x64xf32>) -> tensor<8x50xf32> {
  %p = fuse.mul %x, %f : tensor<8x50x64xf32>, tensor<1x50x64xf32> -> tensor<8x50x64xf32>
  %s = fuse.reduce sum %p dims = [2] : tensor<8x50x64xf32> -> tensor<8x50xf32>
  %c = fuse.reduce sum %f dims = [2] : tensor<1x50x64xf32> -> tensor<1x50xf32>
  %y = fuse.div %s, %c : tensor<8x50xf32>, tensor<1x50xf32> -> tensor<8x50xf32>
  return %y : tensor<8x50xf32>
}

// -----

// The count is taken of the mask itself, before it gets the 1 that meets %x.
// CHECK-LABEL: func.func @of_the_mask
// CHECK:         %[[E:.*]] = tensor.expand_shape %arg1 {{.*}} : tensor<?x50xf32> into tensor<?x50x1xf32>
// CHECK:         %[[B:.*]] = fuse.broadcast %[[E]] : tensor<?x50x1xf32> -> tensor<?x50x64xf32>
// CHECK:         %[[C:.*]] = fuse.reduce sum %[[B]] dims = [1] : tensor<?x50x64xf32> -> tensor<?x64xf32>
// CHECK:         %[[M:.*]] = fuse.max %[[C]], %{{.*}} : tensor<?x64xf32>, tensor<f32>
// CHECK:         fuse.div %{{.*}}, %[[M]] : tensor<?x64xf32>
func.func @of_the_mask(%x: tensor<?x50x64xf32>, %f: tensor<?x50xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x50x64xf32>
  %c = fuse.reduce sum %f dims = [1] keep : tensor<?x50xf32> -> tensor<?x1xf32>
  %one = fuse.constant dense<1.0> : tensor<f32>
  %m = fuse.max %c, %one : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %e = tensor.expand_shape %f [[0], [1, 2]] output_shape [%n, 50, 1] : tensor<?x50xf32> into tensor<?x50x1xf32>
  %p = fuse.mul %x, %e : tensor<?x50x64xf32>, tensor<?x50x1xf32> -> tensor<?x50x64xf32>
  %s = fuse.reduce sum %p dims = [1] : tensor<?x50x64xf32> -> tensor<?x64xf32>
  %y = fuse.div %s, %m : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// A reduction along the rows of the mask is none of columns.
// CHECK-LABEL: func.func @of_other_dims
// CHECK-NOT:     fuse.broadcast
func.func @of_other_dims(%x: tensor<8x50x64xf32>, %f: tensor<8x50xf32>) -> tensor<8x64xf32> {
  %e = tensor.expand_shape %f [[0], [1, 2]] output_shape [8, 50, 1] : tensor<8x50xf32> into tensor<8x50x1xf32>
  %p = fuse.mul %x, %e : tensor<8x50x64xf32>, tensor<8x50x1xf32> -> tensor<8x50x64xf32>
  %s = fuse.reduce sum %p dims = [1] : tensor<8x50x64xf32> -> tensor<8x64xf32>
  %c = fuse.reduce sum %f dims = [0, 1] keep : tensor<8x50xf32> -> tensor<1x1xf32>
  %y = fuse.div %s, %c : tensor<8x64xf32>, tensor<1x1xf32> -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

// Two sums of columns are divided by the count of the mask that one of them reads.
// CHECK-LABEL: func.func @of_two
// CHECK:         %[[B:.*]] = fuse.broadcast %arg1 : tensor<?x50x1xf32> -> tensor<?x50x64xf32>
// CHECK:         %[[C:.*]] = fuse.reduce sum %[[B]] dims = [1] : tensor<?x50x64xf32> -> tensor<?x64xf32>
// CHECK-COUNT-2: fuse.div %{{.*}}, %[[C]] : tensor<?x64xf32>
func.func @of_two(%x: tensor<?x50x64xf32>, %f: tensor<?x50x1xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %p = fuse.mul %x, %f : tensor<?x50x64xf32>, tensor<?x50x1xf32> -> tensor<?x50x64xf32>
  %s = fuse.reduce sum %p dims = [1] : tensor<?x50x64xf32> -> tensor<?x64xf32>
  %t = fuse.reduce sum %x dims = [1] : tensor<?x50x64xf32> -> tensor<?x64xf32>
  %c = fuse.reduce sum %f dims = [1] : tensor<?x50x1xf32> -> tensor<?x1xf32>
  %y = fuse.div %t, %c : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  %z = fuse.div %s, %c : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  return %y, %z : tensor<?x64xf32>, tensor<?x64xf32>
}
