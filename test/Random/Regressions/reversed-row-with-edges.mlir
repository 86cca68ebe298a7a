// Read backwards, the vectors of a row with edges start at any element.
// RUN: fuse-crosscheck %s
// --seed 1128
// --fill normal
// --check emulated
func.func @program(%a0: tensor<1025xi32>, %a1: tensor<1025xi32>) -> (tensor<1025xi32>, tensor<1025xbf16>) {
  %v0 = fuse.div %a0, %a1 : tensor<1025xi32>, tensor<1025xi32> -> tensor<1025xi32>
  %v2 = fuse.cast %v0 : tensor<1025xi32> -> tensor<1025xbf16>
  %v6 = fuse.rms_norm %v2 eps = 1.0e-6 : tensor<1025xbf16>
  %v7 = fuse.reverse %v0 dims = [0] : tensor<1025xi32>
  return %v7, %v6 : tensor<1025xi32>, tensor<1025xbf16>
}
