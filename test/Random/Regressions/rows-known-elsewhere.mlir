// That a sum's operand has the shape of what uses the sum says a kernel before
// them, not the one they would be.
// RUN: fuse-crosscheck %s
// --dim d1=3
// --seed 13200404
// --fill normal
// --check emulated,fused
func.func @program(%a2: tensor<?x1xf16> {fuse.dims = ["d1"]}) -> (tensor<?x1xf16>) {
  %v4 = fuse.softmax %a2 dims = [1] : tensor<?x1xf16>
  %v7 = fuse.reduce min %v4 dims = [0, 1] : tensor<?x1xf16> -> tensor<f16>
  %v8 = fuse.clamp %a2, %v7, %a2 : tensor<?x1xf16>, tensor<f16>, tensor<?x1xf16>
  return %v8 : tensor<?x1xf16>
}
