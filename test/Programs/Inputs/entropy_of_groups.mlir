// The entropy of what a softmax gives groups of its row, which counts each of them once.
func.func @entropy_of_groups(%x: tensor<?x1024xbf16> {fuse.dims = ["n"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x1024xbf16>
  %f = fuse.cast %x : tensor<?x1024xbf16> -> tensor<?x1024xf32>
  %p = fuse.softmax %f dims = [1] : tensor<?x1024xf32>
  %e = tensor.expand_shape %p [[0], [1, 2]] output_shape [%n, 16, 64] : tensor<?x1024xf32> into tensor<?x16x64xf32>
  %g = fuse.reduce sum %e dims = [2] : tensor<?x16x64xf32> -> tensor<?x16xf32>
  %eps = fuse.constant dense<1.0e-9> : tensor<f32>
  %a = fuse.add %g, %eps : tensor<?x16xf32>, tensor<f32> -> tensor<?x16xf32>
  %l = fuse.log %a : tensor<?x16xf32>
  %gl = fuse.mul %g, %l : tensor<?x16xf32>
  %s = fuse.reduce sum %gl dims = [1] : tensor<?x16xf32> -> tensor<?xf32>
  %h = fuse.neg %s : tensor<?xf32>
  return %h : tensor<?xf32>
}
