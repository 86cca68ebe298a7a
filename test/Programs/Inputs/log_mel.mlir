// Whisper: a spectrogram's logarithm, cut below its maximum.
func.func @log_mel(%m: tensor<80x300xf32>) -> (tensor<80x300xf32>) {
  %1 = fuse.constant dense<1.000000013351432e-10> : tensor<f32>
  %2 = fuse.max %m, %1 : tensor<80x300xf32>, tensor<f32> -> tensor<80x300xf32>
  %3 = fuse.log %2 : tensor<80x300xf32> -> tensor<80x300xf32>
  %4 = fuse.constant dense<0.4342944920063019> : tensor<f32>
  %5 = fuse.mul %3, %4 : tensor<80x300xf32>, tensor<f32> -> tensor<80x300xf32>
  %6 = fuse.reduce max %5 dims = [0, 1] : tensor<80x300xf32> -> tensor<f32>
  %7 = fuse.constant dense<8.0> : tensor<f32>
  %8 = fuse.sub %6, %7 : tensor<f32>, tensor<f32> -> tensor<f32>
  %9 = fuse.max %5, %8 : tensor<80x300xf32>, tensor<f32> -> tensor<80x300xf32>
  %10 = fuse.constant dense<4.0> : tensor<f32>
  %11 = fuse.add %9, %10 : tensor<80x300xf32>, tensor<f32> -> tensor<80x300xf32>
  %12 = fuse.div %11, %10 : tensor<80x300xf32>, tensor<f32> -> tensor<80x300xf32>
  return %12 : tensor<80x300xf32>
}
