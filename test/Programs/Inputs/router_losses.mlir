// A router's experts, beside what it gives each over all tokens and the mean square of the
// logarithms of its sums.
func.func @router_losses(%x: tensor<?x64xf32> {fuse.dims = ["T"]}) -> (tensor<?x2xf32>, tensor<?x2xi64>, tensor<64xf32>, tensor<f32>) {
  %1 = fuse.softmax %x dims = [1] : tensor<?x64xf32>
  %2, %3 = fuse.top_k %1 k = 2 : tensor<?x64xf32> -> tensor<?x2xf32>, tensor<?x2xi64>
  %4 = fuse.logsumexp %x dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  %5 = fuse.reduce sum %1 dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
  %6 = fuse.mul %4, %4 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %7 = fuse.reduce mean %6 dims = [0] : tensor<?xf32> -> tensor<f32>
  return %2, %3, %5, %7 : tensor<?x2xf32>, tensor<?x2xi64>, tensor<64xf32>, tensor<f32>
}
