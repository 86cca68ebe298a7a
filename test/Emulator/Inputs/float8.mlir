// Contractions of 8-bit floats, with the scales that models put around them.

// Behind the contraction: the scales of the tensors, a column's, a residual.
func.func @behind(%x: tensor<?x?xf8E4M3FN>, %w: tensor<192x?xf8E4M3FN>, %s: tensor<f32>, %b: tensor<192xf32>, %r: tensor<?x192xbf16>) -> tensor<?x192xbf16> {
  %p = fuse.contract "mk,nk->mn" %x, %w : tensor<?x?xf8E4M3FN>, tensor<192x?xf8E4M3FN> -> tensor<?x192xf32>
  %0 = fuse.mul %p, %s : tensor<?x192xf32>, tensor<f32> -> tensor<?x192xf32>
  %1 = fuse.mul %0, %b : tensor<?x192xf32>, tensor<192xf32> -> tensor<?x192xf32>
  %2 = fuse.cast %r : tensor<?x192xbf16> -> tensor<?x192xf32>
  %3 = fuse.add %1, %2 : tensor<?x192xf32>, tensor<?x192xf32> -> tensor<?x192xf32>
  %y = fuse.cast %3 : tensor<?x192xf32> -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}

// Two contractions of the same rows.
func.func @gated(%x: tensor<?x256xf8E5M2>, %g: tensor<128x256xf8E4M3FN>, %u: tensor<128x256xf8E4M3FN>, %s: tensor<f32>) -> tensor<?x128xf8E4M3FN> {
  %0 = fuse.contract "mk,nk->mn" %x, %g : tensor<?x256xf8E5M2>, tensor<128x256xf8E4M3FN> -> tensor<?x128xf32>
  %1 = fuse.contract "mk,nk->mn" %x, %u : tensor<?x256xf8E5M2>, tensor<128x256xf8E4M3FN> -> tensor<?x128xf32>
  %2 = fuse.mul %0, %s : tensor<?x128xf32>, tensor<f32> -> tensor<?x128xf32>
  %3 = fuse.silu %2 : tensor<?x128xf32> -> tensor<?x128xf32>
  %4 = fuse.mul %3, %1 : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  %y = fuse.cast %4 : tensor<?x128xf32> -> tensor<?x128xf8E4M3FN>
  return %y : tensor<?x128xf8E4M3FN>
}

// Across the summed axis, where instructions do not read 8 bits.
func.func @across(%x: tensor<?x96xf8E4M3FN>, %w: tensor<96x64xf8E4M3FN>) -> tensor<?x64xbf16> {
  %y = fuse.contract "mk,kn->mn" %x, %w : tensor<?x96xf8E4M3FN>, tensor<96x64xf8E4M3FN> -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// Rows that copies cannot read, unless they are padded.
func.func @padded(%x: tensor<?x1000xf8E4M3FN>, %w: tensor<64x1000xf8E4M3FN>) -> tensor<?x64xf32> {
  %y = fuse.contract "mk,nk->mn" %x, %w : tensor<?x1000xf8E4M3FN>, tensor<64x1000xf8E4M3FN> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Tiles whose steps go around a ring of two slots several times.
func.func @ring(%x: tensor<?x1040xf8E4M3FN>, %w: tensor<72x1040xf8E4M3FN>) -> tensor<?x72xf32> {
  %y = fuse.kernel "ring" ins(%x, %w : tensor<?x1040xf8E4M3FN>, tensor<72x1040xf8E4M3FN>) -> tensor<?x72xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 64, tile_k = 128, stages = 2, consumers = 1, raster = 1, store = direct, persistent = 2, operand_bits = 8> {
  ^bb0(%a: tensor<?x1040xf8E4M3FN>, %b: tensor<72x1040xf8E4M3FN>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x1040xf8E4M3FN>, tensor<72x1040xf8E4M3FN> -> tensor<?x72xf32>
    fuse.yield %p : tensor<?x72xf32>
  }
  return %y : tensor<?x72xf32>
}
