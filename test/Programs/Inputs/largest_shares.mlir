// The softmax of the eight largest logits of a router.
func.func @largest_shares(%x: tensor<?x256xf32> {fuse.dims = ["n"]}) -> tensor<?x8xf32> {
  %v, %i = fuse.top_k %x k = 8 : tensor<?x256xf32> -> tensor<?x8xf32>, tensor<?x8xi64>
  %s = fuse.softmax %v dims = [1] : tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}
