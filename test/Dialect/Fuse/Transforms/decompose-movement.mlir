// RUN: fuse-opt %s --fuse-decompose --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dropout(
// CHECK-SAME:    %[[X:.*]]: tensor<?xbf16>, %[[SEED:.*]]: tensor<i64>
// CHECK-NEXT:  %[[U:.*]] = fuse.random %[[SEED]] stream = 7 like %[[X]] : tensor<i64>, tensor<?xbf16> -> tensor<?xf32>
// CHECK-NEXT:  %[[P:.*]] = fuse.constant dense<2.000000e-01> : tensor<f32>
// CHECK-NEXT:  %[[KEPT:.*]] = fuse.compare ge %[[U]], %[[P]]
// CHECK-NEXT:  %[[WIDE:.*]] = fuse.cast %[[X]] : tensor<?xbf16> -> tensor<?xf32>
// CHECK-NEXT:  %[[SCALE:.*]] = fuse.constant dense<1.250000e+00> : tensor<f32>
// CHECK-NEXT:  %[[SCALED:.*]] = fuse.mul %[[WIDE]], %[[SCALE]]
// CHECK-NEXT:  %[[ZERO:.*]] = fuse.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:  %[[Y:.*]] = fuse.select %[[KEPT]], %[[SCALED]], %[[ZERO]]
// CHECK-NEXT:  fuse.cast %[[Y]] {fuse.implicit} : tensor<?xf32> -> tensor<?xbf16>
func.func @dropout(%x: tensor<?xbf16>, %seed: tensor<i64>) -> tensor<?xbf16> {
  %y = fuse.dropout %x, %seed p = 0.2 stream = 7 : tensor<?xbf16>, tensor<i64>
  return %y : tensor<?xbf16>
}

// -----

// The elements are rounded before they are compared with their maximum.
// CHECK-LABEL: func.func @argmax(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16>
// CHECK-NEXT:  %[[R:.*]] = fuse.cast %[[X]] : tensor<?x8xf16> -> tensor<?x8xf16>
// CHECK-NEXT:  %[[MAX:.*]] = fuse.reduce max %[[R]] dims = [1] keep
// CHECK-NEXT:  %[[EQUAL:.*]] = fuse.compare eq %[[R]], %[[MAX]]
// CHECK-NEXT:  %[[NAN:.*]] = fuse.compare ne %[[R]], %[[R]]
// CHECK-NEXT:  %[[IS:.*]] = fuse.or %[[EQUAL]], %[[NAN]]
// CHECK-NEXT:  %[[I:.*]] = fuse.iota dim = 1 like %[[R]] : tensor<?x8xf16> -> tensor<?x8xi32>
// CHECK-NEXT:  %[[NONE:.*]] = fuse.constant dense<2147483647> : tensor<i32>
// CHECK-NEXT:  %[[CANDIDATES:.*]] = fuse.select %[[IS]], %[[I]], %[[NONE]]
// CHECK-NEXT:  fuse.reduce min %[[CANDIDATES]] dims = [1] : tensor<?x8xi32> -> tensor<?xi32>
func.func @argmax(%x: tensor<?x8xf16>) -> tensor<?xi32> {
  %y = fuse.argmax %x dim = 1 : tensor<?x8xf16> -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// -----

// Integers have no NaN, and static shapes need no tensor to take them from.
// CHECK-LABEL: func.func @argmin(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xi32>
// CHECK-NEXT:  %[[MIN:.*]] = fuse.reduce min %[[X]] dims = [0] keep
// CHECK-NEXT:  %[[EQUAL:.*]] = fuse.compare eq %[[X]], %[[MIN]]
// CHECK-NEXT:  %[[I:.*]] = fuse.iota dim = 0 : tensor<4x8xi64>
// CHECK-NEXT:  %[[NONE:.*]] = fuse.constant dense<9223372036854775807> : tensor<i64>
// CHECK-NEXT:  %[[CANDIDATES:.*]] = fuse.select %[[EQUAL]], %[[I]], %[[NONE]]
// CHECK-NEXT:  fuse.reduce min %[[CANDIDATES]] dims = [0] keep : tensor<4x8xi64> -> tensor<1x8xi64>
func.func @argmin(%x: tensor<4x8xi32>) -> tensor<1x8xi64> {
  %y = fuse.argmin %x dim = 0 keep : tensor<4x8xi32> -> tensor<1x8xi64>
  return %y : tensor<1x8xi64>
}

// -----

// CHECK-LABEL: func.func @extract_slice(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8x16xf32>
// CHECK:       %[[A:.*]] = fuse.slice %[[X]] offsets = [0, 1, 2] sizes = [-1, 3, 4] steps = [1, 2, 3] : tensor<?x8x16xf32> -> tensor<?x3x4xf32>
// CHECK:       %[[B:.*]] = fuse.slice %[[X]] offsets = [0, 5, 0] sizes = [-1, 1, 16] : tensor<?x8x16xf32> -> tensor<?x1x16xf32>
// CHECK:       %[[C:.*]] = tensor.collapse_shape %[[B]] {{\[\[}}0, 1], [2]] : tensor<?x1x16xf32> into tensor<?x16xf32>
// CHECK:       return %[[A]], %[[C]]
func.func @extract_slice(%x: tensor<?x8x16xf32>) -> (tensor<?x3x4xf32>, tensor<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x16xf32>
  %a = tensor.extract_slice %x[0, 1, 2] [%n, 3, 4] [1, 2, 3]
      : tensor<?x8x16xf32> to tensor<?x3x4xf32>
  %b = tensor.extract_slice %x[0, 5, 0] [%n, 1, 16] [1, 1, 1]
      : tensor<?x8x16xf32> to tensor<?x16xf32>
  return %a, %b : tensor<?x3x4xf32>, tensor<?x16xf32>
}

// -----

// Dropped dimensions at the front, and all of them.
// CHECK-LABEL: func.func @dropped_dims(
// CHECK:       tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<1x3x16xf32> into tensor<3x16xf32>
// CHECK:       tensor.collapse_shape %{{.*}} [] : tensor<1x1x1xf32> into tensor<f32>
func.func @dropped_dims(%x: tensor<2x8x16xf32>) -> (tensor<3x16xf32>, tensor<f32>) {
  %a = tensor.extract_slice %x[1, 1, 0] [1, 3, 16] [1, 1, 1]
      : tensor<2x8x16xf32> to tensor<3x16xf32>
  %b = tensor.extract_slice %x[1, 1, 0] [1, 1, 1] [1, 1, 1]
      : tensor<2x8x16xf32> to tensor<f32>
  return %a, %b : tensor<3x16xf32>, tensor<f32>
}

// -----

// CHECK-LABEL: func.func @concat_and_pad(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf32>
// CHECK-NEXT:  %[[XX:.*]] = fuse.concat %[[X]], %[[X]] dim = 1 : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x16xf32>
// CHECK-NEXT:  fuse.pad %[[XX]] low = [1, 0] high = [0, 2] value = 1.500000e+00 : tensor<?x16xf32> -> tensor<?x18xf32>
func.func @concat_and_pad(%x: tensor<?x8xf32>) -> tensor<?x18xf32> {
  %xx = tensor.concat dim(1) %x, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  %value = arith.constant 1.5 : f32
  %y = tensor.pad %xx low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %value : f32
  } : tensor<?x16xf32> to tensor<?x18xf32>
  return %y : tensor<?x18xf32>
}

