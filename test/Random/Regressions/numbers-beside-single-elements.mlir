// A result without dimensions beside results of one element took the last of its
// dimensions where boxes that a thread turns are looked for.
// RUN: fuse-crosscheck --check fused --check emulated %s

func.func @program(%a0: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<1x1xi32>) {
  %v0 = fuse.xor %a0, %a0 : tensor<i64>, tensor<i64> -> tensor<i64>
  %v1 = fuse.cast %v0 : tensor<i64> -> tensor<i32>
  %v2 = fuse.mul %v0, %a0 : tensor<i64>, tensor<i64> -> tensor<i64>
  %v3 = tensor.expand_shape %v1 [] output_shape [1, 1] : tensor<i32> into tensor<1x1xi32>
  %v4 = fuse.relu %v0 : tensor<i64>
  %v5 = fuse.transpose %v3 permutation = [1, 0] : tensor<1x1xi32> -> tensor<1x1xi32>
  return %v2, %v4, %v5 : tensor<i64>, tensor<i64>, tensor<1x1xi32>
}
