// Three levels of one row: maxima of 16 elements, their sums by fours, the largest of these.
func.func @groups_of_groups(%x: tensor<?x6x4x16xf16> {fuse.dims = ["n"]}, %w: tensor<?x6xf32> {fuse.dims = ["n"]})
    -> (tensor<?x6x4x16xf16>, tensor<?x6x4x1xf32>, tensor<?x6xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6x4x16xf16>
  %f = fuse.cast %x : tensor<?x6x4x16xf16> -> tensor<?x6x4x16xf32>
  %m = fuse.reduce max %f dims = [3] keep : tensor<?x6x4x16xf32> -> tensor<?x6x4x1xf32>
  %s = fuse.reduce sum %m dims = [2, 3] : tensor<?x6x4x1xf32> -> tensor<?x6xf32>
  %b = fuse.mul %s, %w : tensor<?x6xf32>
  %r = fuse.reduce max %b dims = [1] : tensor<?x6xf32> -> tensor<?xf32>
  %e = tensor.expand_shape %r [[0, 1, 2, 3]] output_shape [%n, 1, 1, 1] : tensor<?xf32> into tensor<?x1x1x1xf32>
  %y = fuse.add %f, %e : tensor<?x6x4x16xf32>, tensor<?x1x1x1xf32> -> tensor<?x6x4x16xf32>
  %z = fuse.sub %y, %m : tensor<?x6x4x16xf32>, tensor<?x6x4x1xf32> -> tensor<?x6x4x16xf32>
  %h = fuse.cast %z : tensor<?x6x4x16xf32> -> tensor<?x6x4x16xf16>
  return %h, %m, %b, %r : tensor<?x6x4x16xf16>, tensor<?x6x4x1xf32>, tensor<?x6xf32>, tensor<?xf32>
}
