// RUN: fuse-opt %s -split-input-file -fuse-form-kernels=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form-kernels=chip=cpu | FileCheck %s --check-prefix=CPU

// Reductions of whole tensors of unknown sizes share a kernel, and what follows
// from both is another.
// CHECK-LABEL: func.func @difference
// CHECK:         fuse.kernel
// CHECK:           fuse.reduce mean
// CHECK:           fuse.reduce mean
// CHECK:           fuse.yield
// CHECK:         fuse.kernel
// CHECK:           fuse.mul
// CHECK:           fuse.sub
// CHECK:           fuse.yield
// CHECK-NOT:     fuse.kernel
// CPU-LABEL:   func.func @difference
// CPU:           fuse.kernel
// CPU:             fuse.reduce mean
// CPU:             fuse.yield
// CPU:           fuse.kernel
// CPU:             fuse.reduce mean
// CPU:             fuse.sub
// CPU:             fuse.yield
// CPU-NOT:       fuse.kernel
func.func @difference(%a: tensor<?x8xf32>, %b: tensor<?xf32>, %w: tensor<f32>) -> tensor<f32> {
  %x = fuse.reduce mean %a dims = [0, 1] : tensor<?x8xf32> -> tensor<f32>
  %y = fuse.reduce mean %b dims = [0] : tensor<?xf32> -> tensor<f32>
  %wy = fuse.mul %y, %w : tensor<f32>
  %z = fuse.sub %x, %wy : tensor<f32>
  return %z : tensor<f32>
}

// -----

// What follows from reductions of one tensor stays with them.
// CHECK-LABEL: func.func @one_space
// CPU-LABEL:   func.func @one_space
// CHECK:         fuse.kernel
// CHECK:           fuse.reduce max
// CHECK:           fuse.reduce sum
// CHECK:           fuse.div
// CHECK-NOT:     fuse.kernel
func.func @one_space(%a: tensor<?x8xf32>) -> tensor<f32> {
  %x = fuse.reduce max %a dims = [0, 1] : tensor<?x8xf32> -> tensor<f32>
  %y = fuse.reduce sum %a dims = [0, 1] : tensor<?x8xf32> -> tensor<f32>
  %z = fuse.div %x, %y : tensor<f32>
  return %z : tensor<f32>
}

// -----

// A number of one tensor may need its kernel's, though another follows from both.
// CHECK-LABEL: func.func @also_returned
// CHECK:         fuse.kernel
// CHECK:           fuse.reduce sum
// CHECK:           fuse.reduce sum
// CHECK:           fuse.sqrt
// CHECK:           fuse.yield
// CHECK:         fuse.kernel
// CHECK:           fuse.add
// CHECK-NOT:     fuse.kernel
func.func @also_returned(%a: tensor<?x8xf32>, %b: tensor<?xf32>) -> (tensor<f32>, tensor<f32>) {
  %x = fuse.reduce sum %a dims = [0, 1] : tensor<?x8xf32> -> tensor<f32>
  %y = fuse.reduce sum %b dims = [0] : tensor<?xf32> -> tensor<f32>
  %s = fuse.sqrt %y : tensor<f32>
  %z = fuse.add %x, %s : tensor<f32>
  return %s, %z : tensor<f32>, tensor<f32>
}
