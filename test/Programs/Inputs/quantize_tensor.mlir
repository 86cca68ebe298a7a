// Dynamic quantization: one scale for the whole tensor, from its largest magnitude.
func.func @quantize_tensor(%x: tensor<?x4096xbf16> {fuse.dims = ["T"]}) -> (tensor<?x4096xf8E4M3FN>, tensor<1x1xf32>) {
  %f = fuse.cast %x : tensor<?x4096xbf16> -> tensor<?x4096xf32>
  %m = fuse.abs %f : tensor<?x4096xf32>
  %amax = fuse.reduce max %m dims = [0, 1] keep : tensor<?x4096xf32> -> tensor<1x1xf32>
  %tiny = fuse.constant dense<1.0e-12> : tensor<f32>
  %largest = fuse.constant dense<448.0> : tensor<f32>
  %safe = fuse.max %amax, %tiny : tensor<1x1xf32>, tensor<f32> -> tensor<1x1xf32>
  %scale = fuse.div %safe, %largest : tensor<1x1xf32>, tensor<f32> -> tensor<1x1xf32>
  %s = fuse.div %f, %scale : tensor<?x4096xf32>, tensor<1x1xf32> -> tensor<?x4096xf32>
  %q = fuse.cast %s : tensor<?x4096xf32> -> tensor<?x4096xf8E4M3FN>
  return %q, %scale : tensor<?x4096xf8E4M3FN>, tensor<1x1xf32>
}
