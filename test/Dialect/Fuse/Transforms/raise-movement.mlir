// RUN: fuse-opt %s -split-input-file -fuse-raise-movement | FileCheck %s

// Rows of heads before tokens: what is read is transposed, and what broadcasts
// along with it.
// CHECK-LABEL: func.func @heads
// CHECK:         %[[X:.*]] = fuse.transpose %{{.*}} permutation = [1, 0, 2] : tensor<?x8x64xf32> -> tensor<8x?x64xf32>
// CHECK:         %[[M:.*]] = fuse.reduce mean %[[X]] dims = [2] keep : tensor<8x?x64xf32> -> tensor<8x?x1xf32>
// CHECK:         %[[H:.*]] = fuse.mul %[[X]], %[[M]] : tensor<8x?x64xf32>, tensor<8x?x1xf32>
// CHECK:         %[[E:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [1, 8, 64]
// CHECK:         %[[W:.*]] = fuse.transpose %[[E]] permutation = [1, 0, 2] : tensor<1x8x64xf32> -> tensor<8x1x64xf32>
// CHECK:         %[[Y:.*]] = fuse.mul %[[H]], %[[W]] : tensor<8x?x64xf32>, tensor<8x1x64xf32>
// CHECK:         %[[Z:.*]] = fuse.add %[[Y]], %{{.*}} : tensor<8x?x64xf32>, tensor<64xf32>
// CHECK:         return %[[Z]]
func.func @heads(%x: tensor<?x8x64xf32>, %w: tensor<8x64xf32>, %b: tensor<64xf32>) -> tensor<8x?x64xf32> {
  %m = fuse.reduce mean %x dims = [2] keep : tensor<?x8x64xf32> -> tensor<?x8x1xf32>
  %h = fuse.mul %x, %m : tensor<?x8x64xf32>, tensor<?x8x1xf32> -> tensor<?x8x64xf32>
  %y = fuse.mul %h, %w : tensor<?x8x64xf32>, tensor<8x64xf32> -> tensor<?x8x64xf32>
  %z = fuse.add %y, %b : tensor<?x8x64xf32>, tensor<64xf32> -> tensor<?x8x64xf32>
  %t = fuse.transpose %z permutation = [1, 0, 2] : tensor<?x8x64xf32> -> tensor<8x?x64xf32>
  return %t : tensor<8x?x64xf32>
}

// -----

// CHECK-LABEL: func.func @rotary
// CHECK:         fuse.transpose
// CHECK:         fuse.rotary half heads_tokens {{.*}} positions(%{{.*}}) base = 1.000000e+04 : tensor<2x8x?x64xf32>, tensor<2x?xi32>
// CHECK-NOT:     fuse.transpose
func.func @rotary(%x: tensor<2x?x8x64xf32>, %p: tensor<2x?xi32>) -> tensor<2x8x?x64xf32> {
  %m = fuse.reduce max %x dims = [3] keep : tensor<2x?x8x64xf32> -> tensor<2x?x8x1xf32>
  %h = fuse.mul %x, %m : tensor<2x?x8x64xf32>, tensor<2x?x8x1xf32> -> tensor<2x?x8x64xf32>
  %y = fuse.rotary half tokens_heads %h positions(%p) base = 1.0e4 : tensor<2x?x8x64xf32>, tensor<2x?xi32>
  %t = fuse.transpose %y permutation = [0, 2, 1, 3] : tensor<2x?x8x64xf32> -> tensor<2x8x?x64xf32>
  return %t : tensor<2x8x?x64xf32>
}

// -----

// The first axis is the batch of the offsets.
// CHECK-LABEL: func.func @batch_moves
// CHECK:         fuse.rotary half heads_tokens
// CHECK-NEXT:    fuse.transpose
func.func @batch_moves(%x: tensor<4x?x64xf32>, %o: tensor<4xi32>) -> tensor<?x4x64xf32> {
  %m = fuse.reduce max %x dims = [2] keep : tensor<4x?x64xf32> -> tensor<4x?x1xf32>
  %h = fuse.mul %x, %m : tensor<4x?x64xf32>, tensor<4x?x1xf32> -> tensor<4x?x64xf32>
  %y = fuse.rotary half heads_tokens %h offset(%o) base = 1.0e4 : tensor<4x?x64xf32>, tensor<4xi32>
  %t = fuse.transpose %y permutation = [1, 0, 2] : tensor<4x?x64xf32> -> tensor<?x4x64xf32>
  return %t : tensor<?x4x64xf32>
}

