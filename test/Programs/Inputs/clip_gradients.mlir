// The norm of all gradients, and these clipped by it: rows of 1024 share a launch.
func.func @clip_gradients(%a: tensor<64x512xf32>, %b: tensor<96x768xf32>, %c: tensor<1024xf32>,
                          %d: tensor<8x128x64xf32>)
    -> (tensor<64x512xf32>, tensor<96x768xf32>, tensor<1024xf32>, tensor<f32>) {
  %qa = fuse.mul %a, %a : tensor<64x512xf32>
  %sa = fuse.reduce sum %qa dims = [0, 1] : tensor<64x512xf32> -> tensor<f32>
  %qb = fuse.mul %b, %b : tensor<96x768xf32>
  %sb = fuse.reduce sum %qb dims = [0, 1] : tensor<96x768xf32> -> tensor<f32>
  %qc = fuse.mul %c, %c : tensor<1024xf32>
  %sc = fuse.reduce sum %qc dims = [0] : tensor<1024xf32> -> tensor<f32>
  %qd = fuse.mul %d, %d : tensor<8x128x64xf32>
  %sd = fuse.reduce sum %qd dims = [0, 1, 2] : tensor<8x128x64xf32> -> tensor<f32>
  %s1 = fuse.add %sa, %sb : tensor<f32>
  %s2 = fuse.add %sc, %sd : tensor<f32>
  %s3 = fuse.add %s1, %s2 : tensor<f32>
  %n = fuse.sqrt %s3 : tensor<f32>
  %one = fuse.constant dense<1.0> : tensor<f32>
  %r = fuse.div %one, %n : tensor<f32>
  %m = fuse.min %r, %one : tensor<f32>
  %ya = fuse.mul %a, %m : tensor<64x512xf32>, tensor<f32> -> tensor<64x512xf32>
  %yb = fuse.mul %b, %m : tensor<96x768xf32>, tensor<f32> -> tensor<96x768xf32>
  %yc = fuse.mul %c, %m : tensor<1024xf32>, tensor<f32> -> tensor<1024xf32>
  return %ya, %yb, %yc, %n : tensor<64x512xf32>, tensor<96x768xf32>, tensor<1024xf32>, tensor<f32>
}
