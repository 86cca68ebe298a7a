// Elements of 1e38 were rounded otherwise for the maximum than for their exponentials,
// and lay 1e31 above it.
// RUN: fuse-crosscheck %s
// --seed 396490691
// --fill wide
// --check schedules
func.func @program(%a3: tensor<31x1x4xbf16>, %a4: tensor<31xi64>, %a5: tensor<2x1x4xbf16>, %a6: tensor<1x1x4xbf16>, %b5: tensor<31x1x4xbf16>) -> (tensor<1x65x4xbf16>) {
  %v4 = fuse.rotary half tokens_heads %a3 positions(%a4) base = 1.0 : tensor<31x1x4xbf16>, tensor<31xi64>
  %v6 = fuse.concat %v4, %b5, %a5, %a6 dim = 0 : tensor<31x1x4xbf16>, tensor<31x1x4xbf16>, tensor<2x1x4xbf16>, tensor<1x1x4xbf16> -> tensor<65x1x4xbf16>
  %v12 = fuse.softmax %v6 dims = [2] : tensor<65x1x4xbf16>
  %v13 = fuse.transpose %v12 permutation = [1, 0, 2] : tensor<65x1x4xbf16> -> tensor<1x65x4xbf16>
  return %v13 : tensor<1x65x4xbf16>
}
