// RUN: fuse-opt %s -split-input-file -fuse-hoist-row-scale | FileCheck %s

// The factor of a row goes after the contraction; the casts around it, which
// are exact both ways then, go with it.
// CHECK-LABEL: func.func @input
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<?x64xbf16>, %[[R:[a-z0-9]+]]: tensor<?x1xf32>, %[[B:[a-z0-9]+]]:
// CHECK-NOT:     fuse.mul
// CHECK:         %[[C:.*]] = fuse.contract "mk,kn->mn" %[[X]], %[[B]]
// CHECK-NEXT:    %[[F:.*]] = fuse.cast %[[C]] {fuse.implicit} : tensor<?x32xbf16> -> tensor<?x32xf32>
// CHECK-NEXT:    %[[S:.*]] = fuse.mul %[[F]], %[[R]] : tensor<?x32xf32>, tensor<?x1xf32>
// CHECK-NEXT:    %[[Y:.*]] = fuse.cast %[[S]] {fuse.implicit} : tensor<?x32xf32> -> tensor<?x32xbf16>
// CHECK-NEXT:    return %[[Y]]
func.func @input(%x: tensor<?x64xbf16>, %r: tensor<?x1xf32>, %B: tensor<64x32xbf16>) -> tensor<?x32xbf16> {
  %f = fuse.cast %x : tensor<?x64xbf16> -> tensor<?x64xf32>
  %n = fuse.mul %f, %r : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  %y = fuse.cast %n {fuse.implicit} : tensor<?x64xf32> -> tensor<?x64xbf16>
  %c = fuse.contract "mk,kn->mn" %y, %B : tensor<?x64xbf16>, tensor<64x32xbf16> -> tensor<?x32xbf16>
  return %c : tensor<?x32xbf16>
}

// -----

// A divisor stays one.
// CHECK-LABEL: func.func @divisor
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<8x64xf32>, %[[R:[a-z0-9]+]]: tensor<8x1xf32>
// CHECK:         %[[C:.*]] = fuse.contract "mk,kn->mn" %[[X]]
// CHECK-NEXT:    fuse.div %[[C]], %[[R]] : tensor<8x32xf32>, tensor<8x1xf32>
func.func @divisor(%x: tensor<8x64xf32>, %r: tensor<8x1xf32>, %B: tensor<64x32xf32>) -> tensor<8x32xf32> {
  %n = fuse.div %x, %r : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  %c = fuse.contract "mk,kn->mn" %n, %B : tensor<8x64xf32>, tensor<64x32xf32> -> tensor<8x32xf32>
  return %c : tensor<8x32xf32>
}

// -----

// A column of the right operand, whose axes the result has in another order.
// CHECK-LABEL: func.func @column
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<8x64xf32>, %[[W:[a-z0-9]+]]: tensor<32x64xf32>, %[[S:[a-z0-9]+]]: tensor<32x1xf32>)
// CHECK:         %[[C:.*]] = fuse.contract "mk,nk->mn" %[[X]], %[[W]]
// CHECK-NEXT:    %[[V:.*]] = tensor.collapse_shape %[[S]] {{\[\[}}0, 1]] : tensor<32x1xf32> into tensor<32xf32>
// CHECK-NEXT:    fuse.mul %[[C]], %[[V]] : tensor<8x32xf32>, tensor<32xf32>
func.func @column(%x: tensor<8x64xf32>, %w: tensor<32x64xf32>, %s: tensor<32x1xf32>) -> tensor<8x32xf32> {
  %n = fuse.mul %w, %s : tensor<32x64xf32>, tensor<32x1xf32> -> tensor<32x64xf32>
  %c = fuse.contract "mk,nk->mn" %x, %n : tensor<8x64xf32>, tensor<32x64xf32> -> tensor<8x32xf32>
  return %c : tensor<8x32xf32>
}

// -----

