// RUN: fuse-opt %s -fuse-form=chip=sm_90a -fuse-schedule='copied=0 chip=sm_90a' --remarks-filter='fuse-copy' 2>&1 >/dev/null | FileCheck %s --implicit-check-not=fuse-copy

// CHECK: copies.mlir:[[#@LINE+5]]:19: remark: [Missed] Copy | Category:fuse-copy | Function=joined |
// CHECK-SAME: Argument=x, Because=copyJoined, BytesCost=64*A*B, Kernel=copy,
// CHECK-SAME: Reason="a reshape joins dimensions of 'x' that do not follow each other in memory"
// CHECK-SAME: Remark="kernel 'copy' copies 'x'"
// CHECK-SAME: Suggestion="copy 'x' once yourself if several calls read it"
func.func @joined(%arg: tensor<?x?x8xf32> {fuse.dims = ["A", "B"], fuse.name = "x", fuse.strided = "any"}) -> tensor<?x8xf32> {
  %v = tensor.collapse_shape %arg [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %y = fuse.softmax %v dims = [1] : tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// CHECK: Category:fuse-copy | Function=returned |
// CHECK-SAME: Reason="the result is contiguous, and 'argument 0' is a view"
func.func @returned(%arg: tensor<4x8xf32> {fuse.strided = "rows"}) -> tensor<4x8xf32> {
  return %arg : tensor<4x8xf32>
}

// CHECK: Category:fuse-copy | Function=scattered |
// CHECK-SAME: Reason="a scatter writes into a contiguous copy, and 'x' is a view"
func.func @scattered(%x: tensor<8x4xf32> {fuse.name = "x", fuse.strided = "any"}, %ids: tensor<2xi32>, %u: tensor<2x4xf32>) -> tensor<8x4xf32> {
  %y = fuse.scatter %x, %ids, %u dim = 0 : tensor<8x4xf32>, tensor<2xi32>, tensor<2x4xf32> -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK: Category:fuse-copy | Function=multiplied |
// CHECK-SAME: Argument=w, Because=copyMultiplied
// CHECK-SAME: Reason="tensor cores read rows that start at multiples of 16 bytes, which those of 'w' do not"
// CHECK-SAME: Suggestion="copy 'w' once yourself if several calls read it, or align its rows"
func.func @multiplied(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16> {fuse.name = "w", fuse.strided = "any"}) -> tensor<64x64xbf16> {
  %y = fuse.matmul %x, %w : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
  return %y : tensor<64x64xbf16>
}

// What is dense is copied by a kernel of the program, or not at all.
func.func @dense(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    fuse.yield %a : tensor<4x8xf32>
  }
  return %y : tensor<4x8xf32>
}
