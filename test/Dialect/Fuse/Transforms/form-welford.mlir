// RUN: fuse-opt %s -split-input-file -fuse-form-welford | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form="fusion=true" | FileCheck %s --check-prefix=FORM
// RUN: fuse-opt %s -split-input-file -fuse-form=strict | FileCheck %s --check-prefix=APART
// RUN: fuse-opt %s -split-input-file -fuse-form=fusion=false | FileCheck %s --check-prefix=APART
// RUN: fuse-opt %s -split-input-file -fuse-form=chip=cpu | FileCheck %s --check-prefix=APART

// Strict programs round between, ops apart stay apart, and a CPU has the row near.
// APART-NOT: fuse.welford

// What is left of x - mean serves others.
// CHECK-LABEL: func.func @variance
// CHECK:         %[[M:.*]], %[[V:.*]] = fuse.welford mean %[[X:.*]] dims = [1]
// CHECK-NOT:     fuse.reduce
// CHECK:         %[[D:.*]] = fuse.sub %[[X]], %[[M]]
// CHECK:         fuse.mul %[[D]], %[[V]]
// FORM-LABEL:  func.func @variance
// FORM:          fuse.kernel
// FORM:          fuse.welford
// FORM-NOT:      fuse.kernel
func.func @variance(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %m = fuse.reduce mean %x dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
  %d = fuse.sub %x, %m : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  %q = fuse.mul %d, %d : tensor<?x64xf32>
  %v = fuse.reduce mean %q dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
  %y = fuse.mul %d, %v : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// The other way around, a sum, and several dimensions: one kernel, whose columns
// blocks share.
// CHECK-LABEL: func.func @batch_statistics
// CHECK:         fuse.welford sum %{{.*}} dims = [0, 2]
// CHECK-NOT:     fuse.reduce
// FORM-LABEL:  func.func @batch_statistics
// FORM:          fuse.kernel
// FORM-NOT:      fuse.kernel
func.func @batch_statistics(%x: tensor<?x8x?xf32>) -> (tensor<1x8x1xf32>, tensor<1x8x1xf32>) {
  %m = fuse.reduce mean %x dims = [0, 2] keep : tensor<?x8x?xf32> -> tensor<1x8x1xf32>
  %d = fuse.sub %m, %x : tensor<1x8x1xf32>, tensor<?x8x?xf32> -> tensor<?x8x?xf32>
  %q = fuse.mul %d, %d : tensor<?x8x?xf32>
  %v = fuse.reduce sum %q dims = [0, 2] keep : tensor<?x8x?xf32> -> tensor<1x8x1xf32>
  return %m, %v : tensor<1x8x1xf32>, tensor<1x8x1xf32>
}

// -----

// Another mean, other dimensions, or what is no square.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     fuse.welford
// FORM-LABEL:  func.func @others
// FORM-NOT:      fuse.welford
func.func @others(%x: tensor<4x64xf32>, %z: tensor<4x64xf32>)
    -> (tensor<4x1xf32>, tensor<1x64xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %m = fuse.reduce mean %z dims = [1] keep : tensor<4x64xf32> -> tensor<4x1xf32>
  %d = fuse.sub %x, %m : tensor<4x64xf32>, tensor<4x1xf32> -> tensor<4x64xf32>
  %q = fuse.mul %d, %d : tensor<4x64xf32>
  %v = fuse.reduce mean %q dims = [1] keep : tensor<4x64xf32> -> tensor<4x1xf32>
  %mx = fuse.reduce mean %x dims = [1] keep : tensor<4x64xf32> -> tensor<4x1xf32>
  %dx = fuse.sub %x, %mx : tensor<4x64xf32>, tensor<4x1xf32> -> tensor<4x64xf32>
  %qx = fuse.mul %dx, %dx : tensor<4x64xf32>
  %columns = fuse.reduce mean %qx dims = [0] keep : tensor<4x64xf32> -> tensor<1x64xf32>
  %most = fuse.reduce max %qx dims = [1] keep : tensor<4x64xf32> -> tensor<4x1xf32>
  %dz = fuse.mul %dx, %x : tensor<4x64xf32>
  %covariance = fuse.reduce mean %dz dims = [1] keep : tensor<4x64xf32> -> tensor<4x1xf32>
  return %v, %columns, %most, %covariance : tensor<4x1xf32>, tensor<1x64xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}

// -----

// Values of the whole shape follow from results too few for the machine: these are
// cut in two, and are no longer one mean.
// CHECK-LABEL: func.func @batch_norm
// CHECK:         fuse.welford
// FORM-LABEL:  func.func @batch_norm
// FORM-NOT:      fuse.welford
func.func @batch_norm(%x: tensor<4096x8x64xf32>) -> tensor<4096x8x64xf32> {
  %m = fuse.reduce mean %x dims = [0, 2] keep : tensor<4096x8x64xf32> -> tensor<1x8x1xf32>
  %d = fuse.sub %x, %m : tensor<4096x8x64xf32>, tensor<1x8x1xf32> -> tensor<4096x8x64xf32>
  %q = fuse.mul %d, %d : tensor<4096x8x64xf32>
  %v = fuse.reduce mean %q dims = [0, 2] keep : tensor<4096x8x64xf32> -> tensor<1x8x1xf32>
  %r = fuse.rsqrt %v : tensor<1x8x1xf32>
  %y = fuse.mul %d, %r : tensor<4096x8x64xf32>, tensor<1x8x1xf32> -> tensor<4096x8x64xf32>
  return %y : tensor<4096x8x64xf32>
}

// -----

// Of columns, which blocks share, one walk finds both, and what follows is another
// kernel where few blocks would have the columns.
// FORM-LABEL:  func.func @channels_last
// FORM:          fuse.kernel "channels_last_0"
// FORM:            fuse.welford mean %{{.*}} dims = [0, 1]
// FORM:          fuse.kernel "channels_last_1"
// FORM-NOT:      fuse.kernel
func.func @channels_last(%x: tensor<4096x8x64xf32>) -> tensor<4096x8x64xf32> {
  %m = fuse.reduce mean %x dims = [0, 1] keep : tensor<4096x8x64xf32> -> tensor<1x1x64xf32>
  %d = fuse.sub %x, %m : tensor<4096x8x64xf32>, tensor<1x1x64xf32> -> tensor<4096x8x64xf32>
  %q = fuse.mul %d, %d : tensor<4096x8x64xf32>
  %v = fuse.reduce mean %q dims = [0, 1] keep : tensor<4096x8x64xf32> -> tensor<1x1x64xf32>
  %r = fuse.rsqrt %v : tensor<1x1x64xf32>
  %y = fuse.mul %d, %r : tensor<4096x8x64xf32>, tensor<1x1x64xf32> -> tensor<4096x8x64xf32>
  return %y : tensor<4096x8x64xf32>
}
