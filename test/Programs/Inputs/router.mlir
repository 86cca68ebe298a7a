// The softmax of a router's logits, what it gives each expert in the mean of all
// tokens, against a bias, and the sum of all tokens' largest shares.
func.func @router(%logits: tensor<?x64xf16> {fuse.dims = ["T"]}, %bias: tensor<64xf32>)
    -> (tensor<?x64xf16>, tensor<64xf32>, tensor<f32>) {
  %p = fuse.softmax %logits dims = [1] : tensor<?x64xf16>
  %wide = fuse.cast %p : tensor<?x64xf16> -> tensor<?x64xf32>
  %mean = fuse.reduce mean %wide dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
  %load = fuse.add %mean, %bias : tensor<64xf32>
  %top = fuse.reduce max %wide dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  %sum = fuse.reduce sum %top dims = [0] : tensor<?xf32> -> tensor<f32>
  return %p, %load, %sum : tensor<?x64xf16>, tensor<64xf32>, tensor<f32>
}
