// The divergence of two distributions, added up over all elements at once.
func.func @divergence_of_batch(%x: tensor<?x1024xbf16> {fuse.dims = ["n"]},
                               %y: tensor<?x1024xbf16> {fuse.dims = ["n"]})
    -> tensor<f32> {
  %xf = fuse.cast %x : tensor<?x1024xbf16> -> tensor<?x1024xf32>
  %yf = fuse.cast %y : tensor<?x1024xbf16> -> tensor<?x1024xf32>
  %p = fuse.log_softmax %xf dims = [1] : tensor<?x1024xf32>
  %q = fuse.log_softmax %yf dims = [1] : tensor<?x1024xf32>
  %d = fuse.sub %q, %p : tensor<?x1024xf32>
  %e = fuse.exp %q : tensor<?x1024xf32>
  %t = fuse.mul %e, %d : tensor<?x1024xf32>
  %s = fuse.reduce sum %t dims = [0, 1] : tensor<?x1024xf32> -> tensor<f32>
  return %s : tensor<f32>
}
