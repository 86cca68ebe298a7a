// Queries that are scaled, and turned by hand, on their way to attention.
func.func @scaled(%q: tensor<2x8x70x64xbf16>, %k: tensor<2x8x70x64xbf16>,
                  %v: tensor<2x8x70x64xbf16>) -> tensor<2x8x70x64xbf16> {
  %two = fuse.constant dense<2.0> : tensor<bf16>
  %more = fuse.mul %q, %two : tensor<2x8x70x64xbf16>, tensor<bf16> -> tensor<2x8x70x64xbf16>
  %o = fuse.attention heads_tokens causal %more, %k, %v
       : tensor<2x8x70x64xbf16>, tensor<2x8x70x64xbf16>, tensor<2x8x70x64xbf16>
  return %o : tensor<2x8x70x64xbf16>
}

func.func @turned(%q: tensor<1x8x70x64xbf16>, %cos: tensor<70x64xbf16>, %sin: tensor<70x64xbf16>,
                  %k: tensor<1x2x70x64xbf16>, %v: tensor<1x2x70x64xbf16>) -> tensor<1x8x70x64xbf16> {
  %a = fuse.slice %q offsets = [0, 0, 0, 0] sizes = [1, 8, 70, 32] : tensor<1x8x70x64xbf16> -> tensor<1x8x70x32xbf16>
  %b = fuse.slice %q offsets = [0, 0, 0, 32] sizes = [1, 8, 70, 32] : tensor<1x8x70x64xbf16> -> tensor<1x8x70x32xbf16>
  %n = fuse.neg %b : tensor<1x8x70x32xbf16>
  %r = fuse.concat %n, %a dim = 3 : tensor<1x8x70x32xbf16>, tensor<1x8x70x32xbf16> -> tensor<1x8x70x64xbf16>
  %qc = fuse.mul %q, %cos : tensor<1x8x70x64xbf16>, tensor<70x64xbf16> -> tensor<1x8x70x64xbf16>
  %rs = fuse.mul %r, %sin : tensor<1x8x70x64xbf16>, tensor<70x64xbf16> -> tensor<1x8x70x64xbf16>
  %qr = fuse.add %qc, %rs : tensor<1x8x70x64xbf16>
  %o = fuse.attention heads_tokens causal %qr, %k, %v
       : tensor<1x8x70x64xbf16>, tensor<1x2x70x64xbf16>, tensor<1x2x70x64xbf16>
  return %o : tensor<1x8x70x64xbf16>
}
