// Advantages: sums of deltas from the end, normalised.
func.func @advantages(%r: tensor<?x128xf32> {fuse.dims = ["n"]}, %v: tensor<?x129xf32> {fuse.dims = ["n"]}) -> (tensor<?x128xf32>, tensor<?x128xf32>) {
  %1 = fuse.slice %v offsets = [0, 1] sizes = [-1, 128] steps = [1, 1] : tensor<?x129xf32> -> tensor<?x128xf32>
  %2 = fuse.constant dense<0.9900000095367432> : tensor<f32>
  %3 = fuse.mul %1, %2 : tensor<?x128xf32>, tensor<f32> -> tensor<?x128xf32>
  %4 = fuse.add %r, %3 : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  %5 = fuse.slice %v offsets = [0, 0] sizes = [-1, 128] steps = [1, 1] : tensor<?x129xf32> -> tensor<?x128xf32>
  %6 = fuse.sub %4, %5 : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  %7 = fuse.scan sum %6 reverse : tensor<?x128xf32>
  %8 = fuse.reduce mean %7 dims = [1] keep : tensor<?x128xf32> -> tensor<?x1xf32>
  %9 = fuse.sub %7, %8 : tensor<?x128xf32>, tensor<?x1xf32> -> tensor<?x128xf32>
  %10 = fuse.sub %7, %8 : tensor<?x128xf32>, tensor<?x1xf32> -> tensor<?x128xf32>
  %11 = fuse.sub %7, %8 : tensor<?x128xf32>, tensor<?x1xf32> -> tensor<?x128xf32>
  %12 = fuse.mul %10, %11 : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  %13 = fuse.reduce mean %12 dims = [1] keep : tensor<?x128xf32> -> tensor<?x1xf32>
  %14 = fuse.constant dense<9.999999747378752e-06> : tensor<f32>
  %15 = fuse.add %13, %14 : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %16 = fuse.rsqrt %15 : tensor<?x1xf32> -> tensor<?x1xf32>
  %17 = fuse.mul %9, %16 : tensor<?x128xf32>, tensor<?x1xf32> -> tensor<?x128xf32>
  %18 = fuse.slice %v offsets = [0, 0] sizes = [-1, 128] steps = [1, 1] : tensor<?x129xf32> -> tensor<?x128xf32>
  %19 = fuse.add %7, %18 : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  return %17, %19 : tensor<?x128xf32>, tensor<?x128xf32>
}
