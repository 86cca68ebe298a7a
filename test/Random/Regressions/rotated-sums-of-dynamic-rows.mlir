// The even and the odd rows of an operand, of which only the call knows how
// long they are, took a size that no call has.
// RUN: fuse-crosscheck --check fused --check schedules --check emulated --dim d0=33 %s

func.func @program(%a0: tensor<7x?xf16> {fuse.dims = ["d0"]}, %a1: tensor<7x4x?xf16> {fuse.dims = ["d0"]}) -> tensor<7x1x4xf16> {
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %a0, %c1 : tensor<7x?xf16>
  %v0 = tensor.expand_shape %a0 [[0, 1], [2]] output_shape [7, 1, %d0] : tensor<7x?xf16> into tensor<7x1x?xf16>
  %v2 = fuse.matmul %v0, %a1 transpose_rhs : tensor<7x1x?xf16>, tensor<7x4x?xf16> -> tensor<7x1x4xf16>
  %v3 = fuse.rotary interleaved heads_tokens %v2 base = 1.5 : tensor<7x1x4xf16>
  return %v3 : tensor<7x1x4xf16>
}
