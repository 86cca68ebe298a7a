// RUN: fuse-opt %s -split-input-file -verify-diagnostics -fuse-lower=chip=sm_80

// Elements of one input that two places need are not where its copies are.
#tile = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 64, stages = 4, consumers = 1, raster = 8, store = direct, persistent = 132, column_bits = 8>

func.func @two_places(%x: tensor<64x64xbf16>, %w: tensor<64x64xi8>) -> tensor<64x64xbf16> {
  // expected-error @below {{but an operand is computed in the kernel otherwise than place by place}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xi8>) -> tensor<64x64xbf16> schedule = #tile {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xi8>):
    %f = fuse.cast %b : tensor<64x64xi8> -> tensor<64x64xbf16>
    %t = fuse.transpose %f permutation = [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %e = fuse.add %f, %t : tensor<64x64xbf16>
    %p = fuse.contract "mk,nk->mn" %a, %e : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    fuse.yield %p : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

#tile = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 64, stages = 4, consumers = 1, raster = 8, store = direct, persistent = 132, column_bits = 8>

func.func @bits(%x: tensor<64x64xbf16>, %w: tensor<64x32xi8>) -> tensor<64x64xbf16> {
  // expected-error @below {{expected row_bits = 0 and column_bits = 4, of the elements that operands are computed from, but got 0 and 8; 0 is for operands that are read from memory}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<64x32xi8>) -> tensor<64x64xbf16> schedule = #tile {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x32xi8>):
    %q = fuse.unpack %b : tensor<64x32xi8> -> tensor<64x64xi8>
    %e = fuse.cast %q : tensor<64x64xi8> -> tensor<64x64xbf16>
    %p = fuse.contract "mk,nk->mn" %a, %e : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    fuse.yield %p : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

// Warps compute 64 rows of a tile of one contraction, along the summed axis.
#tile = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 8, tile_k = 64, stages = 4, consumers = 1, raster = 8, store = direct, persistent = 132, swap = true, column_bits = 8>

func.func @across(%x: tensor<8x64xbf16>, %w: tensor<64x64xi8>) -> tensor<8x64xbf16> {
  // expected-error @below {{expected operands along the summed axis in memory where they are swapped and the columns are computed, but got others; use swap = false}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<8x64xbf16>, tensor<64x64xi8>) -> tensor<8x64xbf16> schedule = #tile {
  ^bb0(%a: tensor<8x64xbf16>, %b: tensor<64x64xi8>):
    %e = fuse.cast %b : tensor<64x64xi8> -> tensor<64x64xbf16>
    %p = fuse.contract "mk,kn->mn" %a, %e : tensor<8x64xbf16>, tensor<64x64xbf16> -> tensor<8x64xbf16>
    fuse.yield %p : tensor<8x64xbf16>
  }
  return %y : tensor<8x64xbf16>
}

// -----

#tile = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 8, tile_k = 64, stages = 4, consumers = 1, raster = 8, store = direct, persistent = 132, swap = true, column_bits = 8>

func.func @gated(%x: tensor<8x64xbf16>, %g: tensor<64x64xi8>, %u: tensor<64x64xi8>) -> tensor<8x64xbf16> {
  // expected-error @below {{expected tile_m to be a multiple of 128, 64 rows of each of 2 places in memory, where these are computed, but got 64; choose 128}}
  %y = fuse.kernel "k" ins(%x, %g, %u : tensor<8x64xbf16>, tensor<64x64xi8>, tensor<64x64xi8>) -> tensor<8x64xbf16> schedule = #tile {
  ^bb0(%a: tensor<8x64xbf16>, %b: tensor<64x64xi8>, %c: tensor<64x64xi8>):
    %e = fuse.cast %b : tensor<64x64xi8> -> tensor<64x64xbf16>
    %f = fuse.cast %c : tensor<64x64xi8> -> tensor<64x64xbf16>
    %p = fuse.contract "mk,nk->mn" %a, %e : tensor<8x64xbf16>, tensor<64x64xbf16> -> tensor<8x64xbf16>
    %q = fuse.contract "mk,nk->mn" %a, %f : tensor<8x64xbf16>, tensor<64x64xbf16> -> tensor<8x64xbf16>
    %m = fuse.mul %p, %q : tensor<8x64xbf16>
    fuse.yield %m : tensor<8x64xbf16>
  }
  return %y : tensor<8x64xbf16>
}
