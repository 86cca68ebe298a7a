// RUN: fuse-crosscheck %s
// That the rows of inputs and results are multiples of 16 bytes says nothing of
// a dimension that is joined from a part of 32 and one of a dynamic size.
// --dim d0=104
// --dim d1=2
// --seed 82036608
// --fill normal
// --check compiled,emulated,fused
func.func @program(%a0: tensor<?x32xf16> {fuse.dims = ["d0"]}, %a1: tensor<?x?xf16> {fuse.dims = ["d1", "d0"]}, %a2: tensor<i64> {fuse.scalar}) -> tensor<?x?xf16> {
  %v4 = fuse.transpose %a0 permutation = [1, 0] : tensor<?x32xf16> -> tensor<32x?xf16>
  %v5 = fuse.concat %v4, %a1 dim = 0 : tensor<32x?xf16>, tensor<?x?xf16> -> tensor<?x?xf16>
  %v6 = fuse.dropout %v5, %a2 p = 0.5 stream = 0 : tensor<?x?xf16>, tensor<i64>
  return %v6 : tensor<?x?xf16>
}
