// A row of no elements had no threads that sum its columns, by which a schedule divided.
// RUN: fuse-crosscheck %s
// --seed 1
// --fill normal
// --dim T=37
// --check fused,emulated,emulated-schedules
func.func @program(%s: tensor<?x0xbf16> {fuse.dims = ["T"]}) -> (tensor<?x0xbf16>, tensor<0xbf16>) {
  %p = fuse.softmax %s dims = [1] : tensor<?x0xbf16>
  %l = fuse.reduce mean %p dims = [0] : tensor<?x0xbf16> -> tensor<0xbf16>
  return %p, %l : tensor<?x0xbf16>, tensor<0xbf16>
}
