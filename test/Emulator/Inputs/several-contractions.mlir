// Several contractions in a kernel on tensor cores, whose two blocks have several
// tiles each.

// The columns of a tile are those of two contractions, 32 of each.
func.func @gated(%x: tensor<?x?xbf16> {fuse.dims = ["m", "k"]}, %v: tensor<200x?xbf16> {fuse.dims = ["k"]}, %w: tensor<200x?xbf16> {fuse.dims = ["k"]}) -> tensor<?x200xbf16> {
  %y = fuse.kernel "gated" ins(%x, %v, %w : tensor<?x?xbf16>, tensor<200x?xbf16>, tensor<200x?xbf16>) -> tensor<?x200xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = tma, persistent = 2> {
  ^bb0(%a: tensor<?x?xbf16>, %b: tensor<200x?xbf16>, %c: tensor<200x?xbf16>):
    %g = fuse.contract "mk,nk->mn" %a, %b : tensor<?x?xbf16>, tensor<200x?xbf16> -> tensor<?x200xbf16>
    %u = fuse.contract "mk,nk->mn" %a, %c : tensor<?x?xbf16>, tensor<200x?xbf16> -> tensor<?x200xbf16>
    %s = fuse.sigmoid %g : tensor<?x200xbf16>
    %t = fuse.mul %g, %s : tensor<?x200xbf16>
    %r = fuse.mul %t, %u : tensor<?x200xbf16>
    fuse.yield %r : tensor<?x200xbf16>
  }
  return %y : tensor<?x200xbf16>
}

// The consumers share the columns: each has 32 of each of two contractions.
func.func @shared(%x: tensor<?x?xbf16> {fuse.dims = ["m", "k"]}, %v: tensor<200x?xbf16> {fuse.dims = ["k"]}, %w: tensor<200x?xbf16> {fuse.dims = ["k"]}) -> tensor<?x200xbf16> {
  %y = fuse.kernel "shared" ins(%x, %v, %w : tensor<?x?xbf16>, tensor<200x?xbf16>, tensor<200x?xbf16>) -> tensor<?x200xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 128, tile_k = 128, stages = 2, consumers = 2, raster = 2, store = direct, persistent = 2> {
  ^bb0(%a: tensor<?x?xbf16>, %b: tensor<200x?xbf16>, %c: tensor<200x?xbf16>):
    %g = fuse.contract "mk,nk->mn" %a, %b : tensor<?x?xbf16>, tensor<200x?xbf16> -> tensor<?x200xbf16>
    %u = fuse.contract "mk,nk->mn" %a, %c : tensor<?x?xbf16>, tensor<200x?xbf16> -> tensor<?x200xbf16>
    %r = fuse.sub %g, %u : tensor<?x200xbf16>
    fuse.yield %r : tensor<?x200xbf16>
  }
  return %y : tensor<?x200xbf16>
}

// Three of a batch, across the summed axis: 64 columns of each.
func.func @three(%x: tensor<2x136x?xf16> {fuse.dims = ["k"]}, %u: tensor<?x200xf16> {fuse.dims = ["k"]}, %v: tensor<?x200xf16> {fuse.dims = ["k"]}, %w: tensor<?x200xf16> {fuse.dims = ["k"]}) -> tensor<2x136x200xf32> {
  %y = fuse.kernel "three" ins(%x, %u, %v, %w : tensor<2x136x?xf16>, tensor<?x200xf16>, tensor<?x200xf16>, tensor<?x200xf16>) -> tensor<2x136x200xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 192, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = tma, persistent = 2> {
  ^bb0(%a: tensor<2x136x?xf16>, %b: tensor<?x200xf16>, %c: tensor<?x200xf16>, %d: tensor<?x200xf16>):
    %p = fuse.contract "bmk,kn->bmn" %a, %b : tensor<2x136x?xf16>, tensor<?x200xf16> -> tensor<2x136x200xf16>
    %q = fuse.contract "bmk,kn->bmn" %a, %c : tensor<2x136x?xf16>, tensor<?x200xf16> -> tensor<2x136x200xf16>
    %r = fuse.contract "bmk,kn->bmn" %a, %d : tensor<2x136x?xf16>, tensor<?x200xf16> -> tensor<2x136x200xf16>
    %s = fuse.mul %p, %q : tensor<2x136x200xf16>
    %t = fuse.add %s, %r : tensor<2x136x200xf16>
    %z = fuse.cast %t : tensor<2x136x200xf16> -> tensor<2x136x200xf32>
    fuse.yield %z : tensor<2x136x200xf32>
  }
  return %y : tensor<2x136x200xf32>
}

