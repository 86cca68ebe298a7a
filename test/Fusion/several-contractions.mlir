// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90a | FileCheck %s --check-prefixes=CHECK,HOPPER
// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_80 | FileCheck %s

// Two contractions whose results are combined are a kernel where tensor cores run it.
// CHECK-LABEL: func.func @gated(
// CHECK:         fuse.kernel "gated" ins
// CHECK:           fuse.contract
// CHECK:           fuse.contract
// CHECK:           fuse.mul
// CHECK-NOT:     fuse.kernel
// APART-COUNT-2: fuse.kernel
func.func @gated(%x: tensor<?x256xbf16>, %v: tensor<512x256xbf16>, %w: tensor<512x256xbf16>) -> tensor<?x512xbf16> {
  %g = fuse.matmul %x, %v transpose_rhs : tensor<?x256xbf16>, tensor<512x256xbf16> -> tensor<?x512xbf16>
  %u = fuse.matmul %x, %w transpose_rhs : tensor<?x256xbf16>, tensor<512x256xbf16> -> tensor<?x512xbf16>
  %y = fuse.swiglu %g, %u : tensor<?x512xbf16>
  return %y : tensor<?x512xbf16>
}

// -----

// So are three that are not combined, of several widths, with what follows each.
// CHECK-LABEL: func.func @qkv(
// CHECK:         %[[R:.*]]:3 = fuse.kernel "qkv" ins
// CHECK-COUNT-3: fuse.contract
// CHECK-NOT:     fuse.kernel
// CHECK:         return %[[R]]#0, %[[R]]#1, %[[R]]#2
// APART-COUNT-3: fuse.kernel
func.func @qkv(%x: tensor<?x256xbf16>, %wq: tensor<512x256xbf16>, %wk: tensor<128x256xbf16>, %wv: tensor<128x256xbf16>, %b: tensor<512xbf16>) -> (tensor<?x512xbf16>, tensor<?x128xbf16>, tensor<?x128xbf16>) {
  %p = fuse.matmul %x, %wq transpose_rhs : tensor<?x256xbf16>, tensor<512x256xbf16> -> tensor<?x512xbf16>
  %q = fuse.add %p, %b : tensor<?x512xbf16>, tensor<512xbf16> -> tensor<?x512xbf16>
  %k = fuse.matmul %x, %wk transpose_rhs : tensor<?x256xbf16>, tensor<128x256xbf16> -> tensor<?x128xbf16>
  %v = fuse.matmul %x, %wv transpose_rhs : tensor<?x256xbf16>, tensor<128x256xbf16> -> tensor<?x128xbf16>
  return %q, %k, %v : tensor<?x512xbf16>, tensor<?x128xbf16>, tensor<?x128xbf16>
}

// -----

// A few columns would be as many products as a tile of 256. The reason has both
// times.
// HOPPER-LABEL: func.func @narrow(
// HOPPER-SAME:    reason = {{.*}}kind = "contractionsSlower"
// HOPPER-COUNT-2: fuse.kernel
// HOPPER-NOT:     fuse.kernel
func.func @narrow(%x: tensor<4096x4096xbf16>, %v: tensor<4096x4096xbf16>, %w: tensor<136x4096xbf16>) -> (tensor<4096x4096xbf16>, tensor<4096x136xbf16>) {
  %p = fuse.matmul %x, %v transpose_rhs : tensor<4096x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4096x4096xbf16>
  %q = fuse.matmul %x, %w transpose_rhs : tensor<4096x4096xbf16>, tensor<136x4096xbf16> -> tensor<4096x136xbf16>
  return %p, %q : tensor<4096x4096xbf16>, tensor<4096x136xbf16>
}

// -----

