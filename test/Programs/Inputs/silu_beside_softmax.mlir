// Other elements beside the rows of a softmax.
func.func @silu_beside_softmax(%a: tensor<?x96xf32> {fuse.dims = ["n"]},
                               %b: tensor<?x4x64xf32> {fuse.dims = ["n"]})
    -> (tensor<?x96xf32>, tensor<?x4x64xf32>) {
  %r = fuse.silu %a : tensor<?x96xf32>
  %n = fuse.softmax %b dims = [2] : tensor<?x4x64xf32>
  return %r, %n : tensor<?x96xf32>, tensor<?x4x64xf32>
}
