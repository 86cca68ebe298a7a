// Contractions of f32 that tensor cores read as TF32.

// Behind the contraction: a column's number and a residual.
func.func @behind(%x: tensor<?x?xf32>, %w: tensor<192x?xf32>, %b: tensor<192xf32>, %r: tensor<?x192xf32>) -> tensor<?x192xf32> {
  %p = fuse.matmul %x, %w transpose_rhs precision = tf32 : tensor<?x?xf32>, tensor<192x?xf32> -> tensor<?x192xf32>
  %0 = fuse.add %p, %b : tensor<?x192xf32>, tensor<192xf32> -> tensor<?x192xf32>
  %y = fuse.add %0, %r : tensor<?x192xf32>
  return %y : tensor<?x192xf32>
}

// Two contractions of the same rows.
func.func @gated(%x: tensor<?x256xf32>, %g: tensor<128x256xf32>, %u: tensor<128x256xf32>) -> tensor<?x128xbf16> {
  %0 = fuse.matmul %x, %g transpose_rhs precision = tf32 : tensor<?x256xf32>, tensor<128x256xf32> -> tensor<?x128xf32>
  %1 = fuse.matmul %x, %u transpose_rhs precision = tf32 : tensor<?x256xf32>, tensor<128x256xf32> -> tensor<?x128xf32>
  %2 = fuse.silu %0 : tensor<?x128xf32>
  %3 = fuse.mul %2, %1 : tensor<?x128xf32>
  %y = fuse.cast %3 : tensor<?x128xf32> -> tensor<?x128xbf16>
  return %y : tensor<?x128xbf16>
}

// Batches, and rows of which a part is reduced.
func.func @batches(%x: tensor<3x?x40xf32>, %w: tensor<3x72x40xf32>) -> (tensor<3x?x72xf32>, tensor<3x?xf32>) {
  %y = fuse.contract "bmk,bnk->bmn" %x, %w precision = tf32 : tensor<3x?x40xf32>, tensor<3x72x40xf32> -> tensor<3x?x72xf32>
  %s = fuse.reduce max %y dims = [2] : tensor<3x?x72xf32> -> tensor<3x?xf32>
  return %y, %s : tensor<3x?x72xf32>, tensor<3x?xf32>
}

// Across the summed axis: copied along it where that is worthwhile.
func.func @across(%x: tensor<512x512xf32>, %w: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %y = fuse.matmul %x, %w transpose_lhs precision = tf32 : tensor<512x512xf32>, tensor<512x1024xf32> -> tensor<512x1024xf32>
  return %y : tensor<512x1024xf32>
}

// Few products, which ordinary cores have done before a copy is.
func.func @few(%x: tensor<?x96xf32>, %w: tensor<96x64xf32>) -> tensor<?x64xf32> {
  %y = fuse.matmul %x, %w precision = tf32 : tensor<?x96xf32>, tensor<96x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Rows that copies cannot read, unless they are padded.
func.func @padded(%x: tensor<?x1001xf32>, %w: tensor<64x1001xf32>) -> tensor<?x64xf32> {
  %y = fuse.matmul %x, %w transpose_rhs precision = tf32 : tensor<?x1001xf32>, tensor<64x1001xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Not as TF32: exact, on ordinary cores.
func.func @exact(%x: tensor<?x256xf32>, %w: tensor<128x256xf32>) -> tensor<?x128xf32> {
  %y = fuse.matmul %x, %w transpose_rhs : tensor<?x256xf32>, tensor<128x256xf32> -> tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}

// Tiles whose steps go around a ring of two slots several times.
func.func @ring(%x: tensor<?x260xf32>, %w: tensor<72x260xf32>) -> tensor<?x72xf32> {
  %y = fuse.kernel "ring" ins(%x, %w : tensor<?x260xf32>, tensor<72x260xf32>) -> tensor<?x72xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 64, tile_k = 64, stages = 2, consumers = 1, raster = 1, store = direct, persistent = 2, operand_bits = 32> {
  ^bb0(%a: tensor<?x260xf32>, %b: tensor<72x260xf32>):
    %p = fuse.contract "mk,nk->mn" %a, %b precision = tf32 : tensor<?x260xf32>, tensor<72x260xf32> -> tensor<?x72xf32>
    fuse.yield %p : tensor<?x72xf32>
  }
  return %y : tensor<?x72xf32>
}

// Swapped, each tile in two parts of a cluster.
func.func @parts(%x: tensor<?x516xf32>, %w: tensor<136x516xf32>) -> tensor<?x136xf32> {
  %y = fuse.kernel "parts" ins(%x, %w : tensor<?x516xf32>, tensor<136x516xf32>) -> tensor<?x136xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 16, tile_k = 32, stages = 4, consumers = 2, raster = 1, store = direct, persistent = 4, split_k = 2, swap = true, operand_bits = 32> {
  ^bb0(%a: tensor<?x516xf32>, %b: tensor<136x516xf32>):
    %p = fuse.contract "mk,nk->mn" %a, %b precision = tf32 : tensor<?x516xf32>, tensor<136x516xf32> -> tensor<?x136xf32>
    fuse.yield %p : tensor<?x136xf32>
  }
  return %y : tensor<?x136xf32>
}
