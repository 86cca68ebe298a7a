// What reduces rows of one element is known of their only element, index 0, and so is a scan.
// RUN: fuse-crosscheck %s
// --seed 31095
// --fill normal
// --check emulated,fused,schedules
func.func @program(%b0: tensor<1xf16>) -> (tensor<1xf16>) {
  %v1 = fuse.scan min %b0 exclusive : tensor<1xf16>
  %v9 = fuse.logsumexp %v1 dims = [0] keep : tensor<1xf16> -> tensor<1xf16>
  return %v9 : tensor<1xf16>
}
