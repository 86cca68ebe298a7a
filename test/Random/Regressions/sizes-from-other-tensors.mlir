// RUN: fuse-crosscheck %s
// A view keeps its dimensions where others lose theirs; that their sizes are still
// those of the view is said by the operands of a reshape.
// --dim d0=1
// --dim d1=3
// --seed 53101093
// --fill normal
// --check emulated,compiled
func.func @program(%a1: tensor<2xbf16>, %a3: tensor<?x1x?x1x1xbf16> {fuse.dims = ["d0", "d1"]}, %b0: tensor<?x1x?x1x2xbf16> {fuse.dims = ["d0", "d1"]}) -> (tensor<?x1x?x1x2xf32>, tensor<?x1x?x1x1xbf16>, tensor<?x1x?x1x1xbf16>) {
  %v2 = fuse.rms_norm %b0, %a1 eps = 0.0 : tensor<?x1x?x1x2xbf16>, tensor<2xbf16>
  %v3 = fuse.cast %a1 : tensor<2xbf16> -> tensor<2xf32>
  %v4 = fuse.reduce sum %v2 dims = [3, 4] keep : tensor<?x1x?x1x2xbf16> -> tensor<?x1x?x1x1xbf16>
  %v6 = fuse.broadcast %v3 like %v2 : tensor<2xf32>, tensor<?x1x?x1x2xbf16> -> tensor<?x1x?x1x2xf32>
  %v7 = fuse.log_softmax %v4 dims = [0, 1, 2, 3, 4] : tensor<?x1x?x1x1xbf16>
  %v9 = fuse.softmax %a3 dims = [4] : tensor<?x1x?x1x1xbf16>
  return %v6, %v9, %v7 : tensor<?x1x?x1x2xf32>, tensor<?x1x?x1x1xbf16>, tensor<?x1x?x1x1xbf16>
}
