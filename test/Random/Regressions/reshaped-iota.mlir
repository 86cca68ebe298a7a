// An index range that only a reshape reads was left without a kernel.
// RUN: fuse-crosscheck %s

func.func @program() -> tensor<28xi32> {
  %i = fuse.iota dim = 0 from_end : tensor<7x4xi32>
  %r = tensor.collapse_shape %i [[0, 1]] : tensor<7x4xi32> into tensor<28xi32>
  return %r : tensor<28xi32>
}
