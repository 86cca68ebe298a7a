// RUN: fuse-opt %s -split-input-file -verify-diagnostics -fuse-lower-kernels=wgmma

#tile = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>

func.func @type(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{expected a contraction that tensor cores run for #fuse.mma, but its elements are neither f16 nor bf16 nor of 8 bits nor f32 of precision = tf32; use #fuse.contraction}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> schedule = #tile {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    fuse.yield %p : tensor<64x64xf32>
  }
  return %y : tensor<64x64xf32>
}

// -----

#tile = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>

func.func @none(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @below {{but there is no contraction; use #fuse.contraction}}
  %y = fuse.kernel "k" ins(%x : tensor<64x64xbf16>) -> tensor<64x64xbf16> schedule = #tile {
  ^bb0(%a: tensor<64x64xbf16>):
    %p = fuse.exp %a : tensor<64x64xbf16>
    fuse.yield %p : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

#tile = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>

func.func @rows(%x: tensor<64x63xbf16>, %w: tensor<64x63xbf16>) -> tensor<64x64xbf16> {
  // expected-error @below {{but the rows of an operand do not start at multiples of 16 bytes, as far as is known; use #fuse.contraction}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x63xbf16>, tensor<64x63xbf16>) -> tensor<64x64xbf16> schedule = #tile {
  ^bb0(%a: tensor<64x63xbf16>, %b: tensor<64x63xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x63xbf16>, tensor<64x63xbf16> -> tensor<64x64xbf16>
    fuse.yield %p : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

#tile = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>

func.func @sums(%x: tensor<64x8x8xbf16>, %w: tensor<64x8x8xbf16>) -> tensor<64x64xbf16> {
  // expected-error @below {{but it sums over several axes; use #fuse.contraction}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x8x8xbf16>, tensor<64x8x8xbf16>) -> tensor<64x64xbf16> schedule = #tile {
  ^bb0(%a: tensor<64x8x8xbf16>, %b: tensor<64x8x8xbf16>):
    %p = fuse.contract "mjk,njk->mn" %a, %b : tensor<64x8x8xbf16>, tensor<64x8x8xbf16> -> tensor<64x64xbf16>
    fuse.yield %p : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

#tile = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>

func.func @vector(%x: tensor<64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64xbf16> {
  // expected-error @below {{but it is no product of two matrices; use #fuse.contraction}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64xbf16>, tensor<64x64xbf16>) -> tensor<64xbf16> schedule = #tile {
  ^bb0(%a: tensor<64xbf16>, %b: tensor<64x64xbf16>):
    %p = fuse.contract "k,nk->n" %a, %b : tensor<64xbf16>, tensor<64x64xbf16> -> tensor<64xbf16>
    fuse.yield %p : tensor<64xbf16>
  }
  return %y : tensor<64xbf16>
}

// -----

#tile = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>

func.func @computed(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @below {{but an operand is computed in the kernel otherwise than place by place, to 16 bits, from a tensor of elements of 8 to 32 bits; use #fuse.contraction}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16> schedule = #tile {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>):
    %e = fuse.reverse %a dims = [1] : tensor<64x64xbf16>
    %p = fuse.contract "mk,nk->mn" %e, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    fuse.yield %p : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

#tile = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>

func.func @order(%x: tensor<64x64x8xbf16>, %w: tensor<8x64x64xbf16>) -> tensor<8x64x64xbf16> {
  // expected-error @below {{but neighbours in memory of an operand follow an outer axis; use #fuse.contraction}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64x8xbf16>, tensor<8x64x64xbf16>) -> tensor<8x64x64xbf16> schedule = #tile {
  ^bb0(%a: tensor<64x64x8xbf16>, %b: tensor<8x64x64xbf16>):
    %p = fuse.contract "mkb,bnk->bmn" %a, %b : tensor<64x64x8xbf16>, tensor<8x64x64xbf16> -> tensor<8x64x64xbf16>
    fuse.yield %p : tensor<8x64x64xbf16>
  }
  return %y : tensor<8x64x64xbf16>
}

// -----

// A box across the summed axis has 64 columns.
func.func @columns(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @below {{expected consumers with multiples of 64 columns where neighbours in memory follow axis 'n', but got 32; choose another tile_n}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 32, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>):
    %p = fuse.contract "mk,kn->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    fuse.yield %p : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

func.func @three(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @below {{expected consumers with multiples of 24 columns for 3 contractions, but got 128; choose another tile_n}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    %q = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    %r = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = fuse.add %p, %q : tensor<64x64xbf16>
    %t = fuse.add %s, %r : tensor<64x64xbf16>
    fuse.yield %t : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

#tile = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>

func.func @rows(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @below {{but its contractions do not share the operand of the result's rows; use #fuse.contraction}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16> schedule = #tile {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    %q = fuse.contract "mk,nk->mn" %b, %a : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    %r = fuse.mul %p, %q : tensor<64x64xbf16>
    fuse.yield %r : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

// Swapped, the box is one of the left operand.
func.func @rows_along_m(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @below {{expected consumers with multiples of 64 columns where neighbours in memory follow axis 'm', but got 32; choose another tile_n}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 32, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = direct, persistent = 132, swap = true> {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>):
    %p = fuse.contract "km,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    fuse.yield %p : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

#swapped = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 32, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = direct, persistent = 132, swap = true>

func.func @orders(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @below {{expected right operands of one order in memory where the operands are swapped, but got two; use swap = false}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16> schedule = #swapped {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    %q = fuse.contract "mk,kn->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    %r = fuse.mul %p, %q : tensor<64x64xbf16>
    fuse.yield %r : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

#swapped = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 32, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = direct, persistent = 132, swap = true>

func.func @three(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @below {{expected tiles with multiples of 24 rows, which come from 3 places in memory, but got 128; choose another tile_m}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16> schedule = #swapped {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    %q = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    %r = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = fuse.add %p, %q : tensor<64x64xbf16>
    %t = fuse.add %s, %r : tensor<64x64xbf16>
    fuse.yield %t : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

func.func @reduced(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64xbf16> {
  // expected-error @below {{expected no reduction where sums are read from memory, or one launch with tiles of 8, 16, 32, 64 or 128 of 4 i columns, but got 192; use split_k = 1 and swap = false}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 192, tile_k = 64, stages = 3, consumers = 2, raster = 8, store = direct, persistent = 132, split_k = 2> {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    %r = fuse.reduce sum %p dims = [1] : tensor<64x64xbf16> -> tensor<64xbf16>
    fuse.yield %r : tensor<64xbf16>
  }
  return %y : tensor<64xbf16>
}

// -----

#tile = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>

func.func @narrow(%x: tensor<64x64xbf16>, %w: tensor<128x64xbf16>) -> tensor<64x128xbf16> {
  // expected-error @below {{expected consumers with multiples of 128 columns of a contraction, which are needed together behind it, but got 64; choose another tile_n}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<128x64xbf16>) -> tensor<64x128xbf16> schedule = #tile {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<128x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<128x64xbf16> -> tensor<64x128xbf16>
    %r = fuse.rotary half heads_tokens %p base = 1.0e4 : tensor<64x128xbf16>
    fuse.yield %r : tensor<64x128xbf16>
  }
  return %y : tensor<64x128xbf16>
}

// -----

#half_heads = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 64, tile_k = 64, stages = 4, consumers = 1, raster = 8, store = direct, persistent = 132, split_k = 2>

func.func @narrow_tile(%x: tensor<64x64xbf16>, %w: tensor<128x64xbf16>) -> tensor<64x128xbf16> {
  // expected-error @below {{expected tiles with multiples of 128 columns of a contraction, which are needed together behind it, but got 64; choose another tile_n}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<128x64xbf16>) -> tensor<64x128xbf16> schedule = #half_heads {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<128x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<128x64xbf16> -> tensor<64x128xbf16>
    %r = fuse.rotary half heads_tokens %p base = 1.0e4 : tensor<64x128xbf16>
    fuse.yield %r : tensor<64x128xbf16>
  }
  return %y : tensor<64x128xbf16>
}

// -----

// Slots are as large as the operands' elements.
#bytes = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 64, tile_k = 64, stages = 4, consumers = 1, raster = 8, store = direct, persistent = 132>
func.func @k(%x: tensor<64x64xf8E4M3FN>, %w: tensor<64x64xf8E4M3FN>) -> tensor<64x64xf32> {
  // expected-error @below {{expected operand_bits = 8 as the contraction's operands have, but got 16; write operand_bits = 8}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>) -> tensor<64x64xf32> schedule = #bytes {
  ^bb0(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x64xf8E4M3FN>):
    %c = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
    fuse.yield %c : tensor<64x64xf32>
  }
  return %y : tensor<64x64xf32>
}

// -----

// Across the summed axis there are no instructions for 8 bits.
#bytes = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 64, tile_k = 128, stages = 4, consumers = 1, raster = 8, store = direct, persistent = 132, operand_bits = 8>
func.func @k(%x: tensor<64x64xf8E4M3FN>, %w: tensor<64x64xf8E4M3FN>) -> tensor<64x64xf32> {
  // expected-error @below {{expected a contraction that tensor cores run for #fuse.mma, but an operand of 8-bit floats or TF32 does not lie along the summed axis, where instructions read it; use #fuse.contraction}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>) -> tensor<64x64xf32> schedule = #bytes {
  ^bb0(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x64xf8E4M3FN>):
    %c = fuse.contract "mk,kn->mn" %a, %b : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
    fuse.yield %c : tensor<64x64xf32>
  }
  return %y : tensor<64x64xf32>
}
