// RUN: fuse-opt %s -split-input-file -fuse-propagate-reshapes | FileCheck %s

// A weight of all heads is expanded, so that the norm of each head keeps its
// shape until the end.
// CHECK-LABEL: func.func @per_head
// CHECK:         %[[M:.*]] = fuse.reduce mean
// CHECK:         %[[W:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [4, 32] : tensor<128xf32> into tensor<4x32xf32>
// CHECK:         %[[Y:.*]] = fuse.mul %{{.*}}, %[[W]] : tensor<?x4x32xf32>, tensor<4x32xf32>
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0], [1, 2]]
// CHECK:         return %[[C]]
func.func @per_head(%x: tensor<?x4x32xf32>, %w: tensor<128xf32>) -> tensor<?x128xf32> {
  %m = fuse.reduce mean %x dims = [2] keep : tensor<?x4x32xf32> -> tensor<?x4x1xf32>
  %h = fuse.mul %x, %m : tensor<?x4x32xf32>, tensor<?x4x1xf32> -> tensor<?x4x32xf32>
  %c = tensor.collapse_shape %h [[0], [1, 2]] : tensor<?x4x32xf32> into tensor<?x128xf32>
  %y = fuse.mul %c, %w : tensor<?x128xf32>, tensor<128xf32> -> tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}

// -----

// CHECK-LABEL: func.func @raise
// CHECK:         %[[E:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]]
// CHECK:         %[[X:.*]] = fuse.exp %[[E]] : tensor<?x4x32xf32>
// CHECK:         return %[[X]]
func.func @raise(%x: tensor<?x128xf32>) -> tensor<?x4x32xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x128xf32>
  %e = fuse.exp %x : tensor<?x128xf32>
  %f = tensor.expand_shape %e [[0], [1, 2]] output_shape [%n, 4, 32] : tensor<?x128xf32> into tensor<?x4x32xf32>
  return %f : tensor<?x4x32xf32>
}

// -----

