func.func @f(%x: tensor<?x264xf32> {fuse.dims = ["R"]}) -> (tensor<264xf32>, tensor<?xf32>, tensor<264xf32>) {
  %c = fuse.kernel "columns" ins(%x : tensor<?x264xf32>) -> tensor<264xf32>
      schedule = #fuse.columns<threads = 64, vector = 4, splits = 8, hold = loop<unroll = 2>, evict_first = true> {
  ^bb0(%a: tensor<?x264xf32>):
    %t = fuse.reduce sum %a dims = [0] : tensor<?x264xf32> -> tensor<264xf32>
    fuse.yield %t : tensor<264xf32>
  }
  %s = fuse.kernel "along" ins(%x : tensor<?x264xf32>) -> tensor<?xf32>
      schedule = #fuse.columns<threads = 32, vector = 4, splits = 32, hold = loop<unroll = 2>, evict_first = true> {
  ^bb0(%a: tensor<?x264xf32>):
    %t = fuse.reduce sum %a dims = [1] : tensor<?x264xf32> -> tensor<?xf32>
    fuse.yield %t : tensor<?xf32>
  }
  %p = fuse.kernel "parts" ins(%x : tensor<?x264xf32>) -> tensor<264xf32>
      schedule = #fuse.columns<threads = 64, vector = 4, splits = 8, hold = loop<unroll = 2>, share = parts<3>, evict_first = true> {
  ^bb0(%a: tensor<?x264xf32>):
    %t = fuse.reduce sum %a dims = [0] : tensor<?x264xf32> -> tensor<264xf32>
    fuse.yield %t : tensor<264xf32>
  }
  return %c, %s, %p : tensor<264xf32>, tensor<?xf32>, tensor<264xf32>
}
