// Nothing could be said of scores that f16 rounds far off, and so the weights of
// hidden keys counted as one half.
// RUN: fuse-crosscheck %s
// --seed 11
// --fill special

func.func @program(%a5: tensor<3x6x5x8xf16>, %a6: tensor<3x6x130x8xf16>) -> (tensor<3x6x5x8xf16>) {
  %v14 = fuse.matmul %a5, %a6 transpose_rhs : tensor<3x6x5x8xf16>, tensor<3x6x130x8xf16> -> tensor<3x6x5x130xf16>
  %v15 = fuse.cast %v14 : tensor<3x6x5x130xf16> -> tensor<3x6x5x130xf32>
  %v16 = fuse.iota dim = 3 : tensor<3x6x5x130xi32>
  %v18 = fuse.iota dim = 2 : tensor<3x6x5x130xi32>
  %v20 = fuse.compare le %v16, %v18 : tensor<3x6x5x130xi32>, tensor<3x6x5x130xi32> -> tensor<3x6x5x130xi1>
  %v21 = fuse.constant dense<0xFF800000> : tensor<f32>
  %v22 = fuse.select %v20, %v15, %v21 : tensor<3x6x5x130xi1>, tensor<3x6x5x130xf32>, tensor<f32> -> tensor<3x6x5x130xf32>
  %v23 = fuse.softmax %v22 dims = [3] : tensor<3x6x5x130xf32>
  %v24 = fuse.cast %v23 : tensor<3x6x5x130xf32> -> tensor<3x6x5x130xf16>
  %v25 = fuse.matmul %v24, %a6 : tensor<3x6x5x130xf16>, tensor<3x6x130x8xf16> -> tensor<3x6x5x8xf16>
  return %v25 : tensor<3x6x5x8xf16>
}
