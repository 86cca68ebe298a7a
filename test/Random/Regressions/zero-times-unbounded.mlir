// What has no bound may be 0, and so may its product with 0, whose value is NaN.
// RUN: fuse-crosscheck %s
// --seed 1
// --fill special
// --check fused
func.func @program(%a0: tensor<31x5x1x5xf16>, %a1: tensor<31x5x1x5xf16>, %a2: tensor<1x5x1x5xf16>) -> (tensor<31x5x1x5xi1>) {
  %v1 = fuse.div %a1, %a0 : tensor<31x5x1x5xf16>, tensor<31x5x1x5xf16> -> tensor<31x5x1x5xf16>
  %v3 = fuse.log_softmax %v1 dims = [3] : tensor<31x5x1x5xf16>
  %v9 = fuse.mul %v3, %a2 : tensor<31x5x1x5xf16>, tensor<1x5x1x5xf16> -> tensor<31x5x1x5xf16>
  %v12 = fuse.cast %v9 : tensor<31x5x1x5xf16> -> tensor<31x5x1x5xi1>
  return %v12 : tensor<31x5x1x5xi1>
}
