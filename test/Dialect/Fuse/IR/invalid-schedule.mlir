// RUN: fuse-opt %s -split-input-file -verify-diagnostics

// A block has a thread.
// expected-error @below {{expected threads from 1 to 1024, but got 0; choose one in that range}}
func.func private @f() attributes {s = #fuse.pointwise<threads = 0, vector = 1, unroll = 1>}

// -----

// A block has at most 1024 threads.
// expected-error @below {{expected threads from 1 to 1024, but got 1025}}
func.func private @f() attributes {s = #fuse.columns<threads = 1025, vector = 1, splits = 1>}

// -----

// Vectors: pointwise.
// expected-error @below {{expected vector to be a power of two, but got 3; choose 2}}
func.func private @f() attributes {s = #fuse.pointwise<threads = 1, vector = 3, unroll = 1>}

// -----

// Vectors: rows.
// expected-error @below {{expected vector to be a power of two, but got 3; choose 2}}
func.func private @f() attributes {s = #fuse.rows<threads = 1, vector = 3, rows_per_block = 1, hold = loop>}

// -----

// Vectors: columns.
// expected-error @below {{expected vector to be a power of two, but got 3; choose 2}}
func.func private @f() attributes {s = #fuse.columns<threads = 1, vector = 3, splits = 1>}

// -----

// Vectors: contraction.
// expected-error @below {{expected vector to be a power of two, but got 3; choose 2}}
func.func private @f() attributes {s = #fuse.contraction<threads = 1, tile_m = 1, tile_n = 1, vector = 3, along = n>}

// -----

// The longest vector.
// expected-error @below {{expected vector from 1 to 64, but got 128}}
func.func private @f() attributes {s = #fuse.columns<threads = 1, vector = 128, splits = 1>}

// -----

// The shortest vector.
// expected-error @below {{expected vector from 1 to 64, but got 0}}
func.func private @f() attributes {s = #fuse.columns<threads = 1, vector = 0, splits = 1>}

// -----

// The groups of copies.
// expected-error @below {{expected copy_groups from 1 to 64, but got 0}}
func.func private @f() attributes {s = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = shared<copy_groups = 0>>}

// -----

// Clusters.
// expected-error @below {{expected a cluster of a power of two from 2 to 16 blocks, but got 3; choose one of those, or leave share out}}
func.func private @f() attributes {s = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = loop, share = cluster<3>>}

// -----

// expected-error @below {{expected a cluster of a power of two from 2 to 16 blocks, but got 32}}
func.func private @f() attributes {s = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = loop, share = cluster<32>>}

// -----

// Their blocks have one row, in whole warps.
// expected-error @below {{expected rows_per_block = 1 and whole warps of 32 where blocks share a row, but got 2 and 64 threads}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 2, hold = loop, share = cluster<2>>}

// -----

// expected-error @below {{expected rows_per_block = 1 and whole warps of 32 where blocks share a row, but got 1 and 16 threads}}
func.func private @f() attributes {s = #fuse.rows<threads = 16, vector = 1, rows_per_block = 1, hold = loop, share = cluster<2>>}

// -----

// The whole grid.
// expected-error @below {{expected hold = loop where the whole grid shares a row, but got hold = registers}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = registers, share = grid<2>>}

// -----

// expected-error @below {{expected blocks of the grid from 1 to 4096, but got 5000}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = loop, share = grid<5000>>}

// -----

// Blocks that stay.
// expected-error @below {{expected persistent from 1 to 8192, but got -1}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = loop, persistent = -1>}

// -----

// expected-error @below {{expected persistent blocks to be whole clusters of 2 blocks that have rows, but got persistent = 3; leave it out}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = loop, share = cluster<2>, persistent = 3>}

// -----

// expected-error @below {{expected persistent blocks to be whole clusters of 8 blocks that have rows, but got persistent = 8; leave it out}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = loop, share = grid<8>, persistent = 8>}

// -----

// The unrolling.
// expected-error @below {{expected unroll from 1 to 4096, but got 0}}
func.func private @f() attributes {s = #fuse.pointwise<threads = 1, vector = 1, unroll = 0>}

// -----

// A row has whole threads.
// expected-error @below {{expected rows_per_block to divide the 256 threads, but got 3; choose a divisor}}
func.func private @f() attributes {s = #fuse.rows<threads = 256, vector = 1, rows_per_block = 3, hold = loop>}

// -----

// Shuffles combine the threads of a row: none in part of a warp.
// expected-error @below {{expected the threads of a row to be whole warps of 32 or a power of two, but got 180; choose other threads or rows_per_block}}
func.func private @f() attributes {s = #fuse.rows<threads = 180, vector = 1, rows_per_block = 1, hold = loop>}

// -----

// Nor of several rows in one.
// expected-error @below {{expected the threads of a row to be whole warps of 32 or a power of two, but got 48}}
func.func private @f() attributes {s = #fuse.rows<threads = 96, vector = 1, rows_per_block = 2, hold = loop>}

// -----

// A block has a row.
// expected-error @below {{expected rows_per_block from 1 to 1024, but got 0}}
func.func private @f() attributes {s = #fuse.rows<threads = 256, vector = 1, rows_per_block = 0, hold = loop>}

// -----

// expected-error @below {{expected in_registers from 0 on, but got -1; leave it out}}
func.func private @f() attributes {s = #fuse.rows<threads = 256, vector = 1, rows_per_block = 1, hold = shared<in_registers = -1>>}

// -----

// Only registers keep what was loaded ahead.
// expected-error @below {{expected cache without parameters, but got some; write hold = cache}}
func.func private @f() attributes {s = #fuse.rows<threads = 256, vector = 1, rows_per_block = 1, hold = cache<preload = true>>}

// -----

// A row in shared memory has the block to itself.
// expected-error @below {{expected rows_per_block = 1 with hold = shared, but got 2; use hold = registers}}
func.func private @f() attributes {s = #fuse.rows<threads = 256, vector = 1, rows_per_block = 2, hold = shared>}

// -----

// Columns stay in registers or nowhere.
// expected-error @below {{expected hold = registers or hold = loop<...> for columns, but got cache; use hold = loop}}
func.func private @f() attributes {s = #fuse.columns<threads = 256, vector = 1, splits = 2, hold = cache>}

// -----

// The tile's rows.
// expected-error @below {{expected tile_m from 1 to}}
func.func private @f() attributes {s = #fuse.contraction<threads = 1, tile_m = 0, tile_n = 1, vector = 1, along = n>}

// -----

// The tile's columns.
// expected-error @below {{expected tile_n from 1 to}}
func.func private @f() attributes {s = #fuse.contraction<threads = 1, tile_m = 1, tile_n = 0, vector = 1, along = n>}

// -----

// Threads that share a vector of results.
// expected-error @below {{expected splits to divide the 32 threads, but got 5; choose a divisor}}
func.func private @f() attributes {s = #fuse.columns<threads = 32, vector = 1, splits = 5>}

// -----

// Blocks that share a column.
// expected-error @below {{expected from 2 to 4096 parts, but got 1; choose so many, or leave share out}}
func.func private @f() attributes {s = #fuse.columns<threads = 32, vector = 1, splits = 4, share = parts<1>>}

// -----

// They walk in loops.
// expected-error @below {{expected hold = loop where blocks share a column, but got share = parts<2> with hold = registers; leave share out}}
func.func private @f() attributes {s = #fuse.columns<threads = 32, vector = 1, splits = 4, hold = registers, share = parts<2>>}

// -----

// Vectors turn by xor, which stays inside a power of two.
// expected-error @below {{expected tile to be a power of two of at least vector = 4, but got 48; choose 32}}
func.func private @f() attributes {s = #fuse.transpose<threads = 32, tile = 48, vector = 4>}

// -----

// expected-error @below {{expected tile to be a power of two of at least vector = 16, but got 8; choose 128}}
func.func private @f() attributes {s = #fuse.transpose<threads = 32, tile = 8, vector = 16>}

// -----

// expected-error @below {{expected tile from 1 to 256, but got 512; choose one in that range}}
func.func private @f() attributes {s = #fuse.transpose<threads = 32, tile = 512, vector = 4>}

// -----

// expected-error @below {{expected threads to divide the 256 vectors of a tile, but got 96; choose a power of two up to that}}
func.func private @f() attributes {s = #fuse.transpose<threads = 96, tile = 32, vector = 4>}

// -----

// expected-error @below {{expected share = cluster<N> or share = parts<N> for columns, but got grid<3>; use share = parts<N>}}
func.func private @f() attributes {s = #fuse.columns<threads = 32, vector = 1, splits = 4, share = grid<3>>}

// -----

// One way to share.
// expected-error @below {{expected 'share' once, but got it again; remove one}}
func.func private @f() attributes {s = #fuse.columns<threads = 32, vector = 1, splits = 4, share = parts<2>, share = cluster<2>>}

// -----

// expected-error @below {{expected share = cluster<N> or share = grid<N> for rows, but got parts<2>; leave it out}}
func.func private @f() attributes {s = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = loop, share = parts<2>>}

// -----

// expected-error @below {{expected stages from 1 to 8, but got 9; choose one in that range}}
func.func private @f() attributes {s = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = loop<stages = 9>>}

// -----

// expected-error @below {{expected stages from 1 to 8, but got 9; choose one in that range}}
func.func private @f() attributes {s = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = shared<preload = true, stages = 9>, persistent = 4>}

// -----

// Only persistent blocks have a next row to copy.
// expected-error @below {{expected persistent blocks for stages with hold = shared, but got persistent = 0; leave stages out}}
func.func private @f() attributes {s = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = shared<preload = true, stages = 2>>}

// -----

// expected-error @below {{expected preload = true with stages = 2 in shared memory, but got none; write shared<preload = true, stages = 2>}}
func.func private @f() attributes {s = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = shared<stages = 2>, persistent = 4>}

// -----

// expected-error @below {{expected hold = registers or hold = loop<...> for columns, but got registers<preload = true>; use hold = loop}}
func.func private @f() attributes {s = #fuse.columns<threads = 32, vector = 1, splits = 4, hold = registers<preload = true>>}

// -----

// They meet at a barrier of whole warps.
// expected-error @below {{expected whole warps of 32 where a cluster shares a column, but got 48 threads; leave share out}}
func.func private @f() attributes {s = #fuse.columns<threads = 48, vector = 1, splits = 4, share = cluster<2>>}

// -----

// expected-error @below {{expected fold from 1 to 64, but got 65; choose one in that range}}
func.func private @f() attributes {s = #fuse.columns<threads = 32, vector = 1, splits = 4, fold = 65>}

// -----

// expected-error @below {{expected hold = loop and no cluster where rows are walked together, but got hold = registers and share = none with fold = 2; leave fold out}}
func.func private @f() attributes {s = #fuse.columns<threads = 32, vector = 1, splits = 4, hold = registers, fold = 2>}

// -----

// expected-error @below {{but got hold = loop and share = cluster<2> with fold = 2; leave fold out}}
func.func private @f() attributes {s = #fuse.columns<threads = 32, vector = 1, splits = 1, share = cluster<2>, fold = 2>}

// -----

// Copies into shared memory leave the caches as others do.
// expected-error @below {{expected evict_first with stages = 1, but got stages = 2; leave it out}}
func.func private @f() attributes {s = #fuse.columns<threads = 32, vector = 1, splits = 4, hold = loop<stages = 2>, evict_first = true>}

// -----

// expected-error @below {{expected least_blocks of up to 2048 threads together, but got 5 blocks of 512; use 4 at most}}
func.func private @f() attributes {s = #fuse.rows<threads = 512, vector = 1, rows_per_block = 1, hold = cache, least_blocks = 5>}

// -----

// expected-error @below {{expected least_blocks of up to 2048 threads together, but got -1 blocks of 512; use 4 at most}}
func.func private @f() attributes {s = #fuse.rows<threads = 512, vector = 1, rows_per_block = 1, hold = cache, least_blocks = -1>}

// -----

// expected-error @below {{expected rows_per_thread from 1 to 16, but got 32; choose one in that range}}
func.func private @f() attributes {s = #fuse.rows<threads = 32, vector = 1, rows_per_block = 32, hold = registers<rows_per_thread = 32>>}

// -----

// expected-error @below {{expected rows_per_block to be rows_per_thread = 4 times a divisor of the 128 threads, but got 6; choose such a multiple}}
func.func private @f() attributes {s = #fuse.rows<threads = 128, vector = 1, rows_per_block = 6, hold = registers<rows_per_thread = 4>>}

// -----

// expected-error @below {{expected rows_per_block to be rows_per_thread = 2 times a divisor of the 128 threads, but got 6; choose such a multiple}}
func.func private @f() attributes {s = #fuse.rows<threads = 128, vector = 1, rows_per_block = 6, hold = registers<rows_per_thread = 2>>}

// -----

// expected-error @below {{expected no share and no persistent blocks with rows_per_thread > 1, but got share = cluster<2> and persistent = 0; leave rows_per_thread out}}
func.func private @f() attributes {s = #fuse.rows<threads = 128, vector = 1, rows_per_block = 8, hold = registers<rows_per_thread = 2>, share = cluster<2>>}

// -----

// expected-error @below {{but got share = none and persistent = 132; leave rows_per_thread out}}
func.func private @f() attributes {s = #fuse.rows<threads = 128, vector = 1, rows_per_block = 8, hold = registers<rows_per_thread = 2>, persistent = 132>}

// -----

// The threads of a row are fewer than threads / rows_per_block.
// expected-error @below {{expected the threads of a row to be whole warps of 32 or a power of two, but got 48; choose other threads or rows_per_block}}
func.func private @f() attributes {s = #fuse.rows<threads = 96, vector = 1, rows_per_block = 4, hold = registers<rows_per_thread = 2>>}

// -----

// mma, 1.
// expected-error @below {{expected tile_m of 64 or a multiple of 128 (64 rows of an instruction for each consumer) up to 256, but got 192; choose 128}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 192, tile_n = 256, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>}

// -----

// expected-error @below {{expected tile_m of 64 or a multiple of 64 (64 rows of an instruction for each consumer) up to 256, but got 32; choose 64}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 32, tile_n = 256, tile_k = 64, stages = 4, consumers = 1, raster = 8, store = tma, persistent = 132>}

// -----

// expected-error @below {{expected tile_m of 64 or a multiple of 128 (64 rows of an instruction for each consumer) up to 256, but got 512; choose 128}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 512, tile_n = 8, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>}

// -----

// mma, 2.
// expected-error @below {{expected tile_n to be a multiple of 8 up to 256, of which m64nNk16 exists, but got 260; choose 128}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 260, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>}

// -----

// expected-error @below {{expected tile_n to be a multiple of 16 up to 256, of which m64nNk16 exists, but got 24; choose 128}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 24, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>}

// -----

// mma, 3.
// expected-error @below {{expected tile_k to be a multiple of 64 (128 bytes) up to 256, but got 96; choose 64}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 96, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>}

// -----

// mma, 4.
// expected-error @below {{expected at most 160 sums a thread, but got 256 for a tile of 128 x 256 with 1 consumer; use a smaller tile or more consumers}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64, stages = 4, consumers = 1, raster = 8, store = tma, persistent = 132>}

// -----

// mma, 5.
// expected-error @below {{expected store = direct where the sums are read from shared memory, but got store = tma with swap = true; use store = direct}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132, swap = true>}

// -----

// expected-error @below {{but got store = tma with split_k > 1; use store = direct}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132, split_k = 2>}

// -----

// mma, 6.
// expected-error @below {{expected split_k from 1 to 8, but got 16; choose one in that range}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = direct, persistent = 128, split_k = 16>}

// -----

// expected-error @below {{expected split_k from 1 to 8, but got 0; choose one in that range}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = direct, persistent = 128, split_k = 0>}

// -----

// expected-error @below {{expected persistent blocks to be whole clusters of 8 blocks, but got 132; use persistent = 128}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = direct, persistent = 132, split_k = 8>}

// -----

// mma, 7. The sums of a tile of 128 x 192 take 200 words a row.
// expected-error @below {{expected at most 232448 bytes of shared memory, but got 267344 for 4 stages of 40960 bytes and 102400 of results; use stages = 3}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 192, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = direct, persistent = 132, split_k = 2>}

// -----

// Those of the swapped one 132 words a row.
// expected-error @below {{for 4 stages of 40960 bytes and 101376 of results; use stages = 3}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 192, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = direct, persistent = 132, swap = true>}

// -----

// expected-error @below {{expected at most 232448 bytes of shared memory, but got 279632 for 5 stages of 49152 bytes and 32768 of results; use stages = 4}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64, stages = 5, consumers = 2, raster = 8, store = tma, persistent = 132>}

// -----

// expected-error @below {{of 196608 bytes and 32768 of results; use a smaller tile}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 256, stages = 2, consumers = 2, raster = 8, store = tma, persistent = 132>}

// -----

// expected-error @below {{expected stages from 2 to 16, one to multiply and one to fill, but got 1; choose 4}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64, stages = 1, consumers = 2, raster = 8, store = tma, persistent = 132>}

// -----

// expected-error @below {{expected consumers from 1 to 2, but got 3; choose one in that range}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64, stages = 4, consumers = 3, raster = 8, store = tma, persistent = 132>}

// -----

// expected-error @below {{expected raster from 1 to 64, but got 0; choose one in that range}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64, stages = 4, consumers = 2, raster = 0, store = tma, persistent = 132>}

// -----

// expected-error @below {{expected persistent from 1 to 8192, but got 0; choose one in that range}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 0>}

// -----

// A tile of whole pieces of rows.
// expected-error @below {{expected tile_m to be a multiple of rows = 12, but got 32; choose 36}}
func.func private @f() attributes {s = #fuse.tiled<threads = 1, vector = 8, tile_m = 32, tile_n = 32, tile_k = 64, rows = 12, columns = 16>}

// -----

// A tile of whole pieces of columns.
// expected-error @below {{expected tile_n to be a multiple of columns = 16, but got 24; choose 32}}
func.func private @f() attributes {s = #fuse.tiled<threads = 1, vector = 8, tile_m = 24, tile_n = 24, tile_k = 64, rows = 12, columns = 16>}

// -----

// Whole vectors of columns.
// expected-error @below {{expected columns to be a multiple of vector = 8, but got 12; choose 16}}
func.func private @f() attributes {s = #fuse.tiled<threads = 1, vector = 8, tile_m = 24, tile_n = 24, tile_k = 64, rows = 12, columns = 12>}

// -----

// Blocks of a sum end where steps end.
// expected-error @below {{expected tile_k to divide 256, but got 96; choose 64}}
func.func private @f() attributes {s = #fuse.tiled<threads = 1, vector = 8, tile_m = 24, tile_n = 32, tile_k = 96, rows = 12, columns = 16>}

// -----

// Sums in registers.
// expected-error @below {{expected rows and columns of at most 160 vectors of sums a thread, but got 256; choose fewer rows}}
func.func private @f() attributes {s = #fuse.tiled<threads = 1, vector = 8, tile_m = 64, tile_n = 32, tile_k = 64, rows = 64, columns = 32>}

// -----

// A piece for each thread of a group.
// expected-error @below {{expected threads to be a multiple of the 256 pieces of a tile, but got 128; choose 256}}
func.func private @f() attributes {s = #fuse.tiled<threads = 128, vector = 4, tile_m = 128, tile_n = 128, tile_k = 8, rows = 8, columns = 8>}

// -----

// streamed, 1.
// expected-error @+1 {{expected tile_m = 128 (64 rows of an instruction for each consumer) or 64, but got 192; change one of the two}}
func.func private @f() attributes {s = #fuse.streamed<isa = wgmma, tile_m = 192, tile_n = 128, tile_k = 128, depth = 128, stages = 2, consumers = 2, store = tma>}

// -----

// streamed, 2.
// expected-error @+1 {{expected depth to be a multiple of 64 (128 bytes) up to 1024, but got 96; choose 128}}
func.func private @f() attributes {s = #fuse.streamed<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 128, depth = 96, stages = 2, consumers = 2, store = tma>}

// -----

// streamed, 2.
// expected-error @+1 {{expected tile_n and tile_k of at most 192 with one consumer, but got 256; use consumers = 2}}
func.func private @f() attributes {s = #fuse.streamed<isa = wgmma, tile_m = 64, tile_n = 256, tile_k = 64, depth = 256, stages = 2, consumers = 1, store = direct>}

// -----

// streamed_panels, 1.
// expected-error @+1 {{expected tile_m to be a multiple of rows = 12, but got 40; choose 48}}
func.func private @f() attributes {s = #fuse.streamed_panels<vector = 8, tile_m = 40, tile_k = 128, rows = 12, columns = 16>}

// -----

// streamed_panels, 2.
// expected-error @+1 {{expected tile_k to divide 256, but got 96; choose 64}}
func.func private @f() attributes {s = #fuse.streamed_panels<vector = 8, tile_m = 48, tile_k = 96, rows = 12, columns = 16>}

// -----

// streamed_panels, 3.
// expected-error @+1 {{expected rows and columns of at most 128 vectors of sums a thread, but got 160; choose fewer rows}}
func.func private @f() attributes {s = #fuse.streamed_panels<vector = 8, tile_m = 80, tile_k = 128, rows = 80, columns = 16>}

// -----

// streamed, 3.
// expected-error @+1 {{expected at most 176 registers of sums, scores and weights, but got 224; use a smaller tile_k}}
func.func private @f() attributes {s = #fuse.streamed<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 128, depth = 128, stages = 2, consumers = 2, store = tma>}

// -----

// streamed, 5.
// expected-error @+1 {{expected at most 232448 bytes of shared memory, but got 263280; use fewer stages or a smaller tile_k}}
func.func private @f() attributes {s = #fuse.streamed<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 128, depth = 128, stages = 3, consumers = 2, store = tma>}

// -----

// streamed, 1.
// expected-error @+1 {{expected heads to be a power of two up to tile_m = 64, but got 3; choose 1}}
func.func private @f() attributes {s = #fuse.streamed<isa = wgmma, tile_m = 64, tile_n = 128, tile_k = 64, depth = 128, stages = 2, consumers = 1, store = direct, heads = 3, split = 132>}

// -----

// expected-error @+1 {{expected a split of at least 1, but got 0; choose 1}}
func.func private @f() attributes {s = #fuse.streamed<isa = wgmma, tile_m = 64, tile_n = 128, tile_k = 64, depth = 128, stages = 2, consumers = 1, store = direct, heads = 4, split = 0>}

// -----

// streamed, 4. A slot is multiplied while another is filled.
// expected-error @+1 {{expected stages from 2 to 8, one to multiply and one to fill, but got 1; choose 2}}
func.func private @f() attributes {s = #fuse.streamed<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 128, depth = 128, stages = 1, consumers = 2, store = tma>}

// -----

// streamed, 1. Only in turn registers have room for a third.
// expected-error @+1 {{expected consumers from 1 to 2, but got 3; choose 2}}
func.func private @f() attributes {s = #fuse.streamed<isa = wgmma, tile_m = 192, tile_n = 64, tile_k = 64, depth = 64, stages = 2, consumers = 3, store = direct>}

// -----

// streamed, 2. Consumers that share columns have whole rows of shared memory.
// expected-error @+1 {{expected tile_n to be a multiple of 128 (256 bytes) up to 512, but got 320; choose 256}}
func.func private @f() attributes {s = #fuse.streamed<isa = wgmma, tile_m = 64, tile_n = 320, tile_k = 64, depth = 320, stages = 2, consumers = 2, store = direct>}

// -----

// streamed, 3.
// expected-error @+1 {{expected at most 128 registers of sums, scores and weights, but got 160; use a smaller tile_k}}
func.func private @f() attributes {s = #fuse.streamed<isa = wgmma, tile_m = 192, tile_n = 128, tile_k = 128, depth = 128, stages = 2, consumers = 3, store = direct, in_turn = true>}

// -----

// streamed, 4. Behind a tile of the only slot's keys nothing could be copied.
// expected-error @+1 {{expected stages from 2 to 8, one to multiply and one to fill, but got 1; choose 2}}
func.func private @f() attributes {s = #fuse.streamed<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 64, depth = 128, stages = 1, consumers = 1, store = rows, values_in_keys = true>}

// -----

// expected-error @+1 {{expected polynomials from 0 to 8, but got 9; choose 0}}
func.func private @f() attributes {s = #fuse.streamed<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 128, depth = 128, stages = 2, consumers = 2, store = tma, polynomials = 9>}

// -----

// expected-error @+1 {{expected persistent = 0, or at least 1 with store = tma, heads = 1 and split = 1, but got 132; choose 0}}
func.func private @f() attributes {s = #fuse.streamed<isa = wgmma, tile_m = 64, tile_n = 128, tile_k = 64, depth = 128, stages = 2, consumers = 1, store = direct, heads = 4, persistent = 132>}

// -----

// streamed, 2.
// expected-error @+1 {{expected tile_k to be a multiple of 32 (64 bytes) up to 256, but got 48; choose 64}}
func.func private @f() attributes {s = #fuse.streamed<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 48, depth = 64, stages = 2, consumers = 1, store = rows>}

// -----

// streamed, 4.
// expected-error @+1 {{expected stages from 1 to 8, but got 0; choose 2}}
func.func private @f() attributes {s = #fuse.streamed<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 64, depth = 64, stages = 0, consumers = 1, store = rows>}

// -----

// expected-error @+1 {{expected store = direct or rows for isa = mma_sync, but got store = tma; use store = direct}}
func.func private @f() attributes {s = #fuse.streamed<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 64, depth = 64, stages = 2, consumers = 1, store = tma>}

// -----

// expected-error @below {{expected operand_bits of 8, 16, 32 or 64, but got 4; use 16}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132, operand_bits = 4>}

// -----

// expected-error @below {{expected tile_k to be a multiple of 32 (128 bytes) up to 256, but got 48; choose 32}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 48, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132, operand_bits = 32>}

// -----

// expected-error @below {{expected tile_k to be a multiple of 128 (128 bytes) up to 128, but got 64; choose 128}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132, operand_bits = 8>}

// -----

// expected-error @below {{expected at most 96 sums a thread, but got 128 for a tile of 128 x 256 with 2 consumers; use a smaller tile or more consumers}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 128, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132, operand_bits = 8>}

// -----

// mma by mma.sync.
// expected-error @below {{expected tile_m to be a multiple of 64, 16 rows of each of 4 warps, but got 96; choose 128}}
func.func private @f() attributes {s = #fuse.mma<isa = mma_sync, tile_m = 96, tile_n = 128, tile_k = 64, stages = 3, consumers = 2, raster = 8, store = rows, persistent = 108>}

// -----

// expected-error @below {{expected at most 128 sums a thread, but got 144 for a tile of 256 x 144 with 2 consumers; use a smaller tile or more consumers}}
func.func private @f() attributes {s = #fuse.mma<isa = mma_sync, tile_m = 256, tile_n = 144, tile_k = 64, stages = 3, consumers = 2, raster = 8, store = rows, persistent = 108>}

// -----

// expected-error @below {{expected store = direct or rows for isa = mma_sync, but got store = tma; use store = rows}}
func.func private @f() attributes {s = #fuse.mma<isa = mma_sync, tile_m = 128, tile_n = 128, tile_k = 64, stages = 3, consumers = 2, raster = 8, store = tma, persistent = 108>}

// -----

// expected-error @below {{expected store = direct or tma for isa = wgmma, but got store = rows; use store = tma}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 3, consumers = 2, raster = 8, store = rows, persistent = 108>}

// -----

// expected-error @below {{expected no cluster for isa = mma_sync, but got one of 2 blocks; use cluster_m and cluster_n of 1}}
func.func private @f() attributes {s = #fuse.mma<isa = mma_sync, tile_m = 128, tile_n = 128, tile_k = 64, stages = 3, consumers = 2, raster = 8, store = direct, persistent = 108, cluster_m = 2>}

// -----

// expected-error @below {{expected store = direct where the sums are read from shared memory, but got store = rows with split_k > 1; use store = direct}}
func.func private @f() attributes {s = #fuse.mma<isa = mma_sync, tile_m = 128, tile_n = 128, tile_k = 64, stages = 3, consumers = 2, raster = 8, store = rows, persistent = 108, split_k = 2>}

// -----

// expected-error @below {{expected at most 64 sums a thread, but got 128 for a tile of 256 x 128 with 2 consumers; use a smaller tile or more consumers}}
func.func private @f() attributes {s = #fuse.mma<isa = mma_sync, tile_m = 256, tile_n = 128, tile_k = 128, stages = 3, consumers = 2, raster = 8, store = direct, persistent = 108, operand_bits = 8>}

// -----

// expected-error @below {{expected at most 232448 bytes of shared memory, but got 246784 for 5 stages of 49152 bytes and 32768 of results; use stages = 4}}
func.func private @f() attributes {s = #fuse.mma<isa = mma_sync, tile_m = 256, tile_n = 128, tile_k = 64, stages = 5, consumers = 2, raster = 8, store = rows, persistent = 108>}

// -----

// expected-error @below {{expected column_bits of 0, 4, 8, 16 or 32, but got 6; use 0 for an operand that is not computed}}
func.func private @f() attributes {s = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 64, stages = 4, consumers = 1, raster = 8, store = direct, persistent = 108, column_bits = 6>}

// -----

// expected-error @below {{expected isa = mma_sync and operand_bits = 16 where operands are computed, but got isa = wgmma and operand_bits = 16; leave row_bits and column_bits out}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 64, tile_n = 64, tile_k = 64, stages = 4, consumers = 1, raster = 8, store = direct, persistent = 108, column_bits = 8>}

// -----

// expected-error @below {{expected at least 3 stages where operands are computed a step ahead, but got 2; use stages = 3}}
func.func private @f() attributes {s = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 64, stages = 2, consumers = 1, raster = 8, store = direct, persistent = 108, row_bits = 4>}

// -----

// expected-error @below {{expected mma_k to be 0, 4 or 8, but got 6; choose 8}}
func.func private @f() attributes {s = #fuse.tiled<threads = 32, vector = 2, tile_m = 16, tile_n = 32, tile_k = 16, rows = 4, columns = 4, mma_k = 6>}

// -----

// expected-error @below {{expected several threads and vector = 2 with mma_k, but got threads = 32 and vector = 4; leave mma_k out}}
func.func private @f() attributes {s = #fuse.tiled<threads = 32, vector = 4, tile_m = 16, tile_n = 32, tile_k = 16, rows = 4, columns = 4, mma_k = 8>}

// -----

// expected-error @below {{expected tile_k to be a multiple of 2 x mma_k = 16, but got 8; choose 16}}
func.func private @f() attributes {s = #fuse.tiled<threads = 32, vector = 2, tile_m = 16, tile_n = 32, tile_k = 8, rows = 4, columns = 4, mma_k = 8>}

// -----

// expected-error @below {{expected rows to be a multiple of mma_k / 2 = 4, but got 2; choose 4}}
func.func private @f() attributes {s = #fuse.tiled<threads = 64, vector = 2, tile_m = 16, tile_n = 32, tile_k = 16, rows = 2, columns = 4, mma_k = 8>}

// -----

// expected-error @below {{expected operand_bits of 8, 16 or 32 for isa = wgmma, but got operand_bits = 64; use isa = mma_sync}}
func.func private @f() attributes {s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 16, stages = 4, consumers = 2, raster = 8, store = direct, persistent = 132, operand_bits = 64>}

// -----

// expected-error @below {{expected tile_k to be a multiple of 16 (128 bytes) up to 256, but got 24; choose 16}}
func.func private @f() attributes {s = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 24, stages = 4, consumers = 2, raster = 8, store = direct, persistent = 132, operand_bits = 64>}

// -----

// expected-error @below {{expected at most 64 sums a thread, but got 128 for a tile of 128 x 128 with 1 consumer; use a smaller tile or more consumers}}
func.func private @f() attributes {s = #fuse.mma<isa = mma_sync, tile_m = 128, tile_n = 128, tile_k = 16, stages = 4, consumers = 1, raster = 8, store = direct, persistent = 132, operand_bits = 64>}
