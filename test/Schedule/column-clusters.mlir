// RUN: fuse-opt %s -split-input-file -fuse-assign-schedules=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-assign-schedules=chip=sm_80 | FileCheck %s --check-prefix=AMPERE
// AMPERE-NOT: cluster<

// Clusters whose blocks are resident together: those that make the most, up to
// four and a half a multiprocessor, of the widest rows.
// CHECK-LABEL: func.func @wide
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 8, hold = loop<unroll = 2, stages = 4>, share = cluster<8>>
func.func @wide(%x: tensor<?x16384xbf16>) -> tensor<16384xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x16384xbf16>) -> tensor<16384xbf16> {
  ^bb0(%a: tensor<?x16384xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x16384xbf16> -> tensor<16384xbf16>
    fuse.yield %s : tensor<16384xbf16>
  }
  return %y : tensor<16384xbf16>
}

// -----

// CHECK-LABEL: func.func @narrower
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 16, hold = loop<unroll = 2, stages = 4>, share = cluster<8>>
func.func @narrower(%x: tensor<?x8192xbf16>) -> tensor<8192xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x8192xbf16>) -> tensor<8192xbf16> {
  ^bb0(%a: tensor<?x8192xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x8192xbf16> -> tensor<8192xbf16>
    fuse.yield %s : tensor<8192xbf16>
  }
  return %y : tensor<8192xbf16>
}

// -----

// CHECK-LABEL: func.func @wider
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 8, hold = loop<unroll = 2, stages = 4>, share = cluster<2>>
func.func @wider(%x: tensor<?x65536xbf16>) -> tensor<65536xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x65536xbf16>) -> tensor<65536xbf16> {
  ^bb0(%a: tensor<?x65536xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x65536xbf16> -> tensor<65536xbf16>
    fuse.yield %s : tensor<65536xbf16>
  }
  return %y : tensor<65536xbf16>
}

// -----

// CHECK-LABEL: func.func @words
// CHECK: #fuse.columns<threads = 256, vector = 4, splits = 16, hold = loop<unroll = 2, stages = 4>, share = cluster<8>>
func.func @words(%x: tensor<?x4096xf32>) -> tensor<4096xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x4096xf32>) -> tensor<4096xf32> {
  ^bb0(%a: tensor<?x4096xf32>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x4096xf32> -> tensor<4096xf32>
    fuse.yield %s : tensor<4096xf32>
  }
  return %y : tensor<4096xf32>
}

// -----

// Large clusters that make fewer are worse than small ones, and worse than parts.
// CHECK-LABEL: func.func @no_large_ones
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 16, hold = loop<unroll = 2, stages = 4>, share = cluster<4>>
func.func @no_large_ones(%x: tensor<?x12288xbf16>) -> tensor<12288xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x12288xbf16>) -> tensor<12288xbf16> {
  ^bb0(%a: tensor<?x12288xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x12288xbf16> -> tensor<12288xbf16>
    fuse.yield %s : tensor<12288xbf16>
  }
  return %y : tensor<12288xbf16>
}

// -----

// CHECK-LABEL: func.func @parts
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 8, hold = loop<stages = 3>, share = parts<22>>
func.func @parts(%x: tensor<?x6144xbf16>) -> tensor<6144xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x6144xbf16>) -> tensor<6144xbf16> {
  ^bb0(%a: tensor<?x6144xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x6144xbf16> -> tensor<6144xbf16>
    fuse.yield %s : tensor<6144xbf16>
  }
  return %y : tensor<6144xbf16>
}

// -----

// Rows of a line are too narrow for large calls, and fewer columns make few blocks.
// CHECK-LABEL: func.func @narrow
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 8, hold = loop<stages = 3>, share = parts<33>>
func.func @narrow(%x: tensor<?x4096xbf16>) -> tensor<4096xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x4096xbf16>) -> tensor<4096xbf16> {
  ^bb0(%a: tensor<?x4096xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x4096xbf16> -> tensor<4096xbf16>
    fuse.yield %s : tensor<4096xbf16>
  }
  return %y : tensor<4096xbf16>
}

// -----

// CHECK-LABEL: func.func @few_columns
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 8, hold = loop<stages = 3>, share = parts<132>>
func.func @few_columns(%x: tensor<?x1024xbf16>) -> tensor<1024xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x1024xbf16>) -> tensor<1024xbf16> {
  ^bb0(%a: tensor<?x1024xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x1024xbf16> -> tensor<1024xbf16>
    fuse.yield %s : tensor<1024xbf16>
  }
  return %y : tensor<1024xbf16>
}

// -----

// CHECK-LABEL: func.func @few_words
// CHECK: #fuse.columns<threads = 256, vector = 4, splits = 8, hold = loop<unroll = 8>, share = parts<66>>
func.func @few_words(%x: tensor<?x1024xf32>) -> tensor<1024xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<?x1024xf32>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
    fuse.yield %s : tensor<1024xf32>
  }
  return %y : tensor<1024xf32>
}

// -----

// A brief call finds its input in the L2.
// CHECK-LABEL: func.func @brief_call
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 32, hold = loop<unroll = 2, stages = 4>, share = cluster<16>>
func.func @brief_call(%x: tensor<1024x2048xbf16>) -> tensor<2048xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<1024x2048xbf16>) -> tensor<2048xbf16> {
  ^bb0(%a: tensor<1024x2048xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<1024x2048xbf16> -> tensor<2048xbf16>
    fuse.yield %s : tensor<2048xbf16>
  }
  return %y : tensor<2048xbf16>
}

