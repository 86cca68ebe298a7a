// silu(a) b, scaled so that each row's largest magnitude becomes 448, the
// largest f8E4M3FN; the scales are what the next matmul multiplies by.
func.func @swiglu_f8(%a: tensor<?x4096xbf16> {fuse.dims = ["T"]}, %b: tensor<?x4096xbf16> {fuse.dims = ["T"]})
    -> (tensor<?x4096xf8E4M3FN>, tensor<?x1xf32>) {
  %fa = fuse.cast %a : tensor<?x4096xbf16> -> tensor<?x4096xf32>
  %fb = fuse.cast %b : tensor<?x4096xbf16> -> tensor<?x4096xf32>
  %y = fuse.swiglu %fa, %fb : tensor<?x4096xf32>
  %m = fuse.abs %y : tensor<?x4096xf32>
  %amax = fuse.reduce max %m dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
  %tiny = fuse.constant dense<1.0e-12> : tensor<f32>
  %largest = fuse.constant dense<448.0> : tensor<f32>
  %safe = fuse.max %amax, %tiny : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %scale = fuse.div %safe, %largest : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %s = fuse.div %y, %scale : tensor<?x4096xf32>, tensor<?x1xf32> -> tensor<?x4096xf32>
  %q = fuse.cast %s : tensor<?x4096xf32> -> tensor<?x4096xf8E4M3FN>
  return %q, %scale : tensor<?x4096xf8E4M3FN>, tensor<?x1xf32>
}
