// A router of two experts: each by an argmax, and a softmax of what both have.
func.func @two_of_argmax(%x: tensor<?x64xf32> {fuse.dims = ["n"]}) -> (tensor<?x2xf32>, tensor<?x2xi64>) {
  %a = fuse.argmax %x dim = 1 keep : tensor<?x64xf32> -> tensor<?x1xi64>
  %i = fuse.iota dim = 0 : tensor<64xi64>
  %is = fuse.compare eq %i, %a : tensor<64xi64>, tensor<?x1xi64> -> tensor<?x64xi1>
  %least = fuse.constant dense<-1.0e+30> : tensor<f32>
  %z = fuse.select %is, %least, %x : tensor<?x64xi1>, tensor<f32>, tensor<?x64xf32> -> tensor<?x64xf32>
  %b = fuse.argmax %z dim = 1 keep : tensor<?x64xf32> -> tensor<?x1xi64>
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
  %o = fuse.reduce max %z dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
  %c = fuse.concat %m, %o dim = 1 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x2xf32>
  %p = fuse.softmax %c dims = [1] : tensor<?x2xf32>
  %d = fuse.concat %a, %b dim = 1 : tensor<?x1xi64>, tensor<?x1xi64> -> tensor<?x2xi64>
  return %p, %d : tensor<?x2xf32>, tensor<?x2xi64>
}
