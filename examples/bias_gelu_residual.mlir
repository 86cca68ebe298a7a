// gelu(x + bias) + residual.
func.func @bias_gelu_residual(%x: tensor<?x4096xf16> {fuse.dims = ["rows"]},
                              %bias: tensor<4096xf16>,
                              %r: tensor<?x4096xf16> {fuse.dims = ["rows"]}) -> tensor<?x4096xf16> {
  %s = fuse.add %x, %bias : tensor<?x4096xf16>, tensor<4096xf16>
  %g = fuse.gelu tanh %s : tensor<?x4096xf16>
  %y = fuse.add %g, %r : tensor<?x4096xf16>
  return %y : tensor<?x4096xf16>
}
