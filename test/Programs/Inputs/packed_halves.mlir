// Groups of a cache in 4 bits: the halves of each side by side in bytes, with scales and minima.
func.func @packed_halves(%x: tensor<?x2x64x128xf16> {fuse.dims = ["n"]}) -> (tensor<?x2x64x64xui8>, tensor<?x2x64x1xf32>, tensor<?x2x64x1xf32>) {
  %1 = fuse.cast %x : tensor<?x2x64x128xf16> -> tensor<?x2x64x128xf32>
  %2 = fuse.reduce min %1 dims = [3] keep : tensor<?x2x64x128xf32> -> tensor<?x2x64x1xf32>
  %3 = fuse.reduce max %1 dims = [3] keep : tensor<?x2x64x128xf32> -> tensor<?x2x64x1xf32>
  %4 = fuse.sub %3, %2 : tensor<?x2x64x1xf32>, tensor<?x2x64x1xf32> -> tensor<?x2x64x1xf32>
  %5 = fuse.constant dense<15.0> : tensor<f32>
  %6 = fuse.div %4, %5 : tensor<?x2x64x1xf32>, tensor<f32> -> tensor<?x2x64x1xf32>
  %7 = fuse.sub %1, %2 : tensor<?x2x64x128xf32>, tensor<?x2x64x1xf32> -> tensor<?x2x64x128xf32>
  %8 = fuse.div %7, %6 : tensor<?x2x64x128xf32>, tensor<?x2x64x1xf32> -> tensor<?x2x64x128xf32>
  %9 = fuse.round %8 : tensor<?x2x64x128xf32> -> tensor<?x2x64x128xf32>
  %10 = fuse.cast %9 : tensor<?x2x64x128xf32> -> tensor<?x2x64x128xui8>
  %11 = fuse.slice %10 offsets = [0, 0, 0, 0] sizes = [-1, 2, 64, 64] steps = [1, 1, 1, 1] : tensor<?x2x64x128xui8> -> tensor<?x2x64x64xui8>
  %12 = fuse.slice %10 offsets = [0, 0, 0, 64] sizes = [-1, 2, 64, 64] steps = [1, 1, 1, 1] : tensor<?x2x64x128xui8> -> tensor<?x2x64x64xui8>
  %13 = fuse.constant dense<4> : tensor<ui8>
  %14 = fuse.shl %12, %13 : tensor<?x2x64x64xui8>, tensor<ui8> -> tensor<?x2x64x64xui8>
  %15 = fuse.or %11, %14 : tensor<?x2x64x64xui8>, tensor<?x2x64x64xui8> -> tensor<?x2x64x64xui8>
  return %15, %6, %2 : tensor<?x2x64x64xui8>, tensor<?x2x64x1xf32>, tensor<?x2x64x1xf32>
}
