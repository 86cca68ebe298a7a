// RUN: fuse inspect %s --entry gated --chip sm_90a 2>&1 | FileCheck %s --check-prefix=TOGETHER
// RUN: fuse inspect %s --entry narrow --chip sm_90a 2>&1 | FileCheck %s --check-prefix=APART
// RUN: fuse inspect %s --entry gated --chip sm_80 2>&1 | FileCheck %s --check-prefix=TOGETHER

// What contractions that share a kernel take, and what they would take apart; of
// those that do not, why.
// TOGETHER: kernel 'gated' runs contract, sigmoid, mul
// TOGETHER: why: it contracts 16-bit floats on tensor cores{{.*}}; its 2 contractions share the copies of their rows and take {{[0-9.]+}} us, or at least {{[0-9.]+}} us in kernels of their own
func.func @gated(%x: tensor<?x256xbf16>, %v: tensor<512x256xbf16>, %w: tensor<512x256xbf16>) -> tensor<?x512xbf16> {
  %g = fuse.matmul %x, %v transpose_rhs : tensor<?x256xbf16>, tensor<512x256xbf16> -> tensor<?x512xbf16>
  %u = fuse.matmul %x, %w transpose_rhs : tensor<?x256xbf16>, tensor<512x256xbf16> -> tensor<?x512xbf16>
  %y = fuse.swiglu %g, %u : tensor<?x512xbf16>
  return %y : tensor<?x512xbf16>
}

// APART: kernel 'narrow_1' does not share a launch with 'narrow_0'
// APART: why: one kernel of several contractions would take longer, {{[0-9.]+}} us and not {{[0-9.]+}} us
// APART: help: nothing: by the cost model two kernels are faster
func.func @narrow(%x: tensor<4096x4096xbf16>, %v: tensor<4096x4096xbf16>, %w: tensor<136x4096xbf16>) -> (tensor<4096x4096xbf16>, tensor<4096x136xbf16>) {
  %p = fuse.matmul %x, %v transpose_rhs : tensor<4096x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4096x4096xbf16>
  %q = fuse.matmul %x, %w transpose_rhs : tensor<4096x4096xbf16>, tensor<136x4096xbf16> -> tensor<4096x136xbf16>
  return %p, %q : tensor<4096x4096xbf16>, tensor<4096x136xbf16>
}