// Factors of both operands, of a batch and of all of it; the axes of the batch
// change places.
// CHECK-LABEL: func.func @batches
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<?x4x8x64xf32>, %[[Y:[a-z0-9]+]]: tensor<?x4x64x16xf32>, %[[S:[a-z0-9]+]]: tensor<?x4x1x1xf32>, %[[T:[a-z0-9]+]]: tensor<f32>)
// CHECK:         %[[C:.*]] = fuse.contract "bhmk,bhkn->hbmn" %[[X]], %[[Y]]
// CHECK-DAG:     fuse.mul %{{.*}}, %[[T]] : tensor<4x?x8x16xf32>, tensor<f32>
// CHECK-DAG:     %[[U:.*]] = tensor.collapse_shape %[[S]] {{\[\[}}0], [1, 2, 3]] : tensor<?x4x1x1xf32> into tensor<?x4xf32>
// CHECK-DAG:     %[[V:.*]] = fuse.transpose %[[U]] permutation = [1, 0]
// CHECK-DAG:     %[[W:.*]] = tensor.expand_shape %[[V]] {{\[\[}}0], [1, 2, 3]] output_shape [4, %{{.*}}, 1, 1]
// CHECK-DAG:     fuse.mul %{{.*}}, %[[W]] : tensor<4x?x8x16xf32>, tensor<4x?x1x1xf32>
func.func @batches(%x: tensor<?x4x8x64xf32>, %y: tensor<?x4x64x16xf32>, %s: tensor<?x4x1x1xf32>, %t: tensor<f32>) -> tensor<4x?x8x16xf32> {
  %n = fuse.mul %s, %x : tensor<?x4x1x1xf32>, tensor<?x4x8x64xf32> -> tensor<?x4x8x64xf32>
  %z = fuse.mul %y, %t : tensor<?x4x64x16xf32>, tensor<f32> -> tensor<?x4x64x16xf32>
  %c = fuse.contract "bhmk,bhkn->hbmn" %n, %z : tensor<?x4x8x64xf32>, tensor<?x4x64x16xf32> -> tensor<4x?x8x16xf32>
  return %c : tensor<4x?x8x16xf32>
}

// -----

// Through views: a factor of tokens is one of rows, once these are all tokens.
// CHECK-LABEL: func.func @views
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<2x?x64xf32>, %[[R:[a-z0-9]+]]: tensor<2x?x1xf32>
// CHECK-NOT:     fuse.mul
// CHECK:         %[[V:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]]
// CHECK:         %[[Q:.*]] = tensor.collapse_shape %[[R]] {{\[\[}}0, 1], [2]] : tensor<2x?x1xf32> into tensor<?x1xf32>
// CHECK:         %[[T:.*]] = fuse.transpose %[[V]]
// CHECK:         %[[U:.*]] = fuse.transpose %[[Q]] permutation = [1, 0] : tensor<?x1xf32> -> tensor<1x?xf32>
// CHECK:         %[[C:.*]] = fuse.contract "km,kn->mn" %[[T]]
// CHECK:         %[[D:.*]] = tensor.collapse_shape %[[U]] {{\[\[}}0, 1]] : tensor<1x?xf32> into tensor<?xf32>
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[D]] {{\[\[}}0, 1]] output_shape [%{{.*}}, 1]
// CHECK:         fuse.mul %[[C]], %[[E]] : tensor<?x32xf32>, tensor<?x1xf32>
func.func @views(%x: tensor<2x?x64xf32>, %r: tensor<2x?x1xf32>, %B: tensor<64x32xf32>) -> tensor<?x32xf32> {
  %n = fuse.mul %x, %r : tensor<2x?x64xf32>, tensor<2x?x1xf32> -> tensor<2x?x64xf32>
  %v = tensor.collapse_shape %n [[0, 1], [2]] : tensor<2x?x64xf32> into tensor<?x64xf32>
  %t = fuse.transpose %v permutation = [1, 0] : tensor<?x64xf32> -> tensor<64x?xf32>
  %c = fuse.contract "km,kn->mn" %t, %B : tensor<64x?xf32>, tensor<64x32xf32> -> tensor<?x32xf32>
  return %c : tensor<?x32xf32>
}

// -----

