// RUN: fuse-crosscheck %s
// A bf16 denormal was copied as 0: AVX-512's conversion to bf16 flushes it.
// --dim d0=31
// --seed 733
// --fill rare
// --check emulated
func.func @program(%a0: tensor<?x1x1xbf16> {fuse.dims = ["d0"]}, %a2: tensor<1x2x1xbf16>, %b3: tensor<2xi64>) -> (tensor<1x?x1xbf16>) {
  %v0 = fuse.transpose %a0 permutation = [2, 0, 1] : tensor<?x1x1xbf16> -> tensor<1x?x1xbf16>
  %v4 = fuse.scatter %v0, %b3, %a2 dim = 1 : tensor<1x?x1xbf16>, tensor<2xi64>, tensor<1x2x1xbf16> -> tensor<1x?x1xbf16>
  return %v4 : tensor<1x?x1xbf16>
}
