// Normed rows go where a number says.
func.func @updated_cache(%x: tensor<64x256xf32>, %u: tensor<?x256xf32> {fuse.dims = ["n"]}, %s: tensor<i64>, %size_n: tensor<?xi1> {fuse.dims = ["n"]}) -> (tensor<64x256xf32>) {
  %1 = fuse.mul %u, %u : tensor<?x256xf32>, tensor<?x256xf32> -> tensor<?x256xf32>
  %2 = fuse.reduce mean %1 dims = [1] keep : tensor<?x256xf32> -> tensor<?x1xf32>
  %3 = fuse.constant dense<1.0e-6> : tensor<f32>
  %4 = fuse.add %2, %3 : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %5 = fuse.rsqrt %4 : tensor<?x1xf32> -> tensor<?x1xf32>
  %6 = fuse.mul %u, %5 : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
  %7 = fuse.iota dim = 0 like %size_n : tensor<?xi1> -> tensor<?xi64>
  %8 = fuse.add %7, %s : tensor<?xi64>, tensor<i64> -> tensor<?xi64>
  %9 = fuse.scatter %x, %8, %6 dim = 0 : tensor<64x256xf32>, tensor<?xi64>, tensor<?x256xf32> -> tensor<64x256xf32>
  return %9 : tensor<64x256xf32>
}
