// RUN: fuse-opt -fuse-form -fuse-schedule=chip=sm_90 -split-input-file %s | FileCheck %s
// RUN: fuse-opt -fuse-form=chip=cpu -fuse-schedule=chip=cpu -split-input-file %s | FileCheck %s --check-prefix=CPU

// Of kernels that have their schedules already nothing is said.
// RUN: fuse-opt -fuse-form -fuse-schedule=chip=sm_90 -split-input-file %s | fuse-opt -fuse-schedule=chip=sm_90 -split-input-file | FileCheck %s --check-prefix=CPU

// Which dynamic dims have the length of a row: a schedule for a known one is another.
// A CPU's are the same.
// CPU-NOT: fuse.lengths

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: attributes {{{.*}}fuse.lengths = ["n"]
func.func @rows(%x: tensor<?x?xf32> {fuse.dims = ["T", "n"]}) -> tensor<?x?xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @static_rows(
// CHECK-NOT: fuse.lengths
// CHECK: return
func.func @static_rows(%x: tensor<?x4096xf32> {fuse.dims = ["T"]}) -> tensor<?x4096xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}

// -----

// Sums over rows have a length across, whatever the number of rows is.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME: attributes {{{.*}}fuse.lengths = ["n"]
func.func @columns(%x: tensor<?x?xf32> {fuse.dims = ["T", "n"]}) -> tensor<?xf32> {
  %y = fuse.reduce sum %x dims = [0] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// A length that follows from others follows from each.
// CHECK-LABEL: func.func @planes(
// CHECK-SAME: attributes {{{.*}}fuse.lengths = ["h", "w"]
func.func @planes(%x: tensor<?x?x?xf32> {fuse.dims = ["T", "h", "w"]}) -> tensor<?x?xf32> {
  %f = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x?x?xf32> into tensor<?x?xf32>
  %y = fuse.softmax %f dims = [1] : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// What is a number of rows elsewhere changes from call to call: tokens.
// CHECK-LABEL: func.func @scores(
// CHECK-NOT: fuse.lengths
// CHECK: return
func.func @scores(%s: tensor<8x?x?xf32> {fuse.dims = ["T", "T"]}) -> tensor<8x?x?xf32> {
  %y = fuse.softmax %s dims = [2] : tensor<8x?x?xf32>
  return %y : tensor<8x?x?xf32>
}

// -----

// So do all the elements that a grid shares.
// CHECK-LABEL: func.func @whole_tensor(
// CHECK-NOT: fuse.lengths
// CHECK: schedule = #fuse.rows<{{.*}} share = grid
func.func @whole_tensor(%x: tensor<?x4096xf32> {fuse.dims = ["T"]}) -> tensor<?x4096xf32> {
  %m = fuse.reduce max %x dims = [0, 1] keep : tensor<?x4096xf32> -> tensor<1x1xf32>
  %y = fuse.div %x, %m : tensor<?x4096xf32>, tensor<1x1xf32> -> tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}

// -----

// CHECK-LABEL: func.func @elementwise(
// CHECK-NOT: fuse.lengths
// CHECK: return
func.func @elementwise(%x: tensor<?x?xf32> {fuse.dims = ["T", "n"]}) -> tensor<?x?xf32> {
  %y = fuse.gelu tanh %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
