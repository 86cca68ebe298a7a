// RUN: fuse-crosscheck %s
// In f64 the oracle's own sum overflowed, and it was certain of what it got, with an
// infinity of the other sign among the partial means.
// --seed 3014220
// --fill wide
// --check fused
func.func @program(%a0: tensor<2x4096xf64>) -> (tensor<1x1xf16>) {
  %v0 = fuse.reduce mean %a0 dims = [0, 1] keep : tensor<2x4096xf64> -> tensor<1x1xf64>
  %v3 = fuse.cast %v0 : tensor<1x1xf64> -> tensor<1x1xf16>
  return %v3 : tensor<1x1xf16>
}
