func.func @decayed_many(%x0: tensor<8x64xf32>, %x1: tensor<8x64xf32>, %x2: tensor<8x64xf32>, %x3: tensor<8x64xf32>, %x4: tensor<8x64xf32>, %x5: tensor<8x64xf32>, %x6: tensor<8x64xf32>, %x7: tensor<8x64xf32>, %x8: tensor<8x64xf32>)
    -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>) {
  %half = fuse.constant dense<0.5> : tensor<f32>
  %quarter = fuse.constant dense<0.25> : tensor<f32>
  %s0 = fuse.mul %x0, %half : tensor<8x64xf32>, tensor<f32> -> tensor<8x64xf32>
  %y0 = fuse.sub %x0, %s0 : tensor<8x64xf32>
  %s1 = fuse.mul %x1, %half : tensor<8x64xf32>, tensor<f32> -> tensor<8x64xf32>
  %y1 = fuse.sub %x1, %s1 : tensor<8x64xf32>
  %s2 = fuse.mul %x2, %half : tensor<8x64xf32>, tensor<f32> -> tensor<8x64xf32>
  %y2 = fuse.sub %x2, %s2 : tensor<8x64xf32>
  %s3 = fuse.mul %x3, %half : tensor<8x64xf32>, tensor<f32> -> tensor<8x64xf32>
  %y3 = fuse.sub %x3, %s3 : tensor<8x64xf32>
  %s4 = fuse.mul %x4, %quarter : tensor<8x64xf32>, tensor<f32> -> tensor<8x64xf32>
  %y4 = fuse.sub %x4, %s4 : tensor<8x64xf32>
  %s5 = fuse.mul %x5, %quarter : tensor<8x64xf32>, tensor<f32> -> tensor<8x64xf32>
  %y5 = fuse.sub %x5, %s5 : tensor<8x64xf32>
  %s6 = fuse.mul %x6, %quarter : tensor<8x64xf32>, tensor<f32> -> tensor<8x64xf32>
  %y6 = fuse.sub %x6, %s6 : tensor<8x64xf32>
  %s7 = fuse.mul %x7, %quarter : tensor<8x64xf32>, tensor<f32> -> tensor<8x64xf32>
  %y7 = fuse.sub %x7, %s7 : tensor<8x64xf32>
  %s8 = fuse.mul %x8, %quarter : tensor<8x64xf32>, tensor<f32> -> tensor<8x64xf32>
  %y8 = fuse.sub %x8, %s8 : tensor<8x64xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8
      : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>
}