// Two orders in memory: an instruction for each.
func.func @orders(%x: tensor<?x?xf16> {fuse.dims = ["m", "k"]}, %v: tensor<200x?xf16> {fuse.dims = ["k"]}, %w: tensor<?x200xf16> {fuse.dims = ["k"]}) -> tensor<?x200xf16> {
  %y = fuse.kernel "orders" ins(%x, %v, %w : tensor<?x?xf16>, tensor<200x?xf16>, tensor<?x200xf16>) -> tensor<?x200xf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = tma, persistent = 2> {
  ^bb0(%a: tensor<?x?xf16>, %b: tensor<200x?xf16>, %c: tensor<?x200xf16>):
    %g = fuse.contract "mk,nk->mn" %a, %b : tensor<?x?xf16>, tensor<200x?xf16> -> tensor<?x200xf16>
    %u = fuse.contract "xy,yz->xz" %a, %c : tensor<?x?xf16>, tensor<?x200xf16> -> tensor<?x200xf16>
    %r = fuse.sub %g, %u : tensor<?x200xf16>
    fuse.yield %r : tensor<?x200xf16>
  }
  return %y : tensor<?x200xf16>
}

// Tiles of several shapes follow each other: those of Q with a residual, of K
// with a bias, of V in another type, and those of two contractions that are combined.
func.func @segments(%x: tensor<?x?xbf16> {fuse.dims = ["m", "k"]}, %wq: tensor<264x?xbf16> {fuse.dims = ["k"]}, %wk: tensor<136x?xbf16> {fuse.dims = ["k"]}, %wv: tensor<72x?xbf16> {fuse.dims = ["k"]}, %wa: tensor<40x?xbf16> {fuse.dims = ["k"]}, %wb: tensor<40x?xbf16> {fuse.dims = ["k"]}, %bias: tensor<136xbf16>, %r: tensor<?x264xbf16> {fuse.dims = ["m"]}) -> (tensor<?x264xbf16>, tensor<?x136xbf16>, tensor<?x72xf32>, tensor<?x40xbf16>) {
  %y:4 = fuse.kernel "segments" ins(%x, %wq, %wk, %wv, %wa, %wb, %bias, %r : tensor<?x?xbf16>, tensor<264x?xbf16>, tensor<136x?xbf16>, tensor<72x?xbf16>, tensor<40x?xbf16>, tensor<40x?xbf16>, tensor<136xbf16>, tensor<?x264xbf16>) -> tensor<?x264xbf16>, tensor<?x136xbf16>, tensor<?x72xf32>, tensor<?x40xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = tma, persistent = 2> {
  ^bb0(%a: tensor<?x?xbf16>, %b: tensor<264x?xbf16>, %c: tensor<136x?xbf16>, %d: tensor<72x?xbf16>, %e: tensor<40x?xbf16>, %f: tensor<40x?xbf16>, %g: tensor<136xbf16>, %h: tensor<?x264xbf16>):
    %q = fuse.contract "mk,nk->mn" %a, %b : tensor<?x?xbf16>, tensor<264x?xbf16> -> tensor<?x264xbf16>
    %k = fuse.contract "mk,nk->mn" %a, %c : tensor<?x?xbf16>, tensor<136x?xbf16> -> tensor<?x136xbf16>
    %v = fuse.contract "mk,nk->mn" %a, %d : tensor<?x?xbf16>, tensor<72x?xbf16> -> tensor<?x72xbf16>
    %i = fuse.contract "mk,nk->mn" %a, %e : tensor<?x?xbf16>, tensor<40x?xbf16> -> tensor<?x40xbf16>
    %j = fuse.contract "mk,nk->mn" %a, %f : tensor<?x?xbf16>, tensor<40x?xbf16> -> tensor<?x40xbf16>
    %q2 = fuse.add %q, %h : tensor<?x264xbf16>
    %k2 = fuse.add %k, %g : tensor<?x136xbf16>, tensor<136xbf16> -> tensor<?x136xbf16>
    %v2 = fuse.cast %v : tensor<?x72xbf16> -> tensor<?x72xf32>
    %ij = fuse.mul %i, %j : tensor<?x40xbf16>
    fuse.yield %q2, %k2, %v2, %ij : tensor<?x264xbf16>, tensor<?x136xbf16>, tensor<?x72xf32>, tensor<?x40xbf16>
  }
  return %y#0, %y#1, %y#2, %y#3 : tensor<?x264xbf16>, tensor<?x136xbf16>, tensor<?x72xf32>, tensor<?x40xbf16>
}

