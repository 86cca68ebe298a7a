// A vector that goes on in the next row has the indices of two rows: lanes of
// the second row got the first one's index.
// RUN: not fuse-opt %s -fuse-lower 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: expected a schedule whose vector divides the last dimension, but got vector = 4 for a last dimension of 5; use vector = 1
func.func @program(%x: tensor<3x8x5xf64>, %b: tensor<5xf64>) -> tensor<3x8x5xf64> {
  %0 = fuse.kernel "program" ins(%x, %b : tensor<3x8x5xf64>, tensor<5xf64>) -> tensor<3x8x5xf64>
      schedule = #fuse.pointwise<threads = 256, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<3x8x5xf64>, %c: tensor<5xf64>):
    %1 = fuse.iota dim = 1 from_end : tensor<3x8x5xf64>
    %2 = fuse.add %1, %a : tensor<3x8x5xf64>
    %3 = fuse.add %2, %c : tensor<3x8x5xf64>, tensor<5xf64> -> tensor<3x8x5xf64>
    fuse.yield %3 : tensor<3x8x5xf64>
  }
  return %0 : tensor<3x8x5xf64>
}
