// RUN: fuse-opt %s -split-input-file -verify-diagnostics -fuse-lower-kernels

func.func @unscheduled(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected a kernel with a schedule, but got none; run fuse-assign-schedules}}
  %y = fuse.kernel "k" ins(%x : tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %e = fuse.exp %a : tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

func.func @straddles(%x: tensor<4x?xf32>, %b: tensor<?xf32>) -> tensor<4x?xf32> {
  // expected-error @below {{expected vector = 1 for a last dimension of unknown size, but got vector = 4; use vector = 1}}
  %y = fuse.kernel "k" ins(%x, %b : tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
      schedule = #fuse.pointwise<threads = 32, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<4x?xf32>, %c: tensor<?xf32>):
    %e = fuse.add %a, %c : tensor<4x?xf32>, tensor<?xf32> -> tensor<4x?xf32>
    fuse.yield %e : tensor<4x?xf32>
  }
  return %y : tensor<4x?xf32>
}

// -----

func.func @cached(%x: tensor<4x?xf32>) -> tensor<4x1xf32> {
  // expected-error @below {{expected a static row length with hold = cache, but got a dynamic one; use hold = loop}}
  %y = fuse.kernel "k" ins(%x : tensor<4x?xf32>) -> tensor<4x1xf32>
      schedule = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = cache> {
  ^bb0(%a: tensor<4x?xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<4x?xf32> -> tensor<4x1xf32>
    fuse.yield %m : tensor<4x1xf32>
  }
  return %y : tensor<4x1xf32>
}

// -----

func.func @held(%x: tensor<4x?xf32>) -> tensor<4x1xf32> {
  // expected-error @below {{expected a static row length with hold = registers, but got a dynamic one; use hold = loop}}
  %y = fuse.kernel "k" ins(%x : tensor<4x?xf32>) -> tensor<4x1xf32>
      schedule = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = registers> {
  ^bb0(%a: tensor<4x?xf32>):
    %e = fuse.reduce sum %a dims = [1] keep : tensor<4x?xf32> -> tensor<4x1xf32>
    fuse.yield %e : tensor<4x1xf32>
  }
  return %y : tensor<4x1xf32>
}

// -----

func.func @wrong_kind(%x: tensor<4x8xf32>) -> tensor<1x8xf32> {
  // expected-error @below {{expected reductions over the last dimensions of one shape for #fuse.rows, but a reduction does not run over the last dimensions; use #fuse.columns}}
  %y = fuse.kernel "k" ins(%x : tensor<4x8xf32>) -> tensor<1x8xf32>
      schedule = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = registers> {
  ^bb0(%a: tensor<4x8xf32>):
    %e = fuse.reduce sum %a dims = [0] keep : tensor<4x8xf32> -> tensor<1x8xf32>
    fuse.yield %e : tensor<1x8xf32>
  }
  return %y : tensor<1x8xf32>
}

// -----

func.func @contraction_at_points(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{expected a kernel without fuse.contract for #fuse.pointwise, but got one with it; leave the schedule to fuse-assign-schedules}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      schedule = #fuse.pointwise<threads = 32, vector = 1, unroll = 1> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<16x8xf32>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
    fuse.yield %p : tensor<4x16xf32>
  }
  return %y : tensor<4x16xf32>
}

// -----

func.func @no_contraction(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected a contraction for #fuse.contraction, but got none; use #fuse.pointwise}}
  %y = fuse.kernel "k" ins(%x : tensor<8xf32>) -> tensor<8xf32>
      schedule = #fuse.contraction<threads = 32, tile_m = 1, tile_n = 1, vector = 1, along = n> {
  ^bb0(%a: tensor<8xf32>):
    %e = fuse.exp %a : tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

// Blocks that share a column know its result only when they have ended.
func.func @parts_levels(%x: tensor<64x8xf32>) -> tensor<1x8xf32> {
  // expected-error @below {{expected parts where one walk is enough, but got reductions that need others, an op that reads them at other indices, or a result of the reduced shape that needs one; leave share and fold out}}
  %y = fuse.kernel "k" ins(%x : tensor<64x8xf32>) -> tensor<1x8xf32>
      schedule = #fuse.columns<threads = 32, vector = 1, splits = 4, share = parts<2>> {
  ^bb0(%a: tensor<64x8xf32>):
    %m = fuse.reduce max %a dims = [0] keep : tensor<64x8xf32> -> tensor<1x8xf32>
    %d = fuse.sub %a, %m : tensor<64x8xf32>, tensor<1x8xf32> -> tensor<64x8xf32>
    %s = fuse.reduce sum %d dims = [0] keep : tensor<64x8xf32> -> tensor<1x8xf32>
    fuse.yield %s : tensor<1x8xf32>
  }
  return %y : tensor<1x8xf32>
}

// -----

func.func @parts_full(%x: tensor<64x8xf32>) -> tensor<64x8xf32> {
  // expected-error @below {{expected parts where one walk is enough, but got reductions that need others, an op that reads them at other indices, or a result of the reduced shape that needs one; leave share and fold out}}
  %y = fuse.kernel "k" ins(%x : tensor<64x8xf32>) -> tensor<64x8xf32>
      schedule = #fuse.columns<threads = 32, vector = 1, splits = 4, share = parts<2>> {
  ^bb0(%a: tensor<64x8xf32>):
    %m = fuse.reduce max %a dims = [0] keep : tensor<64x8xf32> -> tensor<1x8xf32>
    %d = fuse.sub %a, %m : tensor<64x8xf32>, tensor<1x8xf32> -> tensor<64x8xf32>
    fuse.yield %d : tensor<64x8xf32>
  }
  return %y : tensor<64x8xf32>
}

// -----

func.func @long_steps_of_cut_columns(%x: tensor<64x35xf16>) -> tensor<35xf16> {
  // expected-error @below {{expected at most unroll = 16 for vectors that are cut out of aligned ones, but got unroll = 64; use fewer}}
  %y = fuse.kernel "k" ins(%x : tensor<64x35xf16>) -> tensor<35xf16>
      schedule = #fuse.columns<threads = 32, vector = 8, splits = 4, hold = loop<unroll = 64>> {
  ^bb0(%a: tensor<64x35xf16>):
    %m = fuse.reduce max %a dims = [0] : tensor<64x35xf16> -> tensor<35xf16>
    fuse.yield %m : tensor<35xf16>
  }
  return %y : tensor<35xf16>
}

