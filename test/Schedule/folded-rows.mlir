// RUN: fuse-opt %s -split-input-file -fuse-form-kernels -fuse-assign-schedules=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form-kernels -fuse-assign-schedules="chip=sm_90 size=small" | FileCheck %s --check-prefix=SMALL
// RUN: fuse-opt %s -split-input-file -fuse-form-kernels -fuse-assign-schedules=chip=cpu | FileCheck %s --check-prefix=CPU

// Eight rows of an odd number of 16-bit elements are whole vectors.
// CHECK-LABEL: func.func @odd
// CHECK: #fuse.columns<{{.*}}vector = 8,{{.*}}fold = 8
// SMALL-LABEL: func.func @odd
// SMALL: #fuse.columns<{{.*}}vector = 8,{{.*}}fold = 8, evict_first = true>
// CPU-LABEL: func.func @odd
// CPU-NOT: fold
func.func @odd(%x: tensor<?x4097xbf16>) -> tensor<4097xbf16> {
  %s = fuse.reduce sum %x dims = [0] : tensor<?x4097xbf16> -> tensor<4097xbf16>
  return %s : tensor<4097xbf16>
}

// -----

// Two of a multiple of four.
// CHECK-LABEL: func.func @half
// CHECK: #fuse.columns<{{.*}}vector = 8,{{.*}}fold = 2
func.func @half(%x: tensor<?x100xbf16>) -> tensor<100xbf16> {
  %s = fuse.reduce sum %x dims = [0] : tensor<?x100xbf16> -> tensor<100xbf16>
  return %s : tensor<100xbf16>
}

// -----

// f32 takes four rows: the second launch combines those of each row. Ops before
// and after go along.
// CHECK-LABEL: func.func @vocabulary
// CHECK: #fuse.columns<{{.*}}vector = 4,{{.*}}fold = 4
func.func @vocabulary(%x: tensor<?x50257xf32>) -> tensor<50257xf32> {
  %e = fuse.exp %x : tensor<?x50257xf32>
  %s = fuse.reduce sum %e dims = [0] : tensor<?x50257xf32> -> tensor<50257xf32>
  %y = fuse.sqrt %s : tensor<50257xf32>
  return %y : tensor<50257xf32>
}

// -----

// Three elements: vectors cross several rows.
// CHECK-LABEL: func.func @three
// CHECK: #fuse.columns<{{.*}}vector = 4,{{.*}}fold = 4
func.func @three(%x: tensor<?x3xf32>) -> tensor<3xf32> {
  %s = fuse.reduce max %x dims = [0] : tensor<?x3xf32> -> tensor<3xf32>
  return %s : tensor<3xf32>
}

// -----

// 65 vectors of eight rows.
// CHECK-LABEL: func.func @hardly_wide
// CHECK: #fuse.columns<{{.*}}vector = 8,{{.*}}fold = 8
func.func @hardly_wide(%x: tensor<?x65xbf16>) -> tensor<65xbf16> {
  %s = fuse.reduce sum %x dims = [0] : tensor<?x65xbf16> -> tensor<65xbf16>
  return %s : tensor<65xbf16>
}

// -----

// Whole vectors are left alone, and so are few rows, results of the full shape,
// and what lanes of several rows would read one by one.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: fold
func.func @whole(%x: tensor<?x4096xbf16>) -> tensor<4096xbf16> {
  %s = fuse.reduce sum %x dims = [0] : tensor<?x4096xbf16> -> tensor<4096xbf16>
  return %s : tensor<4096xbf16>
}

// -----

// CHECK-LABEL: func.func @few
// CHECK-NOT: fold
func.func @few(%x: tensor<512x4097xbf16>) -> tensor<4097xbf16> {
  %s = fuse.reduce sum %x dims = [0] : tensor<512x4097xbf16> -> tensor<4097xbf16>
  return %s : tensor<4097xbf16>
}

// -----

// CHECK-LABEL: func.func @full
// CHECK-NOT: fold
func.func @full(%x: tensor<?x4097xbf16>) -> (tensor<4097xbf16>, tensor<?x4097xbf16>) {
  %y:2 = fuse.kernel "full" ins(%x : tensor<?x4097xbf16>) -> tensor<4097xbf16>, tensor<?x4097xbf16> {
  ^bb0(%a: tensor<?x4097xbf16>):
    %s = fuse.reduce max %a dims = [0] : tensor<?x4097xbf16> -> tensor<4097xbf16>
    %n = fuse.neg %a : tensor<?x4097xbf16>
    fuse.yield %s, %n : tensor<4097xbf16>, tensor<?x4097xbf16>
  }
  return %y#0, %y#1 : tensor<4097xbf16>, tensor<?x4097xbf16>
}

// -----

// CHECK-LABEL: func.func @row_scales
// CHECK-NOT: fold
func.func @row_scales(%x: tensor<?x4097xbf16>, %r: tensor<?x1xbf16>) -> tensor<4097xbf16> {
  %m = fuse.mul %x, %r : tensor<?x4097xbf16>, tensor<?x1xbf16> -> tensor<?x4097xbf16>
  %s = fuse.reduce sum %m dims = [0] : tensor<?x4097xbf16> -> tensor<4097xbf16>
  return %s : tensor<4097xbf16>
}
