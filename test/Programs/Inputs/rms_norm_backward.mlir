// y = x r w with r = 1 / sqrt(mean(x^2) + eps). Given g = dL/dy:
//   dx = r (g w) - x r^3 mean(g w x),  dw = sum over rows of g x r.
func.func @rms_norm_backward(%x: tensor<?x1024xf32> {fuse.dims = ["T"]}, %w: tensor<1024xf32>,
                             %g: tensor<?x1024xf32> {fuse.dims = ["T"]})
    -> (tensor<?x1024xf32>, tensor<1024xf32>) {
  %eps = fuse.constant dense<1.0e-5> : tensor<f32>
  %q = fuse.mul %x, %x : tensor<?x1024xf32>
  %m = fuse.reduce mean %q dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
  %me = fuse.add %m, %eps : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %r = fuse.rsqrt %me : tensor<?x1xf32>
  %gw = fuse.mul %g, %w : tensor<?x1024xf32>, tensor<1024xf32> -> tensor<?x1024xf32>
  %n = fuse.mul %x, %r : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
  %gwn = fuse.mul %gw, %n : tensor<?x1024xf32>
  %c = fuse.reduce mean %gwn dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
  %nc = fuse.mul %n, %c : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
  %d = fuse.sub %gw, %nc : tensor<?x1024xf32>
  %dx = fuse.mul %d, %r : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
  %gn = fuse.mul %g, %n : tensor<?x1024xf32>
  %dw = fuse.reduce sum %gn dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
  return %dx, %dw : tensor<?x1024xf32>, tensor<1024xf32>
}
