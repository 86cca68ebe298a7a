// What one id takes of a vector, and the same with a dimension: the id was to get
// it, which has none.
// RUN: fuse-crosscheck --check fused --check emulated --dim d0=3 %s

func.func @program(%a0: tensor<?xf32> {fuse.dims = ["d0"]}, %a1: tensor<i32> {fuse.scalar}) -> (tensor<1xf32>, tensor<f32>) {
  %v2 = fuse.gather %a0, %a1 dim = 0 : tensor<?xf32>, tensor<i32> -> tensor<f32>
  %v8 = tensor.expand_shape %v2 [] output_shape [1] : tensor<f32> into tensor<1xf32>
  return %v8, %v2 : tensor<1xf32>, tensor<f32>
}
