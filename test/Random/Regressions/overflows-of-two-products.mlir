// Scores of two products that overflow to either side, which one product adds.
// RUN: fuse-crosscheck %s --check=fused --check=schedules
// --seed 24003375
// --fill wide
func.func @program(%a0: tensor<f64>, %a1: tensor<1x2x2x16xbf16>, %a2: tensor<1x2x600x16xbf16>, %a3: tensor<1x2x600x16xbf16>, %a4: tensor<1x2x2x8xbf16>, %a5: tensor<1x2x600x8xbf16>, %a6: tensor<16xbf16>, %a7: tensor<16xbf16>, %a8: tensor<9x40xbf16>, %a9: tensor<40x40xf8E4M3FN>) -> (tensor<9x40xbf16>, tensor<1x2x2x1xf32>, tensor<1x2x2x16xi1>, tensor<0x1x2x106xf32>) {
  %v0 = fuse.matmul %a1, %a2 transpose_rhs : tensor<1x2x2x16xbf16>, tensor<1x2x600x16xbf16> -> tensor<1x2x2x600xbf16>
  %v1 = fuse.matmul %a4, %a5 transpose_rhs : tensor<1x2x2x8xbf16>, tensor<1x2x600x8xbf16> -> tensor<1x2x2x600xbf16>
  %v2 = fuse.constant dense<0.25> : tensor<f32>
  %v3 = fuse.cast %v0 : tensor<1x2x2x600xbf16> -> tensor<1x2x2x600xf32>
  %v4 = fuse.mul %v3, %v2 : tensor<1x2x2x600xf32>, tensor<f32> -> tensor<1x2x2x600xf32>
  %v5 = fuse.cast %v1 : tensor<1x2x2x600xbf16> -> tensor<1x2x2x600xf32>
  %v6 = fuse.mul %v5, %v2 : tensor<1x2x2x600xf32>, tensor<f32> -> tensor<1x2x2x600xf32>
  %v7 = fuse.add %v4, %v6 : tensor<1x2x2x600xf32>, tensor<1x2x2x600xf32> -> tensor<1x2x2x600xf32>
  %v8 = fuse.softmax %v7 dims = [3] : tensor<1x2x2x600xf32>
  %v9 = fuse.logsumexp %v7 dims = [3] keep : tensor<1x2x2x600xf32> -> tensor<1x2x2x1xf32>
  %v10 = fuse.cast %v8 : tensor<1x2x2x600xf32> -> tensor<1x2x2x600xbf16>
  %v11 = fuse.matmul %v10, %a3 : tensor<1x2x2x600xbf16>, tensor<1x2x600x16xbf16> -> tensor<1x2x2x16xbf16>
  %v12 = fuse.softmax %v11 dims = [2, 3] : tensor<1x2x2x16xbf16>
  %v13 = fuse.slice %v8 offsets = [1, 1, 0, 494] sizes = [0, 1, -1, 106] steps = [3, 1, 1, 1] : tensor<1x2x2x600xf32> -> tensor<0x1x2x106xf32>
  %v14 = fuse.layer_norm %v12, %a6, %a7 eps = 1.0e-5 : tensor<1x2x2x16xbf16>, tensor<16xbf16>, tensor<16xbf16>
  %v15 = fuse.constant dense<2.0> : tensor<bf16>
  %v16 = fuse.compare ge %v14, %v15 : tensor<1x2x2x16xbf16>, tensor<bf16> -> tensor<1x2x2x16xi1>
  %v17 = fuse.constant dense<3.0> : tensor<f32>
  %v18 = fuse.div %v13, %v17 : tensor<0x1x2x106xf32>, tensor<f32> -> tensor<0x1x2x106xf32>
  %v19 = fuse.cast %a9 : tensor<40x40xf8E4M3FN> -> tensor<40x40xbf16>
  %v20 = fuse.matmul %a8, %v19 : tensor<9x40xbf16>, tensor<40x40xbf16> -> tensor<9x40xbf16>
  return %v20, %v9, %v16, %v18 : tensor<9x40xbf16>, tensor<1x2x2x1xf32>, tensor<1x2x2x16xi1>, tensor<0x1x2x106xf32>
}
