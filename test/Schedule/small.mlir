// RUN: fuse-opt %s -pass-pipeline='builtin.module(func.func(fuse-assign-schedules{chip=sm_90}))' | FileCheck %s
// RUN: fuse-opt %s -pass-pipeline='builtin.module(func.func(fuse-assign-schedules{chip=sm_90 small=true}))' | FileCheck %s --check-prefix=SMALL
// RUN: fuse-opt %s -pass-pipeline='builtin.module(func.func(fuse-assign-schedules{chip=sm_90 brief=true}))' | FileCheck %s --check-prefix=BRIEF
// RUN: fuse-opt %s -pass-pipeline='builtin.module(func.func(fuse-assign-schedules{chip=sm_90 few=true}))' | FileCheck %s --check-prefix=FEW
// RUN: fuse-opt %s -pass-pipeline='builtin.module(func.func(fuse-assign-schedules{chip=cpu}))' | FileCheck %s --check-prefix=CPU

// Calls that move few bytes hold a row in registers and load the weights ahead, those
// that take as long as a block in more threads, and those of a few rows in several
// blocks; the function says that they are apart, and up to which size.
// CHECK-LABEL: func.func @norm
// CHECK-SAME:  fuse.brief_bytes = 8650752 : i64, fuse.small_bytes = 209715200 : i64
// CHECK:       #fuse.rows<
// SMALL-LABEL: func.func @norm
// SMALL-SAME:  fuse.small_bytes = {{[1-9][0-9]*}}
// SMALL:       #fuse.rows<
// BRIEF-LABEL: func.func @norm
// BRIEF:       #fuse.rows<
// FEW-LABEL:   func.func @norm
// FEW-SAME:    fuse.brief_bytes = {{[1-9][0-9]*}}
// FEW:         #fuse.rows<
// CPU-LABEL:   func.func @norm
// CPU-NOT:     fuse.small_bytes
func.func @norm(%x: tensor<?x4096xf32>, %w: tensor<4096xf32>) -> tensor<?x4096xf32> {
  %0 = fuse.kernel "norm" ins(%x, %w : tensor<?x4096xf32>, tensor<4096xf32>) -> tensor<?x4096xf32> {
  ^bb0(%a: tensor<?x4096xf32>, %b: tensor<4096xf32>):
    %sum = fuse.reduce sum %a dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
    %s = fuse.mul %a, %sum : tensor<?x4096xf32>, tensor<?x1xf32>
    %y = fuse.mul %s, %b : tensor<?x4096xf32>, tensor<4096xf32>
    fuse.yield %y : tensor<?x4096xf32>
  }
  return %0 : tensor<?x4096xf32>
}

// A row that a block's threads load at once stays in it, however few there are; where
// all multiprocessors are busy, it has fewer threads.
// CHECK-LABEL: func.func @narrow
// SMALL-LABEL: func.func @narrow
// SMALL:       #fuse.rows<
// FEW-LABEL:   func.func @narrow
// FEW:         #fuse.rows<
func.func @narrow(%x: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %0 = fuse.kernel "narrow" ins(%x : tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  ^bb0(%a: tensor<?x4096xbf16>):
    %sum = fuse.reduce sum %a dims = [1] keep : tensor<?x4096xbf16> -> tensor<?x1xbf16>
    %s = fuse.mul %a, %sum : tensor<?x4096xbf16>, tensor<?x1xbf16> -> tensor<?x4096xbf16>
    fuse.yield %s : tensor<?x4096xbf16>
  }
  return %0 : tensor<?x4096xbf16>
}

