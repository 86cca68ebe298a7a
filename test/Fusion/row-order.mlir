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

// What is ordered and summed over all rows is computed again beside the sums, all of them, in one
// kernel that reads nothing of the other.
// CHECK-LABEL: func.func @summed_over_rows
// CHECK-SAME:      neighbour = "summed_over_rows_0", reason = {{.*}}"orderedOtherDims"
// CHECK:         fuse.kernel "summed_over_rows_0" ins(%arg0 :
// CHECK:           fuse.top_k
// CHECK:         fuse.kernel "summed_over_rows_1" ins(%arg0 :
// CHECK-NOT:       fuse.top_k
// CHECK:           fuse.reduce sum %{{.*}} dims = [0]
// CHECK-NOT:     fuse.kernel
func.func @summed_over_rows(%x: tensor<?x64xf32> {fuse.dims = ["n"]}) -> (tensor<?x2xf32>, tensor<64xf32>, tensor<f32>) {
  %p = fuse.softmax %x dims = [1] : tensor<?x64xf32>
  %v, %i = fuse.top_k %p k = 2 : tensor<?x64xf32> -> tensor<?x2xf32>, tensor<?x2xi64>
  %l = fuse.logsumexp %x dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
  %z = fuse.reduce mean %l dims = [0] : tensor<?xf32> -> tensor<f32>
  return %v, %s, %z : tensor<?x2xf32>, tensor<64xf32>, tensor<f32>
}

// What an order has found stays where it was found.
// CHECK-LABEL: func.func @selected_over_rows
// CHECK:         fuse.kernel "selected_over_rows_0"
// CHECK:           fuse.top_k
// CHECK:         fuse.kernel "selected_over_rows_1"
// CHECK-NOT:       fuse.top_k
// CHECK-NOT:     fuse.kernel
func.func @selected_over_rows(%x: tensor<?x64xf32> {fuse.dims = ["n"]}) -> (tensor<?x2xf32>, tensor<2xf32>) {
  %p = fuse.softmax %x dims = [1] : tensor<?x64xf32>
  %v, %i = fuse.top_k %p k = 2 : tensor<?x64xf32> -> tensor<?x2xf32>, tensor<?x2xi64>
  %s = fuse.reduce sum %v dims = [0] : tensor<?x2xf32> -> tensor<2xf32>
  return %v, %s : tensor<?x2xf32>, tensor<2xf32>
}

// What else reduces rows that are walked in order shares their walks, unless
// they are few and long, and more blocks could share each.
// CHECK-LABEL: func.func @beside
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT: fuse.kernel
func.func @beside(%x: tensor<?x64xf32> {fuse.dims = ["r"]}) -> (tensor<?x8xf32>, tensor<?xf32>) {
  %v, %i = fuse.top_k %x k = 8 : tensor<?x64xf32> -> tensor<?x8xf32>, tensor<?x8xi64>
  %s = fuse.softmax %v dims = [1] : tensor<?x8xf32>
  %z = fuse.logsumexp %x dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  return %s, %z : tensor<?x8xf32>, tensor<?xf32>
}

// Long rows are read from memory in each walk.
// CHECK-LABEL: func.func @beside_long
// CHECK-COUNT-2: fuse.kernel
// CHECK-NOT: fuse.kernel
func.func @beside_long(%x: tensor<4096x16384xbf16>) -> (tensor<4096x8xbf16>, tensor<4096x16384xbf16>) {
  %v, %i = fuse.top_k %x k = 8 : tensor<4096x16384xbf16> -> tensor<4096x8xbf16>, tensor<4096x8xi64>
  %m = fuse.reduce max %x dims = [1] keep : tensor<4096x16384xbf16> -> tensor<4096x1xbf16>
  %y = fuse.sub %x, %m : tensor<4096x16384xbf16>, tensor<4096x1xbf16> -> tensor<4096x16384xbf16>
  return %v, %y : tensor<4096x8xbf16>, tensor<4096x16384xbf16>
}

// CHECK-LABEL: func.func @beside_few
// CHECK-SAME:      reason = {{.*}}"fewBlocks"
// CHECK-COUNT-2: fuse.kernel
// CHECK-NOT: fuse.kernel
func.func @beside_few(%x: tensor<8x131072xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %v, %i = fuse.top_k %x k = 8 : tensor<8x131072xf32> -> tensor<8x8xf32>, tensor<8x8xi64>
  %z = fuse.logsumexp %x dims = [1] : tensor<8x131072xf32> -> tensor<8xf32>
  return %v, %z : tensor<8x8xf32>, tensor<8xf32>
}

// Short rows within a row, and what these leave, are its kernel's: a thread has each.
// CHECK-LABEL: func.func @groups
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT: fuse.kernel
func.func @groups(%x: tensor<?x8x32xf32> {fuse.dims = ["t"]}) -> tensor<?x2xi32> {
  %v, %i = fuse.top_k %x k = 2 : tensor<?x8x32xf32> -> tensor<?x8x2xf32>, tensor<?x8x2xi32>
  %s = fuse.reduce sum %v dims = [2] : tensor<?x8x2xf32> -> tensor<?x8xf32>
  %w, %j = fuse.top_k %s k = 2 : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return %j : tensor<?x2xi32>
}

// A thread takes no long ones.
// CHECK-LABEL: func.func @long_groups
// CHECK-SAME:      reason = {{.*}}"orderedOtherShape"
// CHECK-COUNT-2: fuse.kernel
// CHECK-NOT: fuse.kernel
func.func @long_groups(%x: tensor<?x8x320xf32> {fuse.dims = ["t"]}) -> tensor<?x2xi32> {
  %v, %i = fuse.top_k %x k = 2 : tensor<?x8x320xf32> -> tensor<?x8x2xf32>, tensor<?x8x2xi32>
  %s = fuse.reduce sum %v dims = [2] : tensor<?x8x2xf32> -> tensor<?x8xf32>
  %w, %j = fuse.top_k %s k = 2 : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return %j : tensor<?x2xi32>
}

// Groups of what a scan leaves are at other places of it.
// CHECK-LABEL: func.func @groups_of_scan
// CHECK-COUNT-2: fuse.kernel
// CHECK-NOT: fuse.kernel
func.func @groups_of_scan(%x: tensor<?x64xf32> {fuse.dims = ["t"]}) -> tensor<?x8xf32> {
  %zero = arith.constant 0 : index
  %t = tensor.dim %x, %zero : tensor<?x64xf32>
  %s = fuse.scan sum %x : tensor<?x64xf32>
  %g = tensor.expand_shape %s [[0], [1, 2]] output_shape [%t, 8, 8] : tensor<?x64xf32> into tensor<?x8x8xf32>
  %m = fuse.reduce max %g dims = [2] : tensor<?x8x8xf32> -> tensor<?x8xf32>
  return %m : tensor<?x8xf32>
}
