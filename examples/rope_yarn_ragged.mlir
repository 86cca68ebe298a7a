// Queries and keys of sequences of different lengths, one after the other, as a
// server batches them. Sequence s has the tokens from cu[s] up to cu[s + 1], and
// continues past[s] tokens that were there before. Angles as Qwen 2.5 has them for
// its long contexts (YaRN).
#yarn = #fuse.rope_yarn<factor = 4.0, original_max_position = 32768>
func.func @rope_yarn_ragged(
    %q: tensor<?x28x128xbf16>  {fuse.dims = ["tokens"]},
    %k: tensor<?x4x128xbf16>   {fuse.dims = ["tokens"]},
    %cu: tensor<?xi32>         {fuse.dims = ["ends"]},
    %past: tensor<?xi32>       {fuse.dims = ["sequences"]})
    -> (tensor<?x28x128xbf16>, tensor<?x4x128xbf16>) {
  %qr = fuse.rotary half tokens_heads %q sequences(%cu) offset(%past) base = 1.0e6
        scaling(#yarn) : tensor<?x28x128xbf16>, tensor<?xi32>, tensor<?xi32>
  %kr = fuse.rotary half tokens_heads %k sequences(%cu) offset(%past) base = 1.0e6
        scaling(#yarn) : tensor<?x4x128xbf16>, tensor<?xi32>, tensor<?xi32>
  return %qr, %kr : tensor<?x28x128xbf16>, tensor<?x4x128xbf16>
}