// A static size speaks for itself.
// CHECK-LABEL: func.func @few
// CHECK-NOT:   fuse.small_bytes
// CHECK:       #fuse.rows<
func.func @few(%x: tensor<4x4096xf32>) -> tensor<4x4096xf32> {
  %0 = fuse.kernel "few" ins(%x : tensor<4x4096xf32>) -> tensor<4x4096xf32> {
  ^bb0(%a: tensor<4x4096xf32>):
    %sum = fuse.reduce sum %a dims = [1] keep : tensor<4x4096xf32> -> tensor<4x1xf32>
    %s = fuse.mul %a, %sum : tensor<4x4096xf32>, tensor<4x1xf32>
    fuse.yield %s : tensor<4x4096xf32>
  }
  return %0 : tensor<4x4096xf32>
}

// Also with two exchanges between them,
// CHECK-LABEL: func.func @exchanged_twice
// CHECK:       #fuse.rows<
func.func @exchanged_twice(%x: tensor<4x4096xf32>) -> tensor<4x4096xf32> {
  %0 = fuse.kernel "exchanged_twice" ins(%x : tensor<4x4096xf32>) -> tensor<4x4096xf32> {
  ^bb0(%a: tensor<4x4096xf32>):
    %max = fuse.reduce max %a dims = [1] keep : tensor<4x4096xf32> -> tensor<4x1xf32>
    %d = fuse.sub %a, %max : tensor<4x4096xf32>, tensor<4x1xf32>
    %sum = fuse.reduce sum %d dims = [1] keep : tensor<4x4096xf32> -> tensor<4x1xf32>
    %y = fuse.div %d, %sum : tensor<4x4096xf32>, tensor<4x1xf32>
    fuse.yield %y : tensor<4x4096xf32>
  }
  return %0 : tensor<4x4096xf32>
}

// CHECK-LABEL: func.func @longer
// CHECK:       #fuse.rows<
func.func @longer(%x: tensor<4x6144xf32>) -> tensor<4x6144xf32> {
  %0 = fuse.kernel "longer" ins(%x : tensor<4x6144xf32>) -> tensor<4x6144xf32> {
  ^bb0(%a: tensor<4x6144xf32>):
    %max = fuse.reduce max %a dims = [1] keep : tensor<4x6144xf32> -> tensor<4x1xf32>
    %d = fuse.sub %a, %max : tensor<4x6144xf32>, tensor<4x1xf32>
    %sum = fuse.reduce sum %d dims = [1] keep : tensor<4x6144xf32> -> tensor<4x1xf32>
    %y = fuse.div %d, %sum : tensor<4x6144xf32>, tensor<4x1xf32>
    fuse.yield %y : tensor<4x6144xf32>
  }
  return %0 : tensor<4x6144xf32>
}

// What is needed twice and fills the registers of a cluster stays in shared memory.
// CHECK-LABEL: func.func @longest
// CHECK:       #fuse.rows<
func.func @longest(%x: tensor<4x128256xbf16>) -> tensor<4x128256xbf16> {
  %0 = fuse.kernel "longest" ins(%x : tensor<4x128256xbf16>) -> tensor<4x128256xbf16> {
  ^bb0(%a: tensor<4x128256xbf16>):
    %sum = fuse.reduce sum %a dims = [1] keep : tensor<4x128256xbf16> -> tensor<4x1xbf16>
    %y = fuse.mul %a, %sum : tensor<4x128256xbf16>, tensor<4x1xbf16> -> tensor<4x128256xbf16>
    fuse.yield %y : tensor<4x128256xbf16>
  }
  return %0 : tensor<4x128256xbf16>
}

// A pointwise kernel has one schedule for all sizes.
// CHECK-LABEL: func.func @double
// CHECK-NOT:   fuse.small_bytes
// CHECK:       #fuse.pointwise
func.func @double(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %0 = fuse.kernel "double" ins(%x : tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  ^bb0(%a: tensor<?x4096xf32>):
    %y = fuse.add %a, %a : tensor<?x4096xf32>
    fuse.yield %y : tensor<?x4096xf32>
  }
  return %0 : tensor<?x4096xf32>
}

