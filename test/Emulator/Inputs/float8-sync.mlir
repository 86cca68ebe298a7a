// 8-bit floats by mma.sync with the operands swapped, in parts of K.
func.func @parts(%x: tensor<?x?xf8E4M3FN> {fuse.dims = ["m", "k"]}, %w: tensor<200x?xf8E5M2> {fuse.dims = ["k"]}, %s: tensor<?x1xf32> {fuse.dims = ["m"]}) -> tensor<?x200xbf16> {
  %y = fuse.kernel "parts" ins(%x, %w, %s : tensor<?x?xf8E4M3FN>, tensor<200x?xf8E5M2>, tensor<?x1xf32>) -> tensor<?x200xbf16>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 128, tile_n = 16, tile_k = 128, stages = 3, consumers = 1, raster = 1, store = direct, persistent = 6, split_k = 3, swap = true, operand_bits = 8> {
  ^bb0(%a: tensor<?x?xf8E4M3FN>, %b: tensor<200x?xf8E5M2>, %c: tensor<?x1xf32>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x?xf8E4M3FN>, tensor<200x?xf8E5M2> -> tensor<?x200xf32>
    %q = fuse.mul %p, %c : tensor<?x200xf32>, tensor<?x1xf32> -> tensor<?x200xf32>
    %r = fuse.cast %q : tensor<?x200xf32> -> tensor<?x200xbf16>
    fuse.yield %r : tensor<?x200xbf16>
  }
  return %y : tensor<?x200xbf16>
}
