// REQUIRES: ptxas
// RUN: fuse inspect %s --chip sm_90a --entry one | FileCheck %s
// RUN: fuse inspect %s --chip sm_90a --entry both | FileCheck %s

// Sums of 256 columns leave a consumer no registers for buffers of results where sizes
// are those of the call: ptxas would wait for each product.
// CHECK: schedule #fuse.streamed<isa = wgmma, {{.*}}store = direct{{.*}}in_turn = true
func.func @one(%q: tensor<4x8x512x320xbf16>, %k: tensor<4x2x?x320xbf16> {fuse.dims = ["k"]}, %v: tensor<4x2x?x256xbf16> {fuse.dims = ["k"]}) -> tensor<4x8x512x256xbf16> {
  %r = fuse.attention heads_tokens %q, %k, %v : tensor<4x8x512x320xbf16>, tensor<4x2x?x320xbf16>, tensor<4x2x?x256xbf16>
  return %r : tensor<4x8x512x256xbf16>
}
func.func @both(%q: tensor<?x8x?x512xf16> {fuse.dims = ["b", "q"]}, %k: tensor<?x2x?x512xf16> {fuse.dims = ["b", "k"]}, %v: tensor<?x2x?x512xf16> {fuse.dims = ["b", "k"]}) -> tensor<?x8x?x512xf16> {
  %r = fuse.attention heads_tokens causal %q, %k, %v : tensor<?x8x?x512xf16>, tensor<?x2x?x512xf16>, tensor<?x2x?x512xf16>
  return %r : tensor<?x8x?x512xf16>
}
