// RUN: fuse-opt %s -split-input-file -fuse-form-kernels -fuse-assign-schedules=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form-kernels -fuse-assign-schedules="chip=sm_90 divisible=true" | FileCheck %s --check-prefix=DIV

// One 16-byte vector of the narrowest element a thread.
// CHECK-LABEL: func.func @f32
// CHECK:         #fuse.pointwise<threads = 128, vector = 4, unroll = 1>
func.func @f32(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %y = fuse.exp %x : tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}

// -----

// CHECK-LABEL: func.func @bf16
// CHECK:         #fuse.pointwise<threads = 128, vector = 8, unroll = 1>
func.func @bf16(%x: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %y = fuse.exp %x : tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// -----

// Of halves of bytes no more: the results, four times as wide, are written
// without gaps.
// CHECK-LABEL: func.func @widened_halves
// CHECK:         #fuse.pointwise<threads = 128, vector = 8, unroll = 1>
func.func @widened_halves(%w: tensor<4096x2048xi8>) -> tensor<4096x4096xbf16> {
  %q = fuse.unpack %w : tensor<4096x2048xi8> -> tensor<4096x4096xi8>
  %y = fuse.cast %q : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}

// -----

// Without a broadcast only the flat position matters: odd rows do not.
// CHECK-LABEL: func.func @flat
// CHECK:         #fuse.pointwise<threads = 128, vector = 4, unroll = 1>
func.func @flat(%x: tensor<?x4097xf32>) -> tensor<?x4097xf32> {
  %y = fuse.exp %x : tensor<?x4097xf32>
  return %y : tensor<?x4097xf32>
}

// -----

// With one, a vector may cross a row: the other operand is read lane by lane.
// CHECK-LABEL: func.func @odd_rows
// CHECK:         #fuse.pointwise<threads = 128, vector = 4, unroll = 1>
func.func @odd_rows(%x: tensor<?x4097xf32>, %b: tensor<4097xf32>) -> tensor<?x4097xf32> {
  %y = fuse.add %x, %b : tensor<?x4097xf32>, tensor<4097xf32> -> tensor<?x4097xf32>
  return %y : tensor<?x4097xf32>
}

// -----

// Vectors of two would keep the pairs of R/2 = 6 together; 64 bits or more cut
// them, and one thread has all.
// CHECK-LABEL: func.func @rotary
// CHECK:         #fuse.pointwise<threads = 128, vector = 8, unroll = 1, heads = 4>
func.func @rotary(%x: tensor<?x2x16xbf16>) -> tensor<?x2x16xbf16> {
  %y = fuse.rotary half tokens_heads %x base = 1.0e4 dims = 12 : tensor<?x2x16xbf16>
  return %y : tensor<?x2x16xbf16>
}

// -----

// One pass over a row that a block holds in registers.
// CHECK-LABEL: func.func @rows
// CHECK:         #fuse.rows<
func.func @rows(%x: tensor<?x4096xf32>) -> tensor<?x1xf32> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
  return %m : tensor<?x1xf32>
}

// -----

// A short row takes as many threads as it has vectors.
// CHECK-LABEL: func.func @short_rows
// CHECK:         #fuse.rows<
func.func @short_rows(%x: tensor<?x16xf32>) -> tensor<?x1xf32> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x16xf32> -> tensor<?x1xf32>
  return %m : tensor<?x1xf32>
}

// -----

// Two vectors a thread in registers, two rows a block.
// CHECK-LABEL: func.func @rows_in_registers
// CHECK:         #fuse.rows<
func.func @rows_in_registers(%x: tensor<?x1024xbf16>) -> tensor<?x1024xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x1024xbf16> -> tensor<?x1xbf16>
  %d = fuse.sub %x, %m : tensor<?x1024xbf16>, tensor<?x1xbf16> -> tensor<?x1024xbf16>
  %e = fuse.exp %d : tensor<?x1024xbf16>
  %s = fuse.reduce sum %e dims = [1] keep : tensor<?x1024xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %e, %s : tensor<?x1024xbf16>, tensor<?x1xbf16> -> tensor<?x1024xbf16>
  return %y : tensor<?x1024xbf16>
}

// -----

// Longer rows are read again from the caches.
// CHECK-LABEL: func.func @rows_in_caches
// CHECK:         #fuse.rows<
func.func @rows_in_caches(%x: tensor<?x8192xbf16>) -> tensor<?x8192xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x8192xbf16> -> tensor<?x1xbf16>
  %d = fuse.sub %x, %m : tensor<?x8192xbf16>, tensor<?x1xbf16> -> tensor<?x8192xbf16>
  %e = fuse.exp %d : tensor<?x8192xbf16>
  %s = fuse.reduce sum %e dims = [1] keep : tensor<?x8192xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %e, %s : tensor<?x8192xbf16>, tensor<?x1xbf16> -> tensor<?x8192xbf16>
  return %y : tensor<?x8192xbf16>
}