// Four blocks have a row each of whose threads has as many vectors, however many rows
// a call that takes as long as a block has.
// BRIEF-LABEL: func.func @shared_evenly
// BRIEF:       #fuse.rows<
func.func @shared_evenly(%x: tensor<64x8192xbf16>) -> tensor<64x8192xbf16> {
  %0 = fuse.kernel "shared_evenly" ins(%x : tensor<64x8192xbf16>) -> tensor<64x8192xbf16> {
  ^bb0(%a: tensor<64x8192xbf16>):
    %e = fuse.exp %a : tensor<64x8192xbf16>
    %sum = fuse.reduce sum %e dims = [1] keep : tensor<64x8192xbf16> -> tensor<64x1xbf16>
    %y = fuse.div %e, %sum : tensor<64x8192xbf16>, tensor<64x1xbf16> -> tensor<64x8192xbf16>
    fuse.yield %y : tensor<64x8192xbf16>
  }
  return %0 : tensor<64x8192xbf16>
}

// Half as long they are shared if they are of 32-bit elements, and have one block if they are
// narrow with exponentials.
// BRIEF-LABEL: func.func @shared_words
// BRIEF:       blocks_per_row = 4>
func.func @shared_words(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %0 = fuse.kernel "shared_words" ins(%x : tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  ^bb0(%a: tensor<64x4096xf32>):
    %e = fuse.exp %a : tensor<64x4096xf32>
    %sum = fuse.reduce sum %e dims = [1] keep : tensor<64x4096xf32> -> tensor<64x1xf32>
    %y = fuse.div %e, %sum : tensor<64x4096xf32>, tensor<64x1xf32> -> tensor<64x4096xf32>
    fuse.yield %y : tensor<64x4096xf32>
  }
  return %0 : tensor<64x4096xf32>
}
// BRIEF-LABEL: func.func @narrow_exponentials
// BRIEF-NOT:   blocks_per_row
func.func @narrow_exponentials(%x: tensor<64x4096xbf16>) -> tensor<64x4096xbf16> {
  %0 = fuse.kernel "narrow_exponentials" ins(%x : tensor<64x4096xbf16>) -> tensor<64x4096xbf16> {
  ^bb0(%a: tensor<64x4096xbf16>):
    %e = fuse.exp %a : tensor<64x4096xbf16>
    %sum = fuse.reduce sum %e dims = [1] keep : tensor<64x4096xbf16> -> tensor<64x1xbf16>
    %y = fuse.div %e, %sum : tensor<64x4096xbf16>, tensor<64x1xbf16> -> tensor<64x4096xbf16>
    fuse.yield %y : tensor<64x4096xbf16>
  }
  return %0 : tensor<64x4096xbf16>
}

// So do rows that are read once.
// BRIEF-LABEL: func.func @short_once
// BRIEF-NOT:   blocks_per_row
func.func @short_once(%x: tensor<64x4096xf32>) -> tensor<64xf32> {
  %0 = fuse.kernel "short_once" ins(%x : tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: tensor<64x4096xf32>):
    %square = fuse.mul %a, %a : tensor<64x4096xf32>
    %sum = fuse.reduce sum %square dims = [1] : tensor<64x4096xf32> -> tensor<64xf32>
    fuse.yield %sum : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}
