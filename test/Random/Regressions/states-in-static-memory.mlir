// Another schedule of a softmax over leading dimensions exchanged 64 KiB of states in
// static shared memory, of which every chip has 48. (seed 9001319, on a GPU)
// RUN: not fuse-opt -fuse-lower %s 2>&1 | FileCheck %s
// CHECK: expected a schedule with at most 49152 bytes of static shared memory, but got 65536; use fewer threads or narrower vectors

func.func @program(%x: tensor<7x5x2x32xf64>) -> tensor<1x1x1x32xf64> {
  %0 = fuse.kernel "program" ins(%x : tensor<7x5x2x32xf64>) -> tensor<1x1x1x32xf64> schedule = #fuse.columns<threads = 1024, vector = 4, splits = 128, hold = loop<unroll = 1>> {
  ^bb0(%a: tensor<7x5x2x32xf64>):
    %max, %sum = fuse.softmax_stats %a dims = [0, 1, 2] : tensor<7x5x2x32xf64> -> tensor<1x1x1x32xf64>, tensor<1x1x1x32xf64>
    fuse.yield %sum : tensor<1x1x1x32xf64>
  }
  return %0 : tensor<1x1x1x32xf64>
}
