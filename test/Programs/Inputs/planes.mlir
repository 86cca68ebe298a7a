// Photos, three bytes a pixel, as normalised planes.
func.func @planes(%x: tensor<?x32x48x3xui8> {fuse.dims = ["n"]}, %mean: tensor<3x1x1xf32>)
    -> tensor<?x3x32x48xf16> {
  %t = fuse.transpose %x permutation = [0, 3, 1, 2] : tensor<?x32x48x3xui8> -> tensor<?x3x32x48xui8>
  %f = fuse.cast %t : tensor<?x3x32x48xui8> -> tensor<?x3x32x48xf32>
  %d = fuse.sub %f, %mean : tensor<?x3x32x48xf32>, tensor<3x1x1xf32> -> tensor<?x3x32x48xf32>
  %c = fuse.constant dense<58.395> : tensor<f32>
  %n = fuse.div %d, %c : tensor<?x3x32x48xf32>, tensor<f32> -> tensor<?x3x32x48xf32>
  %y = fuse.cast %n : tensor<?x3x32x48xf32> -> tensor<?x3x32x48xf16>
  return %y : tensor<?x3x32x48xf16>
}