// BRIEF-LABEL: func.func @long_once
// BRIEF:       #fuse.rows<
func.func @long_once(%x: tensor<64x8192xf32>) -> tensor<64xf32> {
  %0 = fuse.kernel "long_once" ins(%x : tensor<64x8192xf32>) -> tensor<64xf32> {
  ^bb0(%a: tensor<64x8192xf32>):
    %square = fuse.mul %a, %a : tensor<64x8192xf32>
    %sum = fuse.reduce sum %square dims = [1] : tensor<64x8192xf32> -> tensor<64xf32>
    fuse.yield %sum : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// Blocks that sum over all rows have whole ones.
// BRIEF-LABEL: func.func @sums_over_rows
// BRIEF-NOT:   blocks_per_row
func.func @sums_over_rows(%x: tensor<64x8192xf32>) -> (tensor<64x8192xf32>, tensor<8192xf32>) {
  %0:2 = fuse.kernel "sums_over_rows" ins(%x : tensor<64x8192xf32>) -> tensor<64x8192xf32>, tensor<8192xf32> {
  ^bb0(%a: tensor<64x8192xf32>):
    %sum = fuse.reduce sum %a dims = [1] keep : tensor<64x8192xf32> -> tensor<64x1xf32>
    %y = fuse.mul %a, %sum : tensor<64x8192xf32>, tensor<64x1xf32>
    %all = fuse.reduce sum %y dims = [0] : tensor<64x8192xf32> -> tensor<8192xf32>
    fuse.yield %y, %all : tensor<64x8192xf32>, tensor<8192xf32>
  }
  return %0#0, %0#1 : tensor<64x8192xf32>, tensor<8192xf32>
}

// Rows that four blocks would not share evenly have one.
// With exponentials a block that has a row is small, and no block is the largest where
// one has a longer row.
// BRIEF-LABEL: func.func @exponentials
// BRIEF:       #fuse.rows<
func.func @exponentials(%x: tensor<64x7168xbf16>) -> tensor<64x7168xbf16> {
  %0 = fuse.kernel "exponentials" ins(%x : tensor<64x7168xbf16>) -> tensor<64x7168xbf16> {
  ^bb0(%a: tensor<64x7168xbf16>):
    %e = fuse.exp %a : tensor<64x7168xbf16>
    %sum = fuse.reduce sum %e dims = [1] keep : tensor<64x7168xbf16> -> tensor<64x1xbf16>
    %y = fuse.div %e, %sum : tensor<64x7168xbf16>, tensor<64x1xbf16> -> tensor<64x7168xbf16>
    fuse.yield %y : tensor<64x7168xbf16>
  }
  return %0 : tensor<64x7168xbf16>
}

// BRIEF-LABEL: func.func @long_words
// BRIEF:       #fuse.rows<
func.func @long_words(%x: tensor<64x11264xf32>) -> tensor<64x11264xf32> {
  %0 = fuse.kernel "long_words" ins(%x : tensor<64x11264xf32>) -> tensor<64x11264xf32> {
  ^bb0(%a: tensor<64x11264xf32>):
    %sum = fuse.reduce sum %a dims = [1] keep : tensor<64x11264xf32> -> tensor<64x1xf32>
    %y = fuse.mul %a, %sum : tensor<64x11264xf32>, tensor<64x1xf32>
    fuse.yield %y : tensor<64x11264xf32>
  }
  return %0 : tensor<64x11264xf32>
}

// CHECK-LABEL: func.func @apart
// CHECK-SAME:  fuse.brief_bytes = 8650752 : i64, fuse.few_bytes = 1081344 : i64, fuse.small_bytes = 209715200 : i64
// BRIEF-LABEL: func.func @apart
// BRIEF-NOT:   blocks_per_row
// FEW-LABEL:   func.func @apart
// FEW-SAME:    fuse.few_bytes = {{[1-9][0-9]*}}
// FEW:         #fuse.rows<
func.func @apart(%x: tensor<?x5120xf32>) -> tensor<?x5120xf32> {
  %0 = fuse.kernel "apart" ins(%x : tensor<?x5120xf32>) -> tensor<?x5120xf32> {
  ^bb0(%a: tensor<?x5120xf32>):
    %sum = fuse.reduce sum %a dims = [1] keep : tensor<?x5120xf32> -> tensor<?x1xf32>
    %y = fuse.mul %a, %sum : tensor<?x5120xf32>, tensor<?x1xf32>
    fuse.yield %y : tensor<?x5120xf32>
  }
  return %0 : tensor<?x5120xf32>
}