// A factor of a head is none of a row whose heads are summed.
// CHECK-LABEL: func.func @of_heads
// CHECK:         fuse.mul
// CHECK:         tensor.collapse_shape
// CHECK:         fuse.contract
// CHECK-NEXT:    return
func.func @of_heads(%x: tensor<?x4x16xf32>, %r: tensor<?x4x1xf32>, %B: tensor<64x32xf32>) -> tensor<?x32xf32> {
  %n = fuse.mul %x, %r : tensor<?x4x16xf32>, tensor<?x4x1xf32> -> tensor<?x4x16xf32>
  %v = tensor.collapse_shape %n [[0], [1, 2]] : tensor<?x4x16xf32> into tensor<?x64xf32>
  %c = fuse.contract "mk,kn->mn" %v, %B : tensor<?x64xf32>, tensor<64x32xf32> -> tensor<?x32xf32>
  return %c : tensor<?x32xf32>
}

// -----

// A norm with a weight of an input: the kernel that reduces its rows writes the
// operand in either case.
// CHECK-LABEL: func.func @weight_of_input
// CHECK:         fuse.contract
// CHECK-NEXT:    return
func.func @weight_of_input(%x: tensor<?x64xf32>, %r: tensor<?x1xf32>, %w: tensor<64xf32>, %B: tensor<64x32xf32>) -> tensor<?x32xf32> {
  %n = fuse.mul %x, %r : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  %y = fuse.mul %n, %w : tensor<?x64xf32>, tensor<64xf32> -> tensor<?x64xf32>
  %c = fuse.contract "mk,kn->mn" %y, %B : tensor<?x64xf32>, tensor<64x32xf32> -> tensor<?x32xf32>
  return %c : tensor<?x32xf32>
}

// -----

// Behind a contraction, its kernel writes x * w. Both readers let go of the norm.
// CHECK-LABEL: func.func @behind_contraction
// CHECK:         %[[O:.*]] = fuse.contract "mk,kn->mn" %{{.*}}, %{{.*}} : tensor<8x64xf32>, tensor<64x64xf32>
// CHECK:         %[[R:.*]] = fuse.rsqrt
// CHECK:         %[[U:.*]] = fuse.mul %[[O]], %{{.*}} : tensor<8x64xf32>, tensor<64xf32>
// CHECK:         %[[C:.*]] = fuse.contract "mk,kn->mn" %[[U]]
// CHECK-NEXT:    fuse.mul %[[C]], %[[R]]
// CHECK:         %[[V:.*]] = fuse.mul %[[O]], %{{.*}} : tensor<8x64xf32>, tensor<64xf32>
// CHECK:         %[[D:.*]] = fuse.contract "mk,nk->mn" %[[V]]
// CHECK-NEXT:    fuse.mul %[[D]], %[[R]]
func.func @behind_contraction(%x: tensor<8x64xf32>, %A: tensor<64x64xf32>, %w: tensor<64xf32>, %B: tensor<64x32xf32>, %D: tensor<16x64xf32>)
    -> (tensor<8x64xf32>, tensor<8x32xf32>, tensor<8x16xf32>) {
  %h = fuse.contract "mk,kn->mn" %x, %A : tensor<8x64xf32>, tensor<64x64xf32> -> tensor<8x64xf32>
  %q = fuse.mul %h, %h : tensor<8x64xf32>
  %m = fuse.reduce mean %q dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %r = fuse.rsqrt %m : tensor<8x1xf32>
  %n = fuse.mul %h, %r : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  %y = fuse.mul %n, %w : tensor<8x64xf32>, tensor<64xf32> -> tensor<8x64xf32>
  %c = fuse.contract "mk,kn->mn" %y, %B : tensor<8x64xf32>, tensor<64x32xf32> -> tensor<8x32xf32>
  %d = fuse.contract "mk,nk->mn" %y, %D : tensor<8x64xf32>, tensor<16x64xf32> -> tensor<8x16xf32>
  return %h, %c, %d : tensor<8x64xf32>, tensor<8x32xf32>, tensor<8x16xf32>
}

// -----

