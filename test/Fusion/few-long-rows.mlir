// RUN: fuse-opt %s -fuse-form=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -fuse-form=chip=sm_80 | FileCheck %s --check-prefix=SM80

// What follows from a sum of rows so few that most multiprocessors would be idle is a
// kernel of its own, unless clusters share the rows.
// CHECK-LABEL:    func.func @norm
// CHECK-COUNT-1:  fuse.kernel
// CHECK-NOT:      fuse.kernel
// CHECK:          return
// SM80-LABEL:     func.func @norm
// SM80-COUNT-2:   fuse.kernel
func.func @norm(%x: tensor<4x16384xf32>, %w: tensor<16384xf32>) -> tensor<4x16384xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<4x16384xf32>, tensor<16384xf32>
  return %y : tensor<4x16384xf32>
}

// CHECK-LABEL:    func.func @long_rows
// CHECK-COUNT-1:  fuse.kernel
// CHECK-NOT:      fuse.kernel
// CHECK:          return
// SM80-LABEL:     func.func @long_rows
func.func @long_rows(%x: tensor<16x65536xf32>, %w: tensor<65536xf32>) -> tensor<16x65536xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<16x65536xf32>, tensor<65536xf32>
  return %y : tensor<16x65536xf32>
}
