// Bytes are unsigned: quotients, comparisons, extremes and shifts.
func.func @narrow_ui8(%x: tensor<?x64xui8> {fuse.dims = ["n"]}, %y: tensor<?x64xui8> {fuse.dims = ["n"]}) -> (tensor<?x64xui8>, tensor<?x64xui8>, tensor<?x64xi1>, tensor<?x64xf32>, tensor<?xui8>, tensor<64xui8>, tensor<?x64xui8>, tensor<?x64xui8>) {
  %1 = fuse.add %x, %y : tensor<?x64xui8>, tensor<?x64xui8> -> tensor<?x64xui8>
  %2 = fuse.div %x, %y : tensor<?x64xui8>, tensor<?x64xui8> -> tensor<?x64xui8>
  %3 = fuse.compare lt %x, %y : tensor<?x64xui8>, tensor<?x64xui8> -> tensor<?x64xi1>
  %4 = fuse.cast %x : tensor<?x64xui8> -> tensor<?x64xf32>
  %5 = fuse.constant dense<255.0> : tensor<f32>
  %6 = fuse.div %4, %5 : tensor<?x64xf32>, tensor<f32> -> tensor<?x64xf32>
  %7 = fuse.reduce max %x dims = [1] : tensor<?x64xui8> -> tensor<?xui8>
  %8 = fuse.reduce min %x dims = [0] : tensor<?x64xui8> -> tensor<64xui8>
  %9 = fuse.constant dense<1> : tensor<ui8>
  %10 = fuse.shr %x, %9 : tensor<?x64xui8>, tensor<ui8> -> tensor<?x64xui8>
  %11 = fuse.max %x, %y : tensor<?x64xui8>, tensor<?x64xui8> -> tensor<?x64xui8>
  return %1, %2, %3, %6, %7, %8, %10, %11 : tensor<?x64xui8>, tensor<?x64xui8>, tensor<?x64xi1>, tensor<?x64xf32>, tensor<?xui8>, tensor<64xui8>, tensor<?x64xui8>, tensor<?x64xui8>
}
