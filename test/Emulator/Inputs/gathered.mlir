// Contractions whose sums go through shared memory. Every cluster has several tiles.

// Three blocks share a tile, pairs of columns stay together.
func.func @split(%x: tensor<?x?xbf16> {fuse.dims = ["m", "k"]}, %w: tensor<136x?xbf16> {fuse.dims = ["k"]}, %b: tensor<136xbf16>, %r: tensor<?x136xbf16> {fuse.dims = ["m"]}) -> tensor<?x136xbf16> {
  %y = fuse.kernel "split" ins(%x, %w, %b, %r : tensor<?x?xbf16>, tensor<136x?xbf16>, tensor<136xbf16>, tensor<?x136xbf16>) -> tensor<?x136xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 64, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = direct, persistent = 6, split_k = 3> {
  ^bb0(%a: tensor<?x?xbf16>, %c: tensor<136x?xbf16>, %d: tensor<136xbf16>, %e: tensor<?x136xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %c : tensor<?x?xbf16>, tensor<136x?xbf16> -> tensor<?x136xbf16>
    %s = fuse.add %p, %d : tensor<?x136xbf16>, tensor<136xbf16> -> tensor<?x136xbf16>
    %t = fuse.tanh %s : tensor<?x136xbf16>
    %u = fuse.add %t, %e : tensor<?x136xbf16>
    fuse.yield %u : tensor<?x136xbf16>
  }
  return %y : tensor<?x136xbf16>
}

// Few rows on the narrow side, results of 4 bytes, columns that no vector divides.
func.func @swapped(%x: tensor<?x192xf16> {fuse.dims = ["m"]}, %w: tensor<261x192xf16>) -> tensor<?x261xf32> {
  %y = fuse.kernel "swapped" ins(%x, %w : tensor<?x192xf16>, tensor<261x192xf16>) -> tensor<?x261xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 16, tile_k = 64, stages = 4, consumers = 2, raster = 1, store = direct, persistent = 2, swap = true> {
  ^bb0(%a: tensor<?x192xf16>, %b: tensor<261x192xf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x192xf16>, tensor<261x192xf16> -> tensor<?x261xf16>
    %q = fuse.cast %p : tensor<?x261xf16> -> tensor<?x261xf32>
    fuse.yield %q : tensor<?x261xf32>
  }
  return %y : tensor<?x261xf32>
}

// Both, with W along n, rows of two axes, a consumer for all, and two results.
func.func @both(%x: tensor<2x?x?xbf16> {fuse.dims = ["s", "k"]}, %w: tensor<?x200xbf16> {fuse.dims = ["k"]}) -> (tensor<2x?x200xbf16>, tensor<2x?x200xf32>) {
  %y, %z = fuse.kernel "both" ins(%x, %w : tensor<2x?x?xbf16>, tensor<?x200xbf16>) -> tensor<2x?x200xbf16>, tensor<2x?x200xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 24, tile_k = 128, stages = 2, consumers = 1, raster = 1, store = direct, persistent = 4, split_k = 2, swap = true> {
  ^bb0(%a: tensor<2x?x?xbf16>, %b: tensor<?x200xbf16>):
    %p = fuse.contract "bsk,kn->bsn" %a, %b : tensor<2x?x?xbf16>, tensor<?x200xbf16> -> tensor<2x?x200xbf16>
    %q = fuse.cast %p : tensor<2x?x200xbf16> -> tensor<2x?x200xf32>
    fuse.yield %p, %q : tensor<2x?x200xbf16>, tensor<2x?x200xf32>
  }
  return %y, %z : tensor<2x?x200xbf16>, tensor<2x?x200xf32>
}

// A loop over vectors, a batch, and operands across the summed axis.
func.func @batch(%x: tensor<3x?x72xf16> {fuse.dims = ["k"]}, %w: tensor<?x264xf16> {fuse.dims = ["k"]}) -> tensor<3x72x264xf16> {
  %y = fuse.kernel "batch" ins(%x, %w : tensor<3x?x72xf16>, tensor<?x264xf16>) -> tensor<3x72x264xf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 3, consumers = 1, raster = 8, store = direct, persistent = 3, swap = true> {
  ^bb0(%a: tensor<3x?x72xf16>, %b: tensor<?x264xf16>):
    %p = fuse.contract "bkm,kn->bmn" %a, %b : tensor<3x?x72xf16>, tensor<?x264xf16> -> tensor<3x72x264xf16>
    fuse.yield %p : tensor<3x72x264xf16>
  }
  return %y : tensor<3x72x264xf16>
}

// Two contractions whose results are combined, shared by two blocks.
func.func @several(%x: tensor<?x?xbf16> {fuse.dims = ["m", "k"]}, %u: tensor<72x?xbf16> {fuse.dims = ["k"]}, %v: tensor<72x?xbf16> {fuse.dims = ["k"]}, %r: tensor<?x72xbf16> {fuse.dims = ["m"]}) -> tensor<?x72xbf16> {
  %y = fuse.kernel "several" ins(%x, %u, %v, %r : tensor<?x?xbf16>, tensor<72x?xbf16>, tensor<72x?xbf16>, tensor<?x72xbf16>) -> tensor<?x72xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 64, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = direct, persistent = 4, split_k = 2> {
  ^bb0(%a: tensor<?x?xbf16>, %b: tensor<72x?xbf16>, %c: tensor<72x?xbf16>, %e: tensor<?x72xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x?xbf16>, tensor<72x?xbf16> -> tensor<?x72xbf16>
    %q = fuse.contract "mk,nk->mn" %a, %c : tensor<?x?xbf16>, tensor<72x?xbf16> -> tensor<?x72xbf16>
    %s = fuse.sigmoid %p : tensor<?x72xbf16>
    %t = fuse.mul %s, %q : tensor<?x72xbf16>
    %z = fuse.add %t, %e : tensor<?x72xbf16>
    fuse.yield %z : tensor<?x72xbf16>
  }
  return %y : tensor<?x72xbf16>
}

// Two with tiles of their own.
func.func @apart(%x: tensor<?x?xf16> {fuse.dims = ["m", "k"]}, %u: tensor<72x?xf16> {fuse.dims = ["k"]}, %v: tensor<40x?xf16> {fuse.dims = ["k"]}) -> (tensor<?x72xf16>, tensor<?x40xf32>) {
  %y:2 = fuse.kernel "apart" ins(%x, %u, %v : tensor<?x?xf16>, tensor<72x?xf16>, tensor<40x?xf16>) -> tensor<?x72xf16>, tensor<?x40xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 32, tile_k = 64, stages = 3, consumers = 1, raster = 2, store = direct, persistent = 4, split_k = 2> {
  ^bb0(%a: tensor<?x?xf16>, %b: tensor<72x?xf16>, %c: tensor<40x?xf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x?xf16>, tensor<72x?xf16> -> tensor<?x72xf16>
    %q = fuse.contract "mk,nk->mn" %a, %c : tensor<?x?xf16>, tensor<40x?xf16> -> tensor<?x40xf16>
    %s = fuse.cast %q : tensor<?x40xf16> -> tensor<?x40xf32>
    fuse.yield %p, %s : tensor<?x72xf16>, tensor<?x40xf32>
  }
  return %y#0, %y#1 : tensor<?x72xf16>, tensor<?x40xf32>
}
