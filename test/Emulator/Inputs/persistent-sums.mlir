// Persistent blocks that copy the next row into shared memory: rows that are needed
// once, and rows that no vector divides.
func.func @once(%x: tensor<?x512xf32> {fuse.dims = ["T"]}) -> tensor<?x1xf32> {
  %y = fuse.kernel "once" ins(%x : tensor<?x512xf32>) -> tensor<?x1xf32>
      schedule = #fuse.rows<threads = 32, vector = 4, rows_per_block = 1, hold = shared<unroll = 1, preload = true>, persistent = 3> {
  ^bb0(%a: tensor<?x512xf32>):
    %m = fuse.reduce sum %a dims = [1] keep : tensor<?x512xf32> -> tensor<?x1xf32>
    fuse.yield %m : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}

func.func @edges(%x: tensor<?x1001xf32> {fuse.dims = ["T"]}, %w: tensor<1001xf32>) -> tensor<?x1001xf32> {
  %y = fuse.kernel "edges" ins(%x, %w : tensor<?x1001xf32>, tensor<1001xf32>) -> tensor<?x1001xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = shared<unroll = 1, preload = true, copy_groups = 2>, persistent = 4> {
  ^bb0(%a: tensor<?x1001xf32>, %b: tensor<1001xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x1001xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x1001xf32>, tensor<?x1xf32> -> tensor<?x1001xf32>
    %e = fuse.mul %d, %b : tensor<?x1001xf32>, tensor<1001xf32> -> tensor<?x1001xf32>
    fuse.yield %e : tensor<?x1001xf32>
  }
  return %y : tensor<?x1001xf32>
}
