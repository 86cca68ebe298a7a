// Numbers that kernels get by value, one of them returned.
func.func @numbers_by_value(%x: tensor<?x64xf32> {fuse.dims = ["n"]}, %a: tensor<f32> {fuse.scalar}, %k: tensor<i64> {fuse.scalar}, %h: tensor<bf16> {fuse.scalar}) -> (tensor<?x64xf32>, tensor<?xf32>, tensor<16x64xf32>, tensor<f32>) {
  %y = fuse.mul %x, %a : tensor<?x64xf32>, tensor<f32> -> tensor<?x64xf32>
  %c = fuse.cast %h : tensor<bf16> -> tensor<f32>
  %z = fuse.add %y, %c : tensor<?x64xf32>, tensor<f32> -> tensor<?x64xf32>
  %s = fuse.reduce sum %z dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  %d = fuse.dynamic_slice %x, %k dim = 0 size = 16 : tensor<?x64xf32>, tensor<i64> -> tensor<16x64xf32>
  return %z, %s, %d, %a : tensor<?x64xf32>, tensor<?xf32>, tensor<16x64xf32>, tensor<f32>
}
