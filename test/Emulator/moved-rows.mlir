// What is moved to the end of a shape need not be a multiple of 16 bytes where the
// rows of all tensors are: the last 3 elements are edges.
// RUN: fuse run %s --target emu --entry moved --dim n=3 --verify
// RUN: fuse run %s --target emu --entry moved --dim n=23 --verify
// Nor do 16 bytes divide a row into vectors of 64.
// RUN: not fuse run %s --target emu --entry wide --dim n=8 --dim m=20 2>&1 | FileCheck %s
// CHECK: error: {{.*}}expected vector = 1 for a last dimension of unknown size, but got vector = 16; use vector = 1
func.func @moved(%x: tensor<?x1xf32> {fuse.dims = ["n"]}) -> tensor<1x1xf32> {
  %0 = fuse.kernel "moved" ins(%x : tensor<?x1xf32>) -> tensor<1x1xf32>
      schedule = #fuse.columns<threads = 32, vector = 4, splits = 1, hold = loop<unroll = 1>> {
  ^bb0(%a: tensor<?x1xf32>):
    %1 = fuse.transpose %a permutation = [1, 0] : tensor<?x1xf32> -> tensor<1x?xf32>
    %2 = fuse.reduce max %1 dims = [1] keep : tensor<1x?xf32> -> tensor<1x1xf32>
    fuse.yield %2 : tensor<1x1xf32>
  }
  return %0 : tensor<1x1xf32>
}

func.func @wide(%x: tensor<?x?xf32> {fuse.dims = ["n", "m"]}) -> tensor<?x?xf32> {
  %0 = fuse.kernel "wide" ins(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
      schedule = #fuse.pointwise<threads = 32, vector = 16, unroll = 1> {
  ^bb0(%a: tensor<?x?xf32>):
    %i = fuse.iota dim = 1 like %a : tensor<?x?xf32> -> tensor<?x?xf32>
    %1 = fuse.add %a, %i : tensor<?x?xf32>
    fuse.yield %1 : tensor<?x?xf32>
  }
  return %0 : tensor<?x?xf32>
}
