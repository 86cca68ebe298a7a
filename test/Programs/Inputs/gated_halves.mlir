// A sum, and of its norm one half that gates the other.
func.func @gated_halves(%x: tensor<?x96xf32> {fuse.dims = ["n"]}, %r: tensor<?x96xf32> {fuse.dims = ["n"]}) -> (tensor<?x96xf32>, tensor<?x48xf32>) {
  %1 = fuse.add %x, %r : tensor<?x96xf32>, tensor<?x96xf32> -> tensor<?x96xf32>
  %2 = fuse.reduce mean %1 dims = [1] keep : tensor<?x96xf32> -> tensor<?x1xf32>
  %3 = fuse.sub %1, %2 : tensor<?x96xf32>, tensor<?x1xf32> -> tensor<?x96xf32>
  %4 = fuse.mul %3, %3 : tensor<?x96xf32>, tensor<?x96xf32> -> tensor<?x96xf32>
  %5 = fuse.reduce mean %4 dims = [1] keep : tensor<?x96xf32> -> tensor<?x1xf32>
  %6 = fuse.sub %1, %2 : tensor<?x96xf32>, tensor<?x1xf32> -> tensor<?x96xf32>
  %7 = fuse.constant dense<9.999999747378752e-06> : tensor<f32>
  %8 = fuse.add %5, %7 : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %9 = fuse.rsqrt %8 : tensor<?x1xf32> -> tensor<?x1xf32>
  %10 = fuse.mul %6, %9 : tensor<?x96xf32>, tensor<?x1xf32> -> tensor<?x96xf32>
  %11 = fuse.slice %10 offsets = [0, 0] sizes = [-1, 48] steps = [1, 1] : tensor<?x96xf32> -> tensor<?x48xf32>
  %12 = fuse.slice %10 offsets = [0, 48] sizes = [-1, 48] steps = [1, 1] : tensor<?x96xf32> -> tensor<?x48xf32>
  %13 = fuse.silu %12 : tensor<?x48xf32> -> tensor<?x48xf32>
  %14 = fuse.mul %11, %13 : tensor<?x48xf32>, tensor<?x48xf32> -> tensor<?x48xf32>
  return %1, %14 : tensor<?x96xf32>, tensor<?x48xf32>
}
