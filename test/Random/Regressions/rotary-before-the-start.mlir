// Threads past the end of a row that is reversed are before its start.
// RUN: fuse-crosscheck %s
// --seed 17000404
// --fill normal
// --check emulated-schedules
func.func @program(%a0: tensor<1x1x2xf32>, %a1: tensor<i64>, %b0: tensor<1x1x2xf32>) -> (tensor<1x1x2xf32>) {
  %v1 = fuse.rotary half tokens_heads %b0 offset(%a1) base = 1.0e4 dims = 2 scaling(#fuse.rope_llama3<factor = 0.25, original_max_position = 16, low_freq_factor = 1.0, high_freq_factor = 4.0>) : tensor<1x1x2xf32>, tensor<i64>
  %v5 = fuse.softmax %a0 dims = [2] : tensor<1x1x2xf32>
  %v7 = fuse.reverse %v1 dims = [1, 2] : tensor<1x1x2xf32>
  %v11 = fuse.geglu sigmoid %v5, %v7 : tensor<1x1x2xf32>, tensor<1x1x2xf32> -> tensor<1x1x2xf32>
  return %v11 : tensor<1x1x2xf32>
}
