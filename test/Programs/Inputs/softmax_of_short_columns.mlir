// Columns that registers hold, and their exponentials.
func.func @softmax_of_short_columns(%x: tensor<?x16x512xf32> {fuse.dims = ["n"]}) -> tensor<?x16x512xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x16x512xf32>
  return %y : tensor<?x16x512xf32>
}
