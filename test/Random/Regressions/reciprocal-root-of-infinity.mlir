// RUN: fuse-crosscheck %s
// LLVM moved the flags of a negation of 16 bits to 1 / sqrt(x) in f32, which became an
// estimate with a Newton step: NaN for infinity.
// --seed 3008869
// --fill special
// --check fused
func.func @program(%a0: tensor<1x3x16xi64>, %a1: tensor<1x3xf16>) -> (tensor<1x3xf16>) {
  %w0 = fuse.cast %a0 : tensor<1x3x16xi64> -> tensor<1x3x16xf16>
  %w1 = fuse.logsumexp %w0 dims = [2] : tensor<1x3x16xf16> -> tensor<1x3xf16>
  %w2 = fuse.rms_norm %w1 eps = 0.5 : tensor<1x3xf16>
  %w4 = fuse.neg %a1 : tensor<1x3xf16>
  %w5 = fuse.neg %w2 : tensor<1x3xf16>
  %w6 = fuse.min %w4, %w5 : tensor<1x3xf16>, tensor<1x3xf16> -> tensor<1x3xf16>
  %w7 = fuse.neg %w6 : tensor<1x3xf16>
  return %w7 : tensor<1x3xf16>
}