// -----

// An index is that of the dimension where it has gone.
// CHECK-LABEL: func.func @index
// CHECK:         fuse.iota dim = 0 : tensor<8x4x16xf32>
// CHECK:         fuse.reduce sum %{{.*}} dims = [2] keep : tensor<8x4x16xf32> -> tensor<8x4x1xf32>
func.func @index(%x: tensor<4x8x16xf32>) -> tensor<8x4x16xf32> {
  %i = fuse.iota dim = 1 : tensor<4x8x16xf32>
  %y = fuse.add %x, %i : tensor<4x8x16xf32>
  %s = fuse.reduce sum %y dims = [2] keep : tensor<4x8x16xf32> -> tensor<4x8x1xf32>
  %z = fuse.sub %y, %s : tensor<4x8x16xf32>, tensor<4x8x1xf32> -> tensor<4x8x16xf32>
  %t = fuse.transpose %z permutation = [1, 0, 2] : tensor<4x8x16xf32> -> tensor<8x4x16xf32>
  return %t : tensor<8x4x16xf32>
}

// -----

// Rows become columns: the reduction stays before the transpose. So it does where
// it drops dimensions.
// CHECK-LABEL: func.func @columns
// CHECK:         fuse.reduce sum %arg0 dims = [1] keep
// CHECK:         fuse.reduce sum %arg0 dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
// CHECK:         fuse.transpose
func.func @columns(%x: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %r = fuse.reduce sum %x dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
  %y = fuse.mul %x, %s : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %t = fuse.transpose %y permutation = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %t, %r : tensor<8x4xf32>, tensor<4xf32>
}

// -----

// Nothing moves past what others need, nor where no reduction is in the way.
// CHECK-LABEL: func.func @needed
// CHECK:         %[[Y:.*]] = fuse.mul
// CHECK:         fuse.transpose %[[Y]]
// CHECK:         %[[E:.*]] = fuse.exp
// CHECK:         fuse.transpose %[[E]]
func.func @needed(%x: tensor<4x8x16xf32>) -> (tensor<4x8x16xf32>, tensor<8x4x16xf32>, tensor<8x4x16xf32>) {
  %s = fuse.reduce sum %x dims = [2] keep : tensor<4x8x16xf32> -> tensor<4x8x1xf32>
  %y = fuse.mul %x, %s : tensor<4x8x16xf32>, tensor<4x8x1xf32> -> tensor<4x8x16xf32>
  %t = fuse.transpose %y permutation = [1, 0, 2] : tensor<4x8x16xf32> -> tensor<8x4x16xf32>
  %e = fuse.exp %x : tensor<4x8x16xf32>
  %u = fuse.transpose %e permutation = [1, 0, 2] : tensor<4x8x16xf32> -> tensor<8x4x16xf32>
  return %y, %t, %u : tensor<4x8x16xf32>, tensor<8x4x16xf32>, tensor<8x4x16xf32>
}

// -----

// Heads of features that are reduced together: their norm has both dimensions.
// CHECK-LABEL: func.func @expand
// CHECK:         %[[X:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [%{{.*}}, 4, 16]
// CHECK:         %[[M:.*]], %[[D:.*]] = fuse.welford mean %[[X]] dims = [1, 2] : tensor<?x4x16xf32> -> tensor<?x1x1xf32>, tensor<?x1x1xf32>
// CHECK:         fuse.sub %[[X]], %[[M]] : tensor<?x4x16xf32>, tensor<?x1x1xf32>
// CHECK:         return
func.func @expand(%x: tensor<?x64xf32>) -> tensor<?x4x16xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %m, %d = fuse.welford mean %x dims = [1] : tensor<?x64xf32> -> tensor<?x1xf32>, tensor<?x1xf32>
  %y = fuse.sub %x, %m : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  %z = fuse.mul %y, %d : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  %e = tensor.expand_shape %z [[0], [1, 2]] output_shape [%n, 4, 16] : tensor<?x64xf32> into tensor<?x4x16xf32>
  return %e : tensor<?x4x16xf32>
}

