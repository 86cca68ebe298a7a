func.func @rows(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<4x64xf32>) -> tensor<4x64xf32>
      schedule = #fuse.rows<threads = 1, vector = 8, rows_per_block = 1, hold = HOLD> {
  ^bb0(%a: tensor<4x64xf32>):
    %s = fuse.reduce sum %a dims = [1] keep : tensor<4x64xf32> -> tensor<4x1xf32>
    %q = fuse.mul %a, %s : tensor<4x64xf32>, tensor<4x1xf32> -> tensor<4x64xf32>
    fuse.yield %q : tensor<4x64xf32>
  }
  return %y : tensor<4x64xf32>
}
