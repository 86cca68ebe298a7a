// Three blocks share all elements: a maximum, and a sum that needs it.
func.func @share(%x: tensor<?x100xf32> {fuse.dims = ["T"]}) -> tensor<?x100xf32> {
  %y = fuse.kernel "share" ins(%x : tensor<?x100xf32>) -> tensor<?x100xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = loop<unroll = 2>, share = grid<3>> {
  ^bb0(%a: tensor<?x100xf32>):
    %m = fuse.reduce max %a dims = [0, 1] keep : tensor<?x100xf32> -> tensor<1x1xf32>
    %d = fuse.sub %a, %m : tensor<?x100xf32>, tensor<1x1xf32> -> tensor<?x100xf32>
    %e = fuse.exp %d : tensor<?x100xf32>
    %s = fuse.reduce sum %e dims = [0, 1] keep : tensor<?x100xf32> -> tensor<1x1xf32>
    %q = fuse.div %e, %s : tensor<?x100xf32>, tensor<1x1xf32> -> tensor<?x100xf32>
    fuse.yield %q : tensor<?x100xf32>
  }
  return %y : tensor<?x100xf32>
}