// -----

// First the expansion, then the transpose.
// CHECK-LABEL: func.func @windows
// CHECK:         tensor.expand_shape
// CHECK:         fuse.transpose
// CHECK:         fuse.softmax_stats %{{.*}} dims = [4] : tensor<2x2x2x2x16xf32>
// CHECK-NOT:     fuse.transpose
func.func @windows(%x: tensor<4x4x16xf32>) -> tensor<2x2x2x2x16xf32> {
  %m, %s = fuse.softmax_stats %x dims = [2] : tensor<4x4x16xf32> -> tensor<4x4x1xf32>, tensor<4x4x1xf32>
  %d = fuse.sub %x, %m : tensor<4x4x16xf32>, tensor<4x4x1xf32> -> tensor<4x4x16xf32>
  %y = fuse.div %d, %s : tensor<4x4x16xf32>, tensor<4x4x1xf32> -> tensor<4x4x16xf32>
  %e = tensor.expand_shape %y [[0, 1], [2, 3], [4]] output_shape [2, 2, 2, 2, 16] : tensor<4x4x16xf32> into tensor<2x2x2x2x16xf32>
  %t = fuse.transpose %e permutation = [0, 2, 1, 3, 4] : tensor<2x2x2x2x16xf32> -> tensor<2x2x2x2x16xf32>
  return %t : tensor<2x2x2x2x16xf32>
}

// -----

// What is reduced has two elements, but its expanded result has one.
// CHECK-LABEL: func.func @sum
// CHECK:         %[[S:.*]] = fuse.reduce sum %arg0 dims = [0] keep : tensor<2xf32> -> tensor<1xf32>
// CHECK:         tensor.expand_shape %[[S]]
func.func @sum(%x: tensor<2xf32>) -> tensor<1x1xf32> {
  %s = fuse.reduce sum %x dims = [0] keep : tensor<2xf32> -> tensor<1xf32>
  %e = tensor.expand_shape %s [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
  return %e : tensor<1x1xf32>
}

// -----

// A slice of rows leaves out rows before their norm: of what has the rows and of what
// repeats along the others, not of the weight.
// CHECK-LABEL: func.func @rows
// CHECK-DAG:     %[[X:.*]] = fuse.slice %arg0 offsets = [0, 1, 0] sizes = [2, -2, 64] : tensor<2x?x64xf32> -> tensor<2x?x64xf32>
// CHECK-DAG:     %[[S:.*]] = fuse.slice %arg1 offsets = [1, 0] sizes = [-2, 1] : tensor<?x1xf32> -> tensor<?x1xf32>
// CHECK:         %[[P:.*]] = fuse.mul %[[X]], %[[S]]
// CHECK:         %[[M:.*]] = fuse.reduce max %[[P]] dims = [2] keep
// CHECK:         %[[D:.*]] = fuse.div %[[P]], %[[M]]
// CHECK:         %[[Y:.*]] = fuse.mul %[[D]], %arg2
// CHECK-NOT:     fuse.slice
// CHECK:         return %[[Y]]
func.func @rows(%x: tensor<2x?x64xf32>, %s: tensor<?x1xf32>, %w: tensor<64xf32>) -> tensor<2x?x64xf32> {
  %p = fuse.mul %x, %s : tensor<2x?x64xf32>, tensor<?x1xf32> -> tensor<2x?x64xf32>
  %m = fuse.reduce max %p dims = [2] keep : tensor<2x?x64xf32> -> tensor<2x?x1xf32>
  %d = fuse.div %p, %m : tensor<2x?x64xf32>, tensor<2x?x1xf32> -> tensor<2x?x64xf32>
  %y = fuse.mul %d, %w : tensor<2x?x64xf32>, tensor<64xf32> -> tensor<2x?x64xf32>
  %z = fuse.slice %y offsets = [0, 1, 0] sizes = [2, -2, 64] : tensor<2x?x64xf32> -> tensor<2x?x64xf32>
  return %z : tensor<2x?x64xf32>
}

// -----

// Not where all rows are needed, nor past a reduction of what is cut.
// CHECK-LABEL: func.func @all_rows
// CHECK:         fuse.div
// CHECK-NEXT:    fuse.slice
func.func @all_rows(%x: tensor<8x64xf32>) -> (tensor<4x64xf32>, tensor<8x64xf32>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %d = fuse.div %x, %m : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  %z = fuse.slice %d offsets = [4, 0] sizes = [4, 64] : tensor<8x64xf32> -> tensor<4x64xf32>
  return %z, %d : tensor<4x64xf32>, tensor<8x64xf32>
}

// CHECK-LABEL: func.func @part_of_rows
// CHECK:         fuse.reduce max %arg0
// CHECK:         fuse.div
// CHECK-NEXT:    fuse.slice
func.func @part_of_rows(%x: tensor<8x64xf32>) -> tensor<8x16xf32> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %d = fuse.div %x, %m : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  %z = fuse.slice %d offsets = [0, 48] sizes = [8, 16] : tensor<8x64xf32> -> tensor<8x16xf32>
  return %z : tensor<8x16xf32>
}

