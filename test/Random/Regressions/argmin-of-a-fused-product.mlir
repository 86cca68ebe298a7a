// A sum with a product is fused with it in one walk and not in another, where the
// product has a use more; argmin then finds no element that is the minimum.
// RUN: fuse-crosscheck %s
// --seed 370
// --fill special
// --check emulated-schedules
func.func @program(%a0: tensor<1x3xf32>, %a1: tensor<1x1x4xf16>, %a2: tensor<1xi32>, %a3: tensor<3xf32>, %a4: tensor<3xf32>, %a5: tensor<1x1x4xi1>) -> (tensor<3xf32>, tensor<1x1x4xf16>, tensor<3xbf16>, tensor<i32>) {
  %v0 = fuse.iota dim = 0 : tensor<2xi64>
  %v1 = fuse.constant dense<1> : tensor<i64>
  %v2 = fuse.mul %v0, %v1 : tensor<2xi64>, tensor<i64> -> tensor<2xi64>
  %v3 = fuse.rotary interleaved heads_tokens %a1 sequences(%v2) offset(%a2) base = 1.5 dims = 4 scaling(#fuse.rope_yarn<factor = 32.0, original_max_position = 8192, beta_fast = 8.0, beta_slow = 0.5>) : tensor<1x1x4xf16>, tensor<2xi64>, tensor<1xi32>
  %v6 = fuse.gelu sigmoid %a3 : tensor<3xf32>
  %v7 = fuse.select %a5, %v3, %v3 : tensor<1x1x4xi1>, tensor<1x1x4xf16>, tensor<1x1x4xf16> -> tensor<1x1x4xf16>
  %v8 = fuse.reverse %a3 dims = [0] : tensor<3xf32>
  %v9 = fuse.add %a3, %v6 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %v10 = fuse.argmin %v9 dim = 0 : tensor<3xf32> -> tensor<i32>
  %v11 = fuse.cast %v8 : tensor<3xf32> -> tensor<3xbf16>
  %v12 = fuse.softmax %v6 dims = [0] : tensor<3xf32>
  return %v12, %v7, %v11, %v10 : tensor<3xf32>, tensor<1x1x4xf16>, tensor<3xbf16>, tensor<i32>
}
