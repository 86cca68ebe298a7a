// Softmax over rows of 4096, each row read from memory once.
func.func @softmax(%x: tensor<?x4096xf32> {fuse.dims = ["rows"]}) -> tensor<?x4096xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}
