// RUN: fuse-crosscheck %s
// prepare: died: SIGABRT 0.	Program arguments: build/bin/fuse-crosscheck --trace /tmp/tmp19k4iay6/0.mlir /tmp/tmp19k4iay6/1.mlir /tmp/tmp19k4iay6/2.mlir /tmp/tmp1
// --seed 31095
// --fill normal
// --check emulated,fused,schedules
func.func @program(%b0: tensor<1xf16>) -> (tensor<1xf16>) {
  %v1 = fuse.scan min %b0 exclusive : tensor<1xf16>
  %v9 = fuse.logsumexp %v1 dims = [0] keep : tensor<1xf16> -> tensor<1xf16>
  return %v9 : tensor<1xf16>
}
