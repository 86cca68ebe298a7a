// Frequencies of a rotary embedding were looked for in a module from within a branch that
// was not yet part of it, and the compiler crashed.
// RUN: fuse-crosscheck %s
// --dim d0=9
// --seed 390001056
// --fill normal
// --check fused,schedules,emulated
func.func @program(%x: tensor<?x64xbf16> {fuse.dims = ["d0"]}) -> tensor<64x2xi64> {
  %turned = fuse.rotary interleaved heads_tokens %x base = 5.0e5 : tensor<?x64xbf16>
  %columns = fuse.transpose %turned permutation = [1, 0] : tensor<?x64xbf16> -> tensor<64x?xbf16>
  %values, %ids = fuse.top_k %columns k = 2 smallest : tensor<64x?xbf16> -> tensor<64x2xbf16>, tensor<64x2xi64>
  return %ids : tensor<64x2xi64>
}
