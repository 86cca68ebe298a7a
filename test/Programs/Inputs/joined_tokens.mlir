func.func @joined_tokens(%x: tensor<?x?x64xf32> {fuse.dims = ["b", "t"]}) -> (tensor<?x64xf32>, tensor<?x4xf32>, tensor<?x4xi64>) {
  %s = fuse.softmax %x dims = [2] : tensor<?x?x64xf32>
  %r = tensor.collapse_shape %s [[0, 1], [2]] : tensor<?x?x64xf32> into tensor<?x64xf32>
  %c = fuse.scan sum %r dim = 1 : tensor<?x64xf32>
  %v, %i = fuse.top_k %r k = 4 : tensor<?x64xf32> -> tensor<?x4xf32>, tensor<?x4xi64>
  return %c, %v, %i : tensor<?x64xf32>, tensor<?x4xf32>, tensor<?x4xi64>
}
