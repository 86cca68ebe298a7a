// The transpose that gives heads before tokens was undone in front of a rotary
// embedding whose offset is that of the only head, as if of all tokens.
// RUN: fuse-crosscheck --check fused --check emulated %s

func.func @program(%x: tensor<65x8xbf16>, %y: tensor<72x8xbf16>, %a6: tensor<1xi64>) -> (tensor<1x65x72xbf16>, tensor<65x1xbf16>) {
  %v6 = fuse.matmul %x, %y transpose_rhs : tensor<65x8xbf16>, tensor<72x8xbf16> -> tensor<65x72xbf16>
  %v7 = fuse.reduce sum %v6 dims = [1] keep : tensor<65x72xbf16> -> tensor<65x1xbf16>
  %v8 = fuse.mul %v6, %v7 : tensor<65x72xbf16>, tensor<65x1xbf16> -> tensor<65x72xbf16>
  %v9 = tensor.expand_shape %v8 [[0, 1], [2]] output_shape [65, 1, 72] : tensor<65x72xbf16> into tensor<65x1x72xbf16>
  %v10 = fuse.transpose %v9 permutation = [1, 0, 2] : tensor<65x1x72xbf16> -> tensor<1x65x72xbf16>
  %v12 = fuse.rotary interleaved heads_tokens %v10 offset(%a6) base = 1.0 heads = 1 : tensor<1x65x72xbf16>, tensor<1xi64>
  %v15 = fuse.logsumexp %v8 dims = [1] keep : tensor<65x72xbf16> -> tensor<65x1xbf16>
  return %v12, %v15 : tensor<1x65x72xbf16>, tensor<65x1xbf16>
}
