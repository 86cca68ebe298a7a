// ptxas 13.0 takes ex2(x) >= 0 for true, although it is false where x is NaN, so
// that the PTX must ask for numbers besides. So it does with abs(x) > -1 and
// tanh(x) < 2, with x * x >= 0, and with what is made of them by neg, add, mul, min,
// max and selp. Random programs on an H200 found it; which sums and products it
// knows was seen in the SASS.
// RUN: fuse inspect %s --target cuda --chip sm_90 --emit ptx | FileCheck %s
// CHECK-LABEL: .entry ranges
// CHECK:       ex2.approx
// CHECK-NOT:   setp.ge
// CHECK-NOT:   setp.gt
// CHECK-NOT:   setp.lt.f
// Eight lanes of all but the tanh, whose expansion has no range that ptxas knows, and
// of abs, for which LLVM asks itself.
// CHECK-COUNT-48: setp.num
// RUN: fuse run %s --target emu --verify --repeat=1
func.func @ranges(%x: tensor<64xf16>)
    -> (tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, tensor<64xi1>,
        tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, tensor<64xi1>) {
  %zero = fuse.constant dense<-0.0> : tensor<f16>
  %e = fuse.exp2 %x : tensor<64xf16>
  %a = fuse.compare ge %e, %zero : tensor<64xf16>, tensor<f16> -> tensor<64xi1>
  %n = fuse.neg %e : tensor<64xf16>
  %one = fuse.constant dense<1.0> : tensor<f16>
  %b = fuse.compare lt %n, %one : tensor<64xf16>, tensor<f16> -> tensor<64xi1>
  %m = fuse.abs %x : tensor<64xf16>
  %minus = fuse.constant dense<-1.0> : tensor<f16>
  %c = fuse.compare gt %m, %minus : tensor<64xf16>, tensor<f16> -> tensor<64xi1>
  %t = fuse.tanh %x : tensor<64xf16>
  %two = fuse.constant dense<2.0> : tensor<f16>
  %d = fuse.compare lt %t, %two : tensor<64xf16>, tensor<f16> -> tensor<64xi1>
  %s = fuse.mul %x, %x : tensor<64xf16>
  %f = fuse.compare ge %s, %zero : tensor<64xf16>, tensor<f16> -> tensor<64xi1>
  // As the denominator of a sigmoid has it.
  %plus = fuse.add %e, %one : tensor<64xf16>, tensor<f16> -> tensor<64xf16>
  %g = fuse.compare gt %plus, %zero : tensor<64xf16>, tensor<f16> -> tensor<64xi1>
  %sin = fuse.sin %x : tensor<64xf16>
  %scaled = fuse.mul %sin, %two : tensor<64xf16>, tensor<f16> -> tensor<64xf16>
  %three = fuse.constant dense<3.0> : tensor<f16>
  %h = fuse.compare lt %scaled, %three : tensor<64xf16>, tensor<f16> -> tensor<64xi1>
  %left = fuse.sub %m, %one : tensor<64xf16>, tensor<f16> -> tensor<64xf16>
  %i = fuse.compare ge %left, %minus : tensor<64xf16>, tensor<f16> -> tensor<64xi1>
  return %a, %b, %c, %d, %f, %g, %h, %i : tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, tensor<64xi1>
}
