// RUN: fuse-opt %s -split-input-file -verify-diagnostics

// What was a schedule's own is now a part's, and the error says of which.
// expected-error @below {{expected 'unroll' within hold or share, but got it beside them; write hold = shared<unroll = 2> or hold = loop<unroll = 2>}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = loop, unroll = 2>}

// -----

// expected-error @below {{write hold = shared<in_registers = 3>}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = shared, in_registers = 3>}

// -----

// expected-error @below {{write hold = registers<preload = true> or hold = shared<preload = true>}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = registers, preload = true>}

// -----

// expected-error @below {{write hold = shared<copy_groups = 1>}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = shared, copy_groups = 1>}

// -----

// expected-error @below {{write hold = shared<stages = 3> or hold = loop<stages = 3>}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = loop, stages = 3>}

// -----

// expected-error @below {{write hold = registers<rows_per_thread = 2>}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 8, hold = registers, rows_per_thread = 2>}

// -----

// expected-error @below {{write share = cluster<4>, or share = grid<4> for whole_grid = true}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = loop, blocks_per_row = 4>}

// -----

// expected-error @below {{write share = grid<BLOCKS>}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = loop, whole_grid = true>}

// -----

// expected-error @below {{write hold = loop<unroll = 8>}}
func.func private @f() attributes {s = #fuse.columns<threads = 64, vector = 1, splits = 8, unroll = 8>}

// -----

// expected-error @below {{write hold = loop<stages = 3>}}
func.func private @f() attributes {s = #fuse.columns<threads = 64, vector = 1, splits = 8, stages = 3>}

// -----

// expected-error @below {{write share = parts<5>}}
func.func private @f() attributes {s = #fuse.columns<threads = 64, vector = 1, splits = 8, parts = 5>}

// -----

// expected-error @below {{write share = cluster<8>}}
func.func private @f() attributes {s = #fuse.columns<threads = 64, vector = 1, splits = 8, blocks_per_column = 8>}

// -----

// What no schedule of the kind has had.
// expected-error @below {{expected one of threads, vector, splits, hold, share, fold, evict_first, but got 'rows_per_block'; remove it}}
func.func private @f() attributes {s = #fuse.columns<threads = 64, vector = 1, splits = 8, rows_per_block = 1>}

// -----

// expected-error @below {{expected 'hold', but got none; add it}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1>}

// -----

// expected-error @below {{expected one of registers, cache, shared, loop, but got 'memory'; choose one of these}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = memory>}

// -----

// expected-error @below {{expected one of cluster, grid, parts, but got 'blocks'; choose one of these}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = loop, share = blocks<2>>}

// -----

// A part of the other kind.
// expected-error @below {{expected a part of this kind, but got #fuse.cluster<2>; write its keyword}}
func.func private @f() attributes {s = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = #fuse.cluster<2>>}
