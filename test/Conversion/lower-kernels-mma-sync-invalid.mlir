// RUN: fuse-opt %s -split-input-file -verify-diagnostics -fuse-lower-kernels=shared-bytes=101376

// What another chip has room for.
func.func @shared(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @below {{expected at most 101376 bytes of shared memory, as the chip has for a block, but got 132096 for 4 stages; use fewer stages or a smaller tile}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = rows, persistent = 84> {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    fuse.yield %p : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

// Across the summed axis copies bring 64 columns at a time.
func.func @narrow(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @below {{expected consumers with multiples of 64 columns where neighbours in memory follow axis 'n', but got 32; choose another tile_n}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 128, tile_n = 64, tile_k = 64, stages = 3, consumers = 2, raster = 8, store = rows, persistent = 84> {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>):
    %p = fuse.contract "mk,kn->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    fuse.yield %p : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

func.func @bytes(%x: tensor<64x64xf8E4M3FN>, %w: tensor<64x64xf8E4M3FN>) -> tensor<64x64xf32> {
  // expected-error @below {{expected operand_bits = 8 as the contraction's operands have, but got 16; write operand_bits = 8}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>) -> tensor<64x64xf32>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 128, tile_n = 64, tile_k = 64, stages = 3, consumers = 2, raster = 8, store = rows, persistent = 84> {
  ^bb0(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x64xf8E4M3FN>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
    fuse.yield %p : tensor<64x64xf32>
  }
  return %y : tensor<64x64xf32>
}

// -----

func.func @chip(%x: tensor<64x64xf8E4M3FN>, %w: tensor<64x64xf8E4M3FN>) -> tensor<64x64xf32> {
  // expected-error @below {{expected a chip that multiplies 8-bit floats for operand_bits = 8, sm_89 or later, but got another; remove the schedule}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>) -> tensor<64x64xf32>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 128, tile_n = 64, tile_k = 128, stages = 3, consumers = 2, raster = 8, store = rows, persistent = 84, operand_bits = 8> {
  ^bb0(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x64xf8E4M3FN>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
    fuse.yield %p : tensor<64x64xf32>
  }
  return %y : tensor<64x64xf32>
}

// -----

// A second launch adds the parts of sums: it has no tile whose rows it could reduce.
func.func @reduced(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x1xf32> {
  // expected-error @below {{expected no reduction where sums are read from memory, or one launch with tiles of 8, 16, 32, 64 or 128 of 4 i columns, but got 64; use split_k = 1 and swap = false}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x1xf32>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 64, stages = 3, consumers = 2, raster = 8, store = direct, persistent = 84, split_k = 2> {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    %c = fuse.cast %p : tensor<64x64xbf16> -> tensor<64x64xf32>
    %s = fuse.reduce sum %c dims = [1] keep : tensor<64x64xf32> -> tensor<64x1xf32>
    fuse.yield %s : tensor<64x1xf32>
  }
  return %y : tensor<64x1xf32>
}

// -----

#s = #fuse.streamed<isa = mma_sync, tile_m = 128, tile_n = 128, tile_k = 64, depth = 128, stages = 3, consumers = 2, store = rows>

func.func @streamedShared(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  // expected-error @below {{expected at most 101376 bytes of shared memory, as the chip has for a block, but got 132096; use fewer stages or a smaller tile_k}}
  %r = fuse.kernel "k" ins(%q, %k, %v : tensor<8x512x128xbf16>, tensor<8x512x128xbf16>, tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> schedule = #s {
  ^bb0(%a: tensor<8x512x128xbf16>, %b: tensor<8x512x128xbf16>, %c: tensor<8x512x128xbf16>):
    %s = fuse.contract "hqd,hkd->hqk" %a, %b : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
    %m = fuse.reduce max %s dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
    %d = fuse.sub %s, %m : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
    %e = fuse.exp %d : tensor<8x512x512xbf16>
    %t = fuse.reduce sum %e dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
    %w = fuse.div %e, %t : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
    %y = fuse.contract "hqk,hkd->hqd" %w, %c : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
    fuse.yield %y : tensor<8x512x128xbf16>
  }
  return %r : tensor<8x512x128xbf16>
}

// -----

// Keys that lie along their features' rows: 128 bytes of shared memory are 64 keys.
#s = #fuse.streamed<isa = mma_sync, tile_m = 64, tile_n = 128, tile_k = 32, depth = 128, stages = 1, consumers = 1, store = rows>

func.func @streamedKeys(%q: tensor<8x512x128xbf16>, %k: tensor<8x128x512xbf16>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  // expected-error @below {{expected tile_k to be a multiple of 64 where neighbours in memory are rows of the second or third operand, but got 32; choose 64}}
  %r = fuse.kernel "k" ins(%q, %k, %v : tensor<8x512x128xbf16>, tensor<8x128x512xbf16>, tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> schedule = #s {
  ^bb0(%a: tensor<8x512x128xbf16>, %b: tensor<8x128x512xbf16>, %c: tensor<8x512x128xbf16>):
    %s = fuse.contract "hqd,hdk->hqk" %a, %b : tensor<8x512x128xbf16>, tensor<8x128x512xbf16> -> tensor<8x512x512xbf16>
    %m = fuse.reduce max %s dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
    %d = fuse.sub %s, %m : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
    %e = fuse.exp %d : tensor<8x512x512xbf16>
    %t = fuse.reduce sum %e dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
    %w = fuse.div %e, %t : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
    %y = fuse.contract "hqk,hkd->hqd" %w, %c : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
    fuse.yield %y : tensor<8x512x128xbf16>
  }
  return %r : tensor<8x512x128xbf16>
}

// -----

func.func @moved(%x: tensor<64x64xbf16>, %w: tensor<128x64xbf16>) -> tensor<64x128xbf16> {
  // expected-error @below {{expected whole results in the contraction's order where sums are read from memory, but got others; use split_k = 1 and swap = false}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<128x64xbf16>) -> tensor<64x128xbf16>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 128, tile_n = 128, tile_k = 64, stages = 3, consumers = 2, raster = 8, store = direct, persistent = 132, split_k = 2> {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<128x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<128x64xbf16> -> tensor<64x128xbf16>
    %r = fuse.rotary half heads_tokens %p base = 1.0e4 : tensor<64x128xbf16>
    fuse.yield %r : tensor<64x128xbf16>
  }
  return %y : tensor<64x128xbf16>
}

// -----

func.func @wide(%x: tensor<64x64xf64>, %w: tensor<64x64xf64>) -> tensor<64x64xf64> {
  // expected-error @below {{expected a chip whose tensor cores multiply f64 for operand_bits = 64, sm_80 or sm_90, but got another; remove the schedule}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 16, stages = 3, consumers = 2, raster = 8, store = direct, persistent = 84, operand_bits = 64> {
  ^bb0(%a: tensor<64x64xf64>, %b: tensor<64x64xf64>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xf64>, tensor<64x64xf64> -> tensor<64x64xf64>
    fuse.yield %p : tensor<64x64xf64>
  }
  return %y : tensor<64x64xf64>
}
