// RUN: fuse-opt %s -fuse-form -fuse-schedule='copied=2' --remarks-filter='fuse-copy' 2>&1 >/dev/null | FileCheck %s --implicit-check-not=fuse-copy

// CHECK: Category:fuse-copy | Function=given |
// CHECK-SAME: Because=copyResultGiven, BytesCost=256, Kernel=copy,
// CHECK-SAME: Reason="no kernel computes 'y', which is an argument or a constant"
// CHECK-SAME: Remark="kernel 'copy' copies 'y'", Result=y,
// CHECK-SAME: Suggestion="copy it into the view yourself"
func.func @given(%x: tensor<4x8xf32>) -> (tensor<4x8xf32> {fuse.name = "y", fuse.strided = "rows"}) {
  return %x : tensor<4x8xf32>
}

// CHECK: Category:fuse-copy | Function=read |
// CHECK-SAME: Because=copyResultRead
// CHECK-SAME: Reason="something else reads what is returned as 'y', too"
func.func @read(%x: tensor<4x8xf32>)
    -> (tensor<4x8xf32> {fuse.name = "y", fuse.strided = "rows"}, tensor<4x8xf32>) {
  %y = fuse.neg %x : tensor<4x8xf32>
  return %y, %y : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK: Category:fuse-copy | Function=scattered |
// CHECK-SAME: Because=copyResultScattered
func.func @scattered(%x: tensor<8x4xf32>, %ids: tensor<2xi32>, %u: tensor<2x4xf32>)
    -> (tensor<8x4xf32> {fuse.strided = "rows"}) {
  %y = fuse.scatter %x, %ids, %u dim = 0 : tensor<8x4xf32>, tensor<2xi32>, tensor<2x4xf32> -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK: Category:fuse-copy | Function=joined |
// CHECK-SAME: Because=copyResultJoined
func.func @joined(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<2x4x8xf32> {fuse.name = "y", fuse.strided = "rows"}) {
  %p = fuse.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %y = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 4, 8] : tensor<8x8xf32> into tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// CHECK: Category:fuse-copy | Function=sizes |
// CHECK-SAME: Because=copyResultSizes
func.func @sizes(%x: tensor<?x4xf32> {fuse.dims = ["n"]}, %z: tensor<4xf32>)
    -> (tensor<?x2x4xf32> {fuse.strided = "rows"}) {
  %k = fuse.kernel "k" ins(%x : tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%a: tensor<?x4xf32>):
    %s = fuse.neg %a : tensor<?x4xf32>
    fuse.yield %s : tensor<?x4xf32>
  }
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %l = fuse.kernel "l" ins(%x : tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%a: tensor<?x4xf32>):
    %s = fuse.exp %a : tensor<?x4xf32>
    fuse.yield %s : tensor<?x4xf32>
  }
  %n = tensor.dim %l, %c0 : tensor<?x4xf32>
  %half = arith.divui %n, %c2 : index
  %v = tensor.expand_shape %k [[0, 1], [2]] output_shape [%half, 2, 4]
      : tensor<?x4xf32> into tensor<?x2x4xf32>
  return %v : tensor<?x2x4xf32>
}

// One kernel writes the view.
func.func @not_copied(%x: tensor<4x8xf32>) -> (tensor<4x8xf32> {fuse.strided = "rows"}) {
  %y = fuse.softmax %x dims = [1] : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
