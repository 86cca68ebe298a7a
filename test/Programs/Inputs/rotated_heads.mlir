// Heads before tokens, rotated by hand with angles that all heads share, as transformers writes it.
func.func @rotated_heads(%x: tensor<2x32x?x128xbf16> {fuse.dims = ["n"]}, %pos: tensor<?xi64> {fuse.dims = ["n"]}, %inv: tensor<64xf32>) -> tensor<2x32x?x128xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %pos, %c0 : tensor<?xi64>
  %p = fuse.cast %pos : tensor<?xi64> -> tensor<?xf32>
  %p2 = tensor.expand_shape %p [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %f = fuse.mul %p2, %inv : tensor<?x1xf32>, tensor<64xf32> -> tensor<?x64xf32>
  %a = fuse.concat %f, %f dim = 1 : tensor<?x64xf32>, tensor<?x64xf32> -> tensor<?x128xf32>
  %cos = fuse.cos %a : tensor<?x128xf32>
  %sin = fuse.sin %a : tensor<?x128xf32>
  %xf = fuse.cast %x : tensor<2x32x?x128xbf16> -> tensor<2x32x?x128xf32>
  %lo = fuse.slice %xf offsets = [0, 0, 0, 0] sizes = [2, 32, -1, 64] : tensor<2x32x?x128xf32> -> tensor<2x32x?x64xf32>
  %hi = fuse.slice %xf offsets = [0, 0, 0, 64] sizes = [2, 32, -1, 64] : tensor<2x32x?x128xf32> -> tensor<2x32x?x64xf32>
  %nh = fuse.neg %hi : tensor<2x32x?x64xf32>
  %r = fuse.concat %nh, %lo dim = 3 : tensor<2x32x?x64xf32>, tensor<2x32x?x64xf32> -> tensor<2x32x?x128xf32>
  %xc = fuse.mul %xf, %cos : tensor<2x32x?x128xf32>, tensor<?x128xf32> -> tensor<2x32x?x128xf32>
  %rs = fuse.mul %r, %sin : tensor<2x32x?x128xf32>, tensor<?x128xf32> -> tensor<2x32x?x128xf32>
  %s = fuse.add %xc, %rs : tensor<2x32x?x128xf32>
  %y = fuse.cast %s : tensor<2x32x?x128xf32> -> tensor<2x32x?x128xbf16>
  return %y : tensor<2x32x?x128xbf16>
}
