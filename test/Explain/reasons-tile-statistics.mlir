// RUN: fuse-opt %s -fuse-form=chip=sm_90a -fuse-schedule=chip=sm_90a --remarks-filter='fuse-.*' 2> %t.remarks > /dev/null
// RUN: python3 %S/Inputs/check_reasons.py %s %t.remarks

// As in reasons-rows.mlir, for reductions of a contraction's rows.

// Blocks that share a long summed axis among few tiles have parts of rows in vectors of four
// columns: without sharing it the contraction takes longer than a kernel of the maxima.
func.func @inTilesSlower(%a: tensor<16x4096xbf16>, %b: tensor<130x4096xbf16>) -> tensor<16x1xf32> {
  %d = fuse.contract "mk,nk->mn" %a, %b : tensor<16x4096xbf16>, tensor<130x4096xbf16> -> tensor<16x130xbf16>
  %c = fuse.cast %d : tensor<16x130xbf16> -> tensor<16x130xf32>
  %s = fuse.abs %c : tensor<16x130xf32>
  %r = fuse.reduce max %s dims = [1] keep : tensor<16x130xf32> -> tensor<16x1xf32>
  return %r : tensor<16x1xf32>
}
func.func @not_inTilesSlower(%a: tensor<4096x256xbf16>, %b: tensor<1024x256xbf16>) -> tensor<4096x1xf32> {
  %d = fuse.contract "mk,nk->mn" %a, %b : tensor<4096x256xbf16>, tensor<1024x256xbf16> -> tensor<4096x1024xbf16>
  %c = fuse.cast %d : tensor<4096x1024xbf16> -> tensor<4096x1024xf32>
  %s = fuse.abs %c : tensor<4096x1024xf32>
  %r = fuse.reduce max %s dims = [1] keep : tensor<4096x1024xf32> -> tensor<4096x1xf32>
  return %r : tensor<4096x1xf32>
}
