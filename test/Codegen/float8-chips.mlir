// Every chip quantises, with its instructions or without.
// RUN: fuse inspect %s --target=cuda --chip=sm_80 --emit=ptx --no-cache | FileCheck %s --check-prefix=SOFT
// RUN: fuse inspect %s --target=cuda --chip=sm_86 --emit=ptx --no-cache | FileCheck %s --check-prefix=SOFT
// RUN: fuse inspect %s --target=cuda --chip=sm_89 --emit=ptx --no-cache | FileCheck %s
// RUN: fuse inspect %s --target=cuda --chip=sm_90 --emit=ptx --no-cache | FileCheck %s
// RUN: fuse inspect %s --target=cuda --chip=sm_90a --emit=ptx --no-cache | FileCheck %s
// RUN: fuse inspect %s --target=cuda --chip=sm_100 --emit=ptx --no-cache | FileCheck %s
// RUN: fuse inspect %s --target=cuda --chip=sm_120 --emit=ptx --no-cache | FileCheck %s

// CHECK:     .entry quantize
// CHECK:     min.NaN.xorsign.abs.f32
// CHECK:     cvt.rn.satfinite.e4m3x2.f32
// CHECK:     cvt.rn.f16x2.e4m3x2
// SOFT:      .entry quantize
// SOFT:      div.rn.f32
// SOFT-NOT:  e4m3x2
func.func @quantize(%x: tensor<?x256xf32>, %s: tensor<?x1xf32>, %old: tensor<?x256xf8E4M3FN>)
    -> (tensor<?x256xf8E4M3FN>, tensor<?x256xf32>) {
  %q = fuse.div %x, %s : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
  %y = fuse.cast %q : tensor<?x256xf32> -> tensor<?x256xf8E4M3FN>
  %o = fuse.cast %old : tensor<?x256xf8E4M3FN> -> tensor<?x256xf32>
  return %y, %o : tensor<?x256xf8E4M3FN>, tensor<?x256xf32>
}
