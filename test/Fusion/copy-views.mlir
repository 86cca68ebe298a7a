// RUN: fuse-opt %s -split-input-file -fuse-copy-views | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-copy-views=chip=sm_90a | FileCheck %s --check-prefix=CHIP

// A view that is returned, and a reshape of one; what is dense stays.
// CHECK-LABEL: func.func @returned
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<?x4xf32>{{.*}}, %[[D:[a-z0-9]+]]: tensor<4xf32>, %{{.*}}: index)
// CHECK:         %[[V:.*]] = tensor.expand_shape %[[X]]
// CHECK:         %[[C0:.*]] = fuse.kernel "copy" ins(%[[V]] : tensor<?x2x2xf32>) -> tensor<?x2x2xf32> {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<?x2x2xf32>):
// CHECK-NEXT:      fuse.yield %[[A]]
// CHECK:         %[[C1:.*]] = fuse.kernel "copy_1" ins(%[[X]] : tensor<?x4xf32>)
// CHECK:         return %[[C0]], %[[C1]], %[[D]]
func.func @returned(%x: tensor<?x4xf32> {fuse.strided = "rows"}, %d: tensor<4xf32>, %n: index)
    -> (tensor<?x2x2xf32>, tensor<?x4xf32>, tensor<4xf32>) {
  %v = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 2]
      : tensor<?x4xf32> into tensor<?x2x2xf32>
  return %v, %x, %d : tensor<?x2x2xf32>, tensor<?x4xf32>, tensor<4xf32>
}

// -----

// What a scatter writes a part of; not what it reads.
// CHECK-LABEL: func.func @scattered
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<8x4xf32>{{.*}}, %[[I:[a-z0-9]+]]: tensor<2xi32>, %[[U:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK:         %[[C:.*]] = fuse.kernel "copy" ins(%[[X]] : tensor<8x4xf32>)
// CHECK:         fuse.kernel "k" ins(%[[C]], %[[I]], %[[U]] :
func.func @scattered(%x: tensor<8x4xf32> {fuse.strided = "any"}, %ids: tensor<2xi32>,
                     %u: tensor<2x4xf32> {fuse.strided = "rows"}) -> tensor<8x4xf32> {
  %y = fuse.kernel "k" ins(%x, %ids, %u : tensor<8x4xf32>, tensor<2xi32>, tensor<2x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%a: tensor<8x4xf32>, %i: tensor<2xi32>, %b: tensor<2x4xf32>):
    %s = fuse.scatter %a, %i, %b dim = 0 : tensor<8x4xf32>, tensor<2xi32>, tensor<2x4xf32> -> tensor<8x4xf32>
    fuse.yield %s : tensor<8x4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// What a scatter writes is not read by the same kernel, as an input of its own
// or through the same one.
// CHECK-LABEL: func.func @scattered_by_itself
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<8xi32>)
// CHECK:         %[[C:.*]] = fuse.kernel "copy" ins(%[[X]] : tensor<8xi32>)
// CHECK:         fuse.kernel "k" ins(%[[X]], %[[C]], %[[C]] :
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<8xi32>, %[[U:.*]]: tensor<8xi32>, %[[I:.*]]: tensor<8xi32>):
// CHECK-NEXT:      fuse.scatter %[[A]], %[[I]], %[[U]]
func.func @scattered_by_itself(%x: tensor<8xi32>) -> tensor<8xi32> {
  %y = fuse.kernel "k" ins(%x, %x : tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%a: tensor<8xi32>, %u: tensor<8xi32>):
    %s = fuse.scatter %a, %a, %u dim = 0 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
    fuse.yield %s : tensor<8xi32>
  }
  return %y : tensor<8xi32>
}

// -----

// Nor as a reshape of it.
// CHECK-LABEL: func.func @scattered_by_its_reshape
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<64xi32>, %[[U:[a-z0-9]+]]: tensor<8x8xi32>)
// CHECK:         %[[R:.*]] = tensor.expand_shape %[[X]]
// CHECK:         %[[C:.*]] = fuse.kernel "copy" ins(%[[R]] : tensor<8x8xi32>)
// CHECK:         fuse.kernel "k" ins(%[[X]], %[[C]], %[[U]] :
func.func @scattered_by_its_reshape(%x: tensor<64xi32>, %u: tensor<8x8xi32>) -> tensor<64xi32> {
  %r = tensor.expand_shape %x [[0, 1]] output_shape [8, 8] : tensor<64xi32> into tensor<8x8xi32>
  %y = fuse.kernel "k" ins(%x, %r, %u : tensor<64xi32>, tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<64xi32> {
  ^bb0(%a: tensor<64xi32>, %i: tensor<8x8xi32>, %b: tensor<8x8xi32>):
    %s = fuse.scatter %a, %i, %b dim = 0 : tensor<64xi32>, tensor<8x8xi32>, tensor<8x8xi32> -> tensor<64xi32>
    fuse.yield %s : tensor<64xi32>
  }
  return %y : tensor<64xi32>
}

// -----

// What tensor cores multiply, unless its rows start at multiples of 16 bytes, or
// would not do so in the copy.
// CHECK-LABEL: func.func @multiplied
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<?x64xbf16>{{.*}}, %[[W:[a-z0-9]+]]: tensor<64x32xbf16>{{.*}}, %[[V:[a-z0-9]+]]: tensor<64x33xbf16>
// CHECK-NOT:     fuse.kernel "copy"
// CHIP-LABEL:  func.func @multiplied
// CHIP-SAME:     (%[[X:[a-z0-9]+]]: tensor<?x64xbf16>{{.*}}, %[[W:[a-z0-9]+]]: tensor<64x32xbf16>{{.*}}, %[[V:[a-z0-9]+]]: tensor<64x33xbf16>
// CHIP:          %[[C:.*]] = fuse.kernel "copy" ins(%[[W]] : tensor<64x32xbf16>)
// CHIP:          fuse.kernel "k" ins(%[[X]], %[[C]] :
// CHIP-NOT:      fuse.kernel "copy_1"
// CHIP:          fuse.kernel "l" ins(%[[X]], %[[V]] :
func.func @multiplied(%x: tensor<?x64xbf16> {fuse.strided = "aligned_rows"},
                      %w: tensor<64x32xbf16> {fuse.strided = "any"},
                      %v: tensor<64x33xbf16> {fuse.strided = "rows"})
    -> (tensor<?x32xbf16>, tensor<?x33xbf16>) {
  %y = fuse.kernel "k" ins(%x, %w : tensor<?x64xbf16>, tensor<64x32xbf16>) -> tensor<?x32xbf16> {
  ^bb0(%a: tensor<?x64xbf16>, %b: tensor<64x32xbf16>):
    %p = fuse.contract "mk,kn->mn" %a, %b : tensor<?x64xbf16>, tensor<64x32xbf16> -> tensor<?x32xbf16>
    fuse.yield %p : tensor<?x32xbf16>
  }
  %z = fuse.kernel "l" ins(%x, %v : tensor<?x64xbf16>, tensor<64x33xbf16>) -> tensor<?x33xbf16> {
  ^bb0(%a: tensor<?x64xbf16>, %b: tensor<64x33xbf16>):
    %p = fuse.contract "mk,kn->mn" %a, %b : tensor<?x64xbf16>, tensor<64x33xbf16> -> tensor<?x33xbf16>
    fuse.yield %p : tensor<?x33xbf16>
  }
  return %y, %z : tensor<?x32xbf16>, tensor<?x33xbf16>
}
