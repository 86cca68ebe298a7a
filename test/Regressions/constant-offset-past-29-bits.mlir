// A constant offset that adds up to more than an immediate holds: MLIR keeps 29
// bits of it, and without assertions drops the rest (as pytorch#186057).
// RUN: fuse-opt %s -fuse-compile | FileCheck %s

// CHECK-LABEL: gpu.func @
// CHECK:         %[[FAR:.*]] = {{.*}}constant 400000000 : i64
// CHECK:         llvm.getelementptr {{.*}}[%[[FAR]]]
func.func @far(%x: tensor<400000064xi1>) -> tensor<64xi1> {
  %y = fuse.slice %x offsets = [400000000] sizes = [64]
      : tensor<400000064xi1> -> tensor<64xi1>
  %z = fuse.not %y : tensor<64xi1>
  return %z : tensor<64xi1>
}
