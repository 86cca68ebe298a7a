// LayerNorm: two dependent reductions over one reading of the row.
func.func @layer_norm(%x: tensor<?x4096xf32> {fuse.dims = ["rows"]},
                      %w: tensor<4096xf32>, %b: tensor<4096xf32>) -> tensor<?x4096xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5
       : tensor<?x4096xf32>, tensor<4096xf32>, tensor<4096xf32>
  return %y : tensor<?x4096xf32>
}
