// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90a -fuse-combine-in-readers=chip=sm_90a | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90a -fuse-combine-in-readers=chip=cpu | FileCheck %s --check-prefix=SAME
// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90a "-fuse-combine-in-readers=chip=sm_90a aligned=false" | FileCheck %s --check-prefix=SAME

// Tiles of the first contraction leave means of runs of columns; the second
// contraction's kernel takes the mean of these, and the root.
// CHECK-LABEL: func.func @norm
// CHECK:         %[[H:[0-9]+]]:3 = fuse.kernel "norm_0"
// CHECK-SAME:      -> tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<?x[[PARTS:[0-9]+]]xf32>
// CHECK:           tensor.expand_shape {{.*}} : tensor<?x4096xf32> into tensor<?x[[PARTS]]x[[COLUMNS:[0-9]+]]xf32>
// CHECK-NEXT:      fuse.reduce mean %{{.*}} dims = [2] {{.*}}: tensor<?x[[PARTS]]x[[COLUMNS]]xf32> -> tensor<?x[[PARTS]]xf32>
// CHECK-NOT:       fuse.rsqrt
// CHECK:         fuse.kernel "norm_1" ins(%{{.*}}, %{{.*}}, %[[H]]#2 :
// CHECK:           %[[ALL:.*]] = fuse.reduce mean %{{.*}} dims = [1] keep {{.*}}: tensor<?x[[PARTS]]xf32> -> tensor<?x1xf32>
// CHECK:           fuse.add %[[ALL]]
// CHECK:           fuse.rsqrt
// CHECK:           fuse.contract
// CHECK-NOT:     fuse.kernel "norm_2"

// Where tensor cores do not run both, there is nothing to combine.
// SAME-LABEL: func.func @norm
// SAME-NOT:     tensor.expand_shape
// SAME-LABEL: func.func @returned
func.func @norm(%x: tensor<?x512xbf16> {fuse.dims = ["t"]}, %wo: tensor<4096x512xbf16>, %r: tensor<?x4096xbf16> {fuse.dims = ["t"]}, %g: tensor<4096xbf16>, %w1: tensor<1024x4096xbf16>) -> (tensor<?x4096xbf16>, tensor<?x1024xbf16>) {
  %p = fuse.matmul %x, %wo transpose_rhs : tensor<?x512xbf16>, tensor<4096x512xbf16> -> tensor<?x4096xbf16>
  %h = fuse.add %p, %r : tensor<?x4096xbf16>
  %n = fuse.rms_norm %h, %g eps = 1.0e-5 : tensor<?x4096xbf16>, tensor<4096xbf16>
  %y = fuse.matmul %n, %w1 transpose_rhs : tensor<?x4096xbf16>, tensor<1024x4096xbf16> -> tensor<?x1024xbf16>
  return %h, %y : tensor<?x4096xbf16>, tensor<?x1024xbf16>
}

// -----

// What the caller gets is combined by a launch.
// CHECK-LABEL: func.func @returned
// CHECK:         fuse.kernel "returned" {{.*}} -> tensor<?x4096xf32>, tensor<?x1xf32>
// CHECK-NOT:       tensor.expand_shape
// CHECK:           fuse.reduce max %{{.*}} dims = [1] keep
func.func @returned(%x: tensor<?x512xbf16> {fuse.dims = ["t"]}, %w: tensor<4096x512xbf16>) -> (tensor<?x4096xf32>, tensor<?x1xf32>) {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x512xbf16>, tensor<4096x512xbf16> -> tensor<?x4096xbf16>
  %f = fuse.cast %p : tensor<?x4096xbf16> -> tensor<?x4096xf32>
  %m = fuse.reduce max %f dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
  return %f, %m : tensor<?x4096xf32>, tensor<?x1xf32>
}
