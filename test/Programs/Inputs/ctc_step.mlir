// CTC: a step of the sums over alignments, from three neighbours.
func.func @ctc_step(%a: tensor<?x128xf32> {fuse.dims = ["n"]}, %p: tensor<?x128xf32> {fuse.dims = ["n"]}, %skip: tensor<?x128xi1> {fuse.dims = ["n"]}) -> (tensor<?x128xf32>) {
  %1 = fuse.pad %a low = [0, 1] high = [0, 0] value = -1.0000000150474662e+30 : tensor<?x128xf32> -> tensor<?x129xf32>
  %2 = fuse.slice %1 offsets = [0, 0] sizes = [-1, 128] steps = [1, 1] : tensor<?x129xf32> -> tensor<?x128xf32>
  %3 = fuse.pad %a low = [0, 2] high = [0, 0] value = -1.0000000150474662e+30 : tensor<?x128xf32> -> tensor<?x130xf32>
  %4 = fuse.slice %3 offsets = [0, 0] sizes = [-1, 128] steps = [1, 1] : tensor<?x130xf32> -> tensor<?x128xf32>
  %5 = fuse.constant dense<-1.0000000150474662e+30> : tensor<f32>
  %6 = tensor.expand_shape %5 [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %7 = fuse.select %skip, %4, %6 : tensor<?x128xi1>, tensor<?x128xf32>, tensor<1x1xf32> -> tensor<?x128xf32>
  %8 = fuse.max %a, %2 : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  %9 = fuse.max %8, %7 : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  %10 = fuse.sub %a, %9 : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  %11 = fuse.exp %10 : tensor<?x128xf32> -> tensor<?x128xf32>
  %12 = fuse.sub %2, %9 : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  %13 = fuse.exp %12 : tensor<?x128xf32> -> tensor<?x128xf32>
  %14 = fuse.add %11, %13 : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  %15 = fuse.sub %7, %9 : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  %16 = fuse.exp %15 : tensor<?x128xf32> -> tensor<?x128xf32>
  %17 = fuse.add %14, %16 : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  %18 = fuse.log %17 : tensor<?x128xf32> -> tensor<?x128xf32>
  %19 = fuse.add %9, %18 : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  %20 = fuse.add %19, %p : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  return %20 : tensor<?x128xf32>
}
