// A sum of each image beside a mean of all elements, as of two losses.
func.func @loss_of_overlap(%x: tensor<?x1x48x32xf16> {fuse.dims = ["T"]}, %y: tensor<?x1x48x32xf16> {fuse.dims = ["T"]}) -> tensor<f32> {
  %a = fuse.cast %x : tensor<?x1x48x32xf16> -> tensor<?x1x48x32xf32>
  %b = fuse.cast %y : tensor<?x1x48x32xf16> -> tensor<?x1x48x32xf32>
  %p = fuse.sigmoid %a : tensor<?x1x48x32xf32>
  %d = fuse.sub %a, %b : tensor<?x1x48x32xf32>
  %q = fuse.mul %d, %d : tensor<?x1x48x32xf32>
  %m = fuse.reduce mean %q dims = [0, 1, 2, 3] : tensor<?x1x48x32xf32> -> tensor<f32>
  %i = fuse.mul %p, %b : tensor<?x1x48x32xf32>
  %s = fuse.reduce sum %i dims = [1, 2, 3] : tensor<?x1x48x32xf32> -> tensor<?xf32>
  %t = fuse.reduce mean %s dims = [0] : tensor<?xf32> -> tensor<f32>
  %l = fuse.add %m, %t : tensor<f32>
  return %l : tensor<f32>
}
