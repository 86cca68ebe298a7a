// RUN: fuse-opt %s -pass-pipeline='builtin.module(func.func(fuse-assign-schedules{chip=sm_90}))' | FileCheck %s
// RUN: fuse-opt %s -pass-pipeline='builtin.module(func.func(fuse-assign-schedules{chip=sm_90 size=small}))' | FileCheck %s --check-prefix=SMALL
// RUN: fuse-opt %s -pass-pipeline='builtin.module(func.func(fuse-assign-schedules{chip=sm_90 size=brief}))' | FileCheck %s --check-prefix=BRIEF
// RUN: fuse-opt %s -pass-pipeline='builtin.module(func.func(fuse-assign-schedules{chip=sm_90 size=few}))' | FileCheck %s --check-prefix=FEW
// RUN: fuse-opt %s -pass-pipeline='builtin.module(func.func(fuse-assign-schedules{chip=cpu}))' | FileCheck %s --check-prefix=CPU

// Calls of other sizes may have other schedules; the function says that they are apart,
// and up to which size.
// CHECK-LABEL: func.func @norm
// CHECK-SAME:  fuse.brief_bytes = 8650752 : i64{{.*}}fuse.small_bytes = 209715200 : i64
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

// Blocks that sum over all rows have whole ones.
// BRIEF-LABEL: func.func @sums_over_rows
// BRIEF:       #fuse.rows<
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

// CHECK-LABEL: func.func @apart
// CHECK-SAME:  fuse.brief_bytes = 8650752 : i64, fuse.few_bytes = 1081344 : i64, fuse.small_bytes = 209715200 : i64
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
