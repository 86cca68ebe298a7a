// Features of a rotary embedding that a product's are computed in two halves,
// but a random number follows from its place among all features.
// RUN: fuse-crosscheck %s

func.func @program(%x: tensor<1x64xf32>, %w: tensor<64x64xf32>, %a: tensor<1x1x1x64xf32>, %seed: tensor<i64> {fuse.scalar}) -> tensor<1x1x1x64xf32> {
  %m = fuse.contract "tk,kn->tn" %x, %w : tensor<1x64xf32>, tensor<64x64xf32> -> tensor<1x64xf32>
  %h = tensor.expand_shape %m [[0, 1, 2], [3]] output_shape [1, 1, 1, 64] : tensor<1x64xf32> into tensor<1x1x1x64xf32>
  %r = fuse.random %seed stream = 1 like %a : tensor<i64>, tensor<1x1x1x64xf32> -> tensor<1x1x1x64xf32>
  %z = fuse.add %h, %r : tensor<1x1x1x64xf32>, tensor<1x1x1x64xf32> -> tensor<1x1x1x64xf32>
  %o = fuse.rotary half heads_tokens %z base = 1.0e4 : tensor<1x1x1x64xf32>
  return %o : tensor<1x1x1x64xf32>
}