// -----

// CHECK-LABEL: func.func private @declared
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>

// -----

// A rotary embedding by hand moves elements within rows, which go where the
// transpose puts them.
// CHECK-LABEL: func.func @halves
// CHECK:         %[[X:.*]] = fuse.transpose %arg0 permutation = [1, 0, 2]
// CHECK:         fuse.reduce mean %[[X]] dims = [2] keep : tensor<8x?x64xf32> -> tensor<8x?x1xf32>
// CHECK:         fuse.slice %{{.*}} offsets = [0, 0, 32] sizes = [8, -1, 32] : tensor<8x?x64xf32> -> tensor<8x?x32xf32>
// CHECK:         fuse.slice %{{.*}} offsets = [0, 0, 0] sizes = [8, -1, 32]
// CHECK:         fuse.concat %{{.*}} dim = 2 : tensor<8x?x32xf32>, tensor<8x?x32xf32> -> tensor<8x?x64xf32>
// CHECK-NOT:     fuse.transpose
// CHECK:         return
func.func @halves(%x: tensor<?x8x64xf32>) -> tensor<8x?x64xf32> {
  %m = fuse.reduce mean %x dims = [2] keep : tensor<?x8x64xf32> -> tensor<?x8x1xf32>
  %y = fuse.div %x, %m : tensor<?x8x64xf32>, tensor<?x8x1xf32> -> tensor<?x8x64xf32>
  %b = fuse.slice %y offsets = [0, 0, 32] sizes = [-1, 8, 32] : tensor<?x8x64xf32> -> tensor<?x8x32xf32>
  %n = fuse.neg %b : tensor<?x8x32xf32>
  %a = fuse.slice %y offsets = [0, 0, 0] sizes = [-1, 8, 32] : tensor<?x8x64xf32> -> tensor<?x8x32xf32>
  %c = fuse.concat %n, %a dim = 2 : tensor<?x8x32xf32>, tensor<?x8x32xf32> -> tensor<?x8x64xf32>
  %s = fuse.add %c, %y : tensor<?x8x64xf32>
  %t = fuse.transpose %s permutation = [1, 0, 2] : tensor<?x8x64xf32> -> tensor<8x?x64xf32>
  return %t : tensor<8x?x64xf32>
}

// -----

