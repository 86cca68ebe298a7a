// Persistent blocks, three at most: what each row is reduced to, and what all rows
// are, by column and in all.
func.func @stay(%x: tensor<?x100xf16> {fuse.dims = ["T"]}, %w: tensor<100xf32>, %s: tensor<?x1xf32> {fuse.dims = ["T"]})
    -> (tensor<?x100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<1xf32>) {
  %y:4 = fuse.kernel "stay" ins(%x, %w, %s : tensor<?x100xf16>, tensor<100xf32>, tensor<?x1xf32>)
      -> tensor<?x100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<1xf32>
      schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 2, hold = registers<preload = true>, persistent = 3> {
  ^bb0(%a: tensor<?x100xf16>, %b: tensor<100xf32>, %c: tensor<?x1xf32>):
    %f = fuse.cast %a : tensor<?x100xf16> -> tensor<?x100xf32>
    %m = fuse.reduce max %f dims = [1] keep : tensor<?x100xf32> -> tensor<?x1xf32>
    %d = fuse.sub %f, %m : tensor<?x100xf32>, tensor<?x1xf32> -> tensor<?x100xf32>
    %e = fuse.mul %d, %b : tensor<?x100xf32>, tensor<100xf32> -> tensor<?x100xf32>
    %q = fuse.mul %e, %c : tensor<?x100xf32>, tensor<?x1xf32> -> tensor<?x100xf32>
    %k = fuse.reduce sum %q dims = [0] : tensor<?x100xf32> -> tensor<100xf32>
    %g = fuse.add %k, %b : tensor<100xf32>
    %l = fuse.reduce max %d dims = [0] : tensor<?x100xf32> -> tensor<100xf32>
    %n = fuse.reduce max %m dims = [0] : tensor<?x1xf32> -> tensor<1xf32>
    fuse.yield %q, %g, %l, %n : tensor<?x100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<1xf32>
  }
  return %y#0, %y#1, %y#2, %y#3 : tensor<?x100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<1xf32>
}