// -----

func.func @folded_full(%x: tensor<64x35xf16>) -> (tensor<35xf16>, tensor<64x35xf16>) {
  // expected-error @below {{expected fold = 8 where a static last dimension is the only one that stays, all before the reductions is pointwise, and all results are reduced, but got other ops or shapes; use fold = 1}}
  %y:2 = fuse.kernel "k" ins(%x : tensor<64x35xf16>) -> tensor<35xf16>, tensor<64x35xf16>
      schedule = #fuse.columns<threads = 32, vector = 8, splits = 4, fold = 8> {
  ^bb0(%a: tensor<64x35xf16>):
    %m = fuse.reduce max %a dims = [0] : tensor<64x35xf16> -> tensor<35xf16>
    %n = fuse.neg %a : tensor<64x35xf16>
    fuse.yield %m, %n : tensor<35xf16>, tensor<64x35xf16>
  }
  return %y#0, %y#1 : tensor<35xf16>, tensor<64x35xf16>
}

// -----

func.func @folded_dynamic(%x: tensor<64x?xf16>) -> tensor<?xf16> {
  // expected-error @below {{expected fold = 8 where a static last dimension}}
  %y = fuse.kernel "k" ins(%x : tensor<64x?xf16>) -> tensor<?xf16>
      schedule = #fuse.columns<threads = 32, vector = 8, splits = 4, fold = 8> {
  ^bb0(%a: tensor<64x?xf16>):
    %m = fuse.reduce max %a dims = [0] : tensor<64x?xf16> -> tensor<?xf16>
    fuse.yield %m : tensor<?xf16>
  }
  return %y : tensor<?xf16>
}

// -----

