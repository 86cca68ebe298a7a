// RUN: fuse-opt %s -pass-pipeline='builtin.module(func.func(fuse-repeat-statistics))' | FileCheck %s

// Each row reduces the squares beside its products; the factor is applied after their sum.
// CHECK-LABEL: func.func @norm
// CHECK:         %[[Q:.*]] = fuse.mul %arg0, %arg0
// CHECK-NOT:     fuse.reduce mean {{.*}} -> tensor<1x1xf32>
// CHECK:         %[[R:.*]] = fuse.mul %arg0, %arg1 : tensor<1x64xf32>, tensor<64xf32>
// CHECK:         %[[P:.*]] = fuse.mul %arg2, %[[R]]
// CHECK:         %[[Z:.*]] = fuse.reduce sum %[[P]] dims = [1]
// CHECK:         %[[B:.*]] = fuse.broadcast %[[Q]] : tensor<1x64xf32> -> tensor<32x64xf32>
// CHECK:         %[[S:.*]] = fuse.reduce mean %[[B]] dims = [1] : tensor<32x64xf32> -> tensor<32xf32>
// CHECK:         %[[A:.*]] = fuse.add %[[S]], %{{.*}} : tensor<32xf32>, tensor<f32>
// CHECK:         %[[F:.*]] = fuse.rsqrt %[[A]] : tensor<32xf32>
// CHECK:         %[[Y:.*]] = fuse.mul %[[Z]], %[[F]]
// CHECK:         return %[[Y]]
func.func @norm(%x: tensor<1x64xf32>, %w: tensor<64xf32>, %m: tensor<32x64xf32>) -> tensor<32xf32> {
  %q = fuse.mul %x, %x : tensor<1x64xf32>
  %s = fuse.reduce mean %q dims = [1] keep : tensor<1x64xf32> -> tensor<1x1xf32>
  %e = fuse.constant dense<1.0e-5> : tensor<f32>
  %a = fuse.add %s, %e : tensor<1x1xf32>, tensor<f32>
  %r = fuse.rsqrt %a : tensor<1x1xf32>
  %n = fuse.mul %x, %r : tensor<1x64xf32>, tensor<1x1xf32>
  %v = fuse.mul %n, %w : tensor<1x64xf32>, tensor<64xf32>
  %p = fuse.mul %m, %v : tensor<32x64xf32>, tensor<1x64xf32>
  %y = fuse.reduce sum %p dims = [1] : tensor<32x64xf32> -> tensor<32xf32>
  return %y : tensor<32xf32>
}

// Through the reshapes and casts of a product in bf16.
// CHECK-LABEL: func.func @reshaped
// CHECK:         fuse.reduce sum %{{.*}} dims = [2] : tensor<1x32x64xf32> -> tensor<1x32xf32>
// CHECK:         %[[B:.*]] = fuse.broadcast %{{.*}} : tensor<1x1x64xf32> -> tensor<1x32x64xf32>
// CHECK:         fuse.reduce max %[[B]] dims = [2] : tensor<1x32x64xf32> -> tensor<1x32xf32>
func.func @reshaped(%x: tensor<1x64xbf16>, %m: tensor<1x32x64xbf16>) -> tensor<1x32xf32> {
  %c = fuse.cast %x : tensor<1x64xbf16> -> tensor<1x64xf32>
  %s = fuse.reduce max %c dims = [1] keep : tensor<1x64xf32> -> tensor<1x1xf32>
  %r = fuse.recip %s : tensor<1x1xf32>
  %n = fuse.mul %c, %r : tensor<1x64xf32>, tensor<1x1xf32>
  %i = fuse.cast %n {fuse.implicit} : tensor<1x64xf32> -> tensor<1x64xbf16>
  %j = fuse.cast %i : tensor<1x64xbf16> -> tensor<1x64xf32>
  %v = tensor.expand_shape %j [[0, 1], [2]] output_shape [1, 1, 64] : tensor<1x64xf32> into tensor<1x1x64xf32>
  %f = fuse.cast %m : tensor<1x32x64xbf16> -> tensor<1x32x64xf32>
  %p = fuse.mul %f, %v : tensor<1x32x64xf32>, tensor<1x1x64xf32>
  %y = fuse.reduce sum %p dims = [2] : tensor<1x32x64xf32> -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}

// A cast that the program asks for rounds what has the factor.
// CHECK-LABEL: func.func @rounded
// CHECK-NOT:     fuse.broadcast
func.func @rounded(%x: tensor<1x64xf32>, %m: tensor<32x64xf32>) -> tensor<32xf32> {
  %s = fuse.reduce max %x dims = [1] keep : tensor<1x64xf32> -> tensor<1x1xf32>
  %n = fuse.mul %x, %s : tensor<1x64xf32>, tensor<1x1xf32>
  %i = fuse.cast %n : tensor<1x64xf32> -> tensor<1x64xbf16>
  %j = fuse.cast %i : tensor<1x64xbf16> -> tensor<1x64xf32>
  %p = fuse.mul %m, %j : tensor<32x64xf32>, tensor<1x64xf32>
  %y = fuse.reduce sum %p dims = [1] : tensor<32x64xf32> -> tensor<32xf32>
  return %y : tensor<32xf32>
}

// Without its factor an f16 may be infinite.
// CHECK-LABEL: func.func @half
// CHECK-NOT:     fuse.broadcast
func.func @half(%x: tensor<1x64xf16>, %m: tensor<32x64xf32>) -> tensor<32xf32> {
  %c = fuse.cast %x : tensor<1x64xf16> -> tensor<1x64xf32>
  %s = fuse.reduce max %c dims = [1] keep : tensor<1x64xf32> -> tensor<1x1xf32>
  %n = fuse.mul %c, %s : tensor<1x64xf32>, tensor<1x1xf32>
  %i = fuse.cast %n {fuse.implicit} : tensor<1x64xf32> -> tensor<1x64xf16>
  %j = fuse.cast %i : tensor<1x64xf16> -> tensor<1x64xf32>
  %p = fuse.mul %m, %j : tensor<32x64xf32>, tensor<1x64xf32>
  %y = fuse.reduce sum %p dims = [1] : tensor<32x64xf32> -> tensor<32xf32>
  return %y : tensor<32xf32>
}

// The vector's rows have a factor each, and a byte of the matrix takes as long as
// two to compute with.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     fuse.broadcast
func.func @others(%x: tensor<32x64xf32>, %b: tensor<1x64xf32>, %m: tensor<32x64xf8E4M3FN>) -> (tensor<32xf32>, tensor<32xf32>) {
  %s = fuse.reduce max %x dims = [1] keep : tensor<32x64xf32> -> tensor<32x1xf32>
  %n = fuse.mul %x, %s : tensor<32x64xf32>, tensor<32x1xf32>
  %p = fuse.mul %x, %n : tensor<32x64xf32>
  %y = fuse.reduce sum %p dims = [1] : tensor<32x64xf32> -> tensor<32xf32>
  %t = fuse.reduce max %b dims = [1] keep : tensor<1x64xf32> -> tensor<1x1xf32>
  %v = fuse.mul %b, %t : tensor<1x64xf32>, tensor<1x1xf32>
  %f = fuse.cast %m : tensor<32x64xf8E4M3FN> -> tensor<32x64xf32>
  %q = fuse.mul %f, %v : tensor<32x64xf32>, tensor<1x64xf32>
  %z = fuse.reduce sum %q dims = [1] : tensor<32x64xf32> -> tensor<32xf32>
  return %y, %z : tensor<32xf32>, tensor<32xf32>
}
