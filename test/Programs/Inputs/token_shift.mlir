// RWKV: a token mixed with the one before it, three times.
func.func @token_shift(%x: tensor<?x256xbf16> {fuse.dims = ["t"]}, %w: tensor<256xbf16>, %b: tensor<256xbf16>, %last: tensor<1x256xbf16>, %mk: tensor<256xbf16>, %mv: tensor<256xbf16>, %mr: tensor<256xbf16>) -> (tensor<?x256xbf16>, tensor<?x256xbf16>, tensor<?x256xbf16>) {
  %1 = fuse.slice %x offsets = [0, 0] sizes = [-2, 256] steps = [1, 1] : tensor<?x256xbf16> -> tensor<?x256xbf16>
  %2 = fuse.concat %last, %1 dim = 0 : tensor<1x256xbf16>, tensor<?x256xbf16> -> tensor<?x256xbf16>
  %3 = fuse.sub %2, %x : tensor<?x256xbf16>, tensor<?x256xbf16> -> tensor<?x256xbf16>
  %4 = fuse.mul %3, %mk : tensor<?x256xbf16>, tensor<256xbf16> -> tensor<?x256xbf16>
  %5 = fuse.add %x, %4 : tensor<?x256xbf16>, tensor<?x256xbf16> -> tensor<?x256xbf16>
  %6 = fuse.mul %3, %mv : tensor<?x256xbf16>, tensor<256xbf16> -> tensor<?x256xbf16>
  %7 = fuse.add %x, %6 : tensor<?x256xbf16>, tensor<?x256xbf16> -> tensor<?x256xbf16>
  %8 = fuse.mul %3, %mr : tensor<?x256xbf16>, tensor<256xbf16> -> tensor<?x256xbf16>
  %9 = fuse.add %x, %8 : tensor<?x256xbf16>, tensor<?x256xbf16> -> tensor<?x256xbf16>
  return %5, %7, %9 : tensor<?x256xbf16>, tensor<?x256xbf16>, tensor<?x256xbf16>
}