// What moves whole rows goes to where the transpose puts these.
// CHECK-LABEL: func.func @moved_rows
// CHECK:         fuse.pad %{{.*}} low = [0, 1, 0] high = [2, 0, 0] value = 0.0{{.*}} : tensor<8x?x64xf32> -> tensor<10x?x64xf32>
// CHECK:         fuse.reverse %{{.*}} dims = [0, 2] : tensor<10x?x64xf32>
// CHECK:         fuse.concat %{{.*}} dim = 1 : tensor<10x?x64xf32>, tensor<10x?x64xf32> -> tensor<10x?x64xf32>
// CHECK-NEXT:    return
func.func @moved_rows(%x: tensor<?x8x64xf32>, %z: tensor<?x10x64xf32>) -> tensor<10x?x64xf32> {
  %m = fuse.reduce mean %x dims = [2] keep : tensor<?x8x64xf32> -> tensor<?x8x1xf32>
  %y = fuse.div %x, %m : tensor<?x8x64xf32>, tensor<?x8x1xf32> -> tensor<?x8x64xf32>
  %p = fuse.pad %y low = [1, 0, 0] high = [0, 2, 0] value = 0.0 : tensor<?x8x64xf32> -> tensor<?x10x64xf32>
  %r = fuse.reverse %p dims = [1, 2] : tensor<?x10x64xf32>
  %c = fuse.concat %r, %z dim = 0 : tensor<?x10x64xf32>, tensor<?x10x64xf32> -> tensor<?x10x64xf32>
  %t = fuse.transpose %c permutation = [1, 0, 2] : tensor<?x10x64xf32> -> tensor<10x?x64xf32>
  return %t : tensor<10x?x64xf32>
}

// -----

// A norm between two transposes is one of the dimension that they move.
// CHECK-LABEL: func.func @between
// CHECK-NOT:     fuse.transpose
// CHECK:         %[[M:.*]] = fuse.reduce mean %arg0 dims = [1] keep : tensor<?x8x4x4xf32> -> tensor<?x1x4x4xf32>
// CHECK:         %[[D:.*]] = fuse.sub %arg0, %[[M]]
// CHECK:         %[[E:.*]] = tensor.expand_shape %arg1 {{\[\[}}0, 1, 2, 3]] output_shape [1, 1, 1, 8]
// CHECK:         %[[W:.*]] = fuse.transpose %[[E]] permutation = [0, 3, 1, 2] : tensor<1x1x1x8xf32> -> tensor<1x8x1x1xf32>
// CHECK:         %[[Y:.*]] = fuse.mul %[[D]], %[[W]] : tensor<?x8x4x4xf32>, tensor<1x8x1x1xf32>
// CHECK:         return %[[Y]]
func.func @between(%x: tensor<?x8x4x4xf32>, %w: tensor<8xf32>) -> tensor<?x8x4x4xf32> {
  %t = fuse.transpose %x permutation = [0, 2, 3, 1] : tensor<?x8x4x4xf32> -> tensor<?x4x4x8xf32>
  %m = fuse.reduce mean %t dims = [3] keep : tensor<?x4x4x8xf32> -> tensor<?x4x4x1xf32>
  %d = fuse.sub %t, %m : tensor<?x4x4x8xf32>, tensor<?x4x4x1xf32>
  %s = fuse.mul %d, %w : tensor<?x4x4x8xf32>, tensor<8xf32>
  %y = fuse.transpose %s permutation = [0, 3, 1, 2] : tensor<?x4x4x8xf32> -> tensor<?x8x4x4xf32>
  return %y : tensor<?x8x4x4xf32>
}

// -----

// What is needed as it is transposed keeps the transpose.
// CHECK-LABEL: func.func @needed
// CHECK-COUNT-2: fuse.transpose
func.func @needed(%x: tensor<?x8x4x4xf32>) -> (tensor<?x8x4x4xf32>, tensor<?x4x4x8xf32>) {
  %t = fuse.transpose %x permutation = [0, 2, 3, 1] : tensor<?x8x4x4xf32> -> tensor<?x4x4x8xf32>
  %m = fuse.reduce mean %t dims = [3] keep : tensor<?x4x4x8xf32> -> tensor<?x4x4x1xf32>
  %d = fuse.sub %t, %m : tensor<?x4x4x8xf32>, tensor<?x4x4x1xf32>
  %y = fuse.transpose %d permutation = [0, 3, 1, 2] : tensor<?x4x4x8xf32> -> tensor<?x8x4x4xf32>
  return %y, %d : tensor<?x8x4x4xf32>, tensor<?x4x4x8xf32>
}

