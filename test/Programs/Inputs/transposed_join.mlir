// Keys as columns behind those of a cache, and the other way around.
func.func @transposed_join(%cache: tensor<64x256xbf16>, %k: tensor<128x64xbf16>) -> (tensor<64x384xbf16>, tensor<64x384xbf16>) {
  %t = fuse.transpose %k permutation = [1, 0] : tensor<128x64xbf16> -> tensor<64x128xbf16>
  %a = fuse.concat %cache, %t dim = 1 : tensor<64x256xbf16>, tensor<64x128xbf16> -> tensor<64x384xbf16>
  %b = fuse.concat %t, %cache dim = 1 : tensor<64x128xbf16>, tensor<64x256xbf16> -> tensor<64x384xbf16>
  return %a, %b : tensor<64x384xbf16>, tensor<64x384xbf16>
}
