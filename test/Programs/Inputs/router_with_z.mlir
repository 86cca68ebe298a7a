// A router's experts and weights, and the z of its loss.
func.func @router_with_z(%x: tensor<?x64xbf16> {fuse.dims = ["n"]}) -> (tensor<?x8xf32>, tensor<?x8xi32>, tensor<?xf32>) {
  %f = fuse.cast %x : tensor<?x64xbf16> -> tensor<?x64xf32>
  %top, %ids = fuse.top_k %f k = 8 : tensor<?x64xf32> -> tensor<?x8xf32>, tensor<?x8xi64>
  %weights = fuse.softmax %top dims = [1] : tensor<?x8xf32>
  %narrow = fuse.cast %ids : tensor<?x8xi64> -> tensor<?x8xi32>
  %z = fuse.logsumexp %f dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  return %weights, %narrow, %z : tensor<?x8xf32>, tensor<?x8xi32>, tensor<?xf32>
}
