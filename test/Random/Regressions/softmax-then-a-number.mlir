// The second contraction's result has no dimension that could be streamed.
// RUN: fuse-crosscheck %s
// --dim n=9

func.func @program(%a: tensor<17x5xf16>, %b: tensor<?x5xf16> {fuse.dims = ["n"]}, %c: tensor<?x17xf16> {fuse.dims = ["n"]}) -> tensor<f16> {
  %scores = fuse.matmul %a, %b transpose_rhs : tensor<17x5xf16>, tensor<?x5xf16> -> tensor<17x?xf16>
  %weights = fuse.softmax %scores dims = [1] : tensor<17x?xf16>
  %y = fuse.contract "bh,hb->" %weights, %c : tensor<17x?xf16>, tensor<?x17xf16> -> tensor<f16>
  return %y : tensor<f16>
}
