// Which tokens' largest logit is the label's, and how many of them.
func.func @top1(%logits: tensor<?x1000xf16> {fuse.dims = ["T"]}, %labels: tensor<?xi32> {fuse.dims = ["T"]})
    -> (tensor<?xi1>, tensor<f32>) {
  %best = fuse.argmax %logits dim = 1 : tensor<?x1000xf16> -> tensor<?xi32>
  %hit = fuse.compare eq %best, %labels : tensor<?xi32>, tensor<?xi32> -> tensor<?xi1>
  %f = fuse.cast %hit : tensor<?xi1> -> tensor<?xf32>
  %mean = fuse.reduce mean %f dims = [0] : tensor<?xf32> -> tensor<f32>
  return %hit, %mean : tensor<?xi1>, tensor<f32>
}
