// The sum of each column, which four blocks share, and what follows from it.
func.func @column_cluster(%x: tensor<?x40xf32> {fuse.dims = ["T"]}, %b: tensor<40xf32>) -> tensor<40xf32> {
  %y = fuse.kernel "shared" ins(%x, %b : tensor<?x40xf32>, tensor<40xf32>) -> tensor<40xf32>
      schedule = #fuse.columns<threads = 64, vector = 4, splits = 8, hold = loop<unroll = 2, stages = 3>, share = cluster<4>> {
  ^bb0(%a: tensor<?x40xf32>, %c: tensor<40xf32>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x40xf32> -> tensor<40xf32>
    %d = fuse.add %s, %c : tensor<40xf32>
    fuse.yield %d : tensor<40xf32>
  }
  return %y : tensor<40xf32>
}
