// RUN: fuse inspect %s --chip sm_90a --emit=ptx | FileCheck %s
// RUN: fuse inspect %s --chip sm_90a --emit=schedule | FileCheck %s --check-prefix=SCHEDULE
// RUN: fuse inspect %s --chip sm_90a 2>&1 | FileCheck %s --check-prefix=EXPLAINED

// A kernel on tensor cores from the program to PTX. The tensor maps are passed
// by value; a warpgroup's instructions are never in two code paths. Where a tile lies
// is found, by a division, before the products start: ptxas 13.0 reads sums of
// products under way where a division's call comes before they are awaited.
// SCHEDULE: schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64, stages = 4, consumers = 2, raster = 16, store = tma, persistent = 132>
// EXPLAINED: why: it contracts 16-bit floats on tensor cores; 2 warpgroups share tiles of 128 x 256, whose operands are copied up to 3 steps ahead, and results are written through shared memory
// CHECK:         .target sm_90a
// CHECK:         .param .align 64 .b8 linear_param_5[128],
// CHECK-NEXT:    .param .align 64 .b8 linear_param_6[128],
// CHECK-NEXT:    .param .align 64 .b8 linear_param_7[128]
// CHECK:         .maxntid 384, 1, 1
// CHECK-NEXT:    .minnctapersm 1
// CHECK:         setmaxnreg.inc.sync.aligned.u32 232;
// CHECK:         div.
// CHECK:         mbarrier.try_wait.parity.shared.b64
// CHECK:         wgmma.fence.sync.aligned;
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// CHECK-NEXT:    // end inline asm
// CHECK-NOT:     wgmma.mma_async
// CHECK-NOT:     {{div|rem}}.
// CHECK:         wgmma.wait_group.sync.aligned 0;
// CHECK:         cvt.rn.bf16x2.f32
// CHECK:         stmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:         cp.async.bulk.tensor.2d.global.shared::cta
// CHECK-NOT:     wgmma.mma_async
func.func @linear(%x: tensor<?x4096xbf16>, %w: tensor<4096x4096xbf16>, %b: tensor<4096xbf16>) -> tensor<?x4096xbf16> {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x4096xbf16>, tensor<4096x4096xbf16> -> tensor<?x4096xbf16>
  %y = fuse.add %p, %b : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}
