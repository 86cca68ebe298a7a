// RUN: fuse-crosscheck %s
// A kernel read what its scatter writes into through a reshape, which was seen
// only once both had the same shape.
// --seed 61002521
// --fill normal
// --check compiled,fused,emulated,unaligned
func.func @program(%a0: tensor<33x8xi16>, %a2: tensor<2x8xi16>) -> (tensor<33x8x1xf32>, tensor<33x8xi16>) {
  %v0 = fuse.cast %a0 : tensor<33x8xi16> -> tensor<33x8xf32>
  %v1 = fuse.softmax %v0 dims = [1] : tensor<33x8xf32>
  %v2 = tensor.expand_shape %v1 [[0], [1, 2]] output_shape [33, 8, 1] : tensor<33x8xf32> into tensor<33x8x1xf32>
  %v4 = fuse.iota dim = 0 : tensor<2xi32>
  %v6 = fuse.scatter %a0, %v4, %a2 dim = 0 : tensor<33x8xi16>, tensor<2xi32>, tensor<2x8xi16> -> tensor<33x8xi16>
  return %v2, %v6 : tensor<33x8x1xf32>, tensor<33x8xi16>
}