// Other rows, and elements that tensor cores do not take.
// CHECK-LABEL: func.func @others(
// CHECK-SAME:    reason = {{.*}}kind = "notTogether"
// CHECK-COUNT-2: fuse.kernel
// CHECK-NOT:     fuse.kernel
func.func @others(%x: tensor<?x256xbf16>, %y: tensor<?x256xbf16>, %w: tensor<512x256xbf16>) -> tensor<?x512xbf16> {
  %g = fuse.matmul %x, %w transpose_rhs : tensor<?x256xbf16>, tensor<512x256xbf16> -> tensor<?x512xbf16>
  %u = fuse.matmul %y, %w transpose_rhs : tensor<?x256xbf16>, tensor<512x256xbf16> -> tensor<?x512xbf16>
  %z = fuse.mul %g, %u : tensor<?x512xbf16>
  return %z : tensor<?x512xbf16>
}

// -----

// CHECK-LABEL: func.func @f32(
// CHECK-SAME:    reason = {cause = {kind = "mmaTypes"}, kind = "notTogether"}
// CHECK-COUNT-2: fuse.kernel
// CHECK-NOT:     fuse.kernel
func.func @f32(%x: tensor<?x256xf32>, %v: tensor<512x256xf32>, %w: tensor<512x256xf32>) -> tensor<?x512xf32> {
  %g = fuse.matmul %x, %v transpose_rhs : tensor<?x256xf32>, tensor<512x256xf32> -> tensor<?x512xf32>
  %u = fuse.matmul %x, %w transpose_rhs : tensor<?x256xf32>, tensor<512x256xf32> -> tensor<?x512xf32>
  %z = fuse.mul %g, %u : tensor<?x512xf32>
  return %z : tensor<?x512xf32>
}

// -----

// One needs all of another's row.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    reason = {{.*}}kind = "chainedContractions"
// CHECK-COUNT-2: fuse.kernel
// CHECK-NOT:     fuse.kernel
func.func @chain(%x: tensor<?x2048xbf16>, %v: tensor<2048x256xbf16>, %w: tensor<256x256xbf16>) -> tensor<?x256xbf16> {
  %g = fuse.matmul %x, %v : tensor<?x2048xbf16>, tensor<2048x256xbf16> -> tensor<?x256xbf16>
  %u = fuse.matmul %g, %w : tensor<?x256xbf16>, tensor<256x256xbf16> -> tensor<?x256xbf16>
  return %u : tensor<?x256xbf16>
}

// -----

// Copies across the summed axis take 64 columns of each at a time, and 5 x 64 are
// more than a tile has.
// CHECK-LABEL: func.func @five(
// CHECK-SAME:    reason = {{.*}}kind = "tooManyContractions"
func.func @five(%x: tensor<?x256xbf16>, %a: tensor<256x512xbf16>, %b: tensor<256x512xbf16>, %c: tensor<256x512xbf16>, %d: tensor<256x512xbf16>, %e: tensor<256x512xbf16>) -> tensor<?x512xbf16> {
  %0 = fuse.matmul %x, %a : tensor<?x256xbf16>, tensor<256x512xbf16> -> tensor<?x512xbf16>
  %1 = fuse.matmul %x, %b : tensor<?x256xbf16>, tensor<256x512xbf16> -> tensor<?x512xbf16>
  %2 = fuse.matmul %x, %c : tensor<?x256xbf16>, tensor<256x512xbf16> -> tensor<?x512xbf16>
  %3 = fuse.matmul %x, %d : tensor<?x256xbf16>, tensor<256x512xbf16> -> tensor<?x512xbf16>
  %4 = fuse.matmul %x, %e : tensor<?x256xbf16>, tensor<256x512xbf16> -> tensor<?x512xbf16>
  %5 = fuse.mul %0, %1 : tensor<?x512xbf16>
  %6 = fuse.mul %5, %2 : tensor<?x512xbf16>
  %7 = fuse.mul %6, %3 : tensor<?x512xbf16>
  %8 = fuse.mul %7, %4 : tensor<?x512xbf16>
  return %8 : tensor<?x512xbf16>
}
