// RUN: fuse-crosscheck %s
// A row of 8-bit floats times a matrix of them became a product that nothing computes.
// --seed 1024
// --check fused,unaligned,emulated
func.func @program(%a: tensor<1x128xf8E4M3FN>, %b: tensor<8x128xf8E5M2>, %c: tensor<1x8xf32>) -> tensor<1x8xf16> {
  %0 = fuse.contract "mk,nk->mn" %a, %b : tensor<1x128xf8E4M3FN>, tensor<8x128xf8E5M2> -> tensor<1x8xf32>
  %1 = fuse.mul %0, %c : tensor<1x8xf32>
  %2 = fuse.cast %1 : tensor<1x8xf32> -> tensor<1x8xf16>
  return %2 : tensor<1x8xf16>
}
