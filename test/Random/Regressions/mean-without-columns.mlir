// No columns to share among blocks: the scheduler divided by their number.
// RUN: fuse-crosscheck %s
// --dim d0=32
// --check fused,emulated
func.func @program(%a: tensor<1x?x32xbf16> {fuse.dims = ["d0"]}) -> tensor<0x32xbf16> {
  %v1 = fuse.slice %a offsets = [1, 0, 0] sizes = [0, -1, -1] : tensor<1x?x32xbf16> -> tensor<0x?x32xbf16>
  %v2 = fuse.reduce mean %v1 dims = [1] : tensor<0x?x32xbf16> -> tensor<0x32xbf16>
  return %v2 : tensor<0x32xbf16>
}
