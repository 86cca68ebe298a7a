// A softmax's maximum and sum over selected elements became one op that kernels which walk
// rows in order refused, and the mean and variance of these did, too.
// RUN: fuse-crosscheck %s
// --dim d0=5
// --seed 390002887
// --fill normal
// --check fused,schedules,emulated
func.func @program(%x: tensor<?x40xbf16> {fuse.dims = ["d0"]}) -> (tensor<?x3xbf16>, tensor<?x1xf32>) {
  %values, %ids = fuse.top_k %x k = 3 smallest : tensor<?x40xbf16> -> tensor<?x3xbf16>, tensor<?x3xi64>
  %logs = fuse.log_softmax %values dims = [1] : tensor<?x3xbf16>
  %wide = fuse.cast %values : tensor<?x3xbf16> -> tensor<?x3xf32>
  %mean = fuse.reduce mean %wide dims = [1] keep : tensor<?x3xf32> -> tensor<?x1xf32>
  %from = fuse.sub %wide, %mean : tensor<?x3xf32>, tensor<?x1xf32> -> tensor<?x3xf32>
  %square = fuse.mul %from, %from : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<?x3xf32>
  %variance = fuse.reduce mean %square dims = [1] keep : tensor<?x3xf32> -> tensor<?x1xf32>
  return %logs, %variance : tensor<?x3xbf16>, tensor<?x1xf32>
}
