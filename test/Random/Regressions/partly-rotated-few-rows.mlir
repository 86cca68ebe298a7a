// Vectors of sums in shared memory were cut where the rotated part of a head ends.
// RUN: fuse run %s --target emu --chip sm_90a --dim d0=5 --verify
// RUN: fuse run %s --target emu --chip sm_80 --dim d0=5 --verify

func.func @program(%x: tensor<1x?x40xbf16> {fuse.dims = ["d0"]}, %w: tensor<40x24xbf16>, %u: tensor<40x64xbf16>, %offset: tensor<i32>, %cos: tensor<8x7xbf16>, %sin: tensor<8x7xbf16>) -> (tensor<1x?x24xbf16>, tensor<1x?x64xbf16>) {
  %v = fuse.matmul %x, %w : tensor<1x?x40xbf16>, tensor<40x24xbf16> -> tensor<1x?x24xbf16>
  %y = fuse.rotary interleaved tokens_heads %v tables(%cos, %sin) offset(%offset) dims = 14 : tensor<1x?x24xbf16>, tensor<8x7xbf16>, tensor<i32>
  %v2 = fuse.matmul %x, %u : tensor<1x?x40xbf16>, tensor<40x64xbf16> -> tensor<1x?x64xbf16>
  %z = fuse.rotary half tokens_heads %v2 base = 1.0e4 dims = 48 : tensor<1x?x64xbf16>
  return %y, %z : tensor<1x?x24xbf16>, tensor<1x?x64xbf16>
}
