// What follows contractions on tensor cores: residuals that come through the ring,
// reductions along rows, results of a byte. Two blocks have several tiles each.

// Stages of a residual, and the rows' sums of squares.
func.func @residual(%x: tensor<?x128xbf16> {fuse.dims = ["m"]}, %w: tensor<264x128xbf16>, %r: tensor<?x264xbf16> {fuse.dims = ["m"]}) -> (tensor<?x264xbf16>, tensor<?x1xf32>) {
  %y, %z = fuse.kernel "residual" ins(%x, %w, %r : tensor<?x128xbf16>, tensor<264x128xbf16>, tensor<?x264xbf16>) -> tensor<?x264xbf16>, tensor<?x1xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = tma, persistent = 2> {
  ^bb0(%a: tensor<?x128xbf16>, %b: tensor<264x128xbf16>, %c: tensor<?x264xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x128xbf16>, tensor<264x128xbf16> -> tensor<?x264xbf16>
    %h = fuse.add %p, %c : tensor<?x264xbf16>
    %f = fuse.cast %h : tensor<?x264xbf16> -> tensor<?x264xf32>
    %s = fuse.mul %f, %f : tensor<?x264xf32>
    %q = fuse.reduce mean %s dims = [1] keep : tensor<?x264xf32> -> tensor<?x1xf32>
    %t = fuse.rsqrt %q : tensor<?x1xf32>
    fuse.yield %h, %t : tensor<?x264xbf16>, tensor<?x1xf32>
  }
  return %y, %z : tensor<?x264xbf16>, tensor<?x1xf32>
}

// Consumers share the columns of 64 rows; two residuals and two reductions, one of
// which only the other's result needs; nothing but these is written.
func.func @shared(%x: tensor<?x72xf16> {fuse.dims = ["m"]}, %w: tensor<520x72xf16>, %r: tensor<?x520xf16> {fuse.dims = ["m"]}, %q: tensor<?x520xf32> {fuse.dims = ["m"]}) -> tensor<?xf32> {
  %y = fuse.kernel "shared" ins(%x, %w, %r, %q : tensor<?x72xf16>, tensor<520x72xf16>, tensor<?x520xf16>, tensor<?x520xf32>) -> tensor<?xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 128, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = direct, persistent = 2> {
  ^bb0(%a: tensor<?x72xf16>, %b: tensor<520x72xf16>, %c: tensor<?x520xf16>, %d: tensor<?x520xf32>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x72xf16>, tensor<520x72xf16> -> tensor<?x520xf16>
    %h = fuse.add %p, %c : tensor<?x520xf16>
    %f = fuse.cast %h : tensor<?x520xf16> -> tensor<?x520xf32>
    %g = fuse.mul %f, %d : tensor<?x520xf32>
    %m = fuse.reduce max %g dims = [1] : tensor<?x520xf32> -> tensor<?xf32>
    %s = fuse.reduce sum %f dims = [1] : tensor<?x520xf32> -> tensor<?xf32>
    %t = fuse.sub %m, %s : tensor<?xf32>
    fuse.yield %t : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// Mean and variance of rows of a batch, whose columns fill no whole pairs of copies.
func.func @variance(%x: tensor<3x?x64xbf16> {fuse.dims = ["m"]}, %w: tensor<101x64xbf16>, %r: tensor<3x?x101xbf16> {fuse.dims = ["m"]}) -> (tensor<3x?x101xbf16>, tensor<3x?x1xf32>) {
  %y, %z = fuse.kernel "variance" ins(%x, %w, %r : tensor<3x?x64xbf16>, tensor<101x64xbf16>, tensor<3x?x101xbf16>) -> tensor<3x?x101xbf16>, tensor<3x?x1xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = direct, persistent = 2> {
  ^bb0(%a: tensor<3x?x64xbf16>, %b: tensor<101x64xbf16>, %c: tensor<3x?x101xbf16>):
    %p = fuse.contract "bmk,nk->bmn" %a, %b : tensor<3x?x64xbf16>, tensor<101x64xbf16> -> tensor<3x?x101xbf16>
    %h = fuse.add %p, %c : tensor<3x?x101xbf16>
    %f = fuse.cast %h : tensor<3x?x101xbf16> -> tensor<3x?x101xf32>
    %m, %v = fuse.welford mean %f dims = [2] : tensor<3x?x101xf32> -> tensor<3x?x1xf32>, tensor<3x?x1xf32>
    %t = fuse.add %m, %v : tensor<3x?x1xf32>
    fuse.yield %h, %t : tensor<3x?x101xbf16>, tensor<3x?x1xf32>
  }
  return %y, %z : tensor<3x?x101xbf16>, tensor<3x?x1xf32>
}

// Results of a byte, of 128 columns a row of a buffer, with the largest of each row.
func.func @bytes(%x: tensor<?x64xbf16> {fuse.dims = ["m"]}, %w: tensor<272x64xbf16>, %r: tensor<?x272xbf16> {fuse.dims = ["m"]}, %s: tensor<?x1xf32> {fuse.dims = ["m"]}) -> (tensor<?x272xf8E4M3FN>, tensor<?x272xi8>, tensor<?x1xf32>) {
  %y:3 = fuse.kernel "bytes" ins(%x, %w, %r, %s : tensor<?x64xbf16>, tensor<272x64xbf16>, tensor<?x272xbf16>, tensor<?x1xf32>) -> tensor<?x272xf8E4M3FN>, tensor<?x272xi8>, tensor<?x1xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = tma, persistent = 2> {
  ^bb0(%a: tensor<?x64xbf16>, %b: tensor<272x64xbf16>, %c: tensor<?x272xbf16>, %d: tensor<?x1xf32>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x64xbf16>, tensor<272x64xbf16> -> tensor<?x272xbf16>
    %h = fuse.add %p, %c : tensor<?x272xbf16>
    %f = fuse.cast %h : tensor<?x272xbf16> -> tensor<?x272xf32>
    %g = fuse.mul %f, %d : tensor<?x272xf32>, tensor<?x1xf32> -> tensor<?x272xf32>
    %q = fuse.cast %g : tensor<?x272xf32> -> tensor<?x272xf8E4M3FN>
    %i = fuse.cast %f : tensor<?x272xf32> -> tensor<?x272xi8>
    %e = fuse.abs %f : tensor<?x272xf32>
    %m = fuse.reduce max %e dims = [1] keep : tensor<?x272xf32> -> tensor<?x1xf32>
    fuse.yield %q, %i, %m : tensor<?x272xf8E4M3FN>, tensor<?x272xi8>, tensor<?x1xf32>
  }
  return %y#0, %y#1, %y#2 : tensor<?x272xf8E4M3FN>, tensor<?x272xi8>, tensor<?x1xf32>
}

// The residual's memory is the result's.
func.func @in_place(%x: tensor<?x128xbf16> {fuse.dims = ["m"]}, %w: tensor<136x128xbf16>, %r: tensor<?x136xbf16> {fuse.dims = ["m"], fuse.name = "r"}) -> (tensor<?x136xbf16> {fuse.in_place = "r"}) {
  %y = fuse.kernel "in_place" ins(%x, %w, %r : tensor<?x128xbf16>, tensor<136x128xbf16>, tensor<?x136xbf16>) -> tensor<?x136xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = tma, persistent = 2> {
  ^bb0(%a: tensor<?x128xbf16>, %b: tensor<136x128xbf16>, %c: tensor<?x136xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x128xbf16>, tensor<136x128xbf16> -> tensor<?x136xbf16>
    %h = fuse.add %p, %c : tensor<?x136xbf16>
    fuse.yield %h : tensor<?x136xbf16>
  }
  return %y : tensor<?x136xbf16>
}

// Two contractions share the columns of a tile, and what follows from both is added to
// a residual and summed.
func.func @gated(%x: tensor<?x64xbf16> {fuse.dims = ["m"]}, %g: tensor<136x64xbf16>, %u: tensor<136x64xbf16>, %r: tensor<?x136xbf16> {fuse.dims = ["m"]}) -> (tensor<?x136xbf16>, tensor<?x1xf32>) {
  %y, %z = fuse.kernel "gated" ins(%x, %g, %u, %r : tensor<?x64xbf16>, tensor<136x64xbf16>, tensor<136x64xbf16>, tensor<?x136xbf16>) -> tensor<?x136xbf16>, tensor<?x1xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = tma, persistent = 2> {
  ^bb0(%a: tensor<?x64xbf16>, %b: tensor<136x64xbf16>, %c: tensor<136x64xbf16>, %d: tensor<?x136xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x64xbf16>, tensor<136x64xbf16> -> tensor<?x136xbf16>
    %q = fuse.contract "mk,nk->mn" %a, %c : tensor<?x64xbf16>, tensor<136x64xbf16> -> tensor<?x136xbf16>
    %s = fuse.mul %p, %q : tensor<?x136xbf16>
    %h = fuse.add %s, %d : tensor<?x136xbf16>
    %f = fuse.cast %h : tensor<?x136xbf16> -> tensor<?x136xf32>
    %t = fuse.reduce sum %f dims = [1] keep : tensor<?x136xf32> -> tensor<?x1xf32>
    fuse.yield %h, %t : tensor<?x136xbf16>, tensor<?x1xf32>
  }
  return %y, %z : tensor<?x136xbf16>, tensor<?x1xf32>
}

// Tiles of two shapes, with a residual each that takes another number of stages.
func.func @apart(%x: tensor<?x64xbf16> {fuse.dims = ["m"]}, %v: tensor<136x64xbf16>, %w: tensor<72x64xbf16>, %r: tensor<?x136xf32> {fuse.dims = ["m"]}, %s: tensor<?x72xbf16> {fuse.dims = ["m"]}) -> (tensor<?x136xf32>, tensor<?x72xbf16>) {
  %y, %z = fuse.kernel "apart" ins(%x, %v, %w, %r, %s : tensor<?x64xbf16>, tensor<136x64xbf16>, tensor<72x64xbf16>, tensor<?x136xf32>, tensor<?x72xbf16>) -> tensor<?x136xf32>, tensor<?x72xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = tma, persistent = 2> {
  ^bb0(%a: tensor<?x64xbf16>, %b: tensor<136x64xbf16>, %c: tensor<72x64xbf16>, %d: tensor<?x136xf32>, %e: tensor<?x72xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x64xbf16>, tensor<136x64xbf16> -> tensor<?x136xbf16>
    %q = fuse.contract "mk,nk->mn" %a, %c : tensor<?x64xbf16>, tensor<72x64xbf16> -> tensor<?x72xbf16>
    %f = fuse.cast %p : tensor<?x136xbf16> -> tensor<?x136xf32>
    %g = fuse.add %f, %d : tensor<?x136xf32>
    %h = fuse.add %q, %e : tensor<?x72xbf16>
    fuse.yield %g, %h : tensor<?x136xf32>, tensor<?x72xbf16>
  }
  return %y, %z : tensor<?x136xf32>, tensor<?x72xbf16>
}

// There may be no step at all: the residual is all that comes through the ring.
func.func @steps(%x: tensor<?x?xbf16> {fuse.dims = ["m", "k"]}, %w: tensor<136x?xbf16> {fuse.dims = ["k"]}, %r: tensor<?x136xbf16> {fuse.dims = ["m"]}) -> (tensor<?x136xbf16>, tensor<?xf32>) {
  %y, %z = fuse.kernel "steps" ins(%x, %w, %r : tensor<?x?xbf16>, tensor<136x?xbf16>, tensor<?x136xbf16>) -> tensor<?x136xbf16>, tensor<?xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 64, tile_k = 64, stages = 2, consumers = 1, raster = 2, store = tma, persistent = 2> {
  ^bb0(%a: tensor<?x?xbf16>, %b: tensor<136x?xbf16>, %c: tensor<?x136xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x?xbf16>, tensor<136x?xbf16> -> tensor<?x136xbf16>
    %h = fuse.add %p, %c : tensor<?x136xbf16>
    %f = fuse.cast %h : tensor<?x136xbf16> -> tensor<?x136xf32>
    %s = fuse.reduce sum %f dims = [1] : tensor<?x136xf32> -> tensor<?xf32>
    fuse.yield %h, %s : tensor<?x136xbf16>, tensor<?xf32>
  }
  return %y, %z : tensor<?x136xbf16>, tensor<?xf32>
}
