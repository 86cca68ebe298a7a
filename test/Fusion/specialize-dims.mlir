// RUN: fuse-opt -fuse-specialize-dims=sizes=n=4096 -split-input-file %s | FileCheck %s
// RUN: fuse-opt -fuse-specialize-dims %s -split-input-file | FileCheck %s --check-prefix=NONE

// What is equal to the dimension gets its size, and so does what follows from it;
// the other sizes stay dynamic.
// CHECK-LABEL: func.func @all_that_follows(
// CHECK-SAME: %[[X:.*]]: tensor<?x4096xf32> {fuse.dims = ["T"], fuse.name = "x"}
// CHECK-SAME: %[[W:.*]]: tensor<4096xf32> {fuse.name = "w"}
// CHECK-SAME: %[[Z:.*]]: tensor<?x?xf32> {fuse.dims = ["A", "B"]})
// CHECK-SAME: -> (tensor<?x4096xf32>, tensor<?x4x1024xf32>, tensor<?xf32>, tensor<?x4095xf32>)
// CHECK: fuse.softmax %[[X]] dims = [1] : tensor<?x4096xf32>
// CHECK: %[[T:.*]] = tensor.dim %[[X]]
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [%[[T]], 4, 1024]
// CHECK: fuse.concat {{.*}} : tensor<?xf32>, tensor<4096xf32> -> tensor<?xf32>
// CHECK: fuse.slice {{.*}} sizes = [-1, -1] {{.*}} -> tensor<?x4095xf32>

// NONE-LABEL: func.func @all_that_follows(
// NONE-SAME: tensor<?x?xf32> {fuse.dims = ["T", "n"], fuse.name = "x"}
func.func @all_that_follows(
    %x: tensor<?x?xf32> {fuse.dims = ["T", "n"], fuse.name = "x"},
    %w: tensor<?xf32> {fuse.name = "w"},
    %z: tensor<?x?xf32> {fuse.dims = ["A", "B"]})
    -> (tensor<?x?xf32>, tensor<?x4x?xf32>, tensor<?xf32>, tensor<?x?xf32>) {
  %s = fuse.softmax %x dims = [1] : tensor<?x?xf32>
  %y = fuse.mul %s, %w : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %T = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %m = arith.divui %n, %c4 : index
  %e = tensor.expand_shape %y [[0], [1, 2]] output_shape [%T, 4, %m] : tensor<?x?xf32> into tensor<?x4x?xf32>
  %f = tensor.collapse_shape %z [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %c = fuse.concat %f, %w dim = 0 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %d = fuse.slice %y offsets = [0, 1] sizes = [-1, -1] : tensor<?x?xf32> -> tensor<?x?xf32>
  return %y, %e, %c, %d : tensor<?x?xf32>, tensor<?x4x?xf32>, tensor<?xf32>, tensor<?x?xf32>
}

// -----

// The body of a kernel has what is outside.
// CHECK-LABEL: func.func @kernel(
// CHECK: fuse.kernel "k" ins(%{{.*}} : tensor<?x4096xf32>) -> tensor<?x1xf32>
// CHECK: ^bb0(%{{.*}}: tensor<?x4096xf32>)
// CHECK: fuse.reduce sum {{.*}} : tensor<?x4096xf32> -> tensor<?x1xf32>
func.func @kernel(%x: tensor<?x?xf32> {fuse.dims = ["T", "n"]}) -> tensor<?x1xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x?xf32>) -> tensor<?x1xf32> {
  ^bb0(%a: tensor<?x?xf32>):
    %s = fuse.reduce sum %a dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}

// -----

// A broadcast has the sizes of another tensor, and a product of static ones is one.
// CHECK-LABEL: func.func @of_another(
// CHECK: fuse.broadcast {{.*}} -> tensor<3x4096xf32>
// CHECK: tensor.collapse_shape {{.*}} : tensor<3x4096xf32> into tensor<12288xf32>
func.func @of_another(%a: tensor<3x1xf32>, %x: tensor<3x?xf32> {fuse.dims = ["n"]}) -> tensor<?xf32> {
  %b = fuse.broadcast %a like %x : tensor<3x1xf32>, tensor<3x?xf32> -> tensor<3x?xf32>
  %f = tensor.collapse_shape %b [[0, 1]] : tensor<3x?xf32> into tensor<?xf32>
  return %f : tensor<?xf32>
}
