// A sum of exponentials is cast, and multiplies them: what is summed then had their
// factor twice.
// RUN: fuse-crosscheck %s

func.func @program(%a0: tensor<3x2x64xf32>, %a1: tensor<3x64x64xf32>, %a2: tensor<3x64x64xf32>) -> (tensor<3x2x64xf32>, tensor<f32>) {
  %w0 = fuse.matmul %a0, %a1 transpose_rhs precision = tf32 : tensor<3x2x64xf32>, tensor<3x64x64xf32> -> tensor<3x2x64xf32>
  %w1 = fuse.constant dense<0.125> : tensor<f32>
  %w2 = fuse.mul %w0, %w1 : tensor<3x2x64xf32>, tensor<f32> -> tensor<3x2x64xf32>
  %w3 = fuse.constant dense<0xFF800000> : tensor<f32>
  %w4 = fuse.exp %w2 : tensor<3x2x64xf32>
  %w5 = fuse.reduce sum %w4 dims = [2] keep : tensor<3x2x64xf32> -> tensor<3x2x1xf32>
  %w6 = fuse.cast %w5 : tensor<3x2x1xf32> -> tensor<3x2x1xf64>
  %w7 = fuse.cast %w6 : tensor<3x2x1xf64> -> tensor<3x2x1xf32>
  %w8 = fuse.mul %w7, %w4 : tensor<3x2x1xf32>, tensor<3x2x64xf32> -> tensor<3x2x64xf32>
  %w9 = fuse.transpose %w8 permutation = [1, 2, 0] : tensor<3x2x64xf32> -> tensor<2x64x3xf32>
  %w10 = fuse.transpose %w9 permutation = [2, 0, 1] : tensor<2x64x3xf32> -> tensor<3x2x64xf32>
  %w11 = fuse.reduce sum %w10 dims = [2] keep : tensor<3x2x64xf32> -> tensor<3x2x1xf32>
  %w12 = fuse.constant dense<1.0> : tensor<f32>
  %w13 = fuse.add %w11, %w12 : tensor<3x2x1xf32>, tensor<f32> -> tensor<3x2x1xf32>
  %w14 = fuse.div %w4, %w13 : tensor<3x2x64xf32>, tensor<3x2x1xf32> -> tensor<3x2x64xf32>
  %w15 = fuse.matmul %w14, %a2 precision = tf32 : tensor<3x2x64xf32>, tensor<3x64x64xf32> -> tensor<3x2x64xf32>
  %w16 = fuse.reverse %w15 dims = [1] : tensor<3x2x64xf32>
  %w17 = fuse.reverse %w16 dims = [1] : tensor<3x2x64xf32>
  return %w17, %w3 : tensor<3x2x64xf32>, tensor<f32>
}
