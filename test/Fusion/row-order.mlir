// RUN: fuse-opt %s -fuse-form | FileCheck %s

// What a scan needs of its row, and what follows from it, is one kernel.
// CHECK-LABEL: func.func @around
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT: fuse.kernel
func.func @around(%x: tensor<?x1024xf32> {fuse.dims = ["r"]}, %w: tensor<1024xf32>) -> (tensor<?x1024xf32>, tensor<?x1xf32>) {
  %n = fuse.rms_norm %x, %w eps = 1.0e-6 : tensor<?x1024xf32>, tensor<1024xf32>
  %c = fuse.scan sum %n : tensor<?x1024xf32>
  %y = fuse.mul %c, %x : tensor<?x1024xf32>
  %m = fuse.reduce max %y dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
  return %y, %m : tensor<?x1024xf32>, tensor<?x1xf32>
}

// The smallest of the chosen masks the row: it is read where the row is walked again.
// CHECK-LABEL: func.func @masked
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT: fuse.kernel
func.func @masked(%x: tensor<?x256xf32> {fuse.dims = ["r"]}) -> tensor<?x256xf32> {
  %v, %i = fuse.top_k %x k = 8 : tensor<?x256xf32> -> tensor<?x8xf32>, tensor<?x8xi32>
  %last = fuse.slice %v offsets = [0, 7] sizes = [-1, 1] : tensor<?x8xf32> -> tensor<?x1xf32>
  %in = fuse.compare ge %x, %last : tensor<?x256xf32>, tensor<?x1xf32>
  %zero = fuse.constant dense<0xFF800000> : tensor<f32>
  %y = fuse.select %in, %x, %zero : tensor<?x256xi1>, tensor<?x256xf32>, tensor<f32>
  %s = fuse.softmax %y dims = [1] : tensor<?x256xf32>
  return %s : tensor<?x256xf32>
}

// So it is of columns, with the numbers that each is reduced to.
// CHECK-LABEL: func.func @columns
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT: fuse.kernel
func.func @columns(%x: tensor<32x300x4096xf32>) -> (tensor<32x300x4096xf32>, tensor<32x1x4096xf32>) {
  %s = fuse.softmax %x dims = [1] : tensor<32x300x4096xf32>
  %c = fuse.scan sum %s dim = 1 : tensor<32x300x4096xf32>
  %y = fuse.mul %c, %x : tensor<32x300x4096xf32>
  %m = fuse.reduce max %y dims = [1] keep : tensor<32x300x4096xf32> -> tensor<32x1x4096xf32>
  return %y, %m : tensor<32x300x4096xf32>, tensor<32x1x4096xf32>
}

// Scans along two dimensions are two kernels, and so is a sum along another one.
// CHECK-LABEL: func.func @both_dimensions
// CHECK-COUNT-2: fuse.kernel
// CHECK-NOT: fuse.kernel
func.func @both_dimensions(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %a = fuse.scan sum %x dim = 0 : tensor<64x256xf32>
  %b = fuse.scan sum %a : tensor<64x256xf32>
  return %b : tensor<64x256xf32>
}

// CHECK-LABEL: func.func @rows_of_scanned
// CHECK-COUNT-2: fuse.kernel
// CHECK-NOT: fuse.kernel
func.func @rows_of_scanned(%x: tensor<64x256xf32>) -> tensor<64x1xf32> {
  %a = fuse.scan sum %x dim = 0 : tensor<64x256xf32>
  %b = fuse.reduce sum %a dims = [1] keep : tensor<64x256xf32> -> tensor<64x1xf32>
  return %b : tensor<64x1xf32>
}

// Scans of two directions are two walks; other rows are another kernel's.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-2: fuse.kernel
func.func @apart(%x: tensor<?x256xf32> {fuse.dims = ["r"]}) -> tensor<?x256xf32> {
  %c = fuse.scan sum %x : tensor<?x256xf32>
  %d = fuse.scan sum %c reverse : tensor<?x256xf32>
  return %d : tensor<?x256xf32>
}
