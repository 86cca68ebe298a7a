// Gradients of y = x_hat w + b, where x_hat is x less its mean, by its standard
// deviation, given g = dL/dy: of the input, of the weight and of the bias.
func.func @layer_norm_backward(%x: tensor<?x1024xbf16> {fuse.dims = ["T"]}, %w: tensor<1024xbf16>,
                             %g: tensor<?x1024xbf16> {fuse.dims = ["T"]})
    -> (tensor<?x1024xbf16>, tensor<1024xbf16>, tensor<1024xbf16>) {
  %eps = fuse.constant dense<1.0e-5> : tensor<f32>
  %xf = fuse.cast %x : tensor<?x1024xbf16> -> tensor<?x1024xf32>
  %gf = fuse.cast %g : tensor<?x1024xbf16> -> tensor<?x1024xf32>
  %wf = fuse.cast %w : tensor<1024xbf16> -> tensor<1024xf32>
  %mu = fuse.reduce mean %xf dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
  %xc = fuse.sub %xf, %mu : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
  %q = fuse.mul %xc, %xc : tensor<?x1024xf32>
  %m = fuse.reduce mean %q dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
  %me = fuse.add %m, %eps : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %r = fuse.rsqrt %me : tensor<?x1xf32>
  %n = fuse.mul %xc, %r : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
  %gw = fuse.mul %gf, %wf : tensor<?x1024xf32>, tensor<1024xf32> -> tensor<?x1024xf32>
  %a = fuse.reduce mean %gw dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
  %gwn = fuse.mul %gw, %n : tensor<?x1024xf32>
  %c = fuse.reduce mean %gwn dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
  %nc = fuse.mul %n, %c : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
  %d0 = fuse.sub %gw, %nc : tensor<?x1024xf32>
  %d = fuse.sub %d0, %a : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
  %dx = fuse.mul %d, %r : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
  %dxb = fuse.cast %dx : tensor<?x1024xf32> -> tensor<?x1024xbf16>
  %gn = fuse.mul %gf, %n : tensor<?x1024xf32>
  %dw = fuse.reduce sum %gn dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
  %dwb = fuse.cast %dw : tensor<1024xf32> -> tensor<1024xbf16>
  %db = fuse.reduce sum %gf dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
  %dbb = fuse.cast %db : tensor<1024xf32> -> tensor<1024xbf16>
  return %dxb, %dwb, %dbb : tensor<?x1024xbf16>, tensor<1024xbf16>, tensor<1024xbf16>
}
