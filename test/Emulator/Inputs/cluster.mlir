// Rows that two blocks share, once with a maximum and a sum that needs it.
func.func @cluster(%x: tensor<?x1000xf32> {fuse.dims = ["T"]}) -> tensor<?x1000xf32> {
  %y = fuse.kernel "cluster" ins(%x : tensor<?x1000xf32>) -> tensor<?x1000xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = registers, share = cluster<2>> {
  ^bb0(%a: tensor<?x1000xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x1000xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x1000xf32>, tensor<?x1xf32> -> tensor<?x1000xf32>
    %e = fuse.exp %d : tensor<?x1000xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<?x1000xf32> -> tensor<?x1xf32>
    %q = fuse.div %e, %s : tensor<?x1000xf32>, tensor<?x1xf32> -> tensor<?x1000xf32>
    fuse.yield %q : tensor<?x1000xf32>
  }
  return %y : tensor<?x1000xf32>
}
