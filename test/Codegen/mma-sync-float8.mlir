// Products of 8-bit floats, with a newer PTX than other kernels ask for, and with registers
// for the sums of a step beside those of all.
// RUN: fuse inspect %s --chip sm_89 --emit=ptx | FileCheck %s --check-prefixes=CHECK,SM89
// RUN: fuse inspect %s --chip sm_120 --emit=ptx | FileCheck %s
// RUN: fuse inspect %s --chip sm_89 --emit=stats --expect-mma | FileCheck %s --check-prefix=STATS
// RUN: fuse inspect %s --chip sm_90 --emit=stats --expect-mma | FileCheck %s --check-prefix=STATS
// RUN: fuse inspect %s --chip sm_120 --emit=stats --expect-mma | FileCheck %s --check-prefix=STATS
// SM89:      .version 8.4
// CHECK:     mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32
// STATS:     tensor cores {{[1-9][0-9]*}} x mma m16n8k32
// STATS-NOT: spills {{[1-9]}}
func.func @linear(%x: tensor<?x4096xf8E4M3FN>, %w: tensor<4096x4096xf8E5M2>, %r: tensor<?x1xf32>, %c: tensor<4096xf32>) -> tensor<?x4096xbf16> {
  %p = fuse.contract "mk,nk->mn" %x, %w : tensor<?x4096xf8E4M3FN>, tensor<4096x4096xf8E5M2> -> tensor<?x4096xf32>
  %0 = fuse.mul %p, %r : tensor<?x4096xf32>, tensor<?x1xf32> -> tensor<?x4096xf32>
  %1 = fuse.mul %0, %c : tensor<?x4096xf32>, tensor<4096xf32> -> tensor<?x4096xf32>
  %y = fuse.cast %1 : tensor<?x4096xf32> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}