// -----

// A row that is returned, reduced, and reduced by groups has their shape.
// CHECK-LABEL: func.func @row_and_groups
// CHECK-DAG:     %[[W:.*]] = tensor.expand_shape %arg1 {{\[\[}}0, 1]] output_shape [8, 8]
// CHECK-DAG:     %[[X:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [%{{.*}}, 8, 8]
// CHECK:         %[[M:.*]] = fuse.reduce mean %[[X]] dims = [1, 2] keep : tensor<?x8x8xf32> -> tensor<?x1x1xf32>
// CHECK:         %[[D:.*]] = fuse.sub %[[X]], %[[M]] : tensor<?x8x8xf32>, tensor<?x1x1xf32>
// CHECK:         %[[Y:.*]] = fuse.mul %[[D]], %[[W]] : tensor<?x8x8xf32>, tensor<8x8xf32>
// CHECK:         %[[R:.*]] = tensor.collapse_shape %[[Y]]
// CHECK:         %[[S:.*]] = fuse.reduce max %[[Y]] dims = [2] : tensor<?x8x8xf32> -> tensor<?x8xf32>
// CHECK:         %[[A:.*]] = fuse.reduce max %[[Y]] dims = [1, 2] : tensor<?x8x8xf32> -> tensor<?xf32>
// CHECK:         return %[[R]], %[[S]], %[[A]]
func.func @row_and_groups(%x: tensor<?x64xf32>, %w: tensor<64xf32>) -> (tensor<?x64xf32>, tensor<?x8xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %m = fuse.reduce mean %x dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
  %d = fuse.sub %x, %m : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  %y = fuse.mul %d, %w : tensor<?x64xf32>, tensor<64xf32> -> tensor<?x64xf32>
  %g = tensor.expand_shape %y [[0], [1, 2]] output_shape [%n, 8, 8] : tensor<?x64xf32> into tensor<?x8x8xf32>
  %s = fuse.reduce max %g dims = [2] : tensor<?x8x8xf32> -> tensor<?x8xf32>
  %a = fuse.reduce max %y dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  return %y, %s, %a : tensor<?x64xf32>, tensor<?x8xf32>, tensor<?xf32>
}

// -----

// Groups of two sizes share the shape that refines both, also of an argument.
// CHECK-LABEL: func.func @two_sizes
// CHECK:         %[[X:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2, 3]] output_shape [4, 8, 2, 4]
// CHECK:         %[[A:.*]] = fuse.abs %[[X]] : tensor<4x8x2x4xf32>
// CHECK:         tensor.collapse_shape %[[A]] {{.*}} into tensor<4x16x4xf32>
// CHECK:         fuse.reduce max %[[X]] dims = [2, 3] : tensor<4x8x2x4xf32> -> tensor<4x8xf32>
// CHECK:         fuse.reduce max %[[X]] dims = [1, 2, 3] : tensor<4x8x2x4xf32> -> tensor<4xf32>
func.func @two_sizes(%x: tensor<4x64xf32>) -> (tensor<4x16xf32>, tensor<4x8xf32>, tensor<4xf32>) {
  %g = tensor.expand_shape %x [[0], [1, 2]] output_shape [4, 16, 4] : tensor<4x64xf32> into tensor<4x16x4xf32>
  %b = fuse.abs %g : tensor<4x16x4xf32>
  %s = fuse.reduce max %b dims = [2] : tensor<4x16x4xf32> -> tensor<4x16xf32>
  %h = tensor.expand_shape %x [[0], [1, 2]] output_shape [4, 8, 8] : tensor<4x64xf32> into tensor<4x8x8xf32>
  %t = fuse.reduce max %h dims = [2] : tensor<4x8x8xf32> -> tensor<4x8xf32>
  %a = fuse.reduce max %x dims = [1] : tensor<4x64xf32> -> tensor<4xf32>
  return %s, %t, %a : tensor<4x16xf32>, tensor<4x8xf32>, tensor<4xf32>
}

