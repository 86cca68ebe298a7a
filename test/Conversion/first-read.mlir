// RUN: fuse-opt %s -fuse-form -fuse-schedule=chip=sm_90a -fuse-lower-kernels="wgmma=true float8=true" | FileCheck %s

// The largest tensor of the program's own, if it is more than caches keep.
// CHECK-LABEL: gpu.func @large
// CHECK-SAME:    fuse.first_read = array<i64: {{[01]}}, 33554432>
func.func @large(%x: tensor<1x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<1x4096xbf16> {
  %y = fuse.matmul %x, %w transpose_rhs : tensor<1x4096xbf16>, tensor<4096x4096xbf16> -> tensor<1x4096xbf16>
  return %y : tensor<1x4096xbf16>
}