// A reduction over a dimension that is not collapsed.
// CHECK-LABEL: func.func @reduce
// CHECK:         %[[E:.*]] = fuse.exp
// CHECK:         %[[R:.*]] = fuse.reduce max %[[E]] dims = [2] : tensor<2x3x8xf32> -> tensor<2x3xf32>
// CHECK:         tensor.collapse_shape %[[R]] {{\[\[}}0, 1]] : tensor<2x3xf32> into tensor<6xf32>
func.func @reduce(%x: tensor<2x3x8xf32>) -> tensor<6xf32> {
  %e = fuse.exp %x : tensor<2x3x8xf32>
  %c = tensor.collapse_shape %e [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %r = fuse.reduce max %c dims = [1] : tensor<6x8xf32> -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// -----

// One over the collapsed dimension reduces several.
// CHECK-LABEL: func.func @several
// CHECK:         %[[R:.*]] = fuse.reduce max %{{.*}} dims = [0, 1] keep : tensor<2x3x8xf32> -> tensor<1x1x8xf32>
// CHECK-NEXT:    tensor.collapse_shape %[[R]] {{\[\[}}0, 1], [2]] : tensor<1x1x8xf32> into tensor<1x8xf32>
func.func @several(%x: tensor<2x3x8xf32>) -> tensor<1x8xf32> {
  %e = fuse.exp %x : tensor<2x3x8xf32>
  %c = tensor.collapse_shape %e [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %r = fuse.reduce max %c dims = [0] keep : tensor<6x8xf32> -> tensor<1x8xf32>
  return %r : tensor<1x8xf32>
}

// -----

// What follows from a reduction stays in its shape.
// CHECK-LABEL: func.func @rows
// CHECK:         %[[Y:.*]] = fuse.mul
// CHECK:         %[[Z:.*]] = fuse.neg %[[Y]]
// CHECK:         tensor.expand_shape %[[Z]]
func.func @rows(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x2x4xf32>) {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
  %y = fuse.mul %x, %s : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %z = fuse.neg %y : tensor<4x8xf32>
  %e = tensor.expand_shape %z [[0], [1, 2]] output_shape [4, 2, 4] : tensor<4x8xf32> into tensor<4x2x4xf32>
  return %y, %e : tensor<4x8xf32>, tensor<4x2x4xf32>
}

// -----

// What asks where it is keeps its shape, and so does a view of an input.
// CHECK-LABEL: func.func @no_change
// CHECK:         tensor.collapse_shape %{{.*}} {{.*}} into tensor<6xf32>
// CHECK-NEXT:    fuse.exp
// CHECK-NEXT:    tensor.collapse_shape
// CHECK-NEXT:    fuse.iota
func.func @no_change(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<6xi32>) {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %e = fuse.exp %c : tensor<6xf32>
  %d = tensor.collapse_shape %y [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %i = fuse.iota dim = 0 like %d : tensor<6xf32> -> tensor<6xi32>
  return %e, %i : tensor<6xf32>, tensor<6xi32>
}

// -----

// Reshapes to the same shape go, and nothing turns in circles.
// CHECK-LABEL: func.func @identity
// CHECK-NOT:     tensor.
// CHECK:         return
func.func @identity(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = fuse.exp %x : tensor<2xf64>
  %c = tensor.collapse_shape %y [[0]] : tensor<2xf64> into tensor<2xf64>
  %e = tensor.expand_shape %c [[0]] output_shape [2] : tensor<2xf64> into tensor<2xf64>
  %z = fuse.add %x, %e : tensor<2xf64>
  return %z : tensor<2xf64>
}

// -----

// A gather takes what a cast widens before it does; not what it narrows, whose
// table would then be read at twice the width, nor what may be NaN only after
// the cast.
// CHECK-LABEL: func.func @gathered
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<4x8xbf16>, %[[D:[a-z0-9]+]]: tensor<8xf32>, %[[N:[a-z0-9]+]]: tensor<8xi32>, %[[I:[a-z0-9]+]]: tensor<4xi64>)
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[X]] {{.*}} into tensor<32xbf16>
// CHECK:         %[[G:.*]] = fuse.gather %[[C]], %[[I]] dim = 0 : tensor<32xbf16>, tensor<4xi64> -> tensor<4xbf16>
// CHECK:         %[[Y:.*]] = fuse.cast %[[G]] : tensor<4xbf16> -> tensor<4xf32>
// CHECK:         %[[DC:.*]] = fuse.cast %[[D]]
// CHECK:         %[[DG:.*]] = fuse.gather %[[DC]]
// CHECK:         %[[NC:.*]] = fuse.cast %[[N]]
// CHECK:         %[[NG:.*]] = fuse.gather %[[NC]]
// CHECK:         return %[[Y]], %[[DG]], %[[NG]]
func.func @gathered(%x: tensor<4x8xbf16>, %d: tensor<8xf32>, %n: tensor<8xi32>, %i: tensor<4xi64>)
    -> (tensor<4xf32>, tensor<4xf16>, tensor<4xf64>) {
  %f = fuse.cast %x : tensor<4x8xbf16> -> tensor<4x8xf32>
  %c = tensor.collapse_shape %f [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %y = fuse.gather %c, %i dim = 0 : tensor<32xf32>, tensor<4xi64> -> tensor<4xf32>
  %dc = fuse.cast %d : tensor<8xf32> -> tensor<8xf16>
  %dg = fuse.gather %dc, %i dim = 0 : tensor<8xf16>, tensor<4xi64> -> tensor<4xf16>
  %nc = fuse.cast %n : tensor<8xi32> -> tensor<8xf64>
  %ng = fuse.gather %nc, %i dim = 0 : tensor<8xf64>, tensor<4xi64> -> tensor<4xf64>
  return %y, %dg, %ng : tensor<4xf32>, tensor<4xf16>, tensor<4xf64>
}

// -----

// Heads of 128 as others of 512, by way of [2, 4, 128]: the expansion goes up, the
// collapse down.
// CHECK-LABEL: func.func @regrouped
// CHECK:         %[[X:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2], [3]] output_shape [%{{.*}}, 2, 4, 128] : tensor<?x8x128xbf16> into tensor<?x2x4x128xbf16>
// CHECK:         %[[E:.*]] = fuse.exp %[[X]]
// CHECK:         %[[N:.*]] = fuse.neg %[[E]] : tensor<?x2x4x128xbf16>
// CHECK:         tensor.collapse_shape %[[N]] {{\[}}[0], [1], [2, 3]] : tensor<?x2x4x128xbf16> into tensor<?x2x512xbf16>
func.func @regrouped(%x: tensor<?x8x128xbf16>) -> tensor<?x2x512xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x128xbf16>
  %e = fuse.exp %x : tensor<?x8x128xbf16>
  %c = tensor.collapse_shape %e [[0], [1, 2]] : tensor<?x8x128xbf16> into tensor<?x1024xbf16>
  %g = tensor.expand_shape %c [[0], [1, 2]] output_shape [%n, 2, 512] : tensor<?x1024xbf16> into tensor<?x2x512xbf16>
  %y = fuse.neg %g : tensor<?x2x512xbf16>
  return %y : tensor<?x2x512xbf16>
}

// -----

// No shape refines [4, 6] and [3, 8]: what reads nothing broadcast leaves the
// reshapes to its operand.
// CHECK-LABEL: func.func @crossing
// CHECK:         %[[C:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1]]
// CHECK:         %[[X:.*]] = tensor.expand_shape %[[C]] {{\[}}[0, 1]] output_shape [3, 8]
// CHECK:         %[[E:.*]] = fuse.exp %[[X]] : tensor<3x8xf32>
// CHECK:         fuse.reduce sum %[[E]] dims = [1]
func.func @crossing(%x: tensor<4x6xf32>) -> tensor<3xf32> {
  %e = fuse.exp %x : tensor<4x6xf32>
  %c = tensor.collapse_shape %e [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %g = tensor.expand_shape %c [[0, 1]] output_shape [3, 8] : tensor<24xf32> into tensor<3x8xf32>
  %s = fuse.reduce sum %g dims = [1] : tensor<3x8xf32> -> tensor<3xf32>
  return %s : tensor<3xf32>
}

// -----

// A mask of positions stays one in the shape with more dimensions, also where
// others read it.
// CHECK-LABEL: func.func @places
// CHECK-DAG:     %[[I:.*]] = fuse.iota dim = 2 : tensor<1x1x6x1xi32>
// CHECK-DAG:     %[[J:.*]] = fuse.iota dim = 3 : tensor<1x1x1x8xi32>
// CHECK:         %[[M:.*]] = fuse.compare le %[[J]], %[[I]]
// CHECK:         fuse.select %[[M]], %{{.*}} : tensor<1x1x6x8xi1>, tensor<3x2x6x8xf32>
func.func @places(%x: tensor<3x2x6x8xf32>, %y: tensor<6x8xf32>, %z: tensor<f32>) -> (tensor<3x2x6x8xf32>, tensor<6x8xf32>) {
  %i = fuse.iota dim = 0 : tensor<6x1xi32>
  %j = fuse.iota dim = 1 : tensor<1x8xi32>
  %m = fuse.compare le %j, %i : tensor<1x8xi32>, tensor<6x1xi32> -> tensor<6x8xi1>
  %e = tensor.expand_shape %m [[0, 1, 2], [3]] output_shape [1, 1, 6, 8] : tensor<6x8xi1> into tensor<1x1x6x8xi1>
  %r = fuse.select %e, %x, %z : tensor<1x1x6x8xi1>, tensor<3x2x6x8xf32>, tensor<f32> -> tensor<3x2x6x8xf32>
  %s = fuse.select %m, %y, %z : tensor<6x8xi1>, tensor<6x8xf32>, tensor<f32> -> tensor<6x8xf32>
  return %r, %s : tensor<3x2x6x8xf32>, tensor<6x8xf32>
}

// -----

// Of a dynamic number.
// CHECK-LABEL: func.func @dynamic_places
// CHECK:         fuse.iota dim = 2 like %{{.*}} : tensor<1x1x?xi1> -> tensor<1x1x?xi32>
// CHECK-NOT:     tensor.expand_shape %{{.*}} : tensor<?xi32>
func.func @dynamic_places(%x: tensor<4x4x?xi32>, %s: tensor<?xi1>) -> tensor<4x4x?xi1> {
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c2 : tensor<4x4x?xi32>
  %i = fuse.iota dim = 0 like %s : tensor<?xi1> -> tensor<?xi32>
  %e = tensor.expand_shape %i [[0, 1, 2]] output_shape [1, 1, %n] : tensor<?xi32> into tensor<1x1x?xi32>
  %r = fuse.compare le %e, %x : tensor<1x1x?xi32>, tensor<4x4x?xi32> -> tensor<4x4x?xi1>
  return %r : tensor<4x4x?xi1>
}

// -----

// A reshaped constant of one value is one that each kernel has, no memory.
// CHECK-LABEL: func.func @reshaped_constant(
// CHECK-NOT:     arith.constant
// CHECK:         %[[C:.+]] = fuse.constant dense<2.000000e+00> : tensor<1x1xf32>
// CHECK:         fuse.mul %{{.+}}, %[[C]]
func.func @reshaped_constant(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = fuse.constant dense<2.0> : tensor<f32>
  %e = tensor.expand_shape %c [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %y = fuse.mul %x, %e : tensor<4x8xf32>, tensor<1x1xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// What is scattered may be joined behind the rows that move, in what it is written
// into as well.
// CHECK-LABEL: func.func @scatter
// CHECK:         %[[E:.*]] = tensor.expand_shape %arg1 {{\[\[}}0], [1, 2]] output_shape [%{{.*}}, 8, 1] : tensor<?x8xf32> into tensor<?x8x1xf32>
// CHECK:         %[[S:.*]] = fuse.scatter %[[E]], %arg2, %{{.*}} dim = 0 : tensor<?x8x1xf32>, tensor<?xi64>, tensor<?x8x1xf32> -> tensor<?x8x1xf32>
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[S]] {{\[\[}}0], [1, 2]] : tensor<?x8x1xf32> into tensor<?x8xf32>
// CHECK:         return %[[C]]
func.func @scatter(%x: tensor<?x8x128xf32>, %into: tensor<?x8xf32>, %ids: tensor<?xi64>) -> tensor<?x8xf32> {
  %m = fuse.reduce max %x dims = [2] keep : tensor<?x8x128xf32> -> tensor<?x8x1xf32>
  %c = tensor.collapse_shape %m [[0], [1, 2]] : tensor<?x8x1xf32> into tensor<?x8xf32>
  %s = fuse.scatter %into, %ids, %c dim = 0 : tensor<?x8xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}

// -----

// Scores of all batches and heads together are seen apart, where a bias differs, and
// together again: both contractions have the batches apart.
// CHECK-LABEL: func.func @split_batches
// CHECK-SAME:    %[[Q:[^:]*]]: tensor<16x70x64xf16>, %[[K:[^:]*]]: tensor<16x?x64xf16>, %[[V:[^:]*]]: tensor<16x?x64xf16>
// CHECK-DAG:     %[[Q2:.*]] = tensor.expand_shape %[[Q]] {{\[\[}}0, 1], [2], [3]] output_shape [2, 8, 70, 64]
// CHECK-DAG:     %[[K2:.*]] = tensor.expand_shape %[[K]] {{\[\[}}0, 1], [2], [3]] output_shape [2, 8, %{{.*}}, 64]
// CHECK:         %[[S:.*]] = fuse.contract "acmk,acnk->acmn" %[[Q2]], %[[K2]]
// CHECK:         %[[P:.*]] = fuse.add %[[S]]
// CHECK:         %[[V2:.*]] = tensor.expand_shape %[[V]] {{\[\[}}0, 1], [2], [3]] output_shape [2, 8, %{{.*}}, 64]
// CHECK:         %[[O:.*]] = fuse.contract "acmn,acnk->acmk" %[[P]], %[[V2]] : {{.*}} -> tensor<2x8x70x64xf16>
// CHECK:         tensor.collapse_shape %[[O]] {{\[\[}}0, 1], [2], [3]]
func.func @split_batches(%q: tensor<16x70x64xf16>, %k: tensor<16x?x64xf16>, %v: tensor<16x?x64xf16>, %bias: tensor<2x1x1x?xf16>, %n: index) -> tensor<16x70x64xf16> {
  %s = fuse.contract "bmk,bnk->bmn" %q, %k : tensor<16x70x64xf16>, tensor<16x?x64xf16> -> tensor<16x70x?xf16>
  %e = tensor.expand_shape %s [[0, 1], [2], [3]] output_shape [2, 8, 70, %n] : tensor<16x70x?xf16> into tensor<2x8x70x?xf16>
  %a = fuse.add %e, %bias : tensor<2x8x70x?xf16>, tensor<2x1x1x?xf16> -> tensor<2x8x70x?xf16>
  %c = tensor.collapse_shape %a [[0, 1], [2], [3]] : tensor<2x8x70x?xf16> into tensor<16x70x?xf16>
  %o = fuse.contract "bmn,bnk->bmk" %c, %v : tensor<16x70x?xf16>, tensor<16x?x64xf16> -> tensor<16x70x64xf16>
  return %o : tensor<16x70x64xf16>
}

// -----

// Rows and columns stay whole: a reshape of these is no reshape of batches.
// CHECK-LABEL: func.func @no_batches
// CHECK:         fuse.contract "bmk,bnk->bmn"
// CHECK-NEXT:    tensor.expand_shape
func.func @no_batches(%x: tensor<4x6x64xf16>, %w: tensor<4x256x64xf16>) -> tensor<4x6x2x128xf16> {
  %p = fuse.contract "bmk,bnk->bmn" %x, %w : tensor<4x6x64xf16>, tensor<4x256x64xf16> -> tensor<4x6x256xf16>
  %e = tensor.expand_shape %p [[0], [1], [2, 3]] output_shape [4, 6, 2, 128] : tensor<4x6x256xf16> into tensor<4x6x2x128xf16>
  return %e : tensor<4x6x2x128xf16>
}

// -----

// Sizes of 1 that are dropped and made go with what is broadcast, up to where they are
// memory's.
// CHECK-LABEL: func.func @ones
// CHECK-SAME:    %[[W:[^:]*]]: tensor<32x64xi8>, %[[S:[^:]*]]: tensor<32x1x1xf32>
// CHECK-DAG:     %[[A:.*]] = tensor.expand_shape %[[W]] {{\[\[}}0, 1], [2]] output_shape [1, 32, 64]
// CHECK-DAG:     %[[F:.*]] = fuse.cast %[[A]] : tensor<1x32x64xi8> -> tensor<1x32x64xf32>
// CHECK-DAG:     %[[C:.*]] = tensor.collapse_shape %[[S]] {{\[\[}}0], [1, 2]]
// CHECK-DAG:     %[[B:.*]] = tensor.expand_shape %[[C]] {{\[\[}}0, 1], [2]] output_shape [1, 32, 1]
// CHECK:         %[[D:.*]] = fuse.mul %[[F]], %[[B]]
// CHECK-NEXT:    return %[[D]]
func.func @ones(%w: tensor<32x64xi8>, %s: tensor<32x1x1xf32>) -> tensor<1x32x64xf32> {
  %g = tensor.expand_shape %w [[0], [1, 2]] output_shape [32, 1, 64] : tensor<32x64xi8> into tensor<32x1x64xi8>
  %f = fuse.cast %g : tensor<32x1x64xi8> -> tensor<32x1x64xf32>
  %d = fuse.mul %f, %s : tensor<32x1x64xf32>, tensor<32x1x1xf32> -> tensor<32x1x64xf32>
  %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<32x1x64xf32> into tensor<32x64xf32>
  %e = tensor.expand_shape %r [[0, 1], [2]] output_shape [1, 32, 64] : tensor<32x64xf32> into tensor<1x32x64xf32>
  return %e : tensor<1x32x64xf32>
}

// -----

// What groups share a scale keeps its dimensions: other sizes than 1 go.
// CHECK-LABEL: func.func @groups
// CHECK:         %[[D:.*]] = fuse.mul %{{.*}} : tensor<32x2x32xf32>, tensor<32x2x1xf32>
// CHECK:         tensor.collapse_shape %[[D]]
func.func @groups(%w: tensor<32x2x32xf32>, %s: tensor<32x2x1xf32>) -> tensor<1x32x64xf32> {
  %d = fuse.mul %w, %s : tensor<32x2x32xf32>, tensor<32x2x1xf32> -> tensor<32x2x32xf32>
  %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<32x2x32xf32> into tensor<32x64xf32>
  %e = tensor.expand_shape %r [[0, 1], [2]] output_shape [1, 32, 64] : tensor<32x64xf32> into tensor<1x32x64xf32>
  return %e : tensor<1x32x64xf32>
}

// -----

// Halves of normed heads are exchanged before the dimension of size 1 is dropped
// that the heads had.
// CHECK-LABEL: func.func @halves_of_part
// CHECK:         fuse.slice %{{.*}} offsets = [0, 0, 0, 32] sizes = [-1, 1, 8, 32] : tensor<?x1x8x64xf32> -> tensor<?x1x8x32xf32>
// CHECK:         %[[C:.*]] = fuse.concat %{{.*}} dim = 3 : tensor<?x1x8x32xf32>, tensor<?x1x8x32xf32> -> tensor<?x1x8x64xf32>
// CHECK:         %[[Y:.*]] = tensor.collapse_shape %[[C]] {{\[\[}}0], [1, 2], [3]]
// CHECK-NEXT:    return %[[Y]]
func.func @halves_of_part(%x: tensor<?x1x8x64xf32>) -> tensor<?x8x64xf32> {
  %m = fuse.reduce mean %x dims = [3] keep : tensor<?x1x8x64xf32> -> tensor<?x1x8x1xf32>
  %d = fuse.div %x, %m : tensor<?x1x8x64xf32>, tensor<?x1x8x1xf32> -> tensor<?x1x8x64xf32>
  %y = tensor.collapse_shape %d [[0], [1, 2], [3]] : tensor<?x1x8x64xf32> into tensor<?x8x64xf32>
  %b = fuse.slice %y offsets = [0, 0, 32] sizes = [-1, 8, 32] : tensor<?x8x64xf32> -> tensor<?x8x32xf32>
  %n = fuse.neg %b : tensor<?x8x32xf32>
  %a = fuse.slice %y offsets = [0, 0, 0] sizes = [-1, 8, 32] : tensor<?x8x64xf32> -> tensor<?x8x32xf32>
  %c = fuse.concat %n, %a dim = 2 : tensor<?x8x32xf32>, tensor<?x8x32xf32> -> tensor<?x8x64xf32>
  return %c : tensor<?x8x64xf32>
}

// -----

// Whole blocks of what the collapse joins are a slice of its first dimension.
// CHECK-LABEL: func.func @block_of_joined
// CHECK:         fuse.slice {{.*}} offsets = [0, 1, 0, 0] sizes = [-1, 1, 8, 64]
// CHECK-NEXT:    tensor.collapse_shape
func.func @block_of_joined(%x: tensor<?x4x8x64xf32>) -> tensor<?x8x64xf32> {
  %m = fuse.reduce mean %x dims = [3] keep : tensor<?x4x8x64xf32> -> tensor<?x4x8x1xf32>
  %d = fuse.div %x, %m : tensor<?x4x8x64xf32>, tensor<?x4x8x1xf32> -> tensor<?x4x8x64xf32>
  %y = tensor.collapse_shape %d [[0], [1, 2], [3]] : tensor<?x4x8x64xf32> into tensor<?x32x64xf32>
  %b = fuse.slice %y offsets = [0, 8, 0] sizes = [-1, 8, 64] : tensor<?x32x64xf32> -> tensor<?x8x64xf32>
  return %b : tensor<?x8x64xf32>
}

// -----

// One of each few neighbours is a slice of the last of the joined dimensions.
// CHECK-LABEL: func.func @neighbours_of_joined
// CHECK:         fuse.slice {{.*}} offsets = [0, 0, 1] sizes = [-1, 4, 16] steps = [1, 1, 2]
// CHECK-NEXT:    tensor.collapse_shape
func.func @neighbours_of_joined(%x: tensor<?x4x32xf32>) -> tensor<?x64xf32> {
  %m = fuse.reduce mean %x dims = [2] keep : tensor<?x4x32xf32> -> tensor<?x4x1xf32>
  %d = fuse.div %x, %m : tensor<?x4x32xf32>, tensor<?x4x1xf32> -> tensor<?x4x32xf32>
  %y = tensor.collapse_shape %d [[0], [1, 2]] : tensor<?x4x32xf32> into tensor<?x128xf32>
  %b = fuse.slice %y offsets = [0, 1] sizes = [-1, 64] steps = [1, 2] : tensor<?x128xf32> -> tensor<?x64xf32>
  return %b : tensor<?x64xf32>
}

// -----

// A slice that cuts blocks of what the collapse joins stays behind it.
// CHECK-LABEL: func.func @part_of_joined
// CHECK:         tensor.collapse_shape
// CHECK-NEXT:    fuse.slice
func.func @part_of_joined(%x: tensor<?x4x8x64xf32>) -> tensor<?x8x64xf32> {
  %m = fuse.reduce mean %x dims = [3] keep : tensor<?x4x8x64xf32> -> tensor<?x4x8x1xf32>
  %d = fuse.div %x, %m : tensor<?x4x8x64xf32>, tensor<?x4x8x1xf32> -> tensor<?x4x8x64xf32>
  %y = tensor.collapse_shape %d [[0], [1, 2], [3]] : tensor<?x4x8x64xf32> into tensor<?x32x64xf32>
  %b = fuse.slice %y offsets = [0, 4, 0] sizes = [-1, 8, 64] : tensor<?x32x64xf32> -> tensor<?x8x64xf32>
  return %b : tensor<?x8x64xf32>
}

// -----

// Where dimensions of size 1 stand moves nothing.
// CHECK-LABEL: func.func @one_channel
// CHECK-NOT:     fuse.transpose
// CHECK:         %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK:         %[[C:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2], [3]]
// CHECK:         tensor.expand_shape %[[C]] {{\[\[}}0], [1], [2, 3]] output_shape [%[[N]], 56, 56, 1]
func.func @one_channel(%x: tensor<?x1x56x56xi8>) -> tensor<?x56x56x1xi8> {
  %y = fuse.transpose %x permutation = [0, 2, 3, 1] : tensor<?x1x56x56xi8> -> tensor<?x56x56x1xi8>
  return %y : tensor<?x56x56x1xi8>
}

// -----

// CHECK-LABEL: func.func @two_channels
// CHECK:         fuse.transpose
func.func @two_channels(%x: tensor<?x2x56x1xi8>) -> tensor<?x56x2x1xi8> {
  %y = fuse.transpose %x permutation = [0, 2, 1, 3] : tensor<?x2x56x1xi8> -> tensor<?x56x2x1xi8>
  return %y : tensor<?x56x2x1xi8>
}
