// RUN: fuse-crosscheck %s
// A rotary embedding of sums that several blocks share: it turns pairs of them.
// --dim d0=16
// --seed 9201596
// --fill wide
// --check emulated,fused,strict,strided
func.func @program(%a0: tensor<1x16x2x?xbf16> {fuse.dims = ["d0"]}, %a1: tensor<1x8x2x?xbf16> {fuse.dims = ["d0"]}, %a2: tensor<1x2x3xbf16>, %a3: tensor<i64>, %a4: tensor<1x1xf32>, %a5: tensor<1x1xf32>, %a6: tensor<3xbf16>) -> (tensor<1x8x3xbf16>, tensor<1xbf16>, tensor<1x8x2xbf16>, tensor<1x1xf32>) {
  %v2 = fuse.reduce sum %a1 dims = [3] : tensor<1x8x2x?xbf16> -> tensor<1x8x2xbf16>
  %v3 = fuse.matmul %v2, %a2 : tensor<1x8x2xbf16>, tensor<1x2x3xbf16> -> tensor<1x8x3xbf16>
  %v4 = fuse.reduce mean %v2 dims = [1, 2] : tensor<1x8x2xbf16> -> tensor<1xbf16>
  %v5 = fuse.constant dense<[1, 2, 4, 4, 4, 5, 8, 8, 8]> : tensor<9xi64>
  %v6 = fuse.rotary interleaved heads_tokens %v2 tables(%a4, %a5) sequences(%v5) offset(%a3) heads = 1 : tensor<1x8x2xbf16>, tensor<1x1xf32>, tensor<9xi64>, tensor<i64>
  %v7 = fuse.slice %a5 offsets = [0, 0] sizes = [-1, -1] : tensor<1x1xf32> -> tensor<1x1xf32>
  %v8 = fuse.rms_norm %v3, %a6 eps = 1.0e-6 : tensor<1x8x3xbf16>, tensor<3xbf16>
  return %v8, %v4, %v6, %v7 : tensor<1x8x3xbf16>, tensor<1xbf16>, tensor<1x8x2xbf16>, tensor<1x1xf32>
}
