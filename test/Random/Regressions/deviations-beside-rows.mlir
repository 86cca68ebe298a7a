// A variance of one row beside norms of others: taken apart, its deviations would be
// in the shape of what the norms read for each column.
// RUN: fuse-crosscheck %s
// --seed 184
// --fill normal
// --check emulated
func.func @program(%a0: tensor<33x33xbf16>, %a1: tensor<33xbf16>, %b5: tensor<33xbf16>) -> (tensor<1xbf16>, tensor<1x15xbf16>) {
  %v0 = fuse.rms_norm %a0, %a1 eps = 0.0 : tensor<33x33xbf16>, tensor<33xbf16>
  %v6 = fuse.slice %v0 offsets = [13, 18] sizes = [1, -1] steps = [2, 1] : tensor<33x33xbf16> -> tensor<1x15xbf16>
  %v8 = fuse.reduce mean %b5 dims = [0] keep : tensor<33xbf16> -> tensor<1xbf16>
  %v9 = fuse.sub %b5, %v8 : tensor<33xbf16>, tensor<1xbf16> -> tensor<33xbf16>
  %v10 = fuse.mul %v9, %v9 : tensor<33xbf16>, tensor<33xbf16> -> tensor<33xbf16>
  %v11 = fuse.reduce mean %v10 dims = [0] keep : tensor<33xbf16> -> tensor<1xbf16>
  return %v11, %v6 : tensor<1xbf16>, tensor<1x15xbf16>
}