// -----

// Then comes the shared memory of several blocks, of which a multiprocessor has room
// for two or more, with few registers.
// CHECK-LABEL: func.func @rows_in_shared_memory
// CHECK:         #fuse.rows<
func.func @rows_in_shared_memory(%x: tensor<?x131072xbf16>) -> tensor<?x131072xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x131072xbf16> -> tensor<?x1xbf16>
  %d = fuse.sub %x, %m : tensor<?x131072xbf16>, tensor<?x1xbf16> -> tensor<?x131072xbf16>
  %e = fuse.exp %d : tensor<?x131072xbf16>
  %s = fuse.reduce sum %e dims = [1] keep : tensor<?x131072xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %e, %s : tensor<?x131072xbf16>, tensor<?x1xbf16> -> tensor<?x131072xbf16>
  return %y : tensor<?x131072xbf16>
}

// -----

// What counts is the bytes of a row: vectors as wide as the narrow result allows
// would be two accesses to the input, and two copies side by side into shared
// memory, where they would meet in its banks.
// CHECK-LABEL: func.func @wide_vectors
// CHECK:         #fuse.rows<
func.func @wide_vectors(%x: tensor<?x65536xf32>) -> tensor<?x65536xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x65536xf32> -> tensor<?x1xf32>
  %d = fuse.sub %x, %m : tensor<?x65536xf32>, tensor<?x1xf32> -> tensor<?x65536xf32>
  %y = fuse.cast %d : tensor<?x65536xf32> -> tensor<?x65536xbf16>
  return %y : tensor<?x65536xbf16>
}

// -----

// A row that is read once is held nowhere, however long.
// CHECK-LABEL: func.func @long_rows
// CHECK:         #fuse.rows<
func.func @long_rows(%x: tensor<?x131072xbf16>) -> tensor<?x1xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x131072xbf16> -> tensor<?x1xbf16>
  return %m : tensor<?x1xbf16>
}

// -----

// An unknown length: vectors leave the edges of a row over, unless it is known to
// be divisible.
// CHECK-LABEL: func.func @dynamic_rows
// CHECK:         #fuse.rows<
// DIV-LABEL:   func.func @dynamic_rows
// DIV:           #fuse.rows<
func.func @dynamic_rows(%x: tensor<?x?xf32>) -> tensor<?x1xf32> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
  return %m : tensor<?x1xf32>
}

// -----

// Of several unknown dimensions the last has to be known to be divisible.
// CHECK-LABEL: func.func @dynamic_planes
// CHECK:         #fuse.rows<
// DIV-LABEL:   func.func @dynamic_planes
// DIV:           #fuse.rows<
func.func @dynamic_planes(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %m = fuse.reduce max %x dims = [1, 2] keep : tensor<?x?x?xf32> -> tensor<?x1x1xf32>
  %y = fuse.sub %x, %m : tensor<?x?x?xf32>, tensor<?x1x1xf32> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// -----

// No wide vector divides the row, so that it is read from where memory is
// aligned; one that is half as wide as it could be is wide enough. Weights are cut
// out of aligned vectors.
// CHECK-LABEL: func.func @odd_rows
// CHECK:         #fuse.rows<
func.func @odd_rows(%x: tensor<?x4097xbf16>) -> tensor<?x4097xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x4097xbf16> -> tensor<?x1xbf16>
  %y = fuse.sub %x, %m : tensor<?x4097xbf16>, tensor<?x1xbf16> -> tensor<?x4097xbf16>
  return %y : tensor<?x4097xbf16>
}
// CHECK-LABEL: func.func @odd_weighted_rows
// CHECK:         #fuse.rows<
func.func @odd_weighted_rows(%x: tensor<?x4097xbf16>, %w: tensor<4097xbf16>) -> tensor<?x4097xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x4097xbf16> -> tensor<?x1xbf16>
  %s = fuse.sub %x, %m : tensor<?x4097xbf16>, tensor<?x1xbf16> -> tensor<?x4097xbf16>
  %y = fuse.mul %s, %w : tensor<?x4097xbf16>, tensor<4097xbf16>
  return %y : tensor<?x4097xbf16>
}
// CHECK-LABEL: func.func @half_odd_rows
// CHECK:         #fuse.rows<
func.func @half_odd_rows(%x: tensor<?x4100xbf16>) -> tensor<?x4100xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x4100xbf16> -> tensor<?x1xbf16>
  %y = fuse.sub %x, %m : tensor<?x4100xbf16>, tensor<?x1xbf16> -> tensor<?x4100xbf16>
  return %y : tensor<?x4100xbf16>
}

// -----