// -----

// The means of rows are subtracted from columns: they are in groups, too.
// CHECK-LABEL: func.func @means_of_columns
// CHECK:         %[[X:.*]] = tensor.expand_shape %arg0
// CHECK:         %[[M:.*]] = fuse.reduce mean %[[X]] dims = [1, 2] : tensor<16x4x4xf32> -> tensor<16xf32>
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[M]] {{\[\[}}0, 1]] output_shape [4, 4]
// CHECK:         fuse.sub %[[X]], %[[E]] : tensor<16x4x4xf32>, tensor<4x4xf32>
func.func @means_of_columns(%x: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x4xf32>) {
  %m = fuse.reduce mean %x dims = [1] : tensor<16x16xf32> -> tensor<16xf32>
  %d = fuse.sub %x, %m : tensor<16x16xf32>, tensor<16xf32> -> tensor<16x16xf32>
  %g = tensor.expand_shape %d [[0], [1, 2]] output_shape [16, 4, 4] : tensor<16x16xf32> into tensor<16x4x4xf32>
  %s = fuse.reduce max %g dims = [2] : tensor<16x4x4xf32> -> tensor<16x4xf32>
  return %d, %s : tensor<16x16xf32>, tensor<16x4xf32>
}

// -----

// A scan walks whole rows.
// CHECK-LABEL: func.func @scanned
// CHECK:         %[[Y:.*]] = fuse.exp %arg0 : tensor<4x64xf32>
// CHECK:         fuse.scan sum %[[Y]]
func.func @scanned(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x8xf32>) {
  %y = fuse.exp %x : tensor<4x64xf32>
  %g = tensor.expand_shape %y [[0], [1, 2]] output_shape [4, 8, 8] : tensor<4x64xf32> into tensor<4x8x8xf32>
  %s = fuse.reduce max %g dims = [2] : tensor<4x8x8xf32> -> tensor<4x8xf32>
  %c = fuse.scan sum %y : tensor<4x64xf32>
  return %c, %s : tensor<4x64xf32>, tensor<4x8xf32>
}

// -----

// Columns of whole rows are kept beside these.
// CHECK-LABEL: func.func @columns
// CHECK:         %[[Y:.*]] = fuse.exp %arg0 : tensor<4x64xf32>
// CHECK:         fuse.reduce sum %[[Y]] dims = [0]
func.func @columns(%x: tensor<4x64xf32>) -> (tensor<64xf32>, tensor<4x8xf32>) {
  %y = fuse.exp %x : tensor<4x64xf32>
  %g = tensor.expand_shape %y [[0], [1, 2]] output_shape [4, 8, 8] : tensor<4x64xf32> into tensor<4x8x8xf32>
  %s = fuse.reduce max %g dims = [2] : tensor<4x8x8xf32> -> tensor<4x8xf32>
  %c = fuse.reduce sum %y dims = [0] : tensor<4x64xf32> -> tensor<64xf32>
  return %c, %s : tensor<64xf32>, tensor<4x8xf32>
}

// -----

// What a contraction adds to is its kernel's.
// CHECK-LABEL: func.func @contracted
// CHECK:         fuse.add %{{.*}}, %{{.*}} : tensor<16x64xf32>
func.func @contracted(%x: tensor<16x64xf32>, %a: tensor<16x32xf32>, %w: tensor<32x64xf32>) -> (tensor<16x64xf32>, tensor<16x8xf32>) {
  %y = fuse.exp %x : tensor<16x64xf32>
  %g = tensor.expand_shape %y [[0], [1, 2]] output_shape [16, 8, 8] : tensor<16x64xf32> into tensor<16x8x8xf32>
  %s = fuse.reduce max %g dims = [2] : tensor<16x8x8xf32> -> tensor<16x8xf32>
  %p = fuse.contract "mk,kn->mn" %a, %w : tensor<16x32xf32>, tensor<32x64xf32> -> tensor<16x64xf32>
  %z = fuse.add %y, %p : tensor<16x64xf32>
  return %z, %s : tensor<16x64xf32>, tensor<16x8xf32>
}

