// A schedule of rows for reductions over two shapes: an error, also where the
// time of the schedule is estimated for remarks.
// RUN: not fuse inspect %s --chip sm_90 --emit=kernels 2>&1 | FileCheck %s
// CHECK: error: {{.*}} expected reductions over the last dimensions of one shape for #fuse.rows, but the reductions run over different shapes; use #fuse.columns
func.func @f(%x: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "k" ins(%x, %z : tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x1xf32>
      schedule = #fuse.rows<threads = 128, vector = 1, rows_per_block = 1, hold = loop> {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>):
    %m = fuse.reduce max %b dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x?xf32>, tensor<?x1xf32> -> tensor<?x?xf32>
    %s = fuse.reduce sum %d dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}
