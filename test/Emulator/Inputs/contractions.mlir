// Contractions on tensor cores, whose two blocks have several tiles each.
func.func @linear(%x: tensor<?x?xbf16> {fuse.dims = ["m", "k"]}, %w: tensor<264x?xbf16> {fuse.dims = ["k"]}) -> tensor<?x264xbf16> {
  %y = fuse.kernel "linear" ins(%x, %w : tensor<?x?xbf16>, tensor<264x?xbf16>) -> tensor<?x264xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = tma, persistent = 2> {
  ^bb0(%a: tensor<?x?xbf16>, %b: tensor<264x?xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x?xbf16>, tensor<264x?xbf16> -> tensor<?x264xbf16>
    fuse.yield %p : tensor<?x264xbf16>
  }
  return %y : tensor<?x264xbf16>
}

// Neither operand has K contiguous, and the left one is shared by a batch.
func.func @gradient(%x: tensor<?x136xf16> {fuse.dims = ["k"]}, %w: tensor<3x?x200xf16> {fuse.dims = ["k"]}) -> tensor<3x136x200xf16> {
  %y = fuse.kernel "gradient" ins(%x, %w : tensor<?x136xf16>, tensor<3x?x200xf16>) -> tensor<3x136x200xf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = direct, persistent = 2> {
  ^bb0(%a: tensor<?x136xf16>, %b: tensor<3x?x200xf16>):
    %p = fuse.contract "km,bkn->bmn" %a, %b : tensor<?x136xf16>, tensor<3x?x200xf16> -> tensor<3x136x200xf16>
    fuse.yield %p : tensor<3x136x200xf16>
  }
  return %y : tensor<3x136x200xf16>
}

// What stands after a product, and rows of the result that TMA can't store.
func.func @odd(%x: tensor<?x192xbf16> {fuse.dims = ["m"]}, %w: tensor<261x192xbf16>, %b: tensor<261xbf16>, %r: tensor<?x261xbf16> {fuse.dims = ["m"]}) -> tensor<?x261xbf16> {
  %y = fuse.matmul %x, %w transpose_rhs : tensor<?x192xbf16>, tensor<261x192xbf16> -> tensor<?x261xbf16>
  %z = fuse.add %y, %b : tensor<?x261xbf16>, tensor<261xbf16> -> tensor<?x261xbf16>
  %g = fuse.gelu tanh %z : tensor<?x261xbf16>
  %q = fuse.add %g, %r : tensor<?x261xbf16>
  return %q : tensor<?x261xbf16>
}

// A width that leaves part of a row of shared memory, and the most sums a thread has.
func.func @wide(%x: tensor<?x136xbf16> {fuse.dims = ["m"]}, %w: tensor<344x136xbf16>, %r: tensor<?x344xbf16> {fuse.dims = ["m"]}) -> tensor<?x344xbf16> {
  %y = fuse.kernel "wide" ins(%x, %w, %r : tensor<?x136xbf16>, tensor<344x136xbf16>, tensor<?x344xbf16>) -> tensor<?x344xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 256, tile_n = 144, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = tma, persistent = 2> {
  ^bb0(%a: tensor<?x136xbf16>, %b: tensor<344x136xbf16>, %c: tensor<?x344xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x136xbf16>, tensor<344x136xbf16> -> tensor<?x344xbf16>
    %s = fuse.add %p, %c : tensor<?x344xbf16>
    fuse.yield %s : tensor<?x344xbf16>
  }
  return %y : tensor<?x344xbf16>
}
