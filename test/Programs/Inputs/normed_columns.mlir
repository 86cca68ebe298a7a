func.func @normed_columns(%x: tensor<?x64xf32> {fuse.dims = ["n"]}) -> tensor<?x64xf32> {
  %m = fuse.reduce mean %x dims = [0] keep : tensor<?x64xf32> -> tensor<1x64xf32>
  %d = fuse.sub %x, %m : tensor<?x64xf32>, tensor<1x64xf32> -> tensor<?x64xf32>
  %q = fuse.mul %d, %d : tensor<?x64xf32>
  %v = fuse.reduce mean %q dims = [0] keep : tensor<?x64xf32> -> tensor<1x64xf32>
  %s = fuse.sqrt %v : tensor<1x64xf32>
  %y = fuse.div %d, %s : tensor<?x64xf32>, tensor<1x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
