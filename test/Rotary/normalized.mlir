// Queries that are normalized head by head before they turn: one kernel of rows.

// RUN: fuse-crosscheck %s | FileCheck %s --check-prefix=RIGHT
// RIGHT: right
// RUN: fuse-opt -fuse-form -fuse-schedule %s | FileCheck %s
// CHECK:     fuse.kernel "normalized"
// CHECK-SAME:  #fuse.rows
// CHECK-NOT: fuse.kernel

// --dim tokens=13
// --check fused,emulated
func.func @normalized(%q: tensor<?x4x32xbf16> {fuse.dims = ["tokens"]},
                      %w: tensor<32xbf16>, %p: tensor<?xi64> {fuse.dims = ["tokens"]})
    -> tensor<?x4x32xbf16> {
  %n = fuse.rms_norm %q, %w eps = 1.0e-6 : tensor<?x4x32xbf16>, tensor<32xbf16>
  %y = fuse.rotary half tokens_heads %n positions(%p) base = 1.0e6 heads = 3
      scaling(#fuse.rope_yarn<factor = 4.0, original_max_position = 64>)
      : tensor<?x4x32xbf16>, tensor<?xi64>
  return %y : tensor<?x4x32xbf16>
}
