// Bytes with a scale a row, their LayerNorm, and bytes again.
func.func @requantised_norm(%x: tensor<?x256xi8> {fuse.dims = ["t"]}, %s: tensor<?x1xf32> {fuse.dims = ["t"]}, %w: tensor<256xf32>, %b: tensor<256xf32>) -> (tensor<?x256xi8>, tensor<?x1xf32>) {
  %1 = fuse.cast %x : tensor<?x256xi8> -> tensor<?x256xf32>
  %2 = fuse.mul %1, %s : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
  %3 = fuse.reduce mean %2 dims = [1] keep : tensor<?x256xf32> -> tensor<?x1xf32>
  %4 = fuse.sub %2, %3 : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
  %5 = fuse.mul %4, %4 : tensor<?x256xf32>, tensor<?x256xf32> -> tensor<?x256xf32>
  %6 = fuse.reduce mean %5 dims = [1] keep : tensor<?x256xf32> -> tensor<?x1xf32>
  %7 = fuse.sub %2, %3 : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
  %8 = fuse.constant dense<9.999999747378752e-06> : tensor<f32>
  %9 = fuse.add %6, %8 : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %10 = fuse.rsqrt %9 : tensor<?x1xf32> -> tensor<?x1xf32>
  %11 = fuse.mul %7, %10 : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
  %12 = fuse.mul %11, %w : tensor<?x256xf32>, tensor<256xf32> -> tensor<?x256xf32>
  %13 = fuse.add %12, %b : tensor<?x256xf32>, tensor<256xf32> -> tensor<?x256xf32>
  %14 = fuse.abs %13 : tensor<?x256xf32> -> tensor<?x256xf32>
  %15 = fuse.reduce max %14 dims = [1] keep : tensor<?x256xf32> -> tensor<?x1xf32>
  %16 = fuse.constant dense<127.0> : tensor<f32>
  %17 = fuse.div %15, %16 : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %18 = fuse.div %13, %17 : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
  %19 = fuse.round %18 : tensor<?x256xf32> -> tensor<?x256xf32>
  %20 = fuse.constant dense<-128.0> : tensor<f32>
  %21 = fuse.max %19, %20 : tensor<?x256xf32>, tensor<f32> -> tensor<?x256xf32>
  %22 = fuse.min %21, %16 : tensor<?x256xf32>, tensor<f32> -> tensor<?x256xf32>
  %23 = fuse.cast %22 : tensor<?x256xf32> -> tensor<?x256xi8>
  return %23, %17 : tensor<?x256xi8>, tensor<?x1xf32>
}
