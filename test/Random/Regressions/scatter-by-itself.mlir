// RUN: fuse-crosscheck %s
// The ids are also what the scatter writes into: the kernel read them while it wrote,
// and was refused.
// --seed 9004251
// --check fused,unfused,strict,schedules,unaligned,emulated,emulated-schedules
func.func @program(%a3: tensor<5xi64>, %a4: tensor<2x3xi64>) -> (tensor<5xi64>, tensor<5xi64>, tensor<6xi64>) {
  %v7 = fuse.iota dim = 0 : tensor<5xi64>
  %v11 = fuse.iota dim = 0 : tensor<5xi64>
  %v12 = fuse.scatter %v7, %v11, %a3 dim = 0 : tensor<5xi64>, tensor<5xi64>, tensor<5xi64> -> tensor<5xi64>
  %reversed = fuse.reverse %v7 dims = [0] : tensor<5xi64>
  %v13 = fuse.scatter %reversed, %v7, %reversed dim = 0 : tensor<5xi64>, tensor<5xi64>, tensor<5xi64> -> tensor<5xi64>
  // The same memory in two shapes.
  %places = fuse.iota dim = 0 : tensor<6xi64>
  %mirrored = fuse.reverse %places dims = [0] : tensor<6xi64>
  %box = tensor.expand_shape %mirrored [[0, 1]] output_shape [2, 3] : tensor<6xi64> into tensor<2x3xi64>
  %v14 = fuse.scatter %mirrored, %box, %a4 dim = 0 : tensor<6xi64>, tensor<2x3xi64>, tensor<2x3xi64> -> tensor<6xi64>
  return %v12, %v13, %v14 : tensor<5xi64>, tensor<5xi64>, tensor<6xi64>
}
