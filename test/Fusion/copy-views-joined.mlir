// RUN: fuse-opt %s -split-input-file -fuse-copy-views='copied=0,1' | FileCheck %s

// A reshape that joins dimensions reads a copy; one that joins none, and other
// ops, read the view. What is not strided stays, whatever its number.
// CHECK-LABEL: func.func @joined
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<?x?x1x8xf32>{{.*}}, %[[D:[a-z0-9]+]]: tensor<2x4xf32>)
// CHECK:         %[[U:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1, 2], [3]]
// CHECK:         %[[C:.*]] = fuse.kernel "copy" ins(%[[X]] : tensor<?x?x1x8xf32>) -> tensor<?x?x1x8xf32> {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<?x?x1x8xf32>):
// CHECK-NEXT:      fuse.yield %[[A]]
// CHECK:         tensor.collapse_shape %[[C]] {{\[\[}}0, 1], [2], [3]]
// CHECK:         tensor.collapse_shape %[[C]] {{\[\[}}0, 1, 2, 3]]
// CHECK:         tensor.collapse_shape %[[D]]
// CHECK:         fuse.kernel "k" ins(%[[U]],
func.func @joined(%x: tensor<?x?x1x8xf32> {fuse.strided = "any"}, %d: tensor<2x4xf32>)
    -> (tensor<?x?x8xf32>, tensor<?x1x8xf32>, tensor<?xf32>, tensor<8xf32>) {
  %u = tensor.collapse_shape %x [[0], [1, 2], [3]] : tensor<?x?x1x8xf32> into tensor<?x?x8xf32>
  %v = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<?x?x1x8xf32> into tensor<?x1x8xf32>
  %w = tensor.collapse_shape %x [[0, 1, 2, 3]] : tensor<?x?x1x8xf32> into tensor<?xf32>
  %e = tensor.collapse_shape %d [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %y:4 = fuse.kernel "k" ins(%u, %v, %w, %e : tensor<?x?x8xf32>, tensor<?x1x8xf32>, tensor<?xf32>, tensor<8xf32>)
      -> tensor<?x?x8xf32>, tensor<?x1x8xf32>, tensor<?xf32>, tensor<8xf32> {
  ^bb0(%a: tensor<?x?x8xf32>, %b: tensor<?x1x8xf32>, %c: tensor<?xf32>, %f: tensor<8xf32>):
    fuse.yield %a, %b, %c, %f : tensor<?x?x8xf32>, tensor<?x1x8xf32>, tensor<?xf32>, tensor<8xf32>
  }
  return %y#0, %y#1, %y#2, %y#3 : tensor<?x?x8xf32>, tensor<?x1x8xf32>, tensor<?xf32>, tensor<8xf32>
}

// -----

// A dimension that is split, of which a part is joined with the one before; the
// result, once a copy was made, needs no other. Argument 2 can be joined.
// CHECK-LABEL: func.func @split
// CHECK-SAME:    (%[[N:[a-z0-9]+]]: index, %[[X:[a-z0-9]+]]: tensor<?x64xf32>{{.*}}, %[[Z:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[X]]
// CHECK:         %[[C:.*]] = fuse.kernel "copy" ins(%[[E]] : tensor<?x8x8xf32>)
// CHECK:         %[[V:.*]] = tensor.collapse_shape %[[C]]
// CHECK:         %[[W:.*]] = tensor.collapse_shape %[[Z]]
// CHECK:         fuse.kernel "k" ins(%[[W]] :
// CHECK:         return %[[V]],
func.func @split(%n: index, %x: tensor<?x64xf32> {fuse.strided = "rows"}, %z: tensor<2x4xf32> {fuse.strided = "rows"})
    -> (tensor<?x8xf32>, tensor<8xf32>) {
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 8, 8] : tensor<?x64xf32> into tensor<?x8x8xf32>
  %v = tensor.collapse_shape %e [[0, 1], [2]] : tensor<?x8x8xf32> into tensor<?x8xf32>
  %w = tensor.collapse_shape %z [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %y = fuse.kernel "k" ins(%w : tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = fuse.neg %a : tensor<8xf32>
    fuse.yield %s : tensor<8xf32>
  }
  return %v, %y : tensor<?x8xf32>, tensor<8xf32>
}
