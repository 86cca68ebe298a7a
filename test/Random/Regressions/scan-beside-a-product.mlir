// The tiles of a product hold no rows that a scan could walk.
// RUN: fuse-crosscheck %s
// --seed 1
// --fill normal
// --check fused,schedules
func.func @program(%x: tensor<8x16xf32>, %y: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %p = fuse.matmul %x, %y : tensor<8x16xf32>, tensor<16x16xf32> -> tensor<8x16xf32>
  %c = fuse.scan sum %x : tensor<8x16xf32>
  %s = fuse.add %p, %c : tensor<8x16xf32>
  return %s : tensor<8x16xf32>
}
