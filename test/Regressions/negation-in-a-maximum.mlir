// ptxas 13.0 on sm_90 makes one instruction of two max.s32 and loses the sign of
// the second operand, so that the PTX must hold no neg.s32 or abs.s32 beside them.
// Random programs on an H200 found it: the maximum of -x was the largest x.
// RUN: fuse inspect %s --target cuda --chip sm_90 --emit ptx | FileCheck %s
// CHECK-LABEL: .entry negations_in_a_maximum
// CHECK-NOT:   neg.s32
// CHECK-NOT:   abs.s32
// CHECK:       not.b32
// CHECK:       max.s32
// CHECK-NOT:   neg.s32
func.func @negations_in_a_maximum(%x: tensor<129xi32>, %y: tensor<129xi32>) -> (tensor<1xi32>, tensor<1xi32>) {
  %n = fuse.neg %x : tensor<129xi32>
  %m = fuse.reduce max %n dims = [0] keep : tensor<129xi32> -> tensor<1xi32>
  %a = fuse.abs %x : tensor<129xi32>
  %k = fuse.reduce min %a dims = [0] keep : tensor<129xi32> -> tensor<1xi32>
  return %m, %k : tensor<1xi32>, tensor<1xi32>
}
