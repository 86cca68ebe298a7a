// Sums of the columns of tensors of several widths.
func.func @bias_gradients(%x0: tensor<?x512xbf16> {fuse.dims = ["n"]}, %x1: tensor<?x768xbf16> {fuse.dims = ["n"]}, %x2: tensor<?x1024xbf16> {fuse.dims = ["n"]}, %x3: tensor<?x1280xbf16> {fuse.dims = ["n"]}) -> (tensor<512xf32>, tensor<768xf32>, tensor<1024xf32>, tensor<1280xf32>) {
  %1 = fuse.cast %x0 : tensor<?x512xbf16> -> tensor<?x512xf32>
  %2 = fuse.reduce sum %1 dims = [0] : tensor<?x512xf32> -> tensor<512xf32>
  %3 = fuse.cast %x1 : tensor<?x768xbf16> -> tensor<?x768xf32>
  %4 = fuse.reduce sum %3 dims = [0] : tensor<?x768xf32> -> tensor<768xf32>
  %5 = fuse.cast %x2 : tensor<?x1024xbf16> -> tensor<?x1024xf32>
  %6 = fuse.reduce sum %5 dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
  %7 = fuse.cast %x3 : tensor<?x1280xbf16> -> tensor<?x1280xf32>
  %8 = fuse.reduce sum %7 dims = [0] : tensor<?x1280xf32> -> tensor<1280xf32>
  return %2, %4, %6, %8 : tensor<512xf32>, tensor<768xf32>, tensor<1024xf32>, tensor<1280xf32>
}
