// A collapse to rank 0 moved past an op whose operands then all had rank 0, and
// whose result had not.
// RUN: fuse-crosscheck %s

func.func @program(%x: tensor<33xf32>, %y: tensor<f32>) -> (tensor<f64>, tensor<1x1xf32>) {
  %l = fuse.logsumexp %x dims = [0] : tensor<33xf32> -> tensor<f32>
  %d = fuse.cast %l : tensor<f32> -> tensor<f64>
  %z = fuse.mul %y, %y : tensor<f32>
  %e = tensor.expand_shape %z [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  return %d, %e : tensor<f64>, tensor<1x1xf32>
}