// Few columns: blocks share them.
// CHECK-LABEL: func.func @columns
// CHECK:         #fuse.columns<{{.*}}share = parts<
func.func @columns(%x: tensor<?x64xf32>) -> tensor<64xf32> {
  %s = fuse.reduce sum %x dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
  return %s : tensor<64xf32>
}

// -----

// Tiles in shared memory, each thread with a piece; fewer sums of wider types.
// CHECK-LABEL: func.func @linear
// CHECK:         #fuse.tiled<threads = {{[0-9]+}}, vector = 4, tile_m = {{[0-9]+}}, tile_n = {{[0-9]+}}, tile_k = {{8|16}}, rows = {{[48]}}, columns = {{[48]}}>
func.func @linear(%x: tensor<?x512xf32>, %w: tensor<256x512xf32>) -> tensor<?x256xf32> {
  %y = fuse.contract "mk,nk->mn" %x, %w : tensor<?x512xf32>, tensor<256x512xf32> -> tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}

// -----

// CHECK-LABEL: func.func @product
// CHECK:         #fuse.mma<isa = mma_sync, {{.*}}store = direct, {{.*}}operand_bits = 64>
func.func @product(%x: tensor<?x512xf64>, %w: tensor<512x256xf64>) -> tensor<?x256xf64> {
  %y = fuse.contract "mk,kn->mn" %x, %w : tensor<?x512xf64>, tensor<512x256xf64> -> tensor<?x256xf64>
  return %y : tensor<?x256xf64>
}

// -----

// Rows that do not start at multiples of 16 bytes.
// CHECK-LABEL: func.func @odd
// CHECK:         #fuse.tiled<threads = {{[0-9]+}}, vector = 2, tile_m = {{[0-9]+}}, tile_n = {{[0-9]+}}, tile_k = 16, rows = {{[48]}}, columns = 4, mma_k = 8>
func.func @odd(%x: tensor<?x512xf64>, %w: tensor<512x255xf64>) -> tensor<?x255xf64> {
  %y = fuse.contract "mk,kn->mn" %x, %w : tensor<?x512xf64>, tensor<512x255xf64> -> tensor<?x255xf64>
  return %y : tensor<?x255xf64>
}

// -----

// Large tiles where there are enough of them, small ones for few rows.
// CHECK-LABEL: func.func @large
// CHECK:         #fuse.tiled<threads = 256, vector = 4, tile_m = 128, tile_n = 128, tile_k = 8, rows = 8, columns = 8>
func.func @large(%x: tensor<8192x512xf32>, %w: tensor<512x8192xf32>) -> tensor<8192x8192xf32> {
  %y = fuse.contract "mk,kn->mn" %x, %w : tensor<8192x512xf32>, tensor<512x8192xf32> -> tensor<8192x8192xf32>
  return %y : tensor<8192x8192xf32>
}

// -----

// CHECK-LABEL: func.func @few
// CHECK:         #fuse.tiled<threads = {{[0-9]+}}, vector = 4, tile_m = 16,
func.func @few(%x: tensor<8x512xf32>, %w: tensor<512x8192xf32>) -> tensor<8x8192xf32> {
  %y = fuse.contract "mk,kn->mn" %x, %w : tensor<8x512xf32>, tensor<512x8192xf32> -> tensor<8x8192xf32>
  return %y : tensor<8x8192xf32>
}

// -----

// No tile has results whose operands have nothing in common.
// CHECK-LABEL: func.func @columns
// CHECK:         #fuse.contraction<threads = 128,
func.func @columns(%x: tensor<512x64xf32>, %w: tensor<512x64xf32>) -> tensor<64xf32> {
  %y = fuse.contract "kn,kn->n" %x, %w : tensor<512x64xf32>, tensor<512x64xf32> -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// -----

// A schedule that is there stays.
// CHECK-LABEL: func.func @given
// CHECK:         #fuse.pointwise<threads = 64, vector = 2, unroll = 2>
func.func @given(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = fuse.kernel "given" ins(%x : tensor<8xf32>) -> tensor<8xf32>
      schedule = #fuse.pointwise<threads = 64, vector = 2, unroll = 2> {
  ^bb0(%a: tensor<8xf32>):
    %e = fuse.exp %a : tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

// A row that is read once: eight vectors a thread, in short rows four.
// CHECK-LABEL: func.func @thousand
// CHECK:         #fuse.rows<
func.func @thousand(%x: tensor<?x1024xbf16>) -> tensor<?x1xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x1024xbf16> -> tensor<?x1xbf16>
  return %m : tensor<?x1xbf16>
}

// -----

// CHECK-LABEL: func.func @shorter
// CHECK:         #fuse.rows<
func.func @shorter(%x: tensor<?x128xbf16>) -> tensor<?x1xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x128xbf16> -> tensor<?x1xbf16>
  return %m : tensor<?x1xbf16>
}

