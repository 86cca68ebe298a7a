// RUN: fuse-opt %s -mlir-disable-threading -fuse-form=chip=sm_90 -fuse-list-schedules=chip=sm_90 -o %t | FileCheck %s

// A product whose sums are rotated reads two rows of its weight at a time, as
// gate and up do: to a schedule they are alike, in vectors of eight. Copies to
// shared memory would not find them.
// CHECK: "bytes_per_row":16386
// CHECK-SAME: "key":"[[KEY:[0-9a-f]+]]"
// CHECK-SAME: hold = shared
// CHECK: "bytes_per_row":16388
// CHECK-SAME: "chosen":["#fuse.rows<threads = {{[0-9]+}}, vector = 8,
// CHECK-SAME: "key":"[[KEY]]"
// CHECK-NOT: hold = shared

func.func @gated(%x: tensor<1x4096xbf16>, %g: tensor<2048x4096xbf16>, %u: tensor<2048x4096xbf16>) -> tensor<1x2048xbf16> {
  %a = fuse.matmul %x, %g transpose_rhs : tensor<1x4096xbf16>, tensor<2048x4096xbf16> -> tensor<1x2048xbf16>
  %b = fuse.matmul %x, %u transpose_rhs : tensor<1x4096xbf16>, tensor<2048x4096xbf16> -> tensor<1x2048xbf16>
  %y = fuse.swiglu %a, %b : tensor<1x2048xbf16>
  return %y : tensor<1x2048xbf16>
}

func.func @rotated(%x: tensor<1x1x4096xbf16>, %slots: tensor<1xi32>, %cos: tensor<64x64xf32>, %sin: tensor<64x64xf32>, %w: tensor<4096x4096xbf16>) -> tensor<1x1x32x128xbf16> {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<1x1x4096xbf16>, tensor<4096x4096xbf16> -> tensor<1x1x4096xbf16>
  %h = tensor.expand_shape %p [[0], [1], [2, 3]] output_shape [1, 1, 32, 128] : tensor<1x1x4096xbf16> into tensor<1x1x32x128xbf16>
  %y = fuse.rotary half tokens_heads %h tables(%cos, %sin) positions(%slots) : tensor<1x1x32x128xbf16>, tensor<64x64xf32>, tensor<1xi32>
  return %y : tensor<1x1x32x128xbf16>
}
