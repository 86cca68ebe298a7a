// RUN: fuse-opt %s | FileCheck %s
// RUN: fuse-opt %s | fuse-opt | FileCheck %s

// CHECK-LABEL: func.func private @schedules
func.func private @schedules() attributes {
  // CHECK-SAME: a = #fuse.pointwise<threads = 128, vector = 4, unroll = 2>
  a = #fuse.pointwise<threads = 128, vector = 4, unroll = 2>,
  // CHECK-SAME: b = #fuse.rows<threads = 256, vector = 8, rows_per_block = 4, hold = registers>
  b = #fuse.rows<threads = 256, vector = 8, rows_per_block = 4, hold = registers>,
  // CHECK-SAME: b2 = #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared<in_registers = 4>>
  b2 = #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared<in_registers = 4>>,
  // CHECK-SAME: b3 = #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache>
  b3 = #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache>,
  // CHECK-SAME: b4 = #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers<preload = true>>
  b4 = #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers<preload = true>>,
  // CHECK-SAME: b5 = #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared<copy_groups = 2>>
  b5 = #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared<copy_groups = 2>>,
  // CHECK-SAME: b6 = #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared, share = cluster<4>>
  b6 = #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = shared, share = cluster<4>>,
  // CHECK-SAME: b7 = #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = loop, share = grid<264>>
  b7 = #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = loop, share = grid<264>>,
  // All parameters, in any order, and parts as attributes of their own.
  // CHECK-SAME: b8 = #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = shared<unroll = 2, in_registers = 1, preload = true, copy_groups = 1, stages = 3>, share = cluster<2>, persistent = 4, least_blocks = 2>
  b8 = #fuse.rows<least_blocks = 2, persistent = 4, share = #fuse.cluster<2>, hold = #fuse.shared<stages = 3, copy_groups = 1, preload = true, in_registers = 1, unroll = 2>, rows_per_block = 1, vector = 8, threads = 64>,
  // CHECK-SAME: b9 = #fuse.rows<threads = 64, vector = 8, rows_per_block = 8, hold = registers<preload = true, rows_per_thread = 2>>
  b9 = #fuse.rows<threads = 64, vector = 8, rows_per_block = 8, hold = registers<preload = true, rows_per_thread = 2>>,
  // Usual values are left out.
  // CHECK-SAME: b99 = #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = loop>
  b99 = #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = loop<unroll = 4, stages = 1>, persistent = 0>,
  // CHECK-SAME: c = #fuse.rows<threads = 1024, vector = 1, rows_per_block = 1024, hold = loop>
  c = #fuse.rows<threads = 1024, vector = 1, rows_per_block = 1024, hold = loop>,
  // CHECK-SAME: d = #fuse.columns<threads = 1, vector = 64, splits = 1>
  d = #fuse.columns<threads = 1, vector = 64, splits = 1>,
  // CHECK-SAME: d2 = #fuse.columns<threads = 256, vector = 4, splits = 8, share = parts<16>>
  d2 = #fuse.columns<threads = 256, vector = 4, splits = 8, hold = loop<unroll = 4>, share = parts<16>>,
  // CHECK-SAME: d3 = #fuse.columns<threads = 256, vector = 4, splits = 8, hold = loop<unroll = 2, stages = 4>, share = cluster<8>>
  d3 = #fuse.columns<threads = 256, vector = 4, splits = 8, hold = loop<unroll = 2, stages = 4>, share = cluster<8>>,
  // CHECK-SAME: d4 = #fuse.columns<threads = 256, vector = 4, splits = 8, share = parts<3>, fold = 4>
  d4 = #fuse.columns<threads = 256, vector = 4, splits = 8, share = parts<3>, fold = 4>,
  // CHECK-SAME: d5 = #fuse.columns<threads = 256, vector = 4, splits = 8, hold = registers, evict_first = true>
  d5 = #fuse.columns<threads = 256, vector = 4, splits = 8, hold = registers, evict_first = true>,
  // CHECK-SAME: e = #fuse.contraction<threads = 128, tile_m = 4, tile_n = 2, vector = 4, along = n>
  e = #fuse.contraction<threads = 128, tile_m = 4, tile_n = 2, vector = 4, along = n>,
  // CHECK-SAME: f = #fuse.contraction<threads = 128, tile_m = 1, tile_n = 1, vector = 2, along = k>
  f = #fuse.contraction<threads = 128, tile_m = 1, tile_n = 1, vector = 2, along = k>,
  // CHECK-SAME: f2 = #fuse.tiled<threads = 1, vector = 16, tile_m = 196, tile_n = 512, tile_k = 256, rows = 14, columns = 32>
  f2 = #fuse.tiled<threads = 1, vector = 16, tile_m = 196, tile_n = 512, tile_k = 256, rows = 14, columns = 32>,
  // CHECK-SAME: f3 = #fuse.tiled<threads = 256, vector = 4, tile_m = 128, tile_n = 128, tile_k = 8, rows = 8, columns = 8>
  f3 = #fuse.tiled<threads = 256, vector = 4, tile_m = 128, tile_n = 128, tile_k = 8, rows = 8, columns = 8>,
  // CHECK-SAME: g = #fuse.transpose<threads = 256, tile = 64, vector = 8>
  g = #fuse.transpose<threads = 256, tile = 64, vector = 8>,
  // CHECK-SAME: h = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>
  h = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>,
  // CHECK-SAME: i = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 16, tile_k = 256, stages = 2, consumers = 2, raster = 1, store = direct, persistent = 1>
  i = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 16, tile_k = 256, stages = 2, consumers = 2, raster = 1, store = direct, persistent = 1>,
  // CHECK-SAME: j = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 8, consumers = 2, raster = 1, store = direct, persistent = 132, split_k = 4, swap = true>
  j = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 8, consumers = 2, raster = 1, store = direct, persistent = 132, split_k = 4, swap = true>,
  // The defaults are not printed.
  // CHECK-SAME: k = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 16, tile_k = 256, stages = 2, consumers = 2, raster = 1, store = direct, persistent = 1>
  k = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 16, tile_k = 256, stages = 2, consumers = 2, raster = 1, store = direct, persistent = 1, split_k = 1, swap = false>
}