// -----

// One element more is no reason for twice the threads.
// CHECK-LABEL: func.func @odd
// CHECK:         #fuse.rows<
func.func @odd(%x: tensor<?x4097xbf16>) -> tensor<?x1xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x4097xbf16> -> tensor<?x1xbf16>
  return %m : tensor<?x1xbf16>
}

// -----

// Of long ones all copies start at once, those of 16-bit elements by fewer threads.
// CHECK-LABEL: func.func @streamed
// CHECK:         #fuse.rows<
func.func @streamed(%x: tensor<?x9216xbf16>) -> tensor<?x1xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x9216xbf16> -> tensor<?x1xbf16>
  return %m : tensor<?x1xbf16>
}

// -----

// A division at every element costs more than what is moved: fewer threads, which
// do once what each would do for the row.
// CHECK-LABEL: func.func @quantize
// CHECK:         #fuse.rows<
// CHECK-LABEL: func.func @quantize_long
// CHECK:         #fuse.rows<
func.func @quantize(%x: tensor<?x1024xbf16>) -> tensor<?x1024xf8E4M3FN> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x1024xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x1024xbf16>, tensor<?x1xbf16> -> tensor<?x1024xbf16>
  %y = fuse.cast %d : tensor<?x1024xbf16> -> tensor<?x1024xf8E4M3FN>
  return %y : tensor<?x1024xf8E4M3FN>
}
func.func @quantize_long(%x: tensor<?x8192xbf16>) -> tensor<?x8192xf8E4M3FN> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x8192xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x8192xbf16>, tensor<?x1xbf16> -> tensor<?x8192xbf16>
  %y = fuse.cast %d : tensor<?x8192xbf16> -> tensor<?x8192xf8E4M3FN>
  return %y : tensor<?x8192xf8E4M3FN>
}

// -----

// But at least four neighbours, which read half a line.
// CHECK-LABEL: func.func @short
// CHECK:         #fuse.rows<
func.func @short(%x: tensor<?x64xbf16>) -> tensor<?x1xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x64xbf16> -> tensor<?x1xbf16>
  return %m : tensor<?x1xbf16>
}

// -----

// As few results of rows: the blocks share those, too, with vectors along what
// is reduced, of any size.
// CHECK-LABEL: func.func @sum
// CHECK:         #fuse.columns<{{.*}}vector = 4,{{.*}}share = parts<
// DIV-LABEL:   func.func @sum
// DIV:           #fuse.columns<{{.*}}vector = {{[24]}},{{.*}}share = parts<
func.func @sum(%x: tensor<?xf32>) -> tensor<f32> {
  %s = fuse.reduce sum %x dims = [0] : tensor<?xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// Of several results as well, whose vectors start where memory is aligned; but
// what they share would be read element by element.
// CHECK-LABEL: func.func @several_sums
// CHECK:         #fuse.columns<{{.*}}vector = 8,{{.*}}share = parts<{{[0-9]+}}>, evict_first = true>
// CHECK-LABEL: func.func @several_weighted
// CHECK:         #fuse.columns<{{.*}}vector = 1,{{.*}}share = parts<
func.func @several_sums(%x: tensor<8x1000003xbf16>) -> tensor<8xbf16> {
  %s = fuse.reduce sum %x dims = [1] : tensor<8x1000003xbf16> -> tensor<8xbf16>
  return %s : tensor<8xbf16>
}
func.func @several_weighted(%x: tensor<8x1000003xbf16>, %w: tensor<1000003xbf16>) -> tensor<8xbf16> {
  %y = fuse.mul %x, %w : tensor<8x1000003xbf16>, tensor<1000003xbf16> -> tensor<8x1000003xbf16>
  %s = fuse.reduce sum %y dims = [1] : tensor<8x1000003xbf16> -> tensor<8xbf16>
  return %s : tensor<8xbf16>
}

// -----

// Many columns: vectors of them.
// CHECK-LABEL: func.func @many_columns
// CHECK:         #fuse.columns<{{.*}}vector = 4,
func.func @many_columns(%x: tensor<?x65536xf32>) -> tensor<65536xf32> {
  %s = fuse.reduce sum %x dims = [0] : tensor<?x65536xf32> -> tensor<65536xf32>
  return %s : tensor<65536xf32>
}

// -----

// Too few elements to share.
// CHECK-LABEL: func.func @few_places
// CHECK-NOT:     share
// CHECK:         return
func.func @few_places(%x: tensor<8x64xf32>) -> tensor<64xf32> {
  %s = fuse.reduce sum %x dims = [0] : tensor<8x64xf32> -> tensor<64xf32>
  return %s : tensor<64xf32>
}
