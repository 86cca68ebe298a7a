// What a batch norm keeps of each channel: its mean and variance, over all images
// and positions.
func.func @batch_statistics(%x: tensor<?x24x?x?xf16> {fuse.dims = ["images", "height", "width"]})
    -> (tensor<24xf32> {fuse.name = "mean"}, tensor<24xf32> {fuse.name = "variance"}) {
  %wide = fuse.cast %x : tensor<?x24x?x?xf16> -> tensor<?x24x?x?xf32>
  %mean = fuse.reduce mean %wide dims = [0, 2, 3] keep : tensor<?x24x?x?xf32> -> tensor<1x24x1x1xf32>
  %far = fuse.sub %wide, %mean : tensor<?x24x?x?xf32>, tensor<1x24x1x1xf32> -> tensor<?x24x?x?xf32>
  %square = fuse.mul %far, %far : tensor<?x24x?x?xf32>
  %variance = fuse.reduce mean %square dims = [0, 2, 3] keep : tensor<?x24x?x?xf32> -> tensor<1x24x1x1xf32>
  %m = tensor.collapse_shape %mean [[0, 1, 2, 3]] : tensor<1x24x1x1xf32> into tensor<24xf32>
  %v = tensor.collapse_shape %variance [[0, 1, 2, 3]] : tensor<1x24x1x1xf32> into tensor<24xf32>
  return %m, %v : tensor<24xf32>, tensor<24xf32>
}
