// Logits far below the most likely one.
func.func @min_p(%x: tensor<?x32000xf32> {fuse.dims = ["b"]}) -> (tensor<?x32000xf32>) {
  %1 = fuse.softmax %x dims = [1] : tensor<?x32000xf32>
  %2 = fuse.reduce max %1 dims = [1] keep : tensor<?x32000xf32> -> tensor<?x1xf32>
  %3 = fuse.constant dense<0.05000000074505806> : tensor<f32>
  %4 = fuse.mul %2, %3 : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %5 = fuse.compare lt %1, %4 : tensor<?x32000xf32>, tensor<?x1xf32> -> tensor<?x32000xi1>
  %6 = fuse.constant dense<0xFF800000> : tensor<f32>
  %7 = fuse.select %5, %6, %x : tensor<?x32000xi1>, tensor<f32>, tensor<?x32000xf32> -> tensor<?x32000xf32>
  return %7 : tensor<?x32000xf32>
}
