// One kernel, one result in place: what is copied is written for the other.

// RUN: fuse-crosscheck %s | FileCheck %s
// CHECK: right

// --dim tokens=13
// --check fused,emulated
func.func @mixed(%a: tensor<?x8x32xbf16> {fuse.dims = ["tokens"]},
                 %b: tensor<?x8x32xbf16> {fuse.dims = ["tokens"]})
    -> (tensor<?x8x32xbf16> {fuse.in_place = "a"}, tensor<?x8x32xbf16>) {
  %y = fuse.rotary half tokens_heads %a base = 1.0e4 dims = 16 heads = 6 : tensor<?x8x32xbf16>
  %z = fuse.rotary half tokens_heads %b base = 1.0e4 dims = 16 heads = 6 : tensor<?x8x32xbf16>
  return %y, %z : tensor<?x8x32xbf16>, tensor<?x8x32xbf16>
}