// The same where nothing else keeps h: the first contraction would write h for
// the reduction, and h * w.
// CHECK-LABEL: func.func @nobody_keeps
// CHECK:         %[[Y:.*]] = fuse.mul %{{.*}}, %{{.*}} : tensor<8x64xf32>, tensor<64xf32>
// CHECK:         fuse.contract "mk,kn->mn" %[[Y]]
// CHECK-NEXT:    return
func.func @nobody_keeps(%x: tensor<8x64xf32>, %A: tensor<64x64xf32>, %w: tensor<64xf32>, %B: tensor<64x32xf32>) -> tensor<8x32xf32> {
  %h = fuse.contract "mk,kn->mn" %x, %A : tensor<8x64xf32>, tensor<64x64xf32> -> tensor<8x64xf32>
  %q = fuse.mul %h, %h : tensor<8x64xf32>
  %m = fuse.reduce mean %q dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %r = fuse.rsqrt %m : tensor<8x1xf32>
  %n = fuse.mul %h, %r : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  %y = fuse.mul %n, %w : tensor<8x64xf32>, tensor<64xf32> -> tensor<8x64xf32>
  %c = fuse.contract "mk,kn->mn" %y, %B : tensor<8x64xf32>, tensor<64x32xf32> -> tensor<8x32xf32>
  return %c : tensor<8x32xf32>
}

// -----

// A residual that is added after the contraction is in memory, too.
// CHECK-LABEL: func.func @residual
// CHECK:         %[[H:.*]] = fuse.add
// CHECK-NEXT:    %[[C:.*]] = fuse.contract "mk,kn->mn" %[[H]]
// CHECK-NEXT:    %[[S:.*]] = fuse.mul %[[C]]
// CHECK-NEXT:    fuse.add %[[S]], %[[H]]
func.func @residual(%x: tensor<8x64xf32>, %z: tensor<8x64xf32>, %r: tensor<8x1xf32>, %B: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %h = fuse.add %x, %z : tensor<8x64xf32>
  %n = fuse.mul %h, %r : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  %c = fuse.contract "mk,kn->mn" %n, %B : tensor<8x64xf32>, tensor<64x64xf32> -> tensor<8x64xf32>
  %s = fuse.add %c, %h : tensor<8x64xf32>
  return %s : tensor<8x64xf32>
}

// -----

// What others read is computed anyway: here the program returns it.
// CHECK-LABEL: func.func @shared
// CHECK:         %[[N:.*]] = fuse.mul
// CHECK-NEXT:    %[[C:.*]] = fuse.contract "mk,kn->mn" %[[N]]
// CHECK-NEXT:    return %[[N]], %[[C]]
func.func @shared(%x: tensor<8x64xf32>, %r: tensor<8x1xf32>, %B: tensor<64x32xf32>) -> (tensor<8x64xf32>, tensor<8x32xf32>) {
  %n = fuse.mul %x, %r : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  %c = fuse.contract "mk,kn->mn" %n, %B : tensor<8x64xf32>, tensor<64x32xf32> -> tensor<8x32xf32>
  return %n, %c : tensor<8x64xf32>, tensor<8x32xf32>
}

// -----

// Sums of rows that are not normalised yet may be beyond the range of f16.
// CHECK-LABEL: func.func @half
// CHECK:         %[[N:.*]] = fuse.mul
// CHECK-NEXT:    fuse.contract "mk,kn->mn" %[[N]]
// CHECK-NEXT:    return
func.func @half(%x: tensor<8x64xf16>, %r: tensor<8x1xf16>, %B: tensor<64x32xf16>) -> tensor<8x32xf16> {
  %n = fuse.mul %x, %r : tensor<8x64xf16>, tensor<8x1xf16> -> tensor<8x64xf16>
  %c = fuse.contract "mk,kn->mn" %n, %B : tensor<8x64xf16>, tensor<64x32xf16> -> tensor<8x32xf16>
  return %c : tensor<8x32xf16>
}

// -----

// The product may leave the range of f16 before it is cast.
// CHECK-LABEL: func.func @half_inside
// CHECK:         %[[N:.*]] = fuse.mul
// CHECK:         fuse.contract "mk,kn->mn"
// CHECK-NEXT:    return
func.func @half_inside(%x: tensor<8x64xf16>, %r: tensor<8x1xf16>, %B: tensor<64x32xbf16>) -> tensor<8x32xbf16> {
  %n = fuse.mul %x, %r : tensor<8x64xf16>, tensor<8x1xf16> -> tensor<8x64xf16>
  %y = fuse.cast %n {fuse.implicit} : tensor<8x64xf16> -> tensor<8x64xbf16>
  %c = fuse.contract "mk,kn->mn" %y, %B : tensor<8x64xbf16>, tensor<64x32xbf16> -> tensor<8x32xbf16>
  return %c : tensor<8x32xbf16>
}

