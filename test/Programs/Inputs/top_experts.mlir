// A router: the eight most likely experts, whose shares add up to 1.
func.func @top_experts(%x: tensor<?x256xbf16> {fuse.dims=["r"]}) -> (tensor<?x8xbf16>, tensor<?x8xi32>) {
  %s = fuse.softmax %x dims = [1] : tensor<?x256xbf16>
  %v, %i = fuse.top_k %s k = 8 : tensor<?x256xbf16> -> tensor<?x8xbf16>, tensor<?x8xi32>
  %t = fuse.reduce sum %v dims = [1] keep : tensor<?x8xbf16> -> tensor<?x1xbf16>
  %w = fuse.div %v, %t : tensor<?x8xbf16>, tensor<?x1xbf16>
  return %w, %i : tensor<?x8xbf16>, tensor<?x8xi32>
}
