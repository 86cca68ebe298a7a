// A softmax, padded to more tokens and along its rows.
func.func @padded_tokens(%x: tensor<?x?x100xf32> {fuse.dims = ["b", "n"]}) -> tensor<?x?x128xf32> {
  %y = fuse.softmax %x dims = [2] : tensor<?x?x100xf32>
  %p = fuse.pad %y low = [0, 2, 4] high = [1, 26, 24] value = -1.0 : tensor<?x?x100xf32> -> tensor<?x?x128xf32>
  return %p : tensor<?x?x128xf32>
}
