// The scale of a group was taken out of the sum of its elements, where 0 times an
// infinite one is NaN.
// RUN: fuse-crosscheck %s
// --seed 5002835
// --fill masked

func.func @program(%a2: tensor<5x64xui8>, %a3: tensor<5x2x1xi8>, %a4: tensor<5x2x1xbf16>) -> (tensor<5xbf16>) {
  %v0 = tensor.expand_shape %a2 [[0], [1, 2]] output_shape [5, 2, 32] : tensor<5x64xui8> into tensor<5x2x32xui8>
  %v1 = fuse.cast %v0 : tensor<5x2x32xui8> -> tensor<5x2x32xbf16>
  %v2 = fuse.cast %a3 : tensor<5x2x1xi8> -> tensor<5x2x1xbf16>
  %v3 = fuse.sub %v1, %v2 : tensor<5x2x32xbf16>, tensor<5x2x1xbf16> -> tensor<5x2x32xbf16>
  %v4 = fuse.mul %v3, %a4 : tensor<5x2x32xbf16>, tensor<5x2x1xbf16> -> tensor<5x2x32xbf16>
  %v5 = tensor.collapse_shape %v4 [[0], [1, 2]] : tensor<5x2x32xbf16> into tensor<5x64xbf16>
  %v7 = fuse.reduce sum %v5 dims = [1] : tensor<5x64xbf16> -> tensor<5xbf16>
  return %v7 : tensor<5xbf16>
}