// From the program on.
func.func @swiglu(%x: tensor<?x?xbf16> {fuse.dims = ["m", "k"]}, %v: tensor<200x?xbf16> {fuse.dims = ["k"], fuse.stddev = 0.03}, %w: tensor<200x?xbf16> {fuse.dims = ["k"], fuse.stddev = 0.03}) -> tensor<?x200xbf16> {
  %g = fuse.matmul %x, %v transpose_rhs : tensor<?x?xbf16>, tensor<200x?xbf16> -> tensor<?x200xbf16>
  %u = fuse.matmul %x, %w transpose_rhs : tensor<?x?xbf16>, tensor<200x?xbf16> -> tensor<?x200xbf16>
  %y = fuse.swiglu %g, %u : tensor<?x200xbf16>
  return %y : tensor<?x200xbf16>
}

// Weights with and without a batch: tiles do not cross from one index of it to the
// next. A product with a width that no pair divides is written one by one.
func.func @batches(%x: tensor<3x70x?xbf16> {fuse.dims = ["k"]}, %u: tensor<3x40x?xbf16> {fuse.dims = ["k"]}, %v: tensor<40x?xbf16> {fuse.dims = ["k"]}, %w: tensor<37x?xbf16> {fuse.dims = ["k"]}) -> (tensor<3x70x40xbf16>, tensor<3x70x37xbf16>) {
  %y:2 = fuse.kernel "batches" ins(%x, %u, %v, %w : tensor<3x70x?xbf16>, tensor<3x40x?xbf16>, tensor<40x?xbf16>, tensor<37x?xbf16>) -> tensor<3x70x40xbf16>, tensor<3x70x37xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 64, tile_k = 64, stages = 3, consumers = 1, raster = 2, store = tma, persistent = 2> {
  ^bb0(%a: tensor<3x70x?xbf16>, %b: tensor<3x40x?xbf16>, %c: tensor<40x?xbf16>, %d: tensor<37x?xbf16>):
    %p = fuse.contract "bmk,bnk->bmn" %a, %b : tensor<3x70x?xbf16>, tensor<3x40x?xbf16> -> tensor<3x70x40xbf16>
    %q = fuse.contract "bmk,nk->bmn" %a, %c : tensor<3x70x?xbf16>, tensor<40x?xbf16> -> tensor<3x70x40xbf16>
    %r = fuse.contract "bmk,nk->bmn" %a, %d : tensor<3x70x?xbf16>, tensor<37x?xbf16> -> tensor<3x70x37xbf16>
    %s = fuse.sub %p, %q : tensor<3x70x40xbf16>
    fuse.yield %s, %r : tensor<3x70x40xbf16>, tensor<3x70x37xbf16>
  }
  return %y#0, %y#1 : tensor<3x70x40xbf16>, tensor<3x70x37xbf16>
}
