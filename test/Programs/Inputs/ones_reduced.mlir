// Reductions of one element each leave it, but a sum the sign of a zero.
func.func @ones_reduced(%x: tensor<?x1x64x1xf16> {fuse.dims = ["T"]}) -> (tensor<?x1x64x1xf32>, tensor<?x1x64x1xf16>, tensor<?x1xf16>) {
  %w = fuse.cast %x : tensor<?x1x64x1xf16> -> tensor<?x1x64x1xf32>
  %m = fuse.reduce mean %w dims = [1, 3] keep : tensor<?x1x64x1xf32> -> tensor<?x1x64x1xf32>
  %s = fuse.softmax %w dims = [1] : tensor<?x1x64x1xf32>
  %n = fuse.reduce mean %w dims = [2] keep : tensor<?x1x64x1xf32> -> tensor<?x1x1x1xf32>
  %a = fuse.add %m, %s : tensor<?x1x64x1xf32>
  %y = fuse.sub %a, %n : tensor<?x1x64x1xf32>, tensor<?x1x1x1xf32> -> tensor<?x1x64x1xf32>
  %z = fuse.reduce prod %x dims = [1, 3] keep : tensor<?x1x64x1xf16> -> tensor<?x1x64x1xf16>
  %h = fuse.reduce max %z dims = [2, 3] : tensor<?x1x64x1xf16> -> tensor<?x1xf16>
  %e = fuse.reduce sum %h dims = [1] keep : tensor<?x1xf16> -> tensor<?x1xf16>
  return %y, %z, %e : tensor<?x1x64x1xf32>, tensor<?x1x64x1xf16>, tensor<?x1xf16>
}
