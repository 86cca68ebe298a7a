// ViT: a class token before the patches, positions, and the first norm.
func.func @class_token(%e: tensor<?x196x768xbf16> {fuse.dims = ["b"]}, %c: tensor<768xbf16>, %pos: tensor<197x768xbf16>, %w: tensor<768xbf16>, %bb: tensor<768xbf16>, %size_b: tensor<?xi1> {fuse.dims = ["b"]}) -> (tensor<?x197x768xbf16>, tensor<?x197x768xbf16>) {
  %3 = arith.constant 0 : index
  %1 = tensor.expand_shape %c [[0, 1, 2]] output_shape [1, 1, 768] : tensor<768xbf16> into tensor<1x1x768xbf16>
  %2 = tensor.dim %e, %3 : tensor<?x196x768xbf16>
  %4 = tensor.expand_shape %size_b [[0, 1, 2]] output_shape [%2, 1, 1] : tensor<?xi1> into tensor<?x1x1xi1>
  %5 = fuse.constant dense<false> : tensor<1x1x768xi1>
  %6 = fuse.or %4, %5 : tensor<?x1x1xi1>, tensor<1x1x768xi1> -> tensor<?x1x768xi1>
  %7 = fuse.broadcast %1 like %6 : tensor<1x1x768xbf16>, tensor<?x1x768xi1> -> tensor<?x1x768xbf16>
  %8 = fuse.concat %7, %e dim = 1 : tensor<?x1x768xbf16>, tensor<?x196x768xbf16> -> tensor<?x197x768xbf16>
  %9 = fuse.add %8, %pos : tensor<?x197x768xbf16>, tensor<197x768xbf16> -> tensor<?x197x768xbf16>
  %10 = fuse.cast %9 : tensor<?x197x768xbf16> -> tensor<?x197x768xf32>
  %11 = fuse.reduce mean %10 dims = [2] keep : tensor<?x197x768xf32> -> tensor<?x197x1xf32>
  %12 = fuse.sub %10, %11 : tensor<?x197x768xf32>, tensor<?x197x1xf32> -> tensor<?x197x768xf32>
  %13 = fuse.mul %12, %12 : tensor<?x197x768xf32>, tensor<?x197x768xf32> -> tensor<?x197x768xf32>
  %14 = fuse.reduce mean %13 dims = [2] keep : tensor<?x197x768xf32> -> tensor<?x197x1xf32>
  %15 = fuse.sub %10, %11 : tensor<?x197x768xf32>, tensor<?x197x1xf32> -> tensor<?x197x768xf32>
  %16 = fuse.constant dense<9.999999974752427e-07> : tensor<f32>
  %17 = fuse.add %14, %16 : tensor<?x197x1xf32>, tensor<f32> -> tensor<?x197x1xf32>
  %18 = fuse.rsqrt %17 : tensor<?x197x1xf32> -> tensor<?x197x1xf32>
  %19 = fuse.mul %15, %18 : tensor<?x197x768xf32>, tensor<?x197x1xf32> -> tensor<?x197x768xf32>
  %20 = fuse.cast %w : tensor<768xbf16> -> tensor<768xf32>
  %21 = fuse.mul %19, %20 : tensor<?x197x768xf32>, tensor<768xf32> -> tensor<?x197x768xf32>
  %22 = fuse.cast %bb : tensor<768xbf16> -> tensor<768xf32>
  %23 = fuse.add %21, %22 : tensor<?x197x768xf32>, tensor<768xf32> -> tensor<?x197x768xf32>
  %24 = fuse.cast %23 : tensor<?x197x768xf32> -> tensor<?x197x768xbf16>
  return %9, %24 : tensor<?x197x768xbf16>, tensor<?x197x768xbf16>
}
