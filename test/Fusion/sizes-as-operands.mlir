// Sizes are operands, too, and no tensors: what compared operands by their bytes
// crashed.
// RUN: fuse-opt %s -fuse-form | FileCheck %s

// CHECK-LABEL: func.func @short_slice
// CHECK:         fuse.kernel
// CHECK:           fuse.slice
// CHECK:         return
func.func @short_slice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fuse.slice %x offsets = [0] sizes = [-1] steps = [2] : tensor<?xf32> -> tensor<?xf32>
  %1 = fuse.slice %0 offsets = [3] sizes = [-1] : tensor<?xf32> -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
