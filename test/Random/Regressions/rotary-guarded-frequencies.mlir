// Lanes past the end of a held row read past the end of the table of frequencies.
// RUN: fuse run %s --target emu --verify | FileCheck %s
// CHECK: ok

func.func @program(%x: tensor<7x5x16xf16>) -> tensor<7x5x16xf32> {
  %0 = fuse.kernel "program" ins(%x : tensor<7x5x16xf16>) -> tensor<7x5x16xf32> schedule = #fuse.rows<threads = 32, vector = 4, rows_per_block = 2, hold = registers> {
  ^bb0(%a: tensor<7x5x16xf16>):
    %1 = fuse.rotary interleaved tokens_heads %a base = 1.5 : tensor<7x5x16xf16>
    %2 = fuse.cast %1 : tensor<7x5x16xf16> -> tensor<7x5x16xf32>
    %3 = fuse.reduce mean %2 dims = [2] keep : tensor<7x5x16xf32> -> tensor<7x5x1xf32>
    %4 = fuse.sub %2, %3 : tensor<7x5x16xf32>, tensor<7x5x1xf32>
    fuse.yield %4 : tensor<7x5x16xf32>
  }
  return %0 : tensor<7x5x16xf32>
}
