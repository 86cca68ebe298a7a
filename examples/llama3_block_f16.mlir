// A LLaMA-3 block, f16, all heads: RMSNorm, projections, rotary embedding, causal
// attention, output projection and residual, RMSNorm, SwiGLU MLP and residual.
func.func @llama3_block_f16(
    %x: tensor<2x?x512xf16> {fuse.dims = ["tokens"]},
    %norm1: tensor<512xf16>,
    %norm2: tensor<512xf16>,
    %wq: tensor<512x512xf16> {fuse.stddev = 0.044},
    %wk: tensor<512x512xf16> {fuse.stddev = 0.044},
    %wv: tensor<512x512xf16> {fuse.stddev = 0.044},
    %wo: tensor<512x512xf16> {fuse.stddev = 0.044},
    %wgate: tensor<2048x512xf16> {fuse.stddev = 0.044},
    %wup: tensor<2048x512xf16> {fuse.stddev = 0.044},
    %wdown: tensor<512x2048xf16> {fuse.stddev = 0.022}) -> tensor<2x?x512xf16> {
  %c1 = arith.constant 1 : index
  %tokens = tensor.dim %x, %c1 : tensor<2x?x512xf16>

  %n1 = fuse.rms_norm %x, %norm1 eps = 1.0e-5 : tensor<2x?x512xf16>, tensor<512xf16>
  %q = fuse.matmul %n1, %wq transpose_rhs : tensor<2x?x512xf16>, tensor<512x512xf16> -> tensor<2x?x512xf16>
  %k = fuse.matmul %n1, %wk transpose_rhs : tensor<2x?x512xf16>, tensor<512x512xf16> -> tensor<2x?x512xf16>
  %v = fuse.matmul %n1, %wv transpose_rhs : tensor<2x?x512xf16>, tensor<512x512xf16> -> tensor<2x?x512xf16>
  %qh = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, %tokens, 8, 64]
        : tensor<2x?x512xf16> into tensor<2x?x8x64xf16>
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, %tokens, 8, 64]
        : tensor<2x?x512xf16> into tensor<2x?x8x64xf16>
  %vh = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [2, %tokens, 8, 64]
        : tensor<2x?x512xf16> into tensor<2x?x8x64xf16>
  %qr = fuse.rotary half tokens_heads %qh base = 5.0e5 : tensor<2x?x8x64xf16>
  %kr = fuse.rotary half tokens_heads %kh base = 5.0e5 : tensor<2x?x8x64xf16>
  %a = fuse.attention tokens_heads causal %qr, %kr, %vh
       : tensor<2x?x8x64xf16>, tensor<2x?x8x64xf16>, tensor<2x?x8x64xf16>
  %af = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x?x8x64xf16> into tensor<2x?x512xf16>
  %o = fuse.matmul %af, %wo transpose_rhs : tensor<2x?x512xf16>, tensor<512x512xf16> -> tensor<2x?x512xf16>
  %h = fuse.add %x, %o : tensor<2x?x512xf16>

  %n2 = fuse.rms_norm %h, %norm2 eps = 1.0e-5 : tensor<2x?x512xf16>, tensor<512xf16>
  %gate = fuse.matmul %n2, %wgate transpose_rhs : tensor<2x?x512xf16>, tensor<2048x512xf16> -> tensor<2x?x2048xf16>
  %up = fuse.matmul %n2, %wup transpose_rhs : tensor<2x?x512xf16>, tensor<2048x512xf16> -> tensor<2x?x2048xf16>
  %m = fuse.swiglu %gate, %up : tensor<2x?x2048xf16>
  %down = fuse.matmul %m, %wdown transpose_rhs : tensor<2x?x2048xf16>, tensor<512x2048xf16> -> tensor<2x?x512xf16>
  %y = fuse.add %h, %down : tensor<2x?x512xf16>
  return %y : tensor<2x?x512xf16>
}
