// Of an add.s16x2 with the constants {0, 3} whose upper lane alone is used, ptxas
// 13.0 makes one on sm_90 that adds 0, so that the PTX must hold none. A random
// program on an H200 found it: its multiples of 3 were all 0.
// RUN: fuse inspect %s --target cuda --chip sm_90 --emit ptx | FileCheck %s
// CHECK-LABEL: .entry multiples
// CHECK-NOT:   add.s16x2
// CHECK:       st.global
// RUN: fuse run %s --target emu --verify --repeat=1
func.func @multiples() -> tensor<2xbf16> {
  %i = fuse.iota dim = 0 : tensor<2xi64>
  %c = fuse.constant dense<3> : tensor<i64>
  %m = fuse.mul %i, %c : tensor<2xi64>, tensor<i64> -> tensor<2xi64>
  %n = fuse.cast %m : tensor<2xi64> -> tensor<2xi8>
  %y = fuse.cast %n : tensor<2xi8> -> tensor<2xbf16>
  return %y : tensor<2xbf16>
}
