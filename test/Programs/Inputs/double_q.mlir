// A loss against one network's value of the action that another one prefers.
func.func @double_q(%q1: tensor<?x18xf32> {fuse.dims = ["T"]}, %q2: tensor<?x18xf32> {fuse.dims = ["T"]}, %r: tensor<?xf32> {fuse.dims = ["T"]}) -> tensor<f32> {
  %i = fuse.argmax %q1 dim = 1 keep : tensor<?x18xf32> -> tensor<?x1xi32>
  %t = fuse.take_along %q2, %i dim = 1 : tensor<?x18xf32>, tensor<?x1xi32> -> tensor<?x1xf32>
  %v = tensor.collapse_shape %t [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
  %d = fuse.sub %v, %r : tensor<?xf32>
  %s = fuse.mul %d, %d : tensor<?xf32>
  %y = fuse.reduce mean %s dims = [0] : tensor<?xf32> -> tensor<f32>
  return %y : tensor<f32>
}
