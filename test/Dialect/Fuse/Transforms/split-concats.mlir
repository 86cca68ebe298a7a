// RUN: fuse-opt %s -split-input-file -fuse-decompose -fuse-split-concats -canonicalize -cse | FileCheck %s

// A sink: the rows stay as long as they are read.
// CHECK-LABEL: func.func @sink(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8x?xf32>, %[[S:[^:]*]]: tensor<8x1xf32>
// CHECK-NOT:     fuse.concat
// CHECK:         %[[OWN:.*]] = fuse.reduce max %[[X]]
// CHECK:         %[[MAX:.*]] = fuse.max %[[OWN]], %[[S]]
// CHECK-DAG:     %[[D:.*]] = fuse.sub %[[X]], %[[MAX]]
// CHECK-DAG:     %[[T:.*]] = fuse.sub %[[S]], %[[MAX]]
// CHECK-DAG:     %[[E:.*]] = fuse.exp %[[D]]
// CHECK-DAG:     %[[F:.*]] = fuse.exp %[[T]]
// CHECK:         %[[SUM:.*]] = fuse.reduce sum %[[E]]
// CHECK:         %[[ALL:.*]] = fuse.add %[[SUM]], %[[F]]
// CHECK:         %[[P:.*]] = fuse.div %[[E]], %[[ALL]]
// CHECK-NOT:     fuse.slice
// CHECK:         return %[[P]]
func.func @sink(%x: tensor<8x?xf32>, %s: tensor<8x1xf32>) -> tensor<8x?xf32> {
  %c = fuse.concat %x, %s dim = 1 : tensor<8x?xf32>, tensor<8x1xf32> -> tensor<8x?xf32>
  %p = fuse.softmax %c dims = [1] : tensor<8x?xf32>
  %y = fuse.slice %p offsets = [0, 0] sizes = [8, -2] : tensor<8x?xf32> -> tensor<8x?xf32>
  return %y : tensor<8x?xf32>
}

// -----

// The element may be the first.
// CHECK-LABEL: func.func @first(
// CHECK-NOT:     fuse.concat
// CHECK:         return
func.func @first(%x: tensor<8x64xf32>, %s: tensor<8x1xf32>) -> tensor<8x64xf32> {
  %c = fuse.concat %s, %x dim = 1 : tensor<8x1xf32>, tensor<8x64xf32> -> tensor<8x65xf32>
  %p = fuse.softmax %c dims = [1] : tensor<8x65xf32>
  %y = fuse.slice %p offsets = [0, 1] sizes = [8, 64] : tensor<8x65xf32> -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

// What is needed whole stays; so do long parts, and what no reduction reads.
// CHECK-LABEL: func.func @whole(
// CHECK:         fuse.concat
func.func @whole(%x: tensor<8x64xf32>, %s: tensor<8x1xf32>) -> tensor<8x65xf32> {
  %c = fuse.concat %x, %s dim = 1 : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x65xf32>
  %p = fuse.softmax %c dims = [1] : tensor<8x65xf32>
  return %p : tensor<8x65xf32>
}
// CHECK-LABEL: func.func @long(
// CHECK:         fuse.concat
func.func @long(%x: tensor<8x64xf32>, %s: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %c = fuse.concat %x, %s dim = 1 : tensor<8x64xf32>, tensor<8x64xf32> -> tensor<8x128xf32>
  %p = fuse.softmax %c dims = [1] : tensor<8x128xf32>
  %y = fuse.slice %p offsets = [0, 0] sizes = [8, 64] : tensor<8x128xf32> -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
// CHECK-LABEL: func.func @unreduced(
// CHECK:         fuse.concat
func.func @unreduced(%x: tensor<8x64xf32>, %s: tensor<8x1xf32>) -> tensor<8x63xf32> {
  %c = fuse.concat %x, %s dim = 1 : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x65xf32>
  %p = fuse.softmax %c dims = [1] : tensor<8x65xf32>
  %y = fuse.slice %p offsets = [0, 1] sizes = [8, 63] : tensor<8x65xf32> -> tensor<8x63xf32>
  return %y : tensor<8x63xf32>
}

// -----

// Single elements are computed one by one, and joined for those that need all.
// CHECK-LABEL: func.func @singles(
// CHECK-SAME:    %[[A:.*]]: tensor<8x1xf32>, %[[B:.*]]: tensor<8x1xf32>)
// CHECK:         %[[M:.*]] = fuse.max %[[A]], %[[B]]
// CHECK:         %[[D:.*]] = fuse.sub %[[A]], %[[M]]
// CHECK:         %[[E:.*]] = fuse.sub %[[B]], %[[M]]
// CHECK-NOT:     fuse.reduce
// CHECK:         %[[Y:.*]] = fuse.concat %{{.*}}, %{{.*}} dim = 1
// CHECK:         return %[[Y]]
func.func @singles(%x: tensor<8x1xf32>, %s: tensor<8x1xf32>) -> tensor<8x2xf32> {
  %c = fuse.concat %x, %s dim = 1 : tensor<8x1xf32>, tensor<8x1xf32> -> tensor<8x2xf32>
  %p = fuse.softmax %c dims = [1] : tensor<8x2xf32>
  return %p : tensor<8x2xf32>
}
