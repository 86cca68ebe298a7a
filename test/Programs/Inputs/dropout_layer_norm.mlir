// layer_norm(x + dropout(gelu(y + bias))): the end of a transformer's MLP in
// training, with the mask drawn from the caller's seed.
func.func @dropout_layer_norm(%x: tensor<?x1024xf32>, %y: tensor<?x1024xf32>, %bias: tensor<1024xf32>,
                              %w: tensor<1024xf32>, %b: tensor<1024xf32>, %seed: tensor<i64>)
    -> (tensor<?x1024xf32>, tensor<?x1024xf32>) {
  %s = fuse.add %y, %bias : tensor<?x1024xf32>, tensor<1024xf32> -> tensor<?x1024xf32>
  %g = fuse.gelu tanh %s : tensor<?x1024xf32>
  %d = fuse.dropout %g, %seed p = 0.1 stream = 0 : tensor<?x1024xf32>, tensor<i64>
  %h = fuse.add %x, %d : tensor<?x1024xf32>
  %n = fuse.layer_norm %h, %w, %b eps = 1.0e-5 : tensor<?x1024xf32>, tensor<1024xf32>, tensor<1024xf32>
  return %h, %n : tensor<?x1024xf32>, tensor<?x1024xf32>
}
