// RUN: fuse-crosscheck %s
// A vector for a shape that no tensor at the kernel's edge has was too wide for the
// dimension, and wrote past the end of the result.
// --dim d0=4
// --seed 3007693
// --fill small
// --check emulated,fused,unaligned
func.func @program(%a0: tensor<4x31x1x?xi32> {fuse.dims = ["d0"]}) -> (tensor<1x1x?xi64>) {
  %v0 = fuse.cast %a0 : tensor<4x31x1x?xi32> -> tensor<4x31x1x?xf32>
  %v1 = fuse.gelu erf %v0 : tensor<4x31x1x?xf32>
  %v2 = tensor.collapse_shape %v1 [[0, 1], [2], [3]] : tensor<4x31x1x?xf32> into tensor<124x1x?xf32>
  %v3 = fuse.argmin %v2 dim = 0 keep : tensor<124x1x?xf32> -> tensor<1x1x?xi64>
  return %v3 : tensor<1x1x?xi64>
}
