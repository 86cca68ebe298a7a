// A part of a softmax that no vector starts at, and what follows from it.
func.func @odd_slice(%x: tensor<?x517xf16> {fuse.dims = ["n"]})
    -> tensor<?x100xf32> {
  %s = fuse.softmax %x dims = [1] : tensor<?x517xf16>
  %c = fuse.slice %s offsets = [0, 5] sizes = [-1, 100] : tensor<?x517xf16> -> tensor<?x100xf16>
  %f = fuse.cast %c : tensor<?x100xf16> -> tensor<?x100xf32>
  %g = fuse.mul %f, %f : tensor<?x100xf32>
  return %g : tensor<?x100xf32>
}
