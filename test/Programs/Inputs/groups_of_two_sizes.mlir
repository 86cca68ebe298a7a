// A softmax, returned, with the sums of its groups of two sizes, and their
// part of the row's sum of squares.
func.func @groups_of_two_sizes(%x: tensor<?x512xf16> {fuse.dims = ["n"]})
    -> (tensor<?x512xf32>, tensor<?x32xf32>, tensor<?x16xf32>, tensor<?x1xf32>) {
  %f = fuse.cast %x : tensor<?x512xf16> -> tensor<?x512xf32>
  %y = fuse.softmax %f dims = [1] : tensor<?x512xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x512xf16>
  %g = tensor.expand_shape %y [[0], [1, 2]] output_shape [%n, 32, 16] : tensor<?x512xf32> into tensor<?x32x16xf32>
  %a = fuse.reduce sum %g dims = [2] : tensor<?x32x16xf32> -> tensor<?x32xf32>
  %h = tensor.expand_shape %y [[0], [1, 2]] output_shape [%n, 16, 32] : tensor<?x512xf32> into tensor<?x16x32xf32>
  %b = fuse.reduce max %h dims = [2] : tensor<?x16x32xf32> -> tensor<?x16xf32>
  %q = fuse.mul %y, %y : tensor<?x512xf32>
  %s = fuse.reduce sum %q dims = [1] keep : tensor<?x512xf32> -> tensor<?x1xf32>
  return %y, %a, %b, %s : tensor<?x512xf32>, tensor<?x32xf32>, tensor<?x16xf32>, tensor<?x1xf32>
}
