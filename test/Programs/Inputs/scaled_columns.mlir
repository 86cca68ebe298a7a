// Sums of columns in parts, and numbers that the second launch needs.
func.func @scaled_columns(%x: tensor<?x64xf32> {fuse.dims = ["n"]}, %a: tensor<f32> {fuse.scalar}, %t: tensor<i1> {fuse.scalar}) -> (tensor<64xf32>) {
  %s = fuse.reduce sum %x dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
  %y = fuse.mul %s, %a : tensor<64xf32>, tensor<f32> -> tensor<64xf32>
  %e = tensor.expand_shape %t [] output_shape [1] : tensor<i1> into tensor<1xi1>
  %z = fuse.select %e, %y, %s : tensor<1xi1>, tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  return %z : tensor<64xf32>
}
