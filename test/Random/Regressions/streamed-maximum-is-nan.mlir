// A logsumexp beside attention lost NaN in rows that are NaN where they are not masked.
// RUN: fuse-crosscheck %s
// gpu: result 0: 6 of 6 elements: expected nan +- 0, but got -inf at [0, 0, 0, 0]
// --dim d0=3
// --seed 7700175
// --fill special
// --check emulated,fused,strict,twins
func.func @program(%a0: tensor<f32>, %a1: tensor<f32> {fuse.scalar}, %a2: tensor<3x1x2x16xf16>, %a3: tensor<3x1x50x16xf16>, %a4: tensor<3x1x50x16xf16>, %a5: tensor<3x1x1x1xi32>, %a6: tensor<?x100xf16> {fuse.dims = ["d0"]}, %a7: tensor<2xi32>, %a8: tensor<16xf16>, %a9: tensor<16xf16>) -> (tensor<3x1x2x1xf32>, tensor<1xf16>, tensor<3x1x2x16xf16>, tensor<f16>) {
  %v2 = fuse.matmul %a2, %a3 transpose_rhs : tensor<3x1x2x16xf16>, tensor<3x1x50x16xf16> -> tensor<3x1x2x50xf16>
  %v3 = fuse.cast %v2 : tensor<3x1x2x50xf16> -> tensor<3x1x2x50xf32>
  %v4 = fuse.iota dim = 3 : tensor<3x1x2x50xi32>
  %v5 = fuse.compare lt %v4, %a5 : tensor<3x1x2x50xi32>, tensor<3x1x1x1xi32> -> tensor<3x1x2x50xi1>
  %v6 = fuse.constant dense<0xFF800000> : tensor<f32>
  %v7 = fuse.select %v5, %v3, %v6 : tensor<3x1x2x50xi1>, tensor<3x1x2x50xf32>, tensor<f32> -> tensor<3x1x2x50xf32>
  %v8 = fuse.softmax %v7 dims = [3] : tensor<3x1x2x50xf32>
  %v9 = fuse.logsumexp %v7 dims = [3] keep : tensor<3x1x2x50xf32> -> tensor<3x1x2x1xf32>
  %v10 = fuse.cast %v8 : tensor<3x1x2x50xf32> -> tensor<3x1x2x50xf16>
  %v11 = fuse.matmul %v10, %a4 : tensor<3x1x2x50xf16>, tensor<3x1x50x16xf16> -> tensor<3x1x2x16xf16>
  %v12 = fuse.reduce mean %a6 dims = [1] : tensor<?x100xf16> -> tensor<?xf16>
  %v13 = fuse.reduce max %v12 dims = [0] : tensor<?xf16> -> tensor<f16>
  %v14 = fuse.iota dim = 0 : tensor<2xi32>
  %v15 = fuse.segment_sum %v12, %v14 : tensor<?xf16>, tensor<2xi32> -> tensor<1xf16>
  %v16 = fuse.layer_norm %v11, %a8, %a9 eps = 1.0e-5 : tensor<3x1x2x16xf16>, tensor<16xf16>, tensor<16xf16>
  return %v9, %v15, %v16, %v13 : tensor<3x1x2x1xf32>, tensor<1xf16>, tensor<3x1x2x16xf16>, tensor<f16>
}

func.func @twin(%a0: tensor<f32>, %a1: tensor<f32> {fuse.scalar}, %a2: tensor<3x1x2x16xf16>, %a3: tensor<3x1x50x16xf16>, %a4: tensor<3x1x50x16xf16>, %a5: tensor<3x1x1x1xi32>, %a6: tensor<?x100xf16> {fuse.dims = ["d0"]}, %a7: tensor<2xi32>, %a8: tensor<16xf16>, %a9: tensor<16xf16>) -> (tensor<3x1x2x1xf32>, tensor<1xf16>, tensor<3x1x2x16xf16>, tensor<f16>) {
  %w0 = fuse.matmul %a2, %a3 transpose_rhs : tensor<3x1x2x16xf16>, tensor<3x1x50x16xf16> -> tensor<3x1x2x50xf16>
  %w1 = fuse.cast %w0 : tensor<3x1x2x50xf16> -> tensor<3x1x2x50xf32>
  %w2 = fuse.reverse %w1 dims = [1] : tensor<3x1x2x50xf32>
  %w3 = fuse.reverse %w2 dims = [1] : tensor<3x1x2x50xf32>
  %w4 = fuse.iota dim = 3 : tensor<3x1x2x50xi32>
  %w5 = fuse.compare gt %a5, %w4 : tensor<3x1x1x1xi32>, tensor<3x1x2x50xi32> -> tensor<3x1x2x50xi1>
  %w6 = fuse.cast %w5 : tensor<3x1x2x50xi1> -> tensor<3x1x2x50xi32>
  %w7 = fuse.cast %w6 : tensor<3x1x2x50xi32> -> tensor<3x1x2x50xi1>
  %w8 = fuse.constant dense<0xFF800000> : tensor<f32>
  %w9 = fuse.select %w7, %w3, %w8 : tensor<3x1x2x50xi1>, tensor<3x1x2x50xf32>, tensor<f32> -> tensor<3x1x2x50xf32>
  %w10 = fuse.reduce max %w9 dims = [3] keep : tensor<3x1x2x50xf32> -> tensor<3x1x2x1xf32>
  %w11 = fuse.sub %w9, %w10 : tensor<3x1x2x50xf32>, tensor<3x1x2x1xf32> -> tensor<3x1x2x50xf32>
  %w12 = fuse.exp %w11 : tensor<3x1x2x50xf32>
  %w13 = fuse.reduce sum %w12 dims = [3] keep : tensor<3x1x2x50xf32> -> tensor<3x1x2x1xf32>
  %w14 = fuse.div %w12, %w13 : tensor<3x1x2x50xf32>, tensor<3x1x2x1xf32> -> tensor<3x1x2x50xf32>
  %w15 = fuse.logsumexp %w9 dims = [3] keep : tensor<3x1x2x50xf32> -> tensor<3x1x2x1xf32>
  %w16 = fuse.cast %w14 : tensor<3x1x2x50xf32> -> tensor<3x1x2x50xf16>
  %w17 = fuse.matmul %w16, %a4 : tensor<3x1x2x50xf16>, tensor<3x1x50x16xf16> -> tensor<3x1x2x16xf16>
  %w18 = fuse.reduce mean %a6 dims = [1] : tensor<?x100xf16> -> tensor<?xf16>
  %w19 = fuse.transpose %w18 permutation = [0] : tensor<?xf16> -> tensor<?xf16>
  %w20 = fuse.reduce max %w19 dims = [0] : tensor<?xf16> -> tensor<f16>
  %w21 = fuse.iota dim = 0 : tensor<2xi32>
  %w22 = fuse.segment_sum %w18, %w21 : tensor<?xf16>, tensor<2xi32> -> tensor<1xf16>
  %w23 = fuse.layer_norm %w17, %a8, %a9 eps = 1.0e-5 : tensor<3x1x2x16xf16>, tensor<16xf16>, tensor<16xf16>
  return %w15, %w22, %w23, %w20 : tensor<3x1x2x1xf32>, tensor<1xf16>, tensor<3x1x2x16xf16>, tensor<f16>
}
