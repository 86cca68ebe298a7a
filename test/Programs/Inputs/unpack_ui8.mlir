// Two numbers of four bits in a byte, scaled.
func.func @unpack_ui8(%q: tensor<?x512xui8> {fuse.dims = ["n"]}, %s: tensor<?x1xf32> {fuse.dims = ["n"]}) -> (tensor<?x1024xbf16>) {
  %6 = arith.constant 0 : index
  %1 = fuse.constant dense<15> : tensor<ui8>
  %2 = fuse.and %q, %1 : tensor<?x512xui8>, tensor<ui8> -> tensor<?x512xui8>
  %3 = fuse.constant dense<4> : tensor<ui8>
  %4 = fuse.shr %q, %3 : tensor<?x512xui8>, tensor<ui8> -> tensor<?x512xui8>
  %5 = tensor.dim %q, %6 : tensor<?x512xui8>
  %7 = tensor.expand_shape %2 [[0], [1, 2]] output_shape [%5, 512, 1] : tensor<?x512xui8> into tensor<?x512x1xui8>
  %8 = tensor.expand_shape %4 [[0], [1, 2]] output_shape [%5, 512, 1] : tensor<?x512xui8> into tensor<?x512x1xui8>
  %9 = fuse.concat %7, %8 dim = 2 : tensor<?x512x1xui8>, tensor<?x512x1xui8> -> tensor<?x512x2xui8>
  %10 = tensor.collapse_shape %9 [[0], [1, 2]] : tensor<?x512x2xui8> into tensor<?x1024xui8>
  %11 = fuse.cast %10 : tensor<?x1024xui8> -> tensor<?x1024xf32>
  %12 = fuse.constant dense<8.0> : tensor<f32>
  %13 = fuse.sub %11, %12 : tensor<?x1024xf32>, tensor<f32> -> tensor<?x1024xf32>
  %14 = fuse.mul %13, %s : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
  %15 = fuse.cast %14 : tensor<?x1024xf32> -> tensor<?x1024xbf16>
  return %15 : tensor<?x1024xbf16>
}
