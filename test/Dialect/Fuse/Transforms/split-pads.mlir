// RUN: fuse-opt %s -split-input-file -fuse-split-pads | FileCheck %s

// Rows of padding on both sides; along the rows, their own threads pad.
// CHECK-LABEL: func.func @rows
// CHECK:         %[[E:.*]] = fuse.exp
// CHECK:         %[[P:.*]] = fuse.pad %[[E]] low = [0, 1] high = [0, 3] value = 5.0
// CHECK:         %[[A:.*]] = fuse.broadcast %{{.*}} : tensor<f32> -> tensor<1x68xf32>
// CHECK:         %[[B:.*]] = fuse.broadcast %{{.*}} : tensor<f32> -> tensor<2x68xf32>
// CHECK:         fuse.concat %[[A]], %[[P]], %[[B]] dim = 0
func.func @rows(%x: tensor<8x64xf32>) -> tensor<11x68xf32> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %d = fuse.sub %x, %m : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  %e = fuse.exp %d : tensor<8x64xf32>
  %y = fuse.pad %e low = [1, 1] high = [2, 3] value = 5.0 : tensor<8x64xf32> -> tensor<11x68xf32>
  return %y : tensor<11x68xf32>
}

// -----

// Dynamic sizes are those of the input, not of what is reduced.
// CHECK-LABEL: func.func @sizes
// CHECK-SAME:    %[[X:.*]]: tensor<?x6x5x64xf32>
// CHECK:         %[[D:.*]] = fuse.sub
// CHECK:         %[[S:.*]] = fuse.slice %[[X]] offsets = [0, 0, 0, 0] sizes = [-1, 6, 0, 64]
// CHECK:         %[[L:.*]] = fuse.pad %[[S]] low = [0, 0, 0, 0] high = [0, 0, 2, 0]
// CHECK:         %[[A:.*]] = fuse.broadcast %{{.*}} like %[[L]] : tensor<f32>, tensor<?x6x2x64xf32>
// CHECK:         %[[C:.*]] = fuse.concat %[[D]], %[[A]] dim = 2
// CHECK:         %[[T:.*]] = fuse.slice %[[X]] offsets = [0, 0, 0, 0] sizes = [-1, 0, 5, 64]
// CHECK:         %[[M:.*]] = fuse.pad %[[T]] low = [0, 0, 0, 0] high = [0, 1, 2, 0]
// CHECK:         %[[B:.*]] = fuse.broadcast %{{.*}} like %[[M]] : tensor<f32>, tensor<?x1x7x64xf32>
// CHECK:         fuse.concat %[[B]], %[[C]] dim = 1
func.func @sizes(%x: tensor<?x6x5x64xf32>) -> tensor<?x7x7x64xf32> {
  %m = fuse.reduce max %x dims = [3] keep : tensor<?x6x5x64xf32> -> tensor<?x6x5x1xf32>
  %d = fuse.sub %x, %m : tensor<?x6x5x64xf32>, tensor<?x6x5x1xf32> -> tensor<?x6x5x64xf32>
  %y = fuse.pad %d low = [0, 1, 0, 0] high = [0, 0, 2, 0] value = 0.0 : tensor<?x6x5x64xf32> -> tensor<?x7x7x64xf32>
  return %y : tensor<?x7x7x64xf32>
}

// -----

// What is read, or reduced again, is padded where it is read.
// CHECK-LABEL: func.func @read
// CHECK-NOT:     fuse.concat
func.func @read(%x: tensor<8x64xf32>) -> (tensor<9x64xf32>, tensor<9x1xf32>, tensor<8x65xf32>) {
  %p = fuse.pad %x low = [1, 0] high = [0, 0] value = 0.0 : tensor<8x64xf32> -> tensor<9x64xf32>
  %m = fuse.reduce max %x dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %d = fuse.sub %x, %m : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  %y = fuse.pad %d low = [1, 0] high = [0, 0] value = 0.0 : tensor<8x64xf32> -> tensor<9x64xf32>
  %s = fuse.reduce sum %y dims = [1] keep : tensor<9x64xf32> -> tensor<9x1xf32>
  %q = fuse.pad %d low = [0, 1] high = [0, 0] value = 0.0 : tensor<8x64xf32> -> tensor<8x65xf32>
  return %p, %s, %q : tensor<9x64xf32>, tensor<9x1xf32>, tensor<8x65xf32>
}
