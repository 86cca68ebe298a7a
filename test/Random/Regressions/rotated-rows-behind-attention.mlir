// Heads that were rows of attention were asked for once a warp, by the first one's.
// RUN: fuse run %s --target emu --chip sm_90a --verify

func.func @program(%a1: tensor<1x2x5x64xf16>, %a2: tensor<1x13xi64>, %a3: tensor<1x2x5x64xf16>, %a4: tensor<5x2x5x64xf16>, %a5: tensor<1x1x1x1xi32>) -> tensor<1x2x5x64xf16> {
  %v0 = fuse.gather %a3, %a2 dim = 0 : tensor<1x2x5x64xf16>, tensor<1x13xi64> -> tensor<1x13x2x5x64xf16>
  %v1 = fuse.transpose %v0 permutation = [0, 2, 1, 3, 4] : tensor<1x13x2x5x64xf16> -> tensor<1x2x13x5x64xf16>
  %v2 = tensor.collapse_shape %v1 [[0], [1], [2, 3], [4]] : tensor<1x2x13x5x64xf16> into tensor<1x2x65x64xf16>
  %v3 = fuse.gather %a4, %a2 dim = 0 : tensor<5x2x5x64xf16>, tensor<1x13xi64> -> tensor<1x13x2x5x64xf16>
  %v4 = fuse.transpose %v3 permutation = [0, 2, 1, 3, 4] : tensor<1x13x2x5x64xf16> -> tensor<1x2x13x5x64xf16>
  %v5 = tensor.collapse_shape %v4 [[0], [1], [2, 3], [4]] : tensor<1x2x13x5x64xf16> into tensor<1x2x65x64xf16>
  %v6 = fuse.matmul %a1, %v2 transpose_rhs : tensor<1x2x5x64xf16>, tensor<1x2x65x64xf16> -> tensor<1x2x5x65xf16>
  %v7 = fuse.cast %v6 : tensor<1x2x5x65xf16> -> tensor<1x2x5x65xf32>
  %v8 = fuse.iota dim = 3 : tensor<1x2x5x65xi32>
  %v9 = fuse.compare lt %v8, %a5 : tensor<1x2x5x65xi32>, tensor<1x1x1x1xi32> -> tensor<1x2x5x65xi1>
  %v10 = fuse.constant dense<0xFF800000> : tensor<f32>
  %v11 = fuse.select %v9, %v7, %v10 : tensor<1x2x5x65xi1>, tensor<1x2x5x65xf32>, tensor<f32> -> tensor<1x2x5x65xf32>
  %v12 = fuse.softmax %v11 dims = [3] : tensor<1x2x5x65xf32>
  %v14 = fuse.cast %v12 : tensor<1x2x5x65xf32> -> tensor<1x2x5x65xf16>
  %v15 = fuse.matmul %v14, %v5 : tensor<1x2x5x65xf16>, tensor<1x2x65x64xf16> -> tensor<1x2x5x64xf16>
  %v28 = fuse.rotary interleaved tokens_heads %v15 base = 1.5 heads = 3 scaling(#fuse.rope_longrope<factor = 4.0, original_max_position = 2, short_factors = [32.0, 0.25, 32.0, 1.0, 0.25, 1.0, 1.5, 1.5, 0.25, 32.0, 1.5, 0.25, 1.5, 1.5, 1.0, 1.5, 1.0, 1.5, 1.5, 0.25, 1.5, 32.0, 0.25, 1.0, 4.0, 4.0, 0.25, 4.0, 1.5, 1.5, 32.0, 32.0]>) inverse : tensor<1x2x5x64xf16>
  return %v28 : tensor<1x2x5x64xf16>
}
