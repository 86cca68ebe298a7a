// A reduction that only gives a broadcast its shape: with fewer dimensions the
// broadcast was none, and a kernel that had a schedule of rows reduced nothing.
// RUN: fuse-crosscheck %s
func.func @program(%a6: tensor<f16>, %a7: tensor<1xi64>, %a8: tensor<1x1xf16>) -> (tensor<1x1xi64>) {
  %v9 = fuse.reduce mean %a8 dims = [0, 1] keep : tensor<1x1xf16> -> tensor<1x1xf16>
  %v12 = fuse.compare ne %v9, %a6 : tensor<1x1xf16>, tensor<f16> -> tensor<1x1xi1>
  %v16 = fuse.broadcast %a7 like %v12 : tensor<1xi64>, tensor<1x1xi1> -> tensor<1x1xi64>
  return %v16 : tensor<1x1xi64>
}
