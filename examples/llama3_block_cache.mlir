// A LLaMA-3 8B block in bf16 over a cache of keys and values, for prefill and for
// decoding: any number of sequences, of new tokens and of slots in the cache. On
// sm_90a: a norm, Q, K and V with RoPE and the append, attention over the cache,
// O, gate and up, down. Written by examples/python/llama_program.py, which has
// other sizes, several layers, and whole models.
func.func @llama_layers(
    %x: tensor<?x?x4096xbf16> {fuse.dims = ["batch", "tokens"]},
    %first: tensor<i32>,
    %slots: tensor<?xi32> {fuse.dims = ["tokens"]},
    %cos: tensor<?x64xf32> {fuse.dims = ["positions"]},
    %sin: tensor<?x64xf32> {fuse.dims = ["positions"]},
    %keys0: tensor<?x?x8x128xbf16> {fuse.dims = ["batch", "cache"]},
    %values0: tensor<?x?x8x128xbf16> {fuse.dims = ["batch", "cache"]},
    %input_layernorm_0: tensor<4096xbf16>,
    %self_attn_q_proj_0: tensor<4096x4096xbf16>,
    %self_attn_k_proj_0: tensor<1024x4096xbf16>,
    %self_attn_v_proj_0: tensor<1024x4096xbf16>,
    %self_attn_o_proj_0: tensor<4096x4096xbf16>,
    %post_attention_layernorm_0: tensor<4096xbf16>,
    %mlp_gate_proj_0: tensor<14336x4096xbf16>,
    %mlp_up_proj_0: tensor<14336x4096xbf16>,
    %mlp_down_proj_0: tensor<4096x14336xbf16>)
    -> (tensor<?x?x8x128xbf16> {fuse.in_place = "keys0"}, tensor<?x?x8x128xbf16> {fuse.in_place = "values0"}, tensor<?x?x4096xbf16>) {
  %axis0 = arith.constant 0 : index
  %batch = tensor.dim %x, %axis0 : tensor<?x?x4096xbf16>
  %axis1 = arith.constant 1 : index
  %tokens = tensor.dim %x, %axis1 : tensor<?x?x4096xbf16>
  %v16 = fuse.rms_norm %x, %input_layernorm_0 eps = 1.0e-05 : tensor<?x?x4096xbf16>, tensor<4096xbf16>
  %v17 = fuse.matmul %v16, %self_attn_q_proj_0 transpose_rhs : tensor<?x?x4096xbf16>, tensor<4096x4096xbf16> -> tensor<?x?x4096xbf16>
  %v18 = tensor.expand_shape %v17 [[0], [1], [2, 3]] output_shape [%batch, %tokens, 32, 128] : tensor<?x?x4096xbf16> into tensor<?x?x32x128xbf16>
  %v19 = fuse.rotary half tokens_heads %v18 tables(%cos, %sin) positions(%slots) : tensor<?x?x32x128xbf16>, tensor<?x64xf32>, tensor<?xi32>
  %v20 = fuse.matmul %v16, %self_attn_k_proj_0 transpose_rhs : tensor<?x?x4096xbf16>, tensor<1024x4096xbf16> -> tensor<?x?x1024xbf16>
  %v21 = tensor.expand_shape %v20 [[0], [1], [2, 3]] output_shape [%batch, %tokens, 8, 128] : tensor<?x?x1024xbf16> into tensor<?x?x8x128xbf16>
  %v22 = fuse.rotary half tokens_heads %v21 tables(%cos, %sin) positions(%slots) : tensor<?x?x8x128xbf16>, tensor<?x64xf32>, tensor<?xi32>
  %v23 = fuse.matmul %v16, %self_attn_v_proj_0 transpose_rhs : tensor<?x?x4096xbf16>, tensor<1024x4096xbf16> -> tensor<?x?x1024xbf16>
  %v24 = tensor.expand_shape %v23 [[0], [1], [2, 3]] output_shape [%batch, %tokens, 8, 128] : tensor<?x?x1024xbf16> into tensor<?x?x8x128xbf16>
  %v25 = fuse.scatter %keys0, %slots, %v22 dim = 1 : tensor<?x?x8x128xbf16>, tensor<?xi32>, tensor<?x?x8x128xbf16> -> tensor<?x?x8x128xbf16>
  %v26 = fuse.scatter %values0, %slots, %v24 dim = 1 : tensor<?x?x8x128xbf16>, tensor<?xi32>, tensor<?x?x8x128xbf16> -> tensor<?x?x8x128xbf16>
  %v27 = tensor.expand_shape %v19 [[0], [1], [2, 3], [4]] output_shape [%batch, %tokens, 8, 4, 128] : tensor<?x?x32x128xbf16> into tensor<?x?x8x4x128xbf16>
  %v28 = fuse.contract "bthgd,bshd->bhgts" %v27, %v25 : tensor<?x?x8x4x128xbf16>, tensor<?x?x8x128xbf16> -> tensor<?x8x4x?x?xbf16>
  %v29 = fuse.cast %v28 : tensor<?x8x4x?x?xbf16> -> tensor<?x8x4x?x?xf32>
  %v30 = fuse.constant dense<0.08838834764831845> : tensor<f32>
  %v31 = fuse.mul %v29, %v30 : tensor<?x8x4x?x?xf32>, tensor<f32> -> tensor<?x8x4x?x?xf32>
  %v32 = fuse.iota dim = 4 like %v31 : tensor<?x8x4x?x?xf32> -> tensor<?x8x4x?x?xi32>
  %v33 = fuse.iota dim = 3 like %v31 : tensor<?x8x4x?x?xf32> -> tensor<?x8x4x?x?xi32>
  %v34 = fuse.add %v33, %first : tensor<?x8x4x?x?xi32>, tensor<i32> -> tensor<?x8x4x?x?xi32>
  %v35 = fuse.compare le %v32, %v34 : tensor<?x8x4x?x?xi32>
  %v36 = fuse.constant dense<0xFF800000> : tensor<f32>
  %v37 = fuse.select %v35, %v31, %v36 : tensor<?x8x4x?x?xi1>, tensor<?x8x4x?x?xf32>, tensor<f32> -> tensor<?x8x4x?x?xf32>
  %v38 = fuse.softmax %v37 dims = [4] : tensor<?x8x4x?x?xf32>
  %v39 = fuse.cast %v38 : tensor<?x8x4x?x?xf32> -> tensor<?x8x4x?x?xbf16>
  %v40 = fuse.contract "bhgts,bshd->bthgd" %v39, %v26 : tensor<?x8x4x?x?xbf16>, tensor<?x?x8x128xbf16> -> tensor<?x?x8x4x128xbf16>
  %v41 = tensor.collapse_shape %v40 [[0], [1], [2, 3, 4]] : tensor<?x?x8x4x128xbf16> into tensor<?x?x4096xbf16>
  %v42 = fuse.matmul %v41, %self_attn_o_proj_0 transpose_rhs : tensor<?x?x4096xbf16>, tensor<4096x4096xbf16> -> tensor<?x?x4096xbf16>
  %v43 = fuse.add %x, %v42 : tensor<?x?x4096xbf16>
  %v44 = fuse.rms_norm %v43, %post_attention_layernorm_0 eps = 1.0e-05 : tensor<?x?x4096xbf16>, tensor<4096xbf16>
  %v45 = fuse.matmul %v44, %mlp_gate_proj_0 transpose_rhs : tensor<?x?x4096xbf16>, tensor<14336x4096xbf16> -> tensor<?x?x14336xbf16>
  %v46 = fuse.matmul %v44, %mlp_up_proj_0 transpose_rhs : tensor<?x?x4096xbf16>, tensor<14336x4096xbf16> -> tensor<?x?x14336xbf16>
  %v47 = fuse.swiglu %v45, %v46 : tensor<?x?x14336xbf16>
  %v48 = fuse.matmul %v47, %mlp_down_proj_0 transpose_rhs : tensor<?x?x14336xbf16>, tensor<4096x14336xbf16> -> tensor<?x?x4096xbf16>
  %v49 = fuse.add %v43, %v48 : tensor<?x?x4096xbf16>
  return %v25, %v26, %v49 : tensor<?x?x8x128xbf16>, tensor<?x?x8x128xbf16>, tensor<?x?x4096xbf16>
}
