// Cosines and sines in the rows of one table, as serving engines keep them, and
// positions that it does not have: slices cost nothing.

// RUN: fuse-crosscheck %s | FileCheck %s --check-prefix=RIGHT
// RIGHT: right
// RUN: fuse inspect %s --chip sm_90 --emit=stats --expect-bits=128 | FileCheck %s
// CHECK:     kernel joined
// CHECK-NEXT:  loads {{.*}} 6 x v4.b32
// CHECK-NEXT:  stores 2 x v4.b32
// CHECK-NOT: kernel

// --dim tokens=13
// --check fused,emulated
func.func @joined(%q: tensor<?x32x128xbf16> {fuse.dims = ["tokens"]},
                  %table: tensor<48x128xf32>,
                  %p: tensor<?xi64> {fuse.dims = ["tokens"]})
    -> (tensor<?x32x128xbf16> {fuse.in_place = "q"}) {
  %cos = fuse.slice %table offsets = [0, 0] sizes = [-1, 64] : tensor<48x128xf32> -> tensor<48x64xf32>
  %sin = fuse.slice %table offsets = [0, 64] sizes = [-1, 64] : tensor<48x128xf32> -> tensor<48x64xf32>
  %y = fuse.rotary half tokens_heads %q tables(%cos, %sin) positions(%p)
      : tensor<?x32x128xbf16>, tensor<48x64xf32>, tensor<?xi64>
  return %y : tensor<?x32x128xbf16>
}
