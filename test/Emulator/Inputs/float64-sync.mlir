// Contractions of f64 by mma.sync, whose two blocks have several tiles each.

// Both operands along the summed axis; what follows reads a residual.
func.func @along(%x: tensor<?x?xf64> {fuse.dims = ["m", "k"]}, %w: tensor<70x?xf64> {fuse.dims = ["k"]}, %b: tensor<70xf64>, %r: tensor<?x70xf64> {fuse.dims = ["m"]}) -> tensor<?x70xf64> {
  %y = fuse.kernel "along" ins(%x, %w, %b, %r : tensor<?x?xf64>, tensor<70x?xf64>, tensor<70xf64>, tensor<?x70xf64>) -> tensor<?x70xf64>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 128, tile_n = 32, tile_k = 32, stages = 3, consumers = 2, raster = 2, store = direct, persistent = 2, operand_bits = 64> {
  ^bb0(%a: tensor<?x?xf64>, %c: tensor<70x?xf64>, %d: tensor<70xf64>, %e: tensor<?x70xf64>):
    %p = fuse.contract "mk,nk->mn" %a, %c : tensor<?x?xf64>, tensor<70x?xf64> -> tensor<?x70xf64>
    %s = fuse.add %p, %d : tensor<?x70xf64>, tensor<70xf64> -> tensor<?x70xf64>
    %t = fuse.tanh %s : tensor<?x70xf64>
    %u = fuse.add %t, %e : tensor<?x70xf64>
    fuse.yield %u : tensor<?x70xf64>
  }
  return %y : tensor<?x70xf64>
}

// Neither operand along the summed axis, and the left one is shared by a batch.
func.func @across(%x: tensor<?x70xf64> {fuse.dims = ["k"]}, %w: tensor<3x?x50xf64> {fuse.dims = ["k"]}) -> tensor<3x70x50xf64> {
  %y = fuse.kernel "across" ins(%x, %w : tensor<?x70xf64>, tensor<3x?x50xf64>) -> tensor<3x70x50xf64>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 32, tile_k = 16, stages = 4, consumers = 1, raster = 8, store = direct, persistent = 2, operand_bits = 64> {
  ^bb0(%a: tensor<?x70xf64>, %b: tensor<3x?x50xf64>):
    %p = fuse.contract "km,bkn->bmn" %a, %b : tensor<?x70xf64>, tensor<3x?x50xf64> -> tensor<3x70x50xf64>
    fuse.yield %p : tensor<3x70x50xf64>
  }
  return %y : tensor<3x70x50xf64>
}

// One of each; results of other types leave through shared memory.
func.func @mixed(%x: tensor<?x?xf64> {fuse.dims = ["m", "k"]}, %w: tensor<?x96xf64> {fuse.dims = ["k"]}) -> (tensor<?x96xf32>, tensor<?x96xbf16>) {
  %y, %z = fuse.kernel "mixed" ins(%x, %w : tensor<?x?xf64>, tensor<?x96xf64>) -> tensor<?x96xf32>, tensor<?x96xbf16>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 16, stages = 2, consumers = 2, raster = 1, store = rows, persistent = 2, operand_bits = 64> {
  ^bb0(%a: tensor<?x?xf64>, %b: tensor<?x96xf64>):
    %p = fuse.contract "mk,kn->mn" %a, %b : tensor<?x?xf64>, tensor<?x96xf64> -> tensor<?x96xf64>
    %q = fuse.cast %p : tensor<?x96xf64> -> tensor<?x96xf32>
    %r = fuse.cast %p : tensor<?x96xf64> -> tensor<?x96xbf16>
    fuse.yield %q, %r : tensor<?x96xf32>, tensor<?x96xbf16>
  }
  return %y, %z : tensor<?x96xf32>, tensor<?x96xbf16>
}

