// Of rows of other lengths, whose numbers have nothing to do with each other.
func.func @two_softmaxes(%a: tensor<?x1024xf32> {fuse.dims = ["A"]},
                         %b: tensor<?x4096xf32> {fuse.dims = ["B"]})
    -> (tensor<?x1024xf32>, tensor<?x4096xf32>) {
  %x = fuse.softmax %a dims = [1] : tensor<?x1024xf32>
  %y = fuse.softmax %b dims = [1] : tensor<?x4096xf32>
  return %x, %y : tensor<?x1024xf32>, tensor<?x4096xf32>
}
