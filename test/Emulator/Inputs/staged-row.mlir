func.func @staged(%x: tensor<?x4160xbf16> {fuse.dims = ["rows"]}) -> tensor<?x4160xbf16> {
  %y = fuse.kernel "staged" ins(%x : tensor<?x4160xbf16>) -> tensor<?x4160xbf16>
      schedule = #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = shared<in_registers = 1>> {
  ^bb0(%a: tensor<?x4160xbf16>):
    %w = fuse.cast %a : tensor<?x4160xbf16> -> tensor<?x4160xf32>
    %m = fuse.reduce max %w dims = [1] keep : tensor<?x4160xf32> -> tensor<?x1xf32>
    %d = fuse.sub %w, %m : tensor<?x4160xf32>, tensor<?x1xf32> -> tensor<?x4160xf32>
    %r = fuse.cast %d : tensor<?x4160xf32> -> tensor<?x4160xbf16>
    fuse.yield %r : tensor<?x4160xbf16>
  }
  return %y : tensor<?x4160xbf16>
}
