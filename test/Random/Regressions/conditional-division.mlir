// RUN: fuse-crosscheck %s
// LLVM's vectorizer took the address of a conditional load from a lane that was off,
// whose division was not executed, and read from elsewhere.
// --dim d0=2
// --seed 3017638
// --fill normal
// --check fused
func.func @program(%b0: tensor<5x?xf8E4M3FN> {fuse.dims = ["d0"]}) -> (tensor<6x?xi32>) {
  %v1 = fuse.cast %b0 : tensor<5x?xf8E4M3FN> -> tensor<5x?xi32>
  %v3 = fuse.pad %v1 low = [1, 0] high = [0, 0] value = 0 : tensor<5x?xi32> -> tensor<6x?xi32>
  return %v3 : tensor<6x?xi32>
}
