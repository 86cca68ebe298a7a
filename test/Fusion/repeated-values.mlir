// RUN: fuse-opt %s -fuse-form=chip=cpu | FileCheck %s

// A maximum that one kernel finds and another subtracts is of the same bits in
// both: each 16-bit step is rounded, and no product is fused with a difference.
// CHECK-LABEL: func.func @softmax_of_all
// CHECK:       fuse.kernel
// CHECK:         %[[V:.*]] = fuse.mul {{.*}}{fuse.repeated}
// CHECK:         %[[R:.*]] = fuse.cast %[[V]] : tensor<64x512xbf16> -> tensor<64x512xbf16>
// CHECK:         %[[W:.*]] = fuse.cast %[[R]] {fuse.repeated}
// CHECK:         fuse.reduce max %[[W]]
// CHECK:       fuse.kernel
// CHECK:         fuse.mul {{.*}}{fuse.repeated}
// CHECK-NEXT:    fuse.cast
// CHECK-NEXT:    %[[W:.*]] = fuse.cast {{.*}}{fuse.repeated}
// CHECK:         fuse.sub %[[W]]
func.func @softmax_of_all(%x: tensor<64x512xbf16>, %y: tensor<64x512xbf16>) -> tensor<64x512xbf16> {
  %v = fuse.mul %x, %y : tensor<64x512xbf16>
  %s = fuse.softmax %v dims = [0, 1] : tensor<64x512xbf16>
  return %s : tensor<64x512xbf16>
}

// The same without a composite, and a maximum that does not keep its dimensions.
// CHECK-LABEL: func.func @by_hand
// CHECK-COUNT-2: fuse.mul {{.*}}{fuse.repeated}
func.func @by_hand(%x: tensor<64x512xbf16>, %y: tensor<64x512xbf16>) -> tensor<64x512xf32> {
  %v = fuse.mul %x, %y : tensor<64x512xbf16>
  %w = fuse.cast %v : tensor<64x512xbf16> -> tensor<64x512xf32>
  %m = fuse.reduce max %w dims = [0, 1] : tensor<64x512xf32> -> tensor<f32>
  %d = fuse.sub %w, %m : tensor<64x512xf32>, tensor<f32> -> tensor<64x512xf32>
  %e = fuse.exp %d : tensor<64x512xf32>
  return %e : tensor<64x512xf32>
}

// What happens in one kernel needs no mark.
// CHECK-LABEL: func.func @softmax_of_rows
// CHECK-NOT:   fuse.repeated
// CHECK:       return
func.func @softmax_of_rows(%x: tensor<64x512xbf16>, %y: tensor<64x512xbf16>) -> tensor<64x512xbf16> {
  %v = fuse.mul %x, %y : tensor<64x512xbf16>
  %s = fuse.softmax %v dims = [1] : tensor<64x512xbf16>
  return %s : tensor<64x512xbf16>
}
