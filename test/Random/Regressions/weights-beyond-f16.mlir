// Plain weights that f16 rounds to infinity stayed finite in a CPU's panels, which
// left out the rounding.
// RUN: fuse-crosscheck %s
// --seed 15000310
// --fill normal

func.func @program(%a0: tensor<1x70x64xf16>, %a1: tensor<1x17x64xf16>, %a2: tensor<1x17x64xf16>) -> (tensor<1x70x64xf16>) {
  %v0 = fuse.matmul %a0, %a1 transpose_rhs : tensor<1x70x64xf16>, tensor<1x17x64xf16> -> tensor<1x70x17xf16>
  %v1 = fuse.cast %v0 : tensor<1x70x17xf16> -> tensor<1x70x17xf32>
  %v2 = fuse.constant dense<1.0> : tensor<f32>
  %v3 = fuse.mul %v1, %v2 : tensor<1x70x17xf32>, tensor<f32> -> tensor<1x70x17xf32>
  %v4 = fuse.iota dim = 2 : tensor<1x70x17xi32>
  %v5 = fuse.constant dense<16> : tensor<i32>
  %v6 = fuse.div %v4, %v5 : tensor<1x70x17xi32>, tensor<i32> -> tensor<1x70x17xi32>
  %v7 = fuse.iota dim = 1 : tensor<1x70x17xi32>
  %v8 = fuse.constant dense<16> : tensor<i32>
  %v9 = fuse.div %v7, %v8 : tensor<1x70x17xi32>, tensor<i32> -> tensor<1x70x17xi32>
  %v10 = fuse.compare le %v6, %v9 : tensor<1x70x17xi32>, tensor<1x70x17xi32> -> tensor<1x70x17xi1>
  %v11 = fuse.exp %v3 : tensor<1x70x17xf32>
  %v12 = fuse.constant dense<0.0> : tensor<f32>
  %v13 = fuse.select %v10, %v11, %v12 : tensor<1x70x17xi1>, tensor<1x70x17xf32>, tensor<f32> -> tensor<1x70x17xf32>
  %v14 = fuse.cast %v13 : tensor<1x70x17xf32> -> tensor<1x70x17xf16>
  %v15 = fuse.matmul %v14, %a2 : tensor<1x70x17xf16>, tensor<1x17x64xf16> -> tensor<1x70x64xf16>
  return %v15 : tensor<1x70x64xf16>
}
