// A pair of features is in two rows, one of which another thread reduces: its
// maximum and sum of exponentials are found once more.
// RUN: fuse-crosscheck %s
// --dim d0=1
// --dim d1=1
// --dim d2=1
// --seed 12600486
// --fill normal
// --check fused,unfused,emulated
func.func @program(%a3: tensor<i64>, %a4: tensor<1x1xf32>, %a5: tensor<1x1xf32>, %b1: tensor<?x?x2x?xf64> {fuse.dims = ["d0", "d1", "d2"]}) -> (tensor<?x?x2xf64>) {
  %v2 = fuse.softmax %b1 dims = [3] : tensor<?x?x2x?xf64>
  %v4 = fuse.reduce max %v2 dims = [3] : tensor<?x?x2x?xf64> -> tensor<?x?x2xf64>
  %v11 = fuse.rotary half heads_tokens %v4 tables(%a4, %a5) offset(%a3) : tensor<?x?x2xf64>, tensor<1x1xf32>, tensor<i64>
  return %v11 : tensor<?x?x2xf64>
}
