// A moving average of weights, and how far it is from them.
func.func @moving_average(%p: tensor<256x256xf32>, %e: tensor<256x256xf32>, %decay: tensor<f32> {fuse.scalar}) -> (tensor<256x256xf32>, tensor<f32>) {
  %1 = fuse.sub %p, %e : tensor<256x256xf32>, tensor<256x256xf32> -> tensor<256x256xf32>
  %2 = fuse.constant dense<1.0> : tensor<f32>
  %3 = fuse.sub %2, %decay : tensor<f32>, tensor<f32> -> tensor<f32>
  %4 = fuse.mul %1, %3 : tensor<256x256xf32>, tensor<f32> -> tensor<256x256xf32>
  %5 = fuse.add %e, %4 : tensor<256x256xf32>, tensor<256x256xf32> -> tensor<256x256xf32>
  %6 = fuse.sub %5, %p : tensor<256x256xf32>, tensor<256x256xf32> -> tensor<256x256xf32>
  %7 = fuse.mul %6, %6 : tensor<256x256xf32>, tensor<256x256xf32> -> tensor<256x256xf32>
  %8 = fuse.reduce sum %7 dims = [0, 1] : tensor<256x256xf32> -> tensor<f32>
  %9 = fuse.sqrt %8 : tensor<f32> -> tensor<f32>
  return %5, %9 : tensor<256x256xf32>, tensor<f32>
}
