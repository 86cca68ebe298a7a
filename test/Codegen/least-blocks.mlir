// RUN: fuse inspect %s --chip sm_90 --emit=ptx | FileCheck %s
// RUN: fuse inspect %s --chip sm_80 --emit=ptx | FileCheck %s
// RUN: fuse run %s --target emu --verify
// RUN: fuse inspect %s --chip sm_90 2>&1 | FileCheck %s --check-prefix=EXPLAINED

// The blocks that a multiprocessor is to have room for.
// CHECK-LABEL: .entry norm(
// CHECK:       .maxntid 128, 1, 1
// CHECK-NEXT:  .minnctapersm 4
// EXPLAINED: ptxas is asked for registers that leave room for 4 blocks on a multiprocessor
func.func @norm(%x: tensor<33x512xf32>) -> tensor<33x512xf32> {
  %0 = fuse.kernel "norm" ins(%x : tensor<33x512xf32>) -> tensor<33x512xf32> schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = cache, least_blocks = 4> {
  ^bb0(%a: tensor<33x512xf32>):
    %1 = fuse.mul %a, %a : tensor<33x512xf32>
    %2 = fuse.reduce mean %1 dims = [1] keep : tensor<33x512xf32> -> tensor<33x1xf32>
    %3 = fuse.rsqrt %2 : tensor<33x1xf32>
    %4 = fuse.mul %a, %3 : tensor<33x512xf32>, tensor<33x1xf32>
    fuse.yield %4 : tensor<33x512xf32>
  }
  return %0 : tensor<33x512xf32>
}
