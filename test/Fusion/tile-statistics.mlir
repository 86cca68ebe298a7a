// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90a | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 | FileCheck %s --check-prefix=OTHER
// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90a "-fuse-split-tile-statistics=chip=sm_90a aligned=false" | FileCheck %s --check-prefix=OTHER

// The norm between two contractions: the first one's kernel writes h, h * w and the
// reciprocal root, of which its tiles leave parts; the second scales by it. On a chip
// without such tensor cores, or where they cannot run it, the root has a kernel.
// CHECK-LABEL: func.func @norm
// CHECK:         fuse.kernel "norm_0"
// CHECK:           fuse.contract
// CHECK:           fuse.reduce {{.*}}{fuse.in_tiles = [{{[0-9.eE+-]+}}, {{[0-9.eE+-]+}}]
// CHECK:           fuse.rsqrt
// CHECK:           fuse.yield {{.*}} : tensor<?x512xbf16>, tensor<?x1xf32>, tensor<?x512xbf16>
// CHECK:         fuse.kernel "norm_1"
// CHECK:           fuse.contract {{.*}}{fuse.row_scale = [{{[0-9.eE+-]+}}, {{[0-9.eE+-]+}}]
// CHECK-NOT:     fuse.kernel "norm_2"
// OTHER-LABEL: func.func @norm
// OTHER:         fuse.kernel "norm_0"
// OTHER-NOT:       fuse.reduce
// OTHER:         fuse.kernel "norm_{{1|0_rows}}" ins(%{{[0-9]+}}#0 : tensor<?x512xbf16>) -> tensor<?x1xf32>
// OTHER-NOT:       fuse.contract
// OTHER:           fuse.reduce
// OTHER:           fuse.rsqrt
// OTHER:         fuse.kernel
// OTHER:           fuse.contract
func.func @norm(%x: tensor<?x512xbf16> {fuse.dims = ["t"]}, %wo: tensor<512x512xbf16>, %r: tensor<?x512xbf16> {fuse.dims = ["t"]}, %g: tensor<512xbf16>, %w1: tensor<1024x512xbf16>) -> (tensor<?x512xbf16>, tensor<?x1024xbf16>) {
  %p = fuse.matmul %x, %wo transpose_rhs : tensor<?x512xbf16>, tensor<512x512xbf16> -> tensor<?x512xbf16>
  %h = fuse.add %p, %r : tensor<?x512xbf16>
  %n = fuse.rms_norm %h, %g eps = 1.0e-5 : tensor<?x512xbf16>, tensor<512xbf16>
  %y = fuse.matmul %n, %w1 transpose_rhs : tensor<?x512xbf16>, tensor<1024x512xbf16> -> tensor<?x1024xbf16>
  return %h, %y : tensor<?x512xbf16>, tensor<?x1024xbf16>
}

// -----

// The largest of each row stays with what the whole row needs it for.
// CHECK-LABEL: func.func @quantized
// CHECK:         fuse.kernel "quantized_0"
// CHECK-NOT:       fuse.reduce
// CHECK:         fuse.kernel "quantized_1"
// CHECK:           fuse.reduce
// CHECK:           fuse.div
// CHECK-NOT:     fuse.kernel "quantized_2"
func.func @quantized(%x: tensor<?x512xbf16> {fuse.dims = ["t"]}, %w: tensor<512x512xbf16>) -> (tensor<?x512xf8E4M3FN>, tensor<?x1xf32>) {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x512xbf16>, tensor<512x512xbf16> -> tensor<?x512xbf16>
  %f = fuse.cast %p : tensor<?x512xbf16> -> tensor<?x512xf32>
  %a = fuse.abs %f : tensor<?x512xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x512xf32> -> tensor<?x1xf32>
  %s = fuse.div %f, %m : tensor<?x512xf32>, tensor<?x1xf32> -> tensor<?x512xf32>
  %q = fuse.cast %s : tensor<?x512xf32> -> tensor<?x512xf8E4M3FN>
  return %q, %m : tensor<?x512xf8E4M3FN>, tensor<?x1xf32>
}

// -----

// A reduction of columns is none that tiles leave parts of.
// CHECK-LABEL: func.func @columns
// CHECK:         fuse.kernel "columns_0"
// CHECK-NOT:       fuse.reduce
// CHECK:         fuse.kernel "columns_1"
// CHECK:           fuse.reduce
func.func @columns(%x: tensor<4096x512xbf16>, %w: tensor<512x512xbf16>) -> (tensor<4096x512xbf16>, tensor<512xbf16>) {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<4096x512xbf16>, tensor<512x512xbf16> -> tensor<4096x512xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<4096x512xbf16> -> tensor<512xbf16>
  return %p, %s : tensor<4096x512xbf16>, tensor<512xbf16>
}

// -----

// Nothing but the statistics is wanted: the contraction's result is never written
// where tiles leave them, and a kernel of its own reads it where they do not.
// CHECK-LABEL: func.func @only
// CHECK:         fuse.kernel "only" {{.*}} -> tensor<?xf32>
// OTHER-LABEL: func.func @only
// OTHER:         fuse.kernel "only{{(_0)?}}" {{.*}} -> tensor<?x512x{{b?}}f{{16|32}}>
// OTHER:           fuse.contract
// OTHER:         fuse.kernel "only{{(_1|_rows)}}" {{.*}} -> tensor<?xf32>
func.func @only(%x: tensor<?x512xbf16> {fuse.dims = ["t"]}, %w: tensor<512x512xbf16>) -> tensor<?xf32> {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x512xbf16>, tensor<512x512xbf16> -> tensor<?x512xbf16>
  %f = fuse.cast %p : tensor<?x512xbf16> -> tensor<?x512xf32>
  %s = fuse.mul %f, %f : tensor<?x512xf32>
  %q = fuse.reduce sum %s dims = [1] : tensor<?x512xf32> -> tensor<?xf32>
  return %q : tensor<?xf32>
}

// -----

// A cast stays where a contraction's operand is written, however large the
// contraction is: tensor cores read it there.
// CHECK-LABEL: func.func @large
// CHECK:         fuse.kernel "large_0" {{.*}} -> tensor<?x4096xbf16>, tensor<?x1xf32>, tensor<?x4096xbf16>
// CHECK:         fuse.kernel "large_1" ins(%{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : tensor<?x4096xbf16>,
func.func @large(%x: tensor<?x4096xbf16> {fuse.dims = ["t"]}, %wo: tensor<4096x4096xbf16>, %r: tensor<?x4096xbf16> {fuse.dims = ["t"]}, %g: tensor<4096xbf16>, %w1: tensor<14336x4096xbf16>) -> (tensor<?x4096xbf16>, tensor<?x14336xbf16>) {
  %p = fuse.matmul %x, %wo transpose_rhs : tensor<?x4096xbf16>, tensor<4096x4096xbf16> -> tensor<?x4096xbf16>
  %h = fuse.add %p, %r : tensor<?x4096xbf16>
  %n = fuse.rms_norm %h, %g eps = 1.0e-5 : tensor<?x4096xbf16>, tensor<4096xbf16>
  %y = fuse.matmul %n, %w1 transpose_rhs : tensor<?x4096xbf16>, tensor<14336x4096xbf16> -> tensor<?x14336xbf16>
  return %h, %y : tensor<?x4096xbf16>, tensor<?x14336xbf16>
}
