// Where an edge of rotary pairs cuts vectors, and a head has too many pairs for
// one thread, a thread has a vector and reads those around its partners.
// RUN: fuse run %s --target emu --entry half --dim t=3 --verify
// RUN: fuse run %s --target emu --entry odd --dim t=3 --verify
// RUN: fuse run %s --target emu --entry tables --dim t=3 --verify
// RUN: fuse run %s --target emu --entry whole --dim t=3 --verify
// RUN: fuse run %s --target emu --entry interleaved --dim t=3 --verify
// RUN: fuse run %s --target emu --entry normed --dim t=3 --verify
// RUN: fuse run %s --target cpu --entry half --dim t=3 --verify
// RUN: fuse inspect %s --entry half --chip sm_90 --emit=stats | FileCheck %s
// RUN: fuse inspect %s --entry odd --chip sm_90 --emit=stats | FileCheck %s
// RUN: fuse inspect %s --entry whole --chip sm_90 --emit=stats | FileCheck %s
// RUN: fuse inspect %s --entry interleaved --chip sm_90 --emit=stats | FileCheck %s
// RUN: fuse inspect %s --entry normed --chip sm_90 --emit=stats | FileCheck %s
// RUN: fuse inspect %s --entry half --chip sm_90 | FileCheck %s --check-prefix=WHY
// WHY: 8 elements at a time, {{.*}}; it reads the vectors of their partners, too
// CHECK:      loads {{.*}} v4.b32, at least {{64|128}} bits
// CHECK-NEXT: stores {{[0-9]+}} x v4.b32
func.func @half(%x: tensor<?x8x128xbf16> {fuse.dims = ["t"]}) -> tensor<?x8x128xbf16> {
  %y = fuse.rotary half tokens_heads %x base = 1.0e4 dims = 100 : tensor<?x8x128xbf16>
  return %y : tensor<?x8x128xbf16>
}
// The first vector with lanes of both sides has more of the first.
func.func @odd(%x: tensor<?x3x136xf16> {fuse.dims = ["t"]}) -> tensor<?x3x136xf16> {
  %y = fuse.rotary half tokens_heads %x base = 1.0e4 dims = 110 heads = 2 inverse : tensor<?x3x136xf16>
  return %y : tensor<?x3x136xf16>
}
func.func @tables(%x: tensor<?x2x128xbf16> {fuse.dims = ["t"]}, %c: tensor<16x50xf32>, %s: tensor<16x50xf32>,
                  %p: tensor<?xi32> {fuse.dims = ["t"]}) -> tensor<?x2x128xbf16> {
  %y = fuse.rotary half tokens_heads %x tables(%c, %s) positions(%p) dims = 100
      : tensor<?x2x128xbf16>, tensor<16x50xf32>, tensor<?xi32>
  return %y : tensor<?x2x128xbf16>
}
// The last vector's partners have no vector behind.
func.func @whole(%x: tensor<4x?x104xbf16> {fuse.dims = ["t"]}) -> tensor<4x?x104xbf16> {
  %n = fuse.rms_norm %x eps = 1.0e-5 : tensor<4x?x104xbf16>
  %y = fuse.rotary half heads_tokens %n base = 1.0e4 : tensor<4x?x104xbf16>
  return %y : tensor<4x?x104xbf16>
}
func.func @interleaved(%x: tensor<?x2x128xf16> {fuse.dims = ["t"]}) -> tensor<?x2x128xf16> {
  %y = fuse.rotary interleaved tokens_heads %x base = 1.0e4 dims = 102 : tensor<?x2x128xf16>
  return %y : tensor<?x2x128xf16>
}
func.func @normed(%x: tensor<?x2x128xbf16> {fuse.dims = ["t"]}, %w: tensor<128xbf16>) -> tensor<?x2x128xbf16> {
  %n = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x2x128xbf16>, tensor<128xbf16>
  %y = fuse.rotary half tokens_heads %n base = 1.0e4 dims = 100 : tensor<?x2x128xbf16>
  return %y : tensor<?x2x128xbf16>
}