// Two contractions that share a tile, with its columns in both orders of memory.
func.func @gated(%x: tensor<?x?xf64> {fuse.dims = ["m", "k"]}, %g: tensor<38x?xf64> {fuse.dims = ["k"]}, %u: tensor<?x38xf64> {fuse.dims = ["k"]}) -> tensor<?x38xf64> {
  %y = fuse.kernel "gated" ins(%x, %g, %u : tensor<?x?xf64>, tensor<38x?xf64>, tensor<?x38xf64>) -> tensor<?x38xf64>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 32, stages = 3, consumers = 1, raster = 1, store = direct, persistent = 2, operand_bits = 64> {
  ^bb0(%a: tensor<?x?xf64>, %b: tensor<38x?xf64>, %c: tensor<?x38xf64>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x?xf64>, tensor<38x?xf64> -> tensor<?x38xf64>
    %q = fuse.contract "mk,kn->mn" %a, %c : tensor<?x?xf64>, tensor<?x38xf64> -> tensor<?x38xf64>
    %r = fuse.mul %p, %q : tensor<?x38xf64>
    fuse.yield %r : tensor<?x38xf64>
  }
  return %y : tensor<?x38xf64>
}

// Few rows on the narrow side.
func.func @swapped(%x: tensor<?x?xf64> {fuse.dims = ["m", "k"]}, %w: tensor<130x?xf64> {fuse.dims = ["k"]}, %b: tensor<130xf64>) -> tensor<?x130xf64> {
  %y = fuse.kernel "swapped" ins(%x, %w, %b : tensor<?x?xf64>, tensor<130x?xf64>, tensor<130xf64>) -> tensor<?x130xf64>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 128, tile_n = 16, tile_k = 16, stages = 4, consumers = 2, raster = 1, store = direct, persistent = 2, swap = true, operand_bits = 64> {
  ^bb0(%a: tensor<?x?xf64>, %c: tensor<130x?xf64>, %d: tensor<130xf64>):
    %p = fuse.contract "mk,nk->mn" %a, %c : tensor<?x?xf64>, tensor<130x?xf64> -> tensor<?x130xf64>
    %s = fuse.add %p, %d : tensor<?x130xf64>, tensor<130xf64> -> tensor<?x130xf64>
    fuse.yield %s : tensor<?x130xf64>
  }
  return %y : tensor<?x130xf64>
}

// Blocks that share the summed axis, with the columns along the tile's rows and not.
func.func @parts(%x: tensor<?x?xf64> {fuse.dims = ["m", "k"]}, %w: tensor<?x68xf64> {fuse.dims = ["k"]}) -> tensor<?x68xf64> {
  %y = fuse.kernel "parts" ins(%x, %w : tensor<?x?xf64>, tensor<?x68xf64>) -> tensor<?x68xf64>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 24, tile_k = 16, stages = 3, consumers = 1, raster = 1, store = direct, persistent = 4, split_k = 4, swap = true, operand_bits = 64> {
  ^bb0(%a: tensor<?x?xf64>, %c: tensor<?x68xf64>):
    %p = fuse.contract "mk,kn->mn" %a, %c : tensor<?x?xf64>, tensor<?x68xf64> -> tensor<?x68xf64>
    %q = fuse.neg %p : tensor<?x68xf64>
    fuse.yield %q : tensor<?x68xf64>
  }
  return %y : tensor<?x68xf64>
}

// What follows is reduced along the columns.
func.func @reduced(%x: tensor<?x?xf64> {fuse.dims = ["m", "k"]}, %w: tensor<70x?xf64> {fuse.dims = ["k"]}) -> (tensor<?x70xf64>, tensor<?x1xf64>, tensor<?x1xf64>) {
  %y, %s, %t = fuse.kernel "reduced" ins(%x, %w : tensor<?x?xf64>, tensor<70x?xf64>) -> tensor<?x70xf64>, tensor<?x1xf64>, tensor<?x1xf64>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 32, tile_k = 16, stages = 3, consumers = 2, raster = 1, store = direct, persistent = 2, operand_bits = 64> {
  ^bb0(%a: tensor<?x?xf64>, %b: tensor<70x?xf64>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x?xf64>, tensor<70x?xf64> -> tensor<?x70xf64>
    %q = fuse.reduce sum %p dims = [1] keep : tensor<?x70xf64> -> tensor<?x1xf64>
    %r = fuse.reduce max %p dims = [1] keep : tensor<?x70xf64> -> tensor<?x1xf64>
    fuse.yield %p, %q, %r : tensor<?x70xf64>, tensor<?x1xf64>, tensor<?x1xf64>
  }
  return %y, %s, %t : tensor<?x70xf64>, tensor<?x1xf64>, tensor<?x1xf64>
}

// By the model.
func.func @chosen(%x: tensor<?x?xf64> {fuse.dims = ["m", "k"]}, %w: tensor<72x?xf64> {fuse.dims = ["k"]}, %r: tensor<?x72xf64> {fuse.dims = ["m"]}) -> tensor<?x72xf64> {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x?xf64>, tensor<72x?xf64> -> tensor<?x72xf64>
  %q = fuse.silu %p : tensor<?x72xf64>
  %y = fuse.add %q, %r : tensor<?x72xf64>
  return %y : tensor<?x72xf64>
}
