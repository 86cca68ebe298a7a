// Attention scores, scaled, with a mask that all heads share.
func.func @masked_softmax(%x: tensor<?x8x?x512xf16> {fuse.dims = ["B", "L"]},
                          %mask: tensor<?x1x?x512xf16> {fuse.dims = ["B", "L"]})
    -> tensor<?x8x?x512xf16> {
  %scale = fuse.constant dense<0.125> : tensor<f16>
  %s = fuse.mul %x, %scale : tensor<?x8x?x512xf16>, tensor<f16> -> tensor<?x8x?x512xf16>
  %m = fuse.add %s, %mask : tensor<?x8x?x512xf16>, tensor<?x1x?x512xf16> -> tensor<?x8x?x512xf16>
  %y = fuse.softmax %m dims = [3] : tensor<?x8x?x512xf16>
  return %y : tensor<?x8x?x512xf16>
}
