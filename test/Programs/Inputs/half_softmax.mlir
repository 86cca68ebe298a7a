// A part of a softmax.
func.func @half_softmax(%x: tensor<?x512xf32> {fuse.dims = ["n"]})
    -> tensor<?x256xf32> {
  %s = fuse.softmax %x dims = [1] : tensor<?x512xf32>
  %c = fuse.slice %s offsets = [0, 0] sizes = [-1, 256] : tensor<?x512xf32> -> tensor<?x256xf32>
  return %c : tensor<?x256xf32>
}
