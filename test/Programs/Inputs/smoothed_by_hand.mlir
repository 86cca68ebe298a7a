// Label smoothing by hand: the mean of each row of the log_softmax is needed beside the
// element of the label.
func.func @smoothed_by_hand(%logits: tensor<?x200xf16> {fuse.dims = ["T"]}, %ids: tensor<?xi32> {fuse.dims = ["T"]}, %bias: tensor<200xf32>)
    -> tensor<?xf32> {
  %w = fuse.cast %logits : tensor<?x200xf16> -> tensor<?x200xf32>
  %wide = fuse.add %w, %bias : tensor<?x200xf32>, tensor<200xf32>
  %all = fuse.log_softmax %wide dims = [1] : tensor<?x200xf32>
  %mean = fuse.reduce mean %all dims = [1] : tensor<?x200xf32> -> tensor<?xf32>
  %columns = fuse.constant dense<200> : tensor<i64>
  %labels = fuse.cast %ids : tensor<?xi32> -> tensor<?xi64>
  %row = fuse.iota dim = 0 like %labels : tensor<?xi64> -> tensor<?xi64>
  %start = fuse.mul %columns, %row : tensor<i64>, tensor<?xi64> -> tensor<?xi64>
  %place = fuse.add %labels, %start : tensor<?xi64>
  %flat = tensor.collapse_shape %all [[0, 1]] : tensor<?x200xf32> into tensor<?xf32>
  %own = fuse.gather %flat, %place dim = 0 : tensor<?xf32>, tensor<?xi64> -> tensor<?xf32>
  %share = fuse.constant dense<0.1> : tensor<f32>
  %rest = fuse.constant dense<0.9> : tensor<f32>
  %a = fuse.mul %own, %rest : tensor<?xf32>, tensor<f32>
  %b = fuse.mul %mean, %share : tensor<?xf32>, tensor<f32>
  %sum = fuse.add %a, %b : tensor<?xf32>
  %loss = fuse.neg %sum : tensor<?xf32>
  return %loss : tensor<?xf32>
}
