// Two experts for each token, and their weights.
func.func @chosen_experts(%x: tensor<?x64xf32> {fuse.dims = ["n"]})
    -> (tensor<?x2xi32>, tensor<?x2xf32>) {
  %p = fuse.softmax %x dims = [1] : tensor<?x64xf32>
  %m1 = fuse.reduce max %p dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
  %i1 = fuse.argmax %p dim = 1 keep : tensor<?x64xf32> -> tensor<?x1xi32>
  %c = fuse.iota dim = 1 like %p : tensor<?x64xf32> -> tensor<?x64xi32>
  %is = fuse.compare eq %c, %i1 : tensor<?x64xi32>, tensor<?x1xi32> -> tensor<?x64xi1>
  %z = fuse.constant dense<-1.0> : tensor<f32>
  %q = fuse.select %is, %z, %p : tensor<?x64xi1>, tensor<f32>, tensor<?x64xf32> -> tensor<?x64xf32>
  %m2 = fuse.reduce max %q dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
  %i2 = fuse.argmax %q dim = 1 keep : tensor<?x64xf32> -> tensor<?x1xi32>
  %s = fuse.add %m1, %m2 : tensor<?x1xf32>
  %w1 = fuse.div %m1, %s : tensor<?x1xf32>
  %w2 = fuse.div %m2, %s : tensor<?x1xf32>
  %ids = fuse.concat %i1, %i2 dim = 1 : tensor<?x1xi32>, tensor<?x1xi32> -> tensor<?x2xi32>
  %ws = fuse.concat %w1, %w2 dim = 1 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x2xf32>
  return %ids, %ws : tensor<?x2xi32>, tensor<?x2xf32>
}
