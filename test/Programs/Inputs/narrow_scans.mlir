// Scans of bytes, one of which starts with the largest byte.
func.func @narrow_scans(%x: tensor<?x70xui8> {fuse.dims = ["n"]}) -> (tensor<?x70xui8>, tensor<?x70xui8>, tensor<?x60xui8>) {
  %1 = fuse.scan min %x exclusive : tensor<?x70xui8>
  %2 = fuse.scan prod %x : tensor<?x70xui8>
  %3 = fuse.slice %x offsets = [0, 0] sizes = [-1, 60] : tensor<?x70xui8> -> tensor<?x60xui8>
  %4, %5 = fuse.top_k %3 k = 60 smallest : tensor<?x60xui8> -> tensor<?x60xui8>, tensor<?x60xi64>
  return %1, %2, %4 : tensor<?x70xui8>, tensor<?x70xui8>, tensor<?x60xui8>
}
