// Weights of as many columns as there are rows were taken for numbers of the rows
// once a maximum and a sum over them had become one reduction.
// RUN: fuse-crosscheck %s
// --dim d0=130
// --seed 19007776
// --fill rare

func.func @program(%a4: tensor<?x40xf16> {fuse.dims = ["d0"]}, %a6: tensor<40x40xf16>, %a7: tensor<40xf16>, %a8: tensor<40xf16>) -> (tensor<40x40xf16>, tensor<1x1xf16>, tensor<1xf16>) {
  %v3 = fuse.matmul %a4, %a6 transpose_rhs : tensor<?x40xf16>, tensor<40x40xf16> -> tensor<?x40xf16>
  %v5 = fuse.reduce sum %v3 dims = [0, 1] keep : tensor<?x40xf16> -> tensor<1x1xf16>
  %v6 = fuse.layer_norm %a6, %a7, %a8 eps = 0.5 : tensor<40x40xf16>, tensor<40xf16>, tensor<40xf16>
  %v7 = fuse.logsumexp %a7 dims = [0] keep : tensor<40xf16> -> tensor<1xf16>
  return %v6, %v5, %v7 : tensor<40x40xf16>, tensor<1x1xf16>, tensor<1xf16>
}