// -----

// The program asks for a rounding of the product.
// CHECK-LABEL: func.func @explicit_cast
// CHECK:         fuse.mul
// CHECK:         fuse.contract
// CHECK-NEXT:    return
func.func @explicit_cast(%x: tensor<8x64xf32>, %r: tensor<8x1xf32>, %B: tensor<64x32xbf16>) -> tensor<8x32xbf16> {
  %n = fuse.mul %x, %r : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  %y = fuse.cast %n : tensor<8x64xf32> -> tensor<8x64xbf16>
  %c = fuse.contract "mk,kn->mn" %y, %B : tensor<8x64xbf16>, tensor<64x32xbf16> -> tensor<8x32xbf16>
  return %c : tensor<8x32xbf16>
}

// -----

// A wider input would be read instead of a narrower operand.
// CHECK-LABEL: func.func @wider
// CHECK:         fuse.mul
// CHECK:         fuse.contract
// CHECK-NEXT:    return
func.func @wider(%x: tensor<8x64xf32>, %r: tensor<8x1xf32>, %B: tensor<64x32xbf16>) -> tensor<8x32xbf16> {
  %n = fuse.mul %x, %r : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  %y = fuse.cast %n {fuse.implicit} : tensor<8x64xf32> -> tensor<8x64xbf16>
  %c = fuse.contract "mk,kn->mn" %y, %B : tensor<8x64xbf16>, tensor<64x32xbf16> -> tensor<8x32xbf16>
  return %c : tensor<8x32xbf16>
}

// -----

// Tensor cores take their operands from memory as they are: another kernel casts
// them, and may multiply as well.
// CHECK-LABEL: func.func @narrower
// CHECK:         fuse.mul
// CHECK:         fuse.contract
// CHECK-NEXT:    return
func.func @narrower(%x: tensor<8x64xf8E4M3FN>, %r: tensor<8x1xbf16>, %B: tensor<64x32xbf16>) -> tensor<8x32xbf16> {
  %f = fuse.cast %x : tensor<8x64xf8E4M3FN> -> tensor<8x64xbf16>
  %n = fuse.mul %f, %r : tensor<8x64xbf16>, tensor<8x1xbf16> -> tensor<8x64xbf16>
  %c = fuse.contract "mk,kn->mn" %n, %B : tensor<8x64xbf16>, tensor<64x32xbf16> -> tensor<8x32xbf16>
  return %c : tensor<8x32xbf16>
}

// -----

// An outer product has no operand without the factor.
// CHECK-LABEL: func.func @outer
// CHECK:         fuse.mul
// CHECK:         fuse.contract
// CHECK-NEXT:    return
func.func @outer(%w: tensor<64xf32>, %r: tensor<8x1xf32>, %B: tensor<64x32xf32>) -> tensor<8x32xf32> {
  %n = fuse.mul %w, %r : tensor<64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  %c = fuse.contract "mk,kn->mn" %n, %B : tensor<8x64xf32>, tensor<64x32xf32> -> tensor<8x32xf32>
  return %c : tensor<8x32xf32>
}

// -----

// A sum of no products is 0, even if the factor is NaN.
// CHECK-LABEL: func.func @maybe_empty
// CHECK:         fuse.mul
// CHECK:         fuse.contract
// CHECK-NEXT:    return
func.func @maybe_empty(%x: tensor<8x?xf32>, %r: tensor<8x1xf32>, %B: tensor<?x32xf32>) -> tensor<8x32xf32> {
  %n = fuse.mul %x, %r : tensor<8x?xf32>, tensor<8x1xf32> -> tensor<8x?xf32>
  %c = fuse.contract "mk,kn->mn" %n, %B : tensor<8x?xf32>, tensor<?x32xf32> -> tensor<8x32xf32>
  return %c : tensor<8x32xf32>
}
