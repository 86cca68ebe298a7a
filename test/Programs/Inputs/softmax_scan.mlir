// The running sum of probabilities, as top-p sampling needs it, and what was largest before.
func.func @softmax_scan(%x: tensor<?x1024xf32> {fuse.dims=["r"]}) -> (tensor<?x1024xf32>, tensor<?x1024xf32>) {
  %s = fuse.softmax %x dims = [1] : tensor<?x1024xf32>
  %c = fuse.scan sum %s : tensor<?x1024xf32>
  %e = fuse.scan max %x exclusive : tensor<?x1024xf32>
  %y = fuse.mul %c, %x : tensor<?x1024xf32>
  return %y, %e : tensor<?x1024xf32>, tensor<?x1024xf32>
}
