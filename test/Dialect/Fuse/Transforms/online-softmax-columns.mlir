// RUN: fuse-opt %s -split-input-file -fuse-online-softmax=columns-only | FileCheck %s

// Before kernels are formed, whatever else needs the exponentials.
// CHECK-LABEL: func.func @columns
// CHECK:         %[[M:.*]], %[[T:.*]] = fuse.softmax_stats %[[X:.*]] dims = [0] : tensor<?x64xf32> -> tensor<1x64xf32>, tensor<1x64xf32>
// CHECK-NEXT:    %[[ZERO:.*]] = fuse.sub %[[M]], %[[M]]
// CHECK-NEXT:    %[[S:.*]] = fuse.add %[[T]], %[[ZERO]]
// CHECK:         %[[D:.*]] = fuse.sub %[[X]], %[[M]]
// CHECK:         %[[E:.*]] = fuse.exp %[[D]]
// CHECK:         fuse.div %[[E]], %[[S]]
func.func @columns(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %m = fuse.reduce max %x dims = [0] keep : tensor<?x64xf32> -> tensor<1x64xf32>
  %d = fuse.sub %x, %m : tensor<?x64xf32>, tensor<1x64xf32> -> tensor<?x64xf32>
  %e = fuse.exp %d : tensor<?x64xf32>
  %s = fuse.reduce sum %e dims = [0] keep : tensor<?x64xf32> -> tensor<1x64xf32>
  %q = fuse.div %e, %s : tensor<?x64xf32>, tensor<1x64xf32> -> tensor<?x64xf32>
  return %q : tensor<?x64xf32>
}

// -----

// Rows, also those of a single column, are left to their schedule.
// CHECK-LABEL: func.func @rows
// CHECK-NOT:     fuse.softmax_stats
func.func @rows(%x: tensor<?x64x1xf32>) -> tensor<?x1x1xf32> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x64x1xf32> -> tensor<?x1x1xf32>
  %d = fuse.sub %x, %m : tensor<?x64x1xf32>, tensor<?x1x1xf32> -> tensor<?x64x1xf32>
  %e = fuse.exp %d : tensor<?x64x1xf32>
  %s = fuse.reduce sum %e dims = [1] keep : tensor<?x64x1xf32> -> tensor<?x1x1xf32>
  return %s : tensor<?x1x1xf32>
}
