// Boxes that are turned in registers took the last dimension but one of a view
// for neighbours in memory, where the last has one element.
// RUN: fuse run %s --target emu --repeat 1 --verify --strides a0=16,2,1 | FileCheck %s
// CHECK: verify v5: {{.*}}: ok

func.func @program(%a0: tensor<8x2x1xf32>) -> tensor<8x1x1xf32> {
  %v5 = fuse.slice %a0 offsets = [0, 1, 0] sizes = [8, 1, 1] steps = [1, 1, 1] : tensor<8x2x1xf32> -> tensor<8x1x1xf32>
  return %v5 : tensor<8x1x1xf32>
}
