// Values on both sides of rows, and after a maximum.
func.func @padded_on_both_sides(%x: tensor<?x100xf32> {fuse.dims = ["n"]})
    -> (tensor<?x107xf32>, tensor<?x1xf32>, tensor<?x8xf32>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x100xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x100xf32>, tensor<?x1xf32> -> tensor<?x100xf32>
  %o = fuse.pad %d low = [0, 3] high = [0, 4] value = 2.5 : tensor<?x100xf32> -> tensor<?x107xf32>
  %e = fuse.exp %o : tensor<?x107xf32>
  %p = fuse.pad %m low = [0, 0] high = [0, 7] value = -1.0 : tensor<?x1xf32> -> tensor<?x8xf32>
  return %e, %m, %p : tensor<?x107xf32>, tensor<?x1xf32>, tensor<?x8xf32>
}
