// What would be infinite past the end of the summed axis is not multiplied there.
func.func @inverse(%x: tensor<?x72xbf16> {fuse.dims = ["m"]}, %w: tensor<24x72xbf16>) -> tensor<?x24xbf16> {
  %0 = fuse.kernel "inverse" ins(%x, %w : tensor<?x72xbf16>, tensor<24x72xbf16>) -> tensor<?x24xbf16>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 32, tile_k = 64, stages = 3, consumers = 1, raster = 4, store = direct, persistent = 3, column_bits = 16> {
  ^bb0(%a: tensor<?x72xbf16>, %b: tensor<24x72xbf16>):
    %r = fuse.recip %b : tensor<24x72xbf16>
    %p = fuse.contract "mk,nk->mn" %a, %r : tensor<?x72xbf16>, tensor<24x72xbf16> -> tensor<?x24xbf16>
    fuse.yield %p : tensor<?x24xbf16>
  }
  return %0 : tensor<?x24xbf16>
}

// Rows of f32, of which a slot has as many elements.
func.func @wide(%x: tensor<?x136xf32> {fuse.dims = ["m"]}, %w: tensor<48x136xbf16>) -> tensor<?x48xbf16> {
  %0 = fuse.kernel "wide" ins(%x, %w : tensor<?x136xf32>, tensor<48x136xbf16>) -> tensor<?x48xbf16>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 48, tile_k = 64, stages = 3, consumers = 2, raster = 4, store = rows, persistent = 3, row_bits = 32> {
  ^bb0(%a: tensor<?x136xf32>, %b: tensor<48x136xbf16>):
    %c = fuse.cast %a : tensor<?x136xf32> -> tensor<?x136xbf16>
    %p = fuse.contract "mk,nk->mn" %c, %b : tensor<?x136xbf16>, tensor<48x136xbf16> -> tensor<?x48xbf16>
    fuse.yield %p : tensor<?x48xbf16>
  }
  return %0 : tensor<?x48xbf16>
}
