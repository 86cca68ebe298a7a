// RUN: fuse-opt %s -fuse-align-contractions=chip=sm_90a | FileCheck %s --check-prefixes=CHECK,FLOAT8
// RUN: fuse-opt %s -fuse-align-contractions=chip=sm_80 | FileCheck %s --check-prefixes=CHECK,OLD
// RUN: fuse-opt %s -fuse-align-contractions=chip=cpu | FileCheck %s --check-prefix=NONE

// NONE-NOT: fuse.pad

// Zeros along the summed axis, in both operands.
// CHECK-LABEL: func.func @summed
// CHECK:         %[[X:.*]] = fuse.pad %arg0 low = [0, 0] high = [0, 7]
// CHECK:         %[[W:.*]] = fuse.pad %arg1 low = [0, 0] high = [0, 7]
// CHECK:         %[[Y:.*]] = fuse.contract "mk,nk->mn" %[[X]], %[[W]] : tensor<?x1008xbf16>, tensor<4096x1008xbf16> -> tensor<?x4096xbf16>
// CHECK:         return %[[Y]]
func.func @summed(%x: tensor<?x1001xbf16>, %w: tensor<4096x1001xbf16>) -> tensor<?x4096xbf16> {
  %y = fuse.contract "mk,nk->mn" %x, %w : tensor<?x1001xbf16>, tensor<4096x1001xbf16> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// Columns of a weight whose neighbours follow them: the result is sliced.
// CHECK-LABEL: func.func @columns
// CHECK-NOT:     fuse.pad %arg0
// CHECK:         %[[W:.*]] = fuse.pad %arg1 low = [0, 0] high = [0, 7]
// CHECK:         %[[Y:.*]] = fuse.contract "mk,kn->mn" %arg0, %[[W]]
// CHECK:         fuse.slice %[[Y]] offsets = [0, 0] sizes = [-1, 50257] : tensor<?x50264xf16> -> tensor<?x50257xf16>
func.func @columns(%x: tensor<?x1024xf16>, %w: tensor<1024x50257xf16>) -> tensor<?x50257xf16> {
  %y = fuse.contract "mk,kn->mn" %x, %w : tensor<?x1024xf16>, tensor<1024x50257xf16> -> tensor<?x50257xf16>
  return %y : tensor<?x50257xf16>
}

// Rows of whole units, other types, and sizes that nobody knows stay.
// CHECK-LABEL: func.func @stays
// CHECK-NOT:     fuse.pad
// CHECK:         return
func.func @stays(%a: tensor<?x1000xbf16>, %b: tensor<4096x1000xbf16>,
                 %c: tensor<4096x1001xf32>, %d: tensor<4096x1001xf32>,
                 %e: tensor<4096x?xbf16>, %f: tensor<4096x?xbf16>)
    -> (tensor<?x4096xbf16>, tensor<4096x4096xf32>, tensor<4096x4096xbf16>) {
  %x = fuse.contract "mk,nk->mn" %a, %b : tensor<?x1000xbf16>, tensor<4096x1000xbf16> -> tensor<?x4096xbf16>
  %y = fuse.contract "mk,nk->mn" %c, %d : tensor<4096x1001xf32>, tensor<4096x1001xf32> -> tensor<4096x4096xf32>
  %z = fuse.contract "mk,nk->mn" %e, %f : tensor<4096x?xbf16>, tensor<4096x?xbf16> -> tensor<4096x4096xbf16>
  return %x, %y, %z : tensor<?x4096xbf16>, tensor<4096x4096xf32>, tensor<4096x4096xbf16>
}

// Across the summed axis: tensor cores read TF32 and 8-bit floats along it only. The copy is padded, too.
// CHECK-LABEL: func.func @across
// CHECK-DAG:     %[[X:.*]] = fuse.transpose %arg0 permutation = [0, 2, 1] : tensor<2x1001x?xf32> -> tensor<2x?x1001xf32>
// CHECK-DAG:     %[[P:.*]] = fuse.pad %[[X]] low = [0, 0, 0] high = [0, 0, 3]
// CHECK-DAG:     %[[W:.*]] = fuse.pad %arg1 low = [0, 0] high = [0, 3]
// CHECK:         fuse.contract "bmk,nk->bmn" %[[P]], %[[W]] precision = tf32
// NONE-NOT:      fuse.transpose
func.func @across(%x: tensor<2x1001x?xf32>, %w: tensor<4096x1001xf32>) -> tensor<2x?x4096xf32> {
  %0 = fuse.contract "bkm,nk->bmn" %x, %w precision = tf32 : tensor<2x1001x?xf32>, tensor<4096x1001xf32> -> tensor<2x?x4096xf32>
  return %0 : tensor<2x?x4096xf32>
}

// Where the chip multiplies these.
// CHECK-LABEL: func.func @bytes
// FLOAT8:        %[[W:.*]] = fuse.transpose %arg1
// FLOAT8:        fuse.contract "mk,nk->mn" %arg0, %[[W]]
// OLD-NOT:       fuse.transpose
// CHECK:         return
func.func @bytes(%x: tensor<?x4096xf8E5M2>, %w: tensor<4096x4096xf8E5M2>) -> tensor<?x4096xf32> {
  %y = fuse.contract "mk,kn->mn" %x, %w : tensor<?x4096xf8E5M2>, tensor<4096x4096xf8E5M2> -> tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}

// Exact products of f32 stay.
// CHECK-LABEL: func.func @exact
// CHECK-NOT:     fuse.transpose
// CHECK:         return
func.func @exact(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %y = fuse.contract "mk,kn->mn" %x, %w : tensor<4096x4096xf32>, tensor<4096x4096xf32> -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// A few products take less than the copies.
// CHECK-LABEL: func.func @small
// CHECK-NOT:     fuse.pad
// CHECK:         return
func.func @small(%x: tensor<7x9xbf16>, %w: tensor<11x9xbf16>) -> tensor<7x11xbf16> {
  %y = fuse.contract "mk,nk->mn" %x, %w : tensor<7x9xbf16>, tensor<11x9xbf16> -> tensor<7x11xbf16>
  return %y : tensor<7x11xbf16>
}
