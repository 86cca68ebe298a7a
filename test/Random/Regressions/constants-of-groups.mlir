// The model of a CPU's time asked a constant of rows with groups for its operand.
// RUN: fuse-crosscheck %s --check=fused
// --seed 35006367
// --dim d0=3
func.func @program(%a0: tensor<?x4x16xf32> {fuse.dims = ["d0"]}, %a1: tensor<i64>, %a2: tensor<3x6x1x16xbf16>, %a3: tensor<3x2x10x16xbf16>, %a4: tensor<3x2x10x16xbf16>, %a5: tensor<3x6x1x64xbf16>, %a6: tensor<3x6x10x64xbf16>, %a7: tensor<10x33xf32>) -> (tensor<3x6x1x16xbf16>, tensor<?x4x16xi64>, tensor<3x1x1xi32>, tensor<3x6x1x33xf32>) {
  %v0 = fuse.dropout %a0, %a1 p = 0.5 stream = 2 : tensor<?x4x16xf32>, tensor<i64>
  %v3 = fuse.cast %v0 : tensor<?x4x16xf32> -> tensor<?x4x16xi64>
  %v4 = tensor.expand_shape %a3 [[0], [1, 2], [3], [4]] output_shape [3, 2, 1, 10, 16] : tensor<3x2x10x16xbf16> into tensor<3x2x1x10x16xbf16>
  %v5 = fuse.broadcast %v4 : tensor<3x2x1x10x16xbf16> -> tensor<3x2x3x10x16xbf16>
  %v6 = tensor.collapse_shape %v5 [[0], [1, 2], [3], [4]] : tensor<3x2x3x10x16xbf16> into tensor<3x6x10x16xbf16>
  %v7 = tensor.expand_shape %a4 [[0], [1, 2], [3], [4]] output_shape [3, 2, 1, 10, 16] : tensor<3x2x10x16xbf16> into tensor<3x2x1x10x16xbf16>
  %v8 = fuse.broadcast %v7 : tensor<3x2x1x10x16xbf16> -> tensor<3x2x3x10x16xbf16>
  %v9 = tensor.collapse_shape %v8 [[0], [1, 2], [3], [4]] : tensor<3x2x3x10x16xbf16> into tensor<3x6x10x16xbf16>
  %v10 = fuse.matmul %a2, %v6 transpose_rhs : tensor<3x6x1x16xbf16>, tensor<3x6x10x16xbf16> -> tensor<3x6x1x10xbf16>
  %v11 = fuse.matmul %a5, %a6 transpose_rhs : tensor<3x6x1x64xbf16>, tensor<3x6x10x64xbf16> -> tensor<3x6x1x10xbf16>
  %v12 = fuse.constant dense<0.25> : tensor<f32>
  %v13 = fuse.cast %v10 : tensor<3x6x1x10xbf16> -> tensor<3x6x1x10xf32>
  %v14 = fuse.mul %v13, %v12 : tensor<3x6x1x10xf32>, tensor<f32> -> tensor<3x6x1x10xf32>
  %v15 = fuse.cast %v11 : tensor<3x6x1x10xbf16> -> tensor<3x6x1x10xf32>
  %v16 = fuse.mul %v15, %v12 : tensor<3x6x1x10xf32>, tensor<f32> -> tensor<3x6x1x10xf32>
  %v17 = fuse.add %v16, %v14 : tensor<3x6x1x10xf32>, tensor<3x6x1x10xf32> -> tensor<3x6x1x10xf32>
  %v18 = fuse.softmax %v17 dims = [3] : tensor<3x6x1x10xf32>
  %v19 = fuse.cast %v18 : tensor<3x6x1x10xf32> -> tensor<3x6x1x10xbf16>
  %v20 = fuse.matmul %v19, %v9 : tensor<3x6x1x10xbf16>, tensor<3x6x10x16xbf16> -> tensor<3x6x1x16xbf16>
  %v21 = fuse.reduce sum %v18 dims = [2, 3] keep : tensor<3x6x1x10xf32> -> tensor<3x6x1x1xf32>
  %v22 = fuse.reduce max %v17 dims = [3] keep : tensor<3x6x1x10xf32> -> tensor<3x6x1x1xf32>
  %v23 = fuse.mul %v17, %v22 : tensor<3x6x1x10xf32>, tensor<3x6x1x1xf32> -> tensor<3x6x1x10xf32>
  %v24 = fuse.matmul %v23, %a7 precision = tf32 : tensor<3x6x1x10xf32>, tensor<10x33xf32> -> tensor<3x6x1x33xf32>
  %v25 = fuse.min %v24, %v24 : tensor<3x6x1x33xf32>, tensor<3x6x1x33xf32> -> tensor<3x6x1x33xf32>
  %v26 = fuse.argmin %v21 dim = 1 : tensor<3x6x1x1xf32> -> tensor<3x1x1xi32>
  %v27 = fuse.mul %v25, %v24 : tensor<3x6x1x33xf32>, tensor<3x6x1x33xf32> -> tensor<3x6x1x33xf32>
  return %v20, %v3, %v26, %v27 : tensor<3x6x1x16xbf16>, tensor<?x4x16xi64>, tensor<3x1x1xi32>, tensor<3x6x1x33xf32>
}