// -----

// start, start + 1, and so on are ids.
// CHECK-LABEL: func.func @dynamic_slice(
// CHECK-SAME:    %[[X:.*]]: tensor<8x?xbf16>, %[[S:.*]]: tensor<i32>, %[[L:.*]]: tensor<?xf32>
// CHECK-NEXT:  %[[I:.*]] = fuse.iota dim = 0 like %[[L]] : tensor<?xf32> -> tensor<?xi64>
// CHECK-NEXT:  %[[W:.*]] = fuse.cast %[[S]] : tensor<i32> -> tensor<i64>
// CHECK-NEXT:  %[[IDS:.*]] = fuse.add %[[I]], %[[W]]
// CHECK-NEXT:  fuse.gather %[[X]], %[[IDS]] dim = 1
func.func @dynamic_slice(%x: tensor<8x?xbf16>, %s: tensor<i32>, %l: tensor<?xf32>) -> tensor<8x?xbf16> {
  %y = fuse.dynamic_slice %x, %s dim = 1 like %l : tensor<8x?xbf16>, tensor<i32>, tensor<?xf32> -> tensor<8x?xbf16>
  return %y : tensor<8x?xbf16>
}

// -----

// One of two neighbours is a slice by strides.
// CHECK-LABEL: func.func @one_of_two(
// CHECK:         %[[S:.+]] = fuse.slice %{{.+}} offsets = [0, 1] sizes = [-1, 4] steps = [1, 2] : tensor<?x8xf32> -> tensor<?x4xf32>
// CHECK:         fuse.neg %[[S]] : tensor<?x4xf32>
func.func @one_of_two(%x: tensor<?x8xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %p = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 4, 2] : tensor<?x8xf32> into tensor<?x4x2xf32>
  %s = fuse.slice %p offsets = [0, 0, 1] sizes = [-1, 4, 1] : tensor<?x4x2xf32> -> tensor<?x4x1xf32>
  %c = tensor.collapse_shape %s [[0], [1, 2]] : tensor<?x4x1xf32> into tensor<?x4xf32>
  %y = fuse.neg %c : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// One of three is not, nor what is cut in front of them.
// CHECK-LABEL: func.func @one_of_three(
// CHECK-NOT:     steps
// CHECK:         return
func.func @one_of_three(%x: tensor<?x12xf32>) -> (tensor<?x4x1xf32>, tensor<?x3x1xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x12xf32>
  %p = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 4, 3] : tensor<?x12xf32> into tensor<?x4x3xf32>
  %s = fuse.slice %p offsets = [0, 0, 1] sizes = [-1, 4, 1] : tensor<?x4x3xf32> -> tensor<?x4x1xf32>
  %q = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 6, 2] : tensor<?x12xf32> into tensor<?x6x2xf32>
  %t = fuse.slice %q offsets = [0, 1, 0] sizes = [-1, 3, 1] : tensor<?x6x2xf32> -> tensor<?x3x1xf32>
  return %s, %t : tensor<?x4x1xf32>, tensor<?x3x1xf32>
}

// -----

// What has no elements reads nothing.
// CHECK-LABEL: func.func @no_elements(
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<2xf32>
// CHECK-NEXT:  %[[EMPTY:.*]] = fuse.constant dense<0.000000e+00> : tensor<0xf32>
// CHECK-NEXT:  fuse.concat %[[EMPTY]], %[[Y]] dim = 0
func.func @no_elements(%x: tensor<?xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %sum = fuse.reduce sum %x dims = [0] keep : tensor<?xf32> -> tensor<1xf32>
  %none = fuse.slice %sum offsets = [1] sizes = [0] steps = [1] : tensor<1xf32> -> tensor<0xf32>
  %both = fuse.concat %none, %y dim = 0 : tensor<0xf32>, tensor<2xf32> -> tensor<2xf32>
  return %both : tensor<2xf32>
}
