// Persistent clusters of two blocks.
func.func @norm(%x: tensor<?x512xf32> {fuse.dims = ["T"]}, %w: tensor<512xf32>) -> tensor<?x512xf32> {
  %y = fuse.kernel "norm" ins(%x, %w : tensor<?x512xf32>, tensor<512xf32>) -> tensor<?x512xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = registers<preload = true>, share = cluster<2>, persistent = 4> {
  ^bb0(%a: tensor<?x512xf32>, %b: tensor<512xf32>):
    %q = fuse.mul %a, %a : tensor<?x512xf32>
    %m = fuse.reduce sum %q dims = [1] keep : tensor<?x512xf32> -> tensor<?x1xf32>
    %d = fuse.div %a, %m : tensor<?x512xf32>, tensor<?x1xf32> -> tensor<?x512xf32>
    %e = fuse.mul %d, %b : tensor<?x512xf32>, tensor<512xf32> -> tensor<?x512xf32>
    fuse.yield %e : tensor<?x512xf32>
  }
  return %y : tensor<?x512xf32>
}
