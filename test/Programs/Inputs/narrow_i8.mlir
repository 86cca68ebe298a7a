// Arithmetic and reductions of i8, which wrap.
func.func @narrow_i8(%x: tensor<?x64xi8> {fuse.dims = ["n"]}, %y: tensor<?x64xi8> {fuse.dims = ["n"]}) -> (tensor<?x64xi8>, tensor<?xi8>, tensor<64xi8>, tensor<?x64xi8>) {
  %1 = fuse.mul %x, %y : tensor<?x64xi8>, tensor<?x64xi8> -> tensor<?x64xi8>
  %2 = fuse.add %1, %x : tensor<?x64xi8>, tensor<?x64xi8> -> tensor<?x64xi8>
  %3 = fuse.reduce max %x dims = [1] : tensor<?x64xi8> -> tensor<?xi8>
  %4 = fuse.mul %x, %x : tensor<?x64xi8>, tensor<?x64xi8> -> tensor<?x64xi8>
  %5 = fuse.reduce sum %4 dims = [0] : tensor<?x64xi8> -> tensor<64xi8>
  %6 = fuse.div %x, %y : tensor<?x64xi8>, tensor<?x64xi8> -> tensor<?x64xi8>
  return %2, %3, %5, %6 : tensor<?x64xi8>, tensor<?xi8>, tensor<64xi8>, tensor<?x64xi8>
}
