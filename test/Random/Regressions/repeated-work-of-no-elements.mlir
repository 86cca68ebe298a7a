// RUN: fuse-crosscheck %s
// --check emulated,fused,strided
// Rows without elements, of which much would be computed twice, have a schedule.

// --dim d0=1
// --dim d1=4
func.func @program(%a0: tensor<5x?x5x?x1xf32> {fuse.dims = ["d0", "d1"]}) -> (tensor<5x?x5x?x1xf32>, tensor<5x?x5x?x1xf32>, tensor<5x?x5x?x1xf32>, tensor<5x?x5x?x1xf32>) {
  %v0 = fuse.softmax %a0 dims = [4] : tensor<5x?x5x?x1xf32>
  %v1 = fuse.logsumexp %a0 dims = [4] keep : tensor<5x?x5x?x1xf32> -> tensor<5x?x5x?x1xf32>
  %v2 = fuse.cos %a0 : tensor<5x?x5x?x1xf32>
  %v3 = fuse.slice %v2 offsets = [0, 1, 0, 0, 1] sizes = [-1, -1, -1, -1, -1] steps = [1, 3, 1, 1, 3] : tensor<5x?x5x?x1xf32> -> tensor<5x?x5x?x0xf32>
  %v4 = fuse.reduce mean %v3 dims = [4] keep : tensor<5x?x5x?x0xf32> -> tensor<5x?x5x?x1xf32>
  %v5 = fuse.sub %v4, %v3 : tensor<5x?x5x?x1xf32>, tensor<5x?x5x?x0xf32> -> tensor<5x?x5x?x0xf32>
  %v6 = fuse.mul %v5, %v5 : tensor<5x?x5x?x0xf32>, tensor<5x?x5x?x0xf32> -> tensor<5x?x5x?x0xf32>
  %v7 = fuse.reduce sum %v6 dims = [4] keep : tensor<5x?x5x?x0xf32> -> tensor<5x?x5x?x1xf32>
  return %v7, %v1, %v0, %v0 : tensor<5x?x5x?x1xf32>, tensor<5x?x5x?x1xf32>, tensor<5x?x5x?x1xf32>, tensor<5x?x5x?x1xf32>
}