// -----

// A transpose stays behind reductions of which it cannot pass all: their kernel stores in its order.
// CHECK-LABEL: func.func @norm_of_norm
// CHECK:         fuse.reduce sum %{{.*}} dims = [1, 2] keep
// CHECK:         fuse.reduce sum %{{.*}} dims = [2] keep
// CHECK:         %[[Y:.*]] = fuse.div
// CHECK:         %[[T:.*]] = fuse.transpose %[[Y]]
// CHECK:         return %[[T]]
func.func @norm_of_norm(%x: tensor<64x8x16xf32>) -> tensor<8x64x16xf32> {
  %s = fuse.reduce sum %x dims = [1, 2] keep : tensor<64x8x16xf32> -> tensor<64x1x1xf32>
  %n = fuse.div %x, %s : tensor<64x8x16xf32>, tensor<64x1x1xf32>
  %h = fuse.reduce sum %n dims = [2] keep : tensor<64x8x16xf32> -> tensor<64x8x1xf32>
  %y = fuse.div %n, %h : tensor<64x8x16xf32>, tensor<64x8x1xf32>
  %t = fuse.transpose %y permutation = [1, 0, 2] : tensor<64x8x16xf32> -> tensor<8x64x16xf32>
  return %t : tensor<8x64x16xf32>
}

// -----

// It goes down past what needs other places of its row.
// CHECK-LABEL: func.func @rotated
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<64x8x16xf32>, %[[C:[a-z0-9]+]]: tensor<1x64x16xf32>
// CHECK:         %[[N:.*]] = fuse.div %[[X]]
// CHECK:         %[[R:.*]] = fuse.reverse %{{.*}} dims = [2] : tensor<64x8x16xf32>
// CHECK:         %[[B:.*]] = fuse.transpose %[[C]] permutation = [1, 0, 2]
// CHECK:         %[[Y:.*]] = fuse.mul %[[R]], %[[B]] : tensor<64x8x16xf32>, tensor<64x1x16xf32>
// CHECK:         %[[T:.*]] = fuse.transpose %[[Y]] permutation = [1, 0, 2]
// CHECK:         return %[[T]]
func.func @rotated(%x: tensor<64x8x16xf32>, %c: tensor<1x64x16xf32>) -> tensor<8x64x16xf32> {
  %s = fuse.reduce sum %x dims = [1, 2] keep : tensor<64x8x16xf32> -> tensor<64x1x1xf32>
  %n = fuse.div %x, %s : tensor<64x8x16xf32>, tensor<64x1x1xf32>
  %t = fuse.transpose %n permutation = [1, 0, 2] : tensor<64x8x16xf32> -> tensor<8x64x16xf32>
  %r = fuse.reverse %t dims = [2] : tensor<8x64x16xf32>
  %y = fuse.mul %r, %c : tensor<8x64x16xf32>, tensor<1x64x16xf32>
  return %y : tensor<8x64x16xf32>
}

// -----

// Where several go on from it, it stays.
// CHECK-LABEL: func.func @rotated_twice
// CHECK:         %[[T:.*]] = fuse.transpose
// CHECK:         fuse.reverse %[[T]] dims = [2]
func.func @rotated_twice(%x: tensor<64x8x16xf32>) -> (tensor<8x64x16xf32>, tensor<8x64x16xf32>) {
  %s = fuse.reduce sum %x dims = [1, 2] keep : tensor<64x8x16xf32> -> tensor<64x1x1xf32>
  %n = fuse.div %x, %s : tensor<64x8x16xf32>, tensor<64x1x1xf32>
  %t = fuse.transpose %n permutation = [1, 0, 2] : tensor<64x8x16xf32> -> tensor<8x64x16xf32>
  %r = fuse.reverse %t dims = [2] : tensor<8x64x16xf32>
  return %r, %t : tensor<8x64x16xf32>, tensor<8x64x16xf32>
}
