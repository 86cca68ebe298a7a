// Groups in 4 bits, neighbours in one byte.
func.func @packed_neighbours(%x: tensor<?x4x128xbf16> {fuse.dims = ["n"]}) -> (tensor<?x4x64xui8>, tensor<?x4xf32>) {
  %1 = fuse.cast %x : tensor<?x4x128xbf16> -> tensor<?x4x128xf32>
  %2 = fuse.abs %1 : tensor<?x4x128xf32> -> tensor<?x4x128xf32>
  %3 = fuse.reduce max %2 dims = [2] keep : tensor<?x4x128xf32> -> tensor<?x4x1xf32>
  %4 = fuse.constant dense<7.0> : tensor<f32>
  %5 = fuse.div %3, %4 : tensor<?x4x1xf32>, tensor<f32> -> tensor<?x4x1xf32>
  %6 = fuse.div %1, %5 : tensor<?x4x128xf32>, tensor<?x4x1xf32> -> tensor<?x4x128xf32>
  %7 = fuse.round %6 : tensor<?x4x128xf32> -> tensor<?x4x128xf32>
  %8 = fuse.constant dense<8.0> : tensor<f32>
  %9 = fuse.add %7, %8 : tensor<?x4x128xf32>, tensor<f32> -> tensor<?x4x128xf32>
  %10 = fuse.cast %9 : tensor<?x4x128xf32> -> tensor<?x4x128xui8>
  %11 = fuse.slice %10 offsets = [0, 0, 0] sizes = [-1, 4, 64] steps = [1, 1, 2] : tensor<?x4x128xui8> -> tensor<?x4x64xui8>
  %12 = fuse.slice %10 offsets = [0, 0, 1] sizes = [-1, 4, 64] steps = [1, 1, 2] : tensor<?x4x128xui8> -> tensor<?x4x64xui8>
  %13 = fuse.constant dense<4> : tensor<ui8>
  %14 = fuse.shl %12, %13 : tensor<?x4x64xui8>, tensor<ui8> -> tensor<?x4x64xui8>
  %15 = fuse.or %11, %14 : tensor<?x4x64xui8>, tensor<?x4x64xui8> -> tensor<?x4x64xui8>
  %16 = tensor.collapse_shape %5 [[0], [1, 2]] : tensor<?x4x1xf32> into tensor<?x4xf32>
  return %15, %16 : tensor<?x4x64xui8>, tensor<?x4xf32>
}
