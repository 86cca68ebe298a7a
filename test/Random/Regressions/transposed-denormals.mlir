// RUN: fuse-crosscheck %s
// bf16 denormals were moved as 0: LLVM moves them as f32, and AVX-512's conversion
// back flushes them.
// --dim d0=4
// --seed 3009165
// --fill wide
// --check fused,twins,unfused
func.func @program(%a0: tensor<5x16x?xbf16> {fuse.dims = ["d0"]}) -> (tensor<?x5x16xbf16>, tensor<16x?x5xbf16>) {
  %v0 = fuse.broadcast %a0 like %a0 : tensor<5x16x?xbf16>, tensor<5x16x?xbf16> -> tensor<5x16x?xbf16>
  %v1 = fuse.compare ge %a0, %a0 : tensor<5x16x?xbf16>, tensor<5x16x?xbf16> -> tensor<5x16x?xi1>
  %v2 = fuse.select %v1, %v0, %a0 : tensor<5x16x?xi1>, tensor<5x16x?xbf16>, tensor<5x16x?xbf16> -> tensor<5x16x?xbf16>
  %v3 = fuse.transpose %v2 permutation = [1, 2, 0] : tensor<5x16x?xbf16> -> tensor<16x?x5xbf16>
  %v4 = fuse.transpose %v2 permutation = [2, 0, 1] : tensor<5x16x?xbf16> -> tensor<?x5x16xbf16>
  return %v4, %v3 : tensor<?x5x16xbf16>, tensor<16x?x5xbf16>
}

func.func @twin(%a0: tensor<5x16x?xbf16> {fuse.dims = ["d0"]}) -> (tensor<?x5x16xbf16>, tensor<16x?x5xbf16>) {
  %w0 = fuse.broadcast %a0 like %a0 : tensor<5x16x?xbf16>, tensor<5x16x?xbf16> -> tensor<5x16x?xbf16>
  %w1 = fuse.compare ge %a0, %a0 : tensor<5x16x?xbf16>, tensor<5x16x?xbf16> -> tensor<5x16x?xi1>
  %w2 = fuse.not %w1 : tensor<5x16x?xi1>
  %w3 = fuse.select %w2, %a0, %w0 : tensor<5x16x?xi1>, tensor<5x16x?xbf16>, tensor<5x16x?xbf16> -> tensor<5x16x?xbf16>
  %w4 = fuse.transpose %w3 permutation = [1, 2, 0] : tensor<5x16x?xbf16> -> tensor<16x?x5xbf16>
  %w5 = fuse.transpose %w3 permutation = [2, 0, 1] : tensor<5x16x?xbf16> -> tensor<?x5x16xbf16>
  return %w5, %w4 : tensor<?x5x16xbf16>, tensor<16x?x5xbf16>
}
