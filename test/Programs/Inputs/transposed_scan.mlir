// A scan between two transposes is one along another dimension.
func.func @transposed_scan(%x: tensor<300x64xf32>) -> tensor<300x64xf32> {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<300x64xf32> -> tensor<64x300xf32>
  %e = fuse.exp %t : tensor<64x300xf32>
  %c = fuse.scan sum %e exclusive : tensor<64x300xf32>
  %y = fuse.transpose %c permutation = [1, 0] : tensor<64x300xf32> -> tensor<300x64xf32>
  return %y : tensor<300x64xf32>
}
