// Rotary embedding, pairs (i, i + 64), the angles computed in the kernel: no
// table is read, and position 2^20 is as exact as position 1.
func.func @rope_neox_computed(
    %x: tensor<8x?x128xf32> {fuse.dims = ["tokens"]}) -> tensor<8x?x128xf32> {
  %y = fuse.rotary half heads_tokens %x base = 1.0e4 : tensor<8x?x128xf32>
  return %y : tensor<8x?x128xf32>
}