// -----

// In small calls a second launch costs more, and what is read leaves the L2 first.
// CHECK-LABEL: func.func @small_call
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 32, hold = loop<unroll = 8>, share = cluster<8>, evict_first = true>
func.func @small_call(%x: tensor<4096x4096xbf16>) -> tensor<4096xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<4096x4096xbf16>) -> tensor<4096xbf16> {
  ^bb0(%a: tensor<4096x4096xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<4096x4096xbf16> -> tensor<4096xbf16>
    fuse.yield %s : tensor<4096xbf16>
  }
  return %y : tensor<4096xbf16>
}

// -----

// A block of the few that so few columns make would read for longer than a
// second launch takes.
// CHECK-LABEL: func.func @few_columns_in_small_call
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 64, hold = loop<unroll = 8>, share = parts<528>, evict_first = true>
func.func @few_columns_in_small_call(%x: tensor<524288x32xbf16>) -> tensor<32xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<524288x32xbf16>) -> tensor<32xbf16> {
  ^bb0(%a: tensor<524288x32xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<524288x32xbf16> -> tensor<32xbf16>
    fuse.yield %s : tensor<32xbf16>
  }
  return %y : tensor<32xbf16>
}

// -----

// CHECK-LABEL: func.func @few_in_small_call
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 32, hold = loop<unroll = 2, stages = 4>, share = cluster<16>>
func.func @few_in_small_call(%x: tensor<2048x1024xbf16>) -> tensor<1024xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<2048x1024xbf16>) -> tensor<1024xbf16> {
  ^bb0(%a: tensor<2048x1024xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<2048x1024xbf16> -> tensor<1024xbf16>
    fuse.yield %s : tensor<1024xbf16>
  }
  return %y : tensor<1024xbf16>
}

// -----

// Each block has some elements, and each of them a step.
// CHECK-LABEL: func.func @few_places
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 32, hold = loop<unroll = 2, stages = 4>, share = cluster<4>>
func.func @few_places(%x: tensor<256x4096xbf16>) -> tensor<4096xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<256x4096xbf16>) -> tensor<4096xbf16> {
  ^bb0(%a: tensor<256x4096xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<256x4096xbf16> -> tensor<4096xbf16>
    fuse.yield %s : tensor<4096xbf16>
  }
  return %y : tensor<4096xbf16>
}

// -----

// CHECK-LABEL: func.func @few_places_of_words
// CHECK: #fuse.columns<threads = 256, vector = 4, splits = 32, hold = loop<unroll = 2, stages = 4>, share = cluster<8>>
func.func @few_places_of_words(%x: tensor<512x768xf32>) -> tensor<768xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<512x768xf32>) -> tensor<768xf32> {
  ^bb0(%a: tensor<512x768xf32>):
    %s = fuse.reduce sum %a dims = [0] : tensor<512x768xf32> -> tensor<768xf32>
    fuse.yield %s : tensor<768xf32>
  }
  return %y : tensor<768xf32>
}

// -----

// Rows that are no whole lines are loaded.
// CHECK-LABEL: func.func @no_lines
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 16, hold = loop<unroll = 8>, share = cluster<4>>
func.func @no_lines(%x: tensor<?x12296xbf16>) -> tensor<12296xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x12296xbf16>) -> tensor<12296xbf16> {
  ^bb0(%a: tensor<?x12296xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x12296xbf16> -> tensor<12296xbf16>
    fuse.yield %s : tensor<12296xbf16>
  }
  return %y : tensor<12296xbf16>
}

// -----

// CHECK-LABEL: func.func @few_places_no_lines
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 32, hold = loop<unroll = 2>, share = cluster<8>>
func.func @few_places_no_lines(%x: tensor<512x776xbf16>) -> tensor<776xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<512x776xbf16>) -> tensor<776xbf16> {
  ^bb0(%a: tensor<512x776xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<512x776xbf16> -> tensor<776xbf16>
    fuse.yield %s : tensor<776xbf16>
  }
  return %y : tensor<776xbf16>
}

// -----

// Enough columns share nothing.
// CHECK-LABEL: func.func @enough
// CHECK: #fuse.columns<threads = 256, vector = 8, splits = 8, hold = loop<unroll = 8>>
func.func @enough(%x: tensor<?x131072xbf16>) -> tensor<131072xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x131072xbf16>) -> tensor<131072xbf16> {
  ^bb0(%a: tensor<?x131072xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x131072xbf16> -> tensor<131072xbf16>
    fuse.yield %s : tensor<131072xbf16>
  }
  return %y : tensor<131072xbf16>
}

// -----

// Sums of eight lanes leave registers for half as many large blocks.
// CHECK-LABEL: func.func @few_registers
// CHECK: #fuse.columns<threads = 512, vector = 8, splits = 64, share = parts<264>>
func.func @few_registers(%x: tensor<?x64xbf16>) -> tensor<64xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x64xbf16>) -> tensor<64xbf16> {
  ^bb0(%a: tensor<?x64xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x64xbf16> -> tensor<64xbf16>
    fuse.yield %s : tensor<64xbf16>
  }
  return %y : tensor<64xbf16>
}

// -----

// CHECK-LABEL: func.func @more_registers
// CHECK: #fuse.columns<threads = 512, vector = 4, splits = 32, share = parts<528>>
func.func @more_registers(%x: tensor<?x64xf32>) -> tensor<64xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: tensor<?x64xf32>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
    fuse.yield %s : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}
