// RUN: fuse-opt %s -split-input-file -fuse-decompose -fuse-share-exponentials -canonicalize -cse | FileCheck %s

// A logsumexp beside a softmax of the same rows: one sum, in whichever order.
// CHECK-LABEL: func.func @both(
// CHECK-DAG:     %[[MAX:.*]] = fuse.reduce max %arg0
// CHECK-DAG:     %[[EXP:.*]] = fuse.exp %{{.*}} : tensor<8x64xf32>
// CHECK:         %[[SUM:.*]] = fuse.reduce sum %[[EXP]]
// CHECK:         %[[ENDS:.*]] = fuse.exp %{{.*}} : tensor<8x1xf32>
// CHECK:         %[[ALL:.*]] = fuse.select %{{.*}}, %[[ENDS]], %[[SUM]]
// CHECK:         fuse.log %[[ALL]]
// CHECK-NOT:     fuse.reduce sum
// CHECK:         return
func.func @both(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x1xf32>) {
  %l = fuse.logsumexp %x dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %p = fuse.softmax %x dims = [1] : tensor<8x64xf32>
  return %p, %l : tensor<8x64xf32>, tensor<8x1xf32>
}

// -----

// Of other rows each has its own.
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-2: fuse.reduce sum
// CHECK:         return
func.func @apart(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x1xf32>) {
  %l = fuse.logsumexp %y dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %p = fuse.softmax %x dims = [1] : tensor<8x64xf32>
  return %p, %l : tensor<8x64xf32>, tensor<8x1xf32>
}
