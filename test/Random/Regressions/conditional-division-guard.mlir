// RUN: fuse-crosscheck %s
// As in conditional-division.mlir, so far off that the load crashed.
// --dim d0=5
// --seed 3019331
// --fill normal
// --check fused
func.func @program(%a0: tensor<5x2x?xf64> {fuse.dims = ["d0"]}, %a1: tensor<i64>, %a4: tensor<9x3x?xf64> {fuse.dims = ["d0"]}, %a5: tensor<1x5x9x1xf64>, %b3: tensor<9x2x?xf64> {fuse.dims = ["d0"]}, %b1: tensor<5x2x?xf64> {fuse.dims = ["d0"]}) -> (tensor<9x1x?xf64>, tensor<9x2x?xf64>, tensor<5x2x?xf32>) {
  %v0 = fuse.random %a1 stream = 77 like %a0 : tensor<i64>, tensor<5x2x?xf64> -> tensor<5x2x?xf32>
  %v2 = fuse.pad %b1 low = [1, 0, 0] high = [3, 0, 0] value = 0.1 : tensor<5x2x?xf64> -> tensor<9x2x?xf64>
  %v4 = fuse.swiglu %v2, %b3 : tensor<9x2x?xf64>, tensor<9x2x?xf64> -> tensor<9x2x?xf64>
  %v7 = fuse.reverse %v4 dims = [0, 1, 2] : tensor<9x2x?xf64>
  %v10 = fuse.concat %v7, %a4 dim = 1 : tensor<9x2x?xf64>, tensor<9x3x?xf64> -> tensor<9x5x?xf64>
  %v11 = fuse.contract "hsmz,msz->mhz" %a5, %v10 : tensor<1x5x9x1xf64>, tensor<9x5x?xf64> -> tensor<9x1x?xf64>
  return %v11, %v2, %v0 : tensor<9x1x?xf64>, tensor<9x2x?xf64>, tensor<5x2x?xf32>
}
