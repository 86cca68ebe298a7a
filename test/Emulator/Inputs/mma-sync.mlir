// Contractions whose schedules the model chooses.
func.func @chosen(%x: tensor<?x?xbf16> {fuse.dims = ["m", "k"]}, %w: tensor<136x?xbf16> {fuse.dims = ["k"]}, %b: tensor<136xbf16>) -> tensor<?x136xbf16> {
  %y = fuse.matmul %x, %w transpose_rhs : tensor<?x?xbf16>, tensor<136x?xbf16> -> tensor<?x136xbf16>
  %z = fuse.add %y, %b : tensor<?x136xbf16>, tensor<136xbf16> -> tensor<?x136xbf16>
  %s = fuse.silu %z : tensor<?x136xbf16>
  return %s : tensor<?x136xbf16>
}

// Rows of 48 elements, of which 45 are read: the rest of the last 16 bytes counts
// as zero.
func.func @strided(%x: tensor<?x?xf16> {fuse.dims = ["m", "k"], fuse.strided = "aligned_rows"}, %w: tensor<72x?xf16> {fuse.dims = ["k"], fuse.strided = "aligned_rows"}) -> tensor<?x72xf16> {
  %y = fuse.kernel "strided" ins(%x, %w : tensor<?x?xf16>, tensor<72x?xf16>) -> tensor<?x72xf16>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 32, tile_k = 64, stages = 3, consumers = 2, raster = 2, store = rows, persistent = 2> {
  ^bb0(%a: tensor<?x?xf16>, %c: tensor<72x?xf16>):
    %p = fuse.contract "mk,nk->mn" %a, %c : tensor<?x?xf16>, tensor<72x?xf16> -> tensor<?x72xf16>
    fuse.yield %p : tensor<?x72xf16>
  }
  return %y : tensor<?x72xf16>
}
