// RUN: fuse-opt %s -split-input-file -verify-diagnostics -fuse-assign-schedules="chip=sm_90a" | FileCheck %s
// RUN: fuse-opt %s -split-input-file -verify-diagnostics -fuse-assign-schedules="chip=cpu" | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: size_ranges

// Few rows get other tiles than many: a schedule for each range, and the one of
// any size, which is that of 4096 rows. The last bound is below where this wins.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    fuse.size_ranges = {m = array<i64: {{[0-9, ]+}}, 512>}
// CHECK:         fuse.kernel "linear"
// CHECK-SAME:      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, {{[^>]*}}persistent = 132>
// CHECK-SAME:      fuse.sized_schedules = {m = [#fuse.mma<{{[^>]*}}swap = true>, {{.*}}#fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, {{[^>]*}}>]}
func.func @rows(%x: tensor<?x4096xbf16> {fuse.dims = ["m"]}, %w: tensor<4096x4096xbf16>) -> tensor<?x4096xbf16> {
  %y = fuse.kernel "linear" ins(%x, %w : tensor<?x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<?x4096xbf16> {
  ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<4096x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16>, tensor<4096x4096xbf16> -> tensor<?x4096xbf16>
    fuse.yield %p : tensor<?x4096xbf16>
  }
  return %y : tensor<?x4096xbf16>
}

// -----

// Equal kernels have one schedule, but not those of dimensions of which something
// else is assumed: the ranges of both dimensions stand at each.
// CHECK-LABEL: func.func @several(
// CHECK-SAME:    fuse.size_ranges = {m = array<i64: {{[0-9, ]+}}>, t = array<i64: {{[0-9, ]+}}>}
// CHECK:         fuse.kernel "first"
// CHECK-SAME:      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, [[OF_M:[^>]*]]>
// CHECK:         fuse.kernel "other"
// CHECK-SAME:      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, {{[^>]*}}>
// CHECK:         fuse.kernel "last"
// CHECK-SAME:      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, [[OF_M]]>
// CHECK-SAME:      fuse.sized_schedules = {m = [{{.*}}], t = [{{.*}}]}
func.func @several(%x: tensor<?x4096xbf16> {fuse.dims = ["m"]}, %y: tensor<?x4096xbf16> {fuse.dims = ["t"]}, %w: tensor<4096x4096xbf16>) -> (tensor<?x4096xbf16>, tensor<?x4096xbf16>) attributes {fuse.assumed_sizes = {m = 512}} {
  %u = fuse.kernel "first" ins(%x, %w : tensor<?x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<?x4096xbf16> {
  ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<4096x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16>, tensor<4096x4096xbf16> -> tensor<?x4096xbf16>
    fuse.yield %p : tensor<?x4096xbf16>
  }
  %q = fuse.kernel "other" ins(%y, %w : tensor<?x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<?x4096xbf16> {
  ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<4096x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16>, tensor<4096x4096xbf16> -> tensor<?x4096xbf16>
    fuse.yield %p : tensor<?x4096xbf16>
  }
  %r = fuse.kernel "last" ins(%u, %w : tensor<?x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<?x4096xbf16> {
  ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<4096x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16>, tensor<4096x4096xbf16> -> tensor<?x4096xbf16>
    fuse.yield %p : tensor<?x4096xbf16>
  }
  return %q, %r : tensor<?x4096xbf16>, tensor<?x4096xbf16>
}

// -----

// For one of the ranges; what ranges there are stays the same.
// CHECK-LABEL: func.func @assumed(
// CHECK-SAME:    fuse.size_ranges = {m = array<i64: {{[0-9, ]+}}, 512>}
// CHECK:         fuse.kernel "linear"
// CHECK-SAME:      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, {{[^>]*}}persistent = 132>
func.func @assumed(%x: tensor<?x4096xbf16> {fuse.dims = ["m"]}, %w: tensor<4096x4096xbf16>) -> tensor<?x4096xbf16> attributes {fuse.assumed_sizes = {m = 512}} {
  %y = fuse.kernel "linear" ins(%x, %w : tensor<?x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<?x4096xbf16> {
  ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<4096x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16>, tensor<4096x4096xbf16> -> tensor<?x4096xbf16>
    fuse.yield %p : tensor<?x4096xbf16>
  }
  return %y : tensor<?x4096xbf16>
}

// -----

// The product of the dims that rows are made of counts.
// CHECK-LABEL: func.func @joined(
// CHECK-SAME:    fuse.size_ranges = {"batch*tokens" = array<i64: {{[0-9, ]+}}, 512>}
func.func @joined(%x: tensor<?x?x4096xbf16> {fuse.dims = ["batch", "tokens"]}, %w: tensor<4096x4096xbf16>) -> tensor<?x?x4096xbf16> {
  %y = fuse.kernel "linear" ins(%x, %w : tensor<?x?x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<?x?x4096xbf16> {
  ^bb0(%a: tensor<?x?x4096xbf16>, %b: tensor<4096x4096xbf16>):
    %p = fuse.contract "bsk,nk->bsn" %a, %b : tensor<?x?x4096xbf16>, tensor<4096x4096xbf16> -> tensor<?x?x4096xbf16>
    fuse.yield %p : tensor<?x?x4096xbf16>
  }
  return %y : tensor<?x?x4096xbf16>
}

// -----

// A static factor of the rows divides the bounds.
// CHECK-LABEL: func.func @factor(
// CHECK-SAME:    fuse.size_ranges = {s = array<i64: {{[0-9, ]+}}, 64{{[,>]}}
func.func @factor(%x: tensor<8x?x4096xbf16> {fuse.dims = ["s"]}, %w: tensor<4096x4096xbf16>) -> tensor<8x?x4096xbf16> {
  %y = fuse.kernel "linear" ins(%x, %w : tensor<8x?x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<8x?x4096xbf16> {
  ^bb0(%a: tensor<8x?x4096xbf16>, %b: tensor<4096x4096xbf16>):
    %p = fuse.contract "bsk,nk->bsn" %a, %b : tensor<8x?x4096xbf16>, tensor<4096x4096xbf16> -> tensor<8x?x4096xbf16>
    fuse.yield %p : tensor<8x?x4096xbf16>
  }
  return %y : tensor<8x?x4096xbf16>
}

// -----

// Where nothing is dynamic, or the schedule is given, there are none.
// CHECK-LABEL: func.func @static(
// CHECK-NOT:     size_ranges
// CHECK-NOT:     sized_schedules
// CHECK:         return
func.func @static(%x: tensor<64x4096xbf16>, %w: tensor<4096x4096xbf16>, %v: tensor<?x4096xbf16>) -> (tensor<64x4096xbf16>, tensor<?x4096xbf16>) {
  %y = fuse.kernel "linear" ins(%x, %w : tensor<64x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<64x4096xbf16> {
  ^bb0(%a: tensor<64x4096xbf16>, %b: tensor<4096x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x4096xbf16>, tensor<4096x4096xbf16> -> tensor<64x4096xbf16>
    fuse.yield %p : tensor<64x4096xbf16>
  }
  %z = fuse.kernel "given" ins(%v, %w : tensor<?x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<?x4096xbf16>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 64, tile_k = 64, stages = 8, consumers = 2, raster = 8, store = tma, persistent = 132> {
  ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<4096x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16>, tensor<4096x4096xbf16> -> tensor<?x4096xbf16>
    fuse.yield %p : tensor<?x4096xbf16>
  }
  return %y, %z : tensor<64x4096xbf16>, tensor<?x4096xbf16>
}

// -----

// expected-error @below {{expected fuse.assumed_sizes to have names of dynamic dims with sizes above 0, but got "rows" = 64 : i64; name dims as fuse.dims does, or x.0 for the first of x}}
func.func @name(%x: tensor<?x4096xbf16> {fuse.dims = ["m"]}) attributes {fuse.assumed_sizes = {rows = 64}} {
  return
}

// -----

// expected-error @below {{with sizes above 0, but got "m" = 0 : i64;}}
func.func @size(%x: tensor<?x4096xbf16> {fuse.dims = ["m"]}) attributes {fuse.assumed_sizes = {m = 0}} {
  return
}
