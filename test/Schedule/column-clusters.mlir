// RUN: fuse-opt %s -split-input-file -fuse-assign-schedules=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-assign-schedules=chip=sm_80 | FileCheck %s --check-prefix=AMPERE
// AMPERE-NOT: cluster<

// Too few columns for all multiprocessors: blocks share them, before a second launch
// or in clusters.
// CHECK-LABEL: func.func @wide
// CHECK: #fuse.columns<{{.*}}share = {{parts|cluster}}<
func.func @wide(%x: tensor<?x16384xbf16>) -> tensor<16384xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x16384xbf16>) -> tensor<16384xbf16> {
  ^bb0(%a: tensor<?x16384xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x16384xbf16> -> tensor<16384xbf16>
    fuse.yield %s : tensor<16384xbf16>
  }
  return %y : tensor<16384xbf16>
}

// -----

// CHECK-LABEL: func.func @few_columns
// CHECK: #fuse.columns<{{.*}}share = {{parts|cluster}}<
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
// CHECK: #fuse.columns<{{.*}}share = {{parts|cluster}}<
func.func @few_words(%x: tensor<?x1024xf32>) -> tensor<1024xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<?x1024xf32>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
    fuse.yield %s : tensor<1024xf32>
  }
  return %y : tensor<1024xf32>
}

// -----

// One cluster would be a few blocks.
// CHECK-LABEL: func.func @few_columns_in_small_call
// CHECK: #fuse.columns<{{.*}}share = parts<
func.func @few_columns_in_small_call(%x: tensor<524288x32xbf16>) -> tensor<32xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<524288x32xbf16>) -> tensor<32xbf16> {
  ^bb0(%a: tensor<524288x32xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<524288x32xbf16> -> tensor<32xbf16>
    fuse.yield %s : tensor<32xbf16>
  }
  return %y : tensor<32xbf16>
}

// -----

// CHECK-LABEL: func.func @few_registers
// CHECK: #fuse.columns<{{.*}}share = {{parts|cluster}}<
func.func @few_registers(%x: tensor<?x64xbf16>) -> tensor<64xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x64xbf16>) -> tensor<64xbf16> {
  ^bb0(%a: tensor<?x64xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x64xbf16> -> tensor<64xbf16>
    fuse.yield %s : tensor<64xbf16>
  }
  return %y : tensor<64xbf16>
}

// -----

// A second launch would take longer than what is saved.
// CHECK-LABEL: func.func @brief_call
// CHECK: #fuse.columns<{{.*}}share = cluster<
func.func @brief_call(%x: tensor<1024x2048xbf16>) -> tensor<2048xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<1024x2048xbf16>) -> tensor<2048xbf16> {
  ^bb0(%a: tensor<1024x2048xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<1024x2048xbf16> -> tensor<2048xbf16>
    fuse.yield %s : tensor<2048xbf16>
  }
  return %y : tensor<2048xbf16>
}

// -----

// A second launch would take longer than what is saved.
// CHECK-LABEL: func.func @few_in_small_call
// CHECK: #fuse.columns<{{.*}}share = cluster<
func.func @few_in_small_call(%x: tensor<2048x1024xbf16>) -> tensor<1024xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<2048x1024xbf16>) -> tensor<1024xbf16> {
  ^bb0(%a: tensor<2048x1024xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<2048x1024xbf16> -> tensor<1024xbf16>
    fuse.yield %s : tensor<1024xbf16>
  }
  return %y : tensor<1024xbf16>
}

// -----

// A second launch would take longer than what is saved.
// CHECK-LABEL: func.func @few_places
// CHECK: #fuse.columns<{{.*}}share = cluster<
func.func @few_places(%x: tensor<256x4096xbf16>) -> tensor<4096xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<256x4096xbf16>) -> tensor<4096xbf16> {
  ^bb0(%a: tensor<256x4096xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<256x4096xbf16> -> tensor<4096xbf16>
    fuse.yield %s : tensor<4096xbf16>
  }
  return %y : tensor<4096xbf16>
}

// -----

// A second launch would take longer than what is saved.
// CHECK-LABEL: func.func @few_places_of_words
// CHECK: #fuse.columns<{{.*}}share = cluster<
func.func @few_places_of_words(%x: tensor<512x768xf32>) -> tensor<768xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<512x768xf32>) -> tensor<768xf32> {
  ^bb0(%a: tensor<512x768xf32>):
    %s = fuse.reduce sum %a dims = [0] : tensor<512x768xf32> -> tensor<768xf32>
    fuse.yield %s : tensor<768xf32>
  }
  return %y : tensor<768xf32>
}

// -----

// CHECK-LABEL: func.func @no_lines
// CHECK: #fuse.columns<{{.*}}vector = 8
func.func @no_lines(%x: tensor<?x12296xbf16>) -> tensor<12296xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x12296xbf16>) -> tensor<12296xbf16> {
  ^bb0(%a: tensor<?x12296xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x12296xbf16> -> tensor<12296xbf16>
    fuse.yield %s : tensor<12296xbf16>
  }
  return %y : tensor<12296xbf16>
}

// -----

// CHECK-LABEL: func.func @enough
// CHECK: #fuse.columns<{{.*}}vector = 8
func.func @enough(%x: tensor<?x131072xbf16>) -> tensor<131072xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x131072xbf16>) -> tensor<131072xbf16> {
  ^bb0(%a: tensor<?x131072xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x131072xbf16> -> tensor<131072xbf16>
    fuse.yield %s : tensor<131072xbf16>
  }
  return %y : tensor<131072xbf16>
}