func.func @folded_too_little(%x: tensor<64x35xf16>) -> tensor<35xf16> {
  // expected-error @below {{expected a vector that divides 4 rows, but got vector = 8 for rows of 35; use fold = 8}}
  %y = fuse.kernel "k" ins(%x : tensor<64x35xf16>) -> tensor<35xf16>
      schedule = #fuse.columns<threads = 32, vector = 8, splits = 4, fold = 4> {
  ^bb0(%a: tensor<64x35xf16>):
    %m = fuse.reduce max %a dims = [0] : tensor<64x35xf16> -> tensor<35xf16>
    fuse.yield %m : tensor<35xf16>
  }
  return %y : tensor<35xf16>
}

// -----

// Each is code of its own: 512 rotary ones took LLVM three minutes.
func.func @many_held_places(%x: tensor<2056x8xf32>) -> tensor<2056x8xf32> {
  // expected-error @below {{expected at most 256 vectors a thread with hold = registers, but got 257; use more splits or hold = loop}}
  %y = fuse.kernel "k" ins(%x : tensor<2056x8xf32>) -> tensor<2056x8xf32>
      schedule = #fuse.columns<threads = 32, vector = 4, splits = 8, hold = registers> {
  ^bb0(%a: tensor<2056x8xf32>):
    %m = fuse.reduce max %a dims = [0] keep : tensor<2056x8xf32> -> tensor<1x8xf32>
    %d = fuse.sub %a, %m : tensor<2056x8xf32>, tensor<1x8xf32> -> tensor<2056x8xf32>
    fuse.yield %d : tensor<2056x8xf32>
  }
  return %y : tensor<2056x8xf32>
}

// -----

func.func @vectors_across_planes(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  // expected-error @below {{expected vector = 1 for several reduced dimensions of dynamic size, but got vector = 4; use vector = 1}}
  %y = fuse.kernel "planes" ins(%x : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
      schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = loop> {
  ^bb0(%a: tensor<?x?x?xf32>):
    %m = fuse.reduce max %a dims = [1, 2] keep : tensor<?x?x?xf32> -> tensor<?x1x1xf32>
    %s = fuse.sub %a, %m : tensor<?x?x?xf32>, tensor<?x1x1xf32> -> tensor<?x?x?xf32>
    fuse.yield %s : tensor<?x?x?xf32>
  }
  return %y : tensor<?x?x?xf32>
}

// -----

func.func @chip(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @below {{expected a chip with wgmma for #fuse.mma with isa = wgmma, such as sm_90a, but got another; use isa = mma_sync}}
  %y = fuse.kernel "k" ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    fuse.yield %p : tensor<64x64xbf16>
  }
  return %y : tensor<64x64xbf16>
}

// -----

// Tiles are of contractions.
func.func @no_tiles(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected a kernel of contractions in tiles for #fuse.tiled, but got another: there is no contraction; use another schedule, or several kernels}}
  %y = fuse.kernel "k" ins(%x : tensor<8xf32>) -> tensor<8xf32>
      schedule = #fuse.tiled<threads = 1, vector = 4, tile_m = 4, tile_n = 4, tile_k = 4, rows = 4, columns = 4> {
  ^bb0(%a: tensor<8xf32>):
    %e = fuse.exp %a : tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

// Neighbouring results that have no operand's element in common.
func.func @no_columns(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  // expected-error @below {{both operands have the result's last axis}}
  %y = fuse.kernel "k" ins(%x : tensor<8x4xf32>) -> tensor<4xf32>
      schedule = #fuse.tiled<threads = 1, vector = 4, tile_m = 4, tile_n = 4, tile_k = 4, rows = 4, columns = 4> {
  ^bb0(%a: tensor<8x4xf32>):
    %p = fuse.contract "kn,kn->n" %a, %a : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<4xf32>
    fuse.yield %p : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// Warps have whole pieces of a tile.
func.func @no_warps(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{expected tile_m to be a multiple of 4 x rows = 16 and tile_n of 8 x columns = 32, the piece of a warp, but got 32 and 16; use multiples of these}}
  %y = fuse.kernel "k" ins(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
      schedule = #fuse.tiled<threads = 32, vector = 4, tile_m = 32, tile_n = 16, tile_k = 4, rows = 4, columns = 4> {
  ^bb0(%a: tensor<8x8xf32>):
    %p = fuse.contract "mk,kn->mn" %a, %a : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    fuse.yield %p : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}
