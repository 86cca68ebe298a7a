// The means and maxima of windows of 2x2 places, and a softmax of their difference.
func.func @pooled_norm(%x: tensor<?x8x6x32xf32> {fuse.dims = ["b"]}) -> tensor<?x4x3x32xf32> {
  %zero = arith.constant 0 : index
  %b = tensor.dim %x, %zero : tensor<?x8x6x32xf32>
  %w = tensor.expand_shape %x [[0], [1, 2], [3, 4], [5]] output_shape [%b, 4, 2, 3, 2, 32] : tensor<?x8x6x32xf32> into tensor<?x4x2x3x2x32xf32>
  %m = fuse.reduce mean %w dims = [2, 4] : tensor<?x4x2x3x2x32xf32> -> tensor<?x4x3x32xf32>
  %n = fuse.reduce max %w dims = [2, 4] : tensor<?x4x2x3x2x32xf32> -> tensor<?x4x3x32xf32>
  %d = fuse.sub %m, %n : tensor<?x4x3x32xf32>
  %s = fuse.softmax %d dims = [3] : tensor<?x4x3x32xf32>
  return %s : tensor<?x4x3x32xf32>
}
