// A convolution of width 4 along tokens, each feature for itself, with the weights
// as models store them: those of a feature side by side.
func.func @convolved_tokens(%x: tensor<2x24x64xbf16>, %w: tensor<64x4xf32>) -> tensor<2x24x64xbf16> {
  %f = fuse.cast %x : tensor<2x24x64xbf16> -> tensor<2x24x64xf32>
  %p = fuse.pad %f low = [0, 3, 0] high = [0, 0, 0] value = 0.0 : tensor<2x24x64xf32> -> tensor<2x27x64xf32>
  %s0 = fuse.slice %p offsets = [0, 0, 0] sizes = [2, 24, 64] steps = [1, 1, 1] : tensor<2x27x64xf32> -> tensor<2x24x64xf32>
  %s1 = fuse.slice %p offsets = [0, 1, 0] sizes = [2, 24, 64] steps = [1, 1, 1] : tensor<2x27x64xf32> -> tensor<2x24x64xf32>
  %s2 = fuse.slice %p offsets = [0, 2, 0] sizes = [2, 24, 64] steps = [1, 1, 1] : tensor<2x27x64xf32> -> tensor<2x24x64xf32>
  %s3 = fuse.slice %p offsets = [0, 3, 0] sizes = [2, 24, 64] steps = [1, 1, 1] : tensor<2x27x64xf32> -> tensor<2x24x64xf32>
  %c0 = fuse.slice %w offsets = [0, 0] sizes = [64, 1] steps = [1, 1] : tensor<64x4xf32> -> tensor<64x1xf32>
  %c1 = fuse.slice %w offsets = [0, 1] sizes = [64, 1] steps = [1, 1] : tensor<64x4xf32> -> tensor<64x1xf32>
  %c2 = fuse.slice %w offsets = [0, 2] sizes = [64, 1] steps = [1, 1] : tensor<64x4xf32> -> tensor<64x1xf32>
  %c3 = fuse.slice %w offsets = [0, 3] sizes = [64, 1] steps = [1, 1] : tensor<64x4xf32> -> tensor<64x1xf32>
  %w0 = tensor.collapse_shape %c0 [[0, 1]] : tensor<64x1xf32> into tensor<64xf32>
  %w1 = tensor.collapse_shape %c1 [[0, 1]] : tensor<64x1xf32> into tensor<64xf32>
  %w2 = tensor.collapse_shape %c2 [[0, 1]] : tensor<64x1xf32> into tensor<64xf32>
  %w3 = tensor.collapse_shape %c3 [[0, 1]] : tensor<64x1xf32> into tensor<64xf32>
  %m0 = fuse.mul %s0, %w0 : tensor<2x24x64xf32>, tensor<64xf32> -> tensor<2x24x64xf32>
  %m1 = fuse.mul %s1, %w1 : tensor<2x24x64xf32>, tensor<64xf32> -> tensor<2x24x64xf32>
  %m2 = fuse.mul %s2, %w2 : tensor<2x24x64xf32>, tensor<64xf32> -> tensor<2x24x64xf32>
  %m3 = fuse.mul %s3, %w3 : tensor<2x24x64xf32>, tensor<64xf32> -> tensor<2x24x64xf32>
  %a = fuse.add %m0, %m1 : tensor<2x24x64xf32>
  %b = fuse.add %a, %m2 : tensor<2x24x64xf32>
  %c = fuse.add %b, %m3 : tensor<2x24x64xf32>
  %y = fuse.silu %c : tensor<2x24x64xf32>
  %z = fuse.cast %y : tensor<2x24x64xf32> -> tensor<2x24x64xbf16>
  return %z : tensor<2x24x64xbf16>
}
