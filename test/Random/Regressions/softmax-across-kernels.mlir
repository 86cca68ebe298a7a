// RUN: fuse-crosscheck %s
// One kernel found the maximum of products that were not rounded; another took
// rounded ones, or fused the product with the subtraction, and gave NaN.
// --seed 9006502
// --fill normal
// --check fused,unfused,emulated
func.func @program(%x: tensor<31x70xbf16>, %y: tensor<31x70xbf16>) -> (tensor<31x70xbf16>, tensor<31x70xf32>, tensor<31x70xbf16>) {
  %k = fuse.constant dense<1.0e+17> : tensor<bf16>
  %a = fuse.mul %x, %k : tensor<31x70xbf16>, tensor<bf16> -> tensor<31x70xbf16>
  %b = fuse.mul %y, %k : tensor<31x70xbf16>, tensor<bf16> -> tensor<31x70xbf16>
  %v = fuse.mul %a, %b : tensor<31x70xbf16>
  %s = fuse.softmax %v dims = [0, 1] : tensor<31x70xbf16>
  %c = fuse.cast %x : tensor<31x70xbf16> -> tensor<31x70xf32>
  %d = fuse.cast %b : tensor<31x70xbf16> -> tensor<31x70xf32>
  %w = fuse.mul %c, %d : tensor<31x70xf32>
  %t = fuse.softmax %w dims = [0, 1] : tensor<31x70xf32>
  return %s, %t, %v : tensor<31x70xbf16>, tensor<31x70xf32>, tensor<31x70xbf16>
}
