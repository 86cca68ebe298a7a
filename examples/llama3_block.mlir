// A LLaMA-3 block, f32, all heads: RMSNorm, projections, rotary embedding, causal
// attention, output projection and residual, RMSNorm, SwiGLU MLP and residual.
func.func @llama3_block(
    %x: tensor<2x?x512xf32> {fuse.dims = ["tokens"]},
    %norm1: tensor<512xf32>,
    %norm2: tensor<512xf32>,
    %wq: tensor<512x512xf32> {fuse.stddev = 0.044},
    %wk: tensor<512x512xf32> {fuse.stddev = 0.044},
    %wv: tensor<512x512xf32> {fuse.stddev = 0.044},
    %wo: tensor<512x512xf32> {fuse.stddev = 0.044},
    %wgate: tensor<2048x512xf32> {fuse.stddev = 0.044},
    %wup: tensor<2048x512xf32> {fuse.stddev = 0.044},
    %wdown: tensor<512x2048xf32> {fuse.stddev = 0.022}) -> tensor<2x?x512xf32> {
  %c1 = arith.constant 1 : index
  %tokens = tensor.dim %x, %c1 : tensor<2x?x512xf32>

  %n1 = fuse.rms_norm %x, %norm1 eps = 1.0e-5 : tensor<2x?x512xf32>, tensor<512xf32>
  %q = fuse.matmul %n1, %wq transpose_rhs : tensor<2x?x512xf32>, tensor<512x512xf32> -> tensor<2x?x512xf32>
  %k = fuse.matmul %n1, %wk transpose_rhs : tensor<2x?x512xf32>, tensor<512x512xf32> -> tensor<2x?x512xf32>
  %v = fuse.matmul %n1, %wv transpose_rhs : tensor<2x?x512xf32>, tensor<512x512xf32> -> tensor<2x?x512xf32>
  %qh = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, %tokens, 8, 64]
        : tensor<2x?x512xf32> into tensor<2x?x8x64xf32>
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, %tokens, 8, 64]
        : tensor<2x?x512xf32> into tensor<2x?x8x64xf32>
  %vh = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [2, %tokens, 8, 64]
        : tensor<2x?x512xf32> into tensor<2x?x8x64xf32>
  %qr = fuse.rotary half tokens_heads %qh base = 5.0e5 : tensor<2x?x8x64xf32>
  %kr = fuse.rotary half tokens_heads %kh base = 5.0e5 : tensor<2x?x8x64xf32>
  %a = fuse.attention tokens_heads causal %qr, %kr, %vh
       : tensor<2x?x8x64xf32>, tensor<2x?x8x64xf32>, tensor<2x?x8x64xf32>
  %af = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x?x8x64xf32> into tensor<2x?x512xf32>
  %o = fuse.matmul %af, %wo transpose_rhs : tensor<2x?x512xf32>, tensor<512x512xf32> -> tensor<2x?x512xf32>
  %h = fuse.add %x, %o : tensor<2x?x512xf32>

  %n2 = fuse.rms_norm %h, %norm2 eps = 1.0e-5 : tensor<2x?x512xf32>, tensor<512xf32>
  %gate = fuse.matmul %n2, %wgate transpose_rhs : tensor<2x?x512xf32>, tensor<2048x512xf32> -> tensor<2x?x2048xf32>
  %up = fuse.matmul %n2, %wup transpose_rhs : tensor<2x?x512xf32>, tensor<2048x512xf32> -> tensor<2x?x2048xf32>
  %m = fuse.swiglu %gate, %up : tensor<2x?x2048xf32>
  %down = fuse.matmul %m, %wdown transpose_rhs : tensor<2x?x2048xf32>, tensor<512x2048xf32> -> tensor<2x?x512xf32>
  %y = fuse.add %h, %down : tensor<2x?x512xf32>
  return %y : tensor<2x?x512xf32>
}
