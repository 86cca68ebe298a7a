func.func @logsumexp_of_columns(%x: tensor<?x64xf32> {fuse.dims = ["n"]}) -> tensor<64xf32> {
  %y = fuse.logsumexp %x dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
  return %y : tensor<64xf32>
}
