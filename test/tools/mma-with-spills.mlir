// REQUIRES: ptxas
// RUN: fuse inspect %s --chip sm_90a | FileCheck %s

// A cosine's slow path takes more registers than the consumers have. Without the bound
// on blocks nothing would spill, but then no registers could be handed on.
// CHECK: schedule #fuse.mma<isa = wgmma, tile_m = 192
module {
  func.func @program(%x: tensor<16x64xbf16>, %w: tensor<72x64xbf16>) -> tensor<16x72xbf16> {
    %0 = fuse.kernel "program" ins(%x, %w : tensor<16x64xbf16>, tensor<72x64xbf16>) -> tensor<16x72xbf16> schedule = #fuse.mma<isa = wgmma, tile_m = 192, tile_n = 64, tile_k = 64, stages = 6, consumers = 1, raster = 8, store = tma, persistent = 132> {
    ^bb0(%a: tensor<16x64xbf16>, %b: tensor<72x64xbf16>):
      %1 = fuse.contract "mk,nk->mn" %a, %b : tensor<16x64xbf16>, tensor<72x64xbf16> -> tensor<16x72xbf16>
      %2 = fuse.cos %1 : tensor<16x72xbf16>
      fuse.yield %2 : tensor<16x72xbf16>
    }
    return %0 : tensor<16x72xbf16>
  }
}
