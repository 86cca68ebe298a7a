// RUN: fuse-crosscheck %s
// A cast of bf16 to bf16 did not round, so that the maximum equalled none of the
// elements it was taken of.
// --dim d0=1
// --seed 3015799
// --fill normal
// --check fused
func.func @program(%a0: tensor<?x1x1xbf16> {fuse.dims = ["d0"]}) -> (tensor<1x1xi64>) {
  %v0 = fuse.mul %a0, %a0 : tensor<?x1x1xbf16>, tensor<?x1x1xbf16> -> tensor<?x1x1xbf16>
  %v1 = fuse.argmax %v0 dim = 0 : tensor<?x1x1xbf16> -> tensor<1x1xi64>
  return %v1 : tensor<1x1xi64>
}
