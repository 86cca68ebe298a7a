// ptxas 13.0 takes ex2(x) >= 0 for true, although it is false where x is NaN, so
// that the PTX must ask for numbers besides. So it does with abs(x) > -1 and
// tanh(x) < 2, with x * x >= 0, and with what is made of them by neg, min, max and
// selp. Random programs on an H200 found it.
// RUN: fuse inspect %s --target cuda --chip sm_90 --emit ptx | FileCheck %s
// CHECK-LABEL: .entry ranges
// CHECK:       ex2.approx
// CHECK-NOT:   setp.ge
// CHECK-NOT:   setp.gt
// CHECK-NOT:   setp.lt.f
// CHECK-COUNT-5: setp.num
// RUN: fuse run %s --target emu --verify --repeat=1
func.func @ranges(%x: tensor<64xf16>)
    -> (tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, tensor<64xi1>,
        tensor<64xi1>) {
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
  return %a, %b, %c, %d, %f : tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, tensor<64xi1>
}
