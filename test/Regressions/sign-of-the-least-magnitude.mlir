// ptxas 13.0 takes an abs.s32 or abs.s64 for no less than 0, which that of the least
// number is, so that the PTX must hold neither. A random
// program on an H200 found it: the sign of abs(-2^31) was 0.
// RUN: fuse inspect %s --target cuda --chip sm_90 --emit ptx | FileCheck %s
// CHECK-LABEL: .entry signs_of_magnitudes
// CHECK-NOT:   abs.s{{32|64}}
// CHECK:       shr.s32 {{.*}}, 31
// CHECK-NOT:   abs.s{{32|64}}
// CHECK:       shr.s64 {{.*}}, 63
// CHECK-NOT:   abs.s{{32|64}}
func.func @signs_of_magnitudes(%x: tensor<129xi32>, %y: tensor<129xi64>) -> (tensor<129xi32>, tensor<129xi64>) {
  %m = fuse.abs %x : tensor<129xi32>
  %s = fuse.sign %m : tensor<129xi32>
  %n = fuse.abs %y : tensor<129xi64>
  %t = fuse.sign %n : tensor<129xi64>
  return %s, %t : tensor<129xi32>, tensor<129xi64>
}
