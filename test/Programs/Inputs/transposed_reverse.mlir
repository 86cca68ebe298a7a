// An image turned by 90 degrees.
func.func @transposed_reverse(%x: tensor<?x64x96xf32> {fuse.dims = ["n"]}) -> tensor<?x96x64xf32> {
  %t = fuse.transpose %x permutation = [0, 2, 1] : tensor<?x64x96xf32> -> tensor<?x96x64xf32>
  %r = fuse.reverse %t dims = [2] : tensor<?x96x64xf32>
  return %r : tensor<?x96x64xf32>
}
