// Keys quantised to f8 with a scale for each head, and both appended to their caches.
func.func @append_quantised(%x: tensor<?x2x128xbf16> {fuse.dims = ["T"]}, %slots: tensor<?xi32> {fuse.dims = ["T"]},
                            %cache: tensor<?x2x128xf8E4M3FN> {fuse.dims = ["S"]}, %scales: tensor<?x2x1xf32> {fuse.dims = ["S"]})
    -> (tensor<?x2x128xf8E4M3FN>, tensor<?x2x1xf32>) {
  %wide = fuse.cast %x : tensor<?x2x128xbf16> -> tensor<?x2x128xf32>
  %magnitude = fuse.abs %wide : tensor<?x2x128xf32>
  %largest = fuse.reduce max %magnitude dims = [2] keep : tensor<?x2x128xf32> -> tensor<?x2x1xf32>
  %most = fuse.constant dense<448.0> : tensor<f32>
  %scale = fuse.div %largest, %most : tensor<?x2x1xf32>, tensor<f32> -> tensor<?x2x1xf32>
  %scaled = fuse.div %wide, %scale : tensor<?x2x128xf32>, tensor<?x2x1xf32> -> tensor<?x2x128xf32>
  %bytes = fuse.cast %scaled : tensor<?x2x128xf32> -> tensor<?x2x128xf8E4M3FN>
  %y = fuse.scatter %cache, %slots, %bytes dim = 0 : tensor<?x2x128xf8E4M3FN>, tensor<?xi32>, tensor<?x2x128xf8E4M3FN> -> tensor<?x2x128xf8E4M3FN>
  %z = fuse.scatter %scales, %slots, %scale dim = 0 : tensor<?x2x1xf32>, tensor<?xi32>, tensor<?x2x1xf32> -> tensor<?x2x1xf32>
  return %y, %z : tensor<?x2x128xf8E4M3FN>, tensor<?x2x1xf32>
}
