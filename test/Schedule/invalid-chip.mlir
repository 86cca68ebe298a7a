// RUN: not fuse-opt %s -fuse-assign-schedules=chip=sm_1 2>&1 | FileCheck %s

// CHECK: error: expected a supported chip, but got 'sm_1'
// CHECK-SAME: sm_90
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
