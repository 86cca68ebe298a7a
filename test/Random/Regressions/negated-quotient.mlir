// A division that the program writes is exact, also where it is negated: LLVM
// multiplied by a reciprocal, which the negation alone allowed.
// RUN: fuse-crosscheck %s

func.func @program(%x: tensor<31x7x7xi64>) -> tensor<31x7x7xf16> {
  %f = fuse.cast %x : tensor<31x7x7xi64> -> tensor<31x7x7xf16>
  %s = fuse.reduce sum %f dims = [1] keep : tensor<31x7x7xf16> -> tensor<31x1x7xf16>
  %c = fuse.constant dense<7.0> : tensor<f16>
  %m = fuse.div %s, %c : tensor<31x1x7xf16>, tensor<f16> -> tensor<31x1x7xf16>
  %n = fuse.neg %m : tensor<31x1x7xf16>
  %d = fuse.add %f, %n : tensor<31x7x7xf16>, tensor<31x1x7xf16> -> tensor<31x7x7xf16>
  return %d : tensor<31x7x7xf16>
}
