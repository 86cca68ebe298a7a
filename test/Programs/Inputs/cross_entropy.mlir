// The loss of each token, and the gradient of their mean by the logits. Every
// logit is read once and every gradient written once.
func.func @cross_entropy(%logits: tensor<?x4096xf32> {fuse.dims = ["T"]}, %labels: tensor<?xi32> {fuse.dims = ["T"]},
                         %scale: tensor<f32>)
    -> (tensor<?xf32>, tensor<?x4096xf32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %labels, %c0 : tensor<?xi32>
  %p = fuse.log_softmax %logits dims = [1] : tensor<?x4096xf32>
  %c = fuse.iota dim = 1 like %logits : tensor<?x4096xf32> -> tensor<?x4096xi32>
  %l = tensor.expand_shape %labels [[0, 1]] output_shape [%t, 1] : tensor<?xi32> into tensor<?x1xi32>
  %is = fuse.compare eq %c, %l : tensor<?x4096xi32>, tensor<?x1xi32> -> tensor<?x4096xi1>
  %zero = fuse.constant dense<0.0> : tensor<f32>
  %one = fuse.constant dense<1.0> : tensor<f32>
  %picked = fuse.select %is, %p, %zero : tensor<?x4096xi1>, tensor<?x4096xf32>, tensor<f32> -> tensor<?x4096xf32>
  %sum = fuse.reduce sum %picked dims = [1] : tensor<?x4096xf32> -> tensor<?xf32>
  %loss = fuse.neg %sum : tensor<?xf32>
  %e = fuse.exp %p : tensor<?x4096xf32>
  %hot = fuse.select %is, %one, %zero : tensor<?x4096xi1>, tensor<f32>, tensor<f32> -> tensor<?x4096xf32>
  %d = fuse.sub %e, %hot : tensor<?x4096xf32>
  %g = fuse.mul %d, %scale : tensor<?x4096xf32>, tensor<f32> -> tensor<?x4096xf32>
  return %loss, %g : tensor<?xf32>, tensor<?x4096xf32>
}
