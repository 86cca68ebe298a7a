// Llama 3.1's rotary embedding of a packed QKV: 32 heads of queries, 8 of keys, 8
// of values, of which the first 40 are rotated. It is written where the input is,
// so that the values are not touched at all; angles and their scaling are computed
// in the kernel, once for four heads of a token.
func.func @rope_llama3_scaled_qkv(
    %qkv: tensor<?x48x128xbf16>   {fuse.dims = ["tokens"]},
    %positions: tensor<?xi32>     {fuse.dims = ["tokens"]})
    -> (tensor<?x48x128xbf16> {fuse.in_place = "qkv"}) {
  %y = fuse.rotary half tokens_heads %qkv positions(%positions) base = 5.0e5 heads = 40
       scaling(#fuse.rope_llama3<factor = 8.0, low_freq_factor = 1.0,
                                 high_freq_factor = 4.0, original_max_position = 8192>)
       : tensor<?x48x128xbf16>, tensor<?xi32>
  return %y : tensor<?x48x128xbf16>
}
