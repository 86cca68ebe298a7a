func.func @log_softmax_of_columns(%x: tensor<?x64xf32> {fuse.dims = ["n"]}) -> tensor<?x64xf32> {
  %y = fuse.log_softmax %x dims = [0] : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
