// A pipeline refuses a chip that one of its passes alone would do without.
// RUN: not fuse-opt %s -fuse-form=chip=sm_13 2>&1 | FileCheck %s
// RUN: not fuse-opt %s -fuse-lower=chip=sm_13 2>&1 | FileCheck %s
// RUN: not fuse-opt %s -fuse-compile=chip=sm_13 2>&1 | FileCheck %s
// RUN: fuse-opt %s -fuse-form=chip=cpu

// CHECK: error: expected a supported chip, but got 'sm_13'; choose one of sm_80
// CHECK-NOT: error
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
