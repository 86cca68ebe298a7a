func.func @softmax_of_columns_backward(%x: tensor<?x512xf32> {fuse.dims = ["n"]}, %g: tensor<?x512xf32> {fuse.dims = ["n"]}) -> tensor<?x512xf32> {
  %p = fuse.softmax %x dims = [0] : tensor<?x512xf32>
  %m = fuse.mul %p, %g : tensor<?x512xf32>
  %s = fuse.reduce sum %m dims = [0] keep : tensor<?x512xf32> -> tensor<1x512xf32>
  %d = fuse.sub %g, %s : tensor<?x512xf32>, tensor<1x512xf32> -> tensor<?x512xf32>
  %r = fuse.mul %p, %d : tensor<?x512xf32>
  return %r : tensor<?x512xf32>
}
