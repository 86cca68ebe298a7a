// RUN: fuse-opt %s -split-input-file -fuse-collapse-dims | FileCheck %s

// CHECK-LABEL: func.func @all_of_two
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<6x7xbf16>)
// CHECK-NEXT:    %[[C:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1]] : tensor<6x7xbf16> into tensor<42xbf16>
// CHECK-NEXT:    %[[R:.*]] = fuse.kernel "k" ins(%[[C]] : tensor<42xbf16>) -> tensor<bf16> {
// CHECK:           fuse.reduce mean %{{.*}} dims = [0] : tensor<42xbf16> -> tensor<bf16>
// CHECK:         return %[[R]]
func.func @all_of_two(%x: tensor<6x7xbf16>) -> tensor<bf16> {
  %r = fuse.kernel "k" ins(%x : tensor<6x7xbf16>) -> tensor<bf16> {
  ^bb0(%a: tensor<6x7xbf16>):
    %m = fuse.reduce mean %a dims = [0, 1] : tensor<6x7xbf16> -> tensor<bf16>
    fuse.yield %m : tensor<bf16>
  }
  return %r : tensor<bf16>
}

// -----

// Of four dimensions with several results. The full one gets its shape back on
// the host, with sizes from an input; what is kept of a reduction is one 1.
// CHECK-LABEL: func.func @all_of_four
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<4x?x?x7xf32>, %[[Y:[a-z0-9]+]]: tensor<4x?x?x7xf32>, %[[S:[a-z0-9]+]]: tensor<f32>)
// CHECK-DAG:     %[[D1:.*]] = tensor.dim %[[X]], %c1
// CHECK-DAG:     %[[D2:.*]] = tensor.dim %[[X]], %c2
// CHECK-DAG:     %[[CX:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2, 3]] : tensor<4x?x?x7xf32> into tensor<?xf32>
// CHECK-DAG:     %[[CY:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0, 1, 2, 3]]
// CHECK:         %[[R:.*]]:3 = fuse.kernel "k" ins(%[[CX]], %[[CY]], %[[S]] : {{.*}}) -> tensor<1xf32>, tensor<?xi1>, tensor<f32> {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<?xf32>, %[[T:.*]]: tensor<f32>):
// CHECK-NEXT:      %[[P:.*]] = fuse.mul %[[A]], %[[B]] : tensor<?xf32>
// CHECK-NEXT:      %[[Q:.*]] = fuse.add %[[P]], %[[T]] : tensor<?xf32>, tensor<f32>
// CHECK-NEXT:      %[[M:.*]] = fuse.reduce max %[[Q]] dims = [0] keep : tensor<?xf32> -> tensor<1xf32>
// CHECK-NEXT:      %[[G:.*]] = fuse.compare ge %[[A]], %[[T]] : tensor<?xf32>, tensor<f32>
// CHECK-NEXT:      %[[N:.*]] = fuse.reduce sum %[[P]] dims = [0] : tensor<?xf32> -> tensor<f32>
// CHECK-DAG:     %[[EM:.*]] = tensor.expand_shape %[[R]]#0 {{\[\[}}0, 1, 2, 3]] output_shape [1, 1, 1, 1]
// CHECK-DAG:     %[[EG:.*]] = tensor.expand_shape %[[R]]#1 {{\[\[}}0, 1, 2, 3]] output_shape [4, %[[D1]], %[[D2]], 7]
// CHECK:         return %[[EM]], %[[EG]], %[[R]]#2
func.func @all_of_four(%x: tensor<4x?x?x7xf32>, %y: tensor<4x?x?x7xf32>, %s: tensor<f32>)
    -> (tensor<1x1x1x1xf32>, tensor<4x?x?x7xi1>, tensor<f32>) {
  %r:3 = fuse.kernel "k" ins(%x, %y, %s : tensor<4x?x?x7xf32>, tensor<4x?x?x7xf32>, tensor<f32>)
      -> tensor<1x1x1x1xf32>, tensor<4x?x?x7xi1>, tensor<f32> {
  ^bb0(%a: tensor<4x?x?x7xf32>, %b: tensor<4x?x?x7xf32>, %t: tensor<f32>):
    %p = fuse.mul %a, %b : tensor<4x?x?x7xf32>
    %q = fuse.add %p, %t : tensor<4x?x?x7xf32>, tensor<f32>
    %m = fuse.reduce max %q dims = [0, 1, 2, 3] keep : tensor<4x?x?x7xf32> -> tensor<1x1x1x1xf32>
    %g = fuse.compare ge %a, %t : tensor<4x?x?x7xf32>, tensor<f32> -> tensor<4x?x?x7xi1>
    %n = fuse.reduce sum %p dims = [0, 1, 2, 3] : tensor<4x?x?x7xf32> -> tensor<f32>
    fuse.yield %m, %g, %n : tensor<1x1x1x1xf32>, tensor<4x?x?x7xi1>, tensor<f32>
  }
  return %r#0, %r#1, %r#2 : tensor<1x1x1x1xf32>, tensor<4x?x?x7xi1>, tensor<f32>
}

// -----

// In the middle, with a weight that has size 1 there and one that ends before.
// CHECK-LABEL: func.func @middle
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<2x3x5x8xf32>, %[[V:[a-z0-9]+]]: tensor<2x1x1x1xf32>, %[[W:[a-z0-9]+]]: tensor<8xf32>, %[[O:[a-z0-9]+]]: tensor<1x8xf32>)
// CHECK-DAG:     %[[CX:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1, 2], [3]] : tensor<2x3x5x8xf32> into tensor<2x15x8xf32>
// CHECK-DAG:     %[[CV:.*]] = tensor.collapse_shape %[[V]] {{\[\[}}0], [1, 2], [3]] : tensor<2x1x1x1xf32> into tensor<2x1x1xf32>
// CHECK:         fuse.kernel "k" ins(%[[CX]], %[[CV]], %[[W]], %[[O]] :
// CHECK:           fuse.reduce sum %{{.*}} dims = [1] : tensor<2x15x8xf32> -> tensor<2x8xf32>
func.func @middle(%x: tensor<2x3x5x8xf32>, %v: tensor<2x1x1x1xf32>, %w: tensor<8xf32>, %o: tensor<1x8xf32>)
    -> tensor<2x8xf32> {
  %r = fuse.kernel "k" ins(%x, %v, %w, %o : tensor<2x3x5x8xf32>, tensor<2x1x1x1xf32>, tensor<8xf32>, tensor<1x8xf32>)
      -> tensor<2x8xf32> {
  ^bb0(%a: tensor<2x3x5x8xf32>, %b: tensor<2x1x1x1xf32>, %c: tensor<8xf32>, %d: tensor<1x8xf32>):
    %p = fuse.mul %a, %b : tensor<2x3x5x8xf32>, tensor<2x1x1x1xf32>
    %q = fuse.mul %p, %c : tensor<2x3x5x8xf32>, tensor<8xf32>
    %e = fuse.mul %q, %d : tensor<2x3x5x8xf32>, tensor<1x8xf32>
    %s = fuse.reduce sum %e dims = [1, 2] : tensor<2x3x5x8xf32> -> tensor<2x8xf32>
    fuse.yield %s : tensor<2x8xf32>
  }
  return %r : tensor<2x8xf32>
}

// -----

// The last dimensions, which stay, through what follows from the reduction; not
// the first, which are no nearer to each other in memory for it.
// CHECK-LABEL: func.func @kept
// CHECK:         fuse.kernel "k" ins(%{{.*}} : tensor<2x3x4x35xf32>) -> tensor<2x3x35xf32> {
// CHECK:           fuse.reduce mean %{{.*}} dims = [2] : tensor<2x3x4x35xf32> -> tensor<2x3x35xf32>
// CHECK-NEXT:      fuse.exp %{{.*}} : tensor<2x3x35xf32>
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] output_shape [2, 3, 5, 7]
func.func @kept(%x: tensor<2x3x4x5x7xf32>) -> tensor<2x3x5x7xf32> {
  %r = fuse.kernel "k" ins(%x : tensor<2x3x4x5x7xf32>) -> tensor<2x3x5x7xf32> {
  ^bb0(%a: tensor<2x3x4x5x7xf32>):
    %m = fuse.reduce mean %a dims = [2] : tensor<2x3x4x5x7xf32> -> tensor<2x3x5x7xf32>
    %e = fuse.exp %m : tensor<2x3x5x7xf32>
    fuse.yield %e : tensor<2x3x5x7xf32>
  }
  return %r : tensor<2x3x5x7xf32>
}

// -----

// As many as possible: a weight of the channels keeps its dimension apart.
// CHECK-LABEL: func.func @some
// CHECK:         fuse.reduce sum %{{.*}} dims = [0, 1, 2] : tensor<2x3x35xf32> -> tensor<f32>
func.func @some(%x: tensor<2x3x5x7xf32>, %w: tensor<3x1x1xf32>) -> tensor<f32> {
  %r = fuse.kernel "k" ins(%x, %w : tensor<2x3x5x7xf32>, tensor<3x1x1xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<2x3x5x7xf32>, %b: tensor<3x1x1xf32>):
    %p = fuse.mul %a, %b : tensor<2x3x5x7xf32>, tensor<3x1x1xf32>
    %s = fuse.reduce sum %p dims = [0, 1, 2, 3] : tensor<2x3x5x7xf32> -> tensor<f32>
    fuse.yield %s : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// Of three dimensions a weight has two, of size 1, which would be more than what
// it belongs to is left with: two steps. One that has the last stays as it is.
// CHECK-LABEL: func.func @part_of_size_one
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<2x3x5xf32>, %[[W:[a-z0-9]+]]: tensor<1x1xf32>, %[[V:[a-z0-9]+]]: tensor<1xf32>)
// CHECK:         %[[CX:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]]
// CHECK:         %[[CW:.*]] = tensor.collapse_shape %[[W]] {{\[\[}}0, 1]]
// CHECK:         %[[CCX:.*]] = tensor.collapse_shape %[[CX]] {{\[\[}}0, 1]]
// CHECK:         fuse.kernel "two" ins(%[[CCX]], %[[CW]] : tensor<30xf32>, tensor<1xf32>)
// CHECK:         fuse.kernel "one" ins(%{{.*}}, %[[V]] : tensor<30xf32>, tensor<1xf32>)
func.func @part_of_size_one(%x: tensor<2x3x5xf32>, %w: tensor<1x1xf32>, %v: tensor<1xf32>) -> (tensor<f32>, tensor<f32>) {
  %r = fuse.kernel "two" ins(%x, %w : tensor<2x3x5xf32>, tensor<1x1xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<2x3x5xf32>, %b: tensor<1x1xf32>):
    %p = fuse.mul %a, %b : tensor<2x3x5xf32>, tensor<1x1xf32>
    %s = fuse.reduce sum %p dims = [0, 1, 2] : tensor<2x3x5xf32> -> tensor<f32>
    fuse.yield %s : tensor<f32>
  }
  %t = fuse.kernel "one" ins(%x, %v : tensor<2x3x5xf32>, tensor<1xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<2x3x5xf32>, %b: tensor<1xf32>):
    %p = fuse.mul %a, %b : tensor<2x3x5xf32>, tensor<1xf32>
    %s = fuse.reduce sum %p dims = [0, 1, 2] : tensor<2x3x5xf32> -> tensor<f32>
    fuse.yield %s : tensor<f32>
  }
  return %r, %t : tensor<f32>, tensor<f32>
}

// -----

// What is broadcast to the shape from nothing has it, too, and so has an
// unrelated value of one element for each reduced index.
// CHECK-LABEL: func.func @unconnected
// CHECK:         fuse.kernel "k" ins(%{{.*}} : tensor<42xf32>) -> tensor<42xf32>, tensor<1xf32> {
// CHECK:           fuse.reduce sum %{{.*}} dims = [0] : tensor<42xf32> -> tensor<f32>
// CHECK:           fuse.broadcast %{{.*}} : tensor<f32> -> tensor<42xf32>
// CHECK:           fuse.broadcast %{{.*}} : tensor<f32> -> tensor<1xf32>
func.func @unconnected(%x: tensor<6x7xf32>) -> (tensor<6x7xf32>, tensor<1x1xf32>) {
  %r:2 = fuse.kernel "k" ins(%x : tensor<6x7xf32>) -> tensor<6x7xf32>, tensor<1x1xf32> {
  ^bb0(%a: tensor<6x7xf32>):
    %s = fuse.reduce sum %a dims = [0, 1] : tensor<6x7xf32> -> tensor<f32>
    %b = fuse.broadcast %s : tensor<f32> -> tensor<6x7xf32>
    %c = fuse.broadcast %s : tensor<f32> -> tensor<1x1xf32>
    fuse.yield %b, %c : tensor<6x7xf32>, tensor<1x1xf32>
  }
  return %r#0, %r#1 : tensor<6x7xf32>, tensor<1x1xf32>
}

// -----

// A bias of the last dimension; a sum over one of them; an index along one.
// CHECK-LABEL: func.func @told_apart
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @told_apart(%x: tensor<?x7xf32>, %w: tensor<7xf32>) -> (tensor<f32>, tensor<f32>, tensor<?xf32>, tensor<f32>) {
  %b = fuse.kernel "bias" ins(%x, %w : tensor<?x7xf32>, tensor<7xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<?x7xf32>, %c: tensor<7xf32>):
    %p = fuse.mul %a, %c : tensor<?x7xf32>, tensor<7xf32>
    %s = fuse.reduce sum %p dims = [0, 1] : tensor<?x7xf32> -> tensor<f32>
    fuse.yield %s : tensor<f32>
  }
  %r:2 = fuse.kernel "rows" ins(%x : tensor<?x7xf32>) -> tensor<f32>, tensor<?xf32> {
  ^bb0(%a: tensor<?x7xf32>):
    %s = fuse.reduce sum %a dims = [0, 1] : tensor<?x7xf32> -> tensor<f32>
    %t = fuse.reduce sum %a dims = [1] : tensor<?x7xf32> -> tensor<?xf32>
    fuse.yield %s, %t : tensor<f32>, tensor<?xf32>
  }
  %i = fuse.kernel "iota" ins(%x : tensor<?x7xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<?x7xf32>):
    %n = fuse.iota dim = 1 like %a : tensor<?x7xf32> -> tensor<?x7xf32>
    %p = fuse.mul %a, %n : tensor<?x7xf32>
    %s = fuse.reduce sum %p dims = [0, 1] : tensor<?x7xf32> -> tensor<f32>
    fuse.yield %s : tensor<f32>
  }
  return %b, %r#0, %r#1, %i : tensor<f32>, tensor<f32>, tensor<?xf32>, tensor<f32>
}

// -----

// A view with strides, also as one of several inputs; a kernel with a schedule.
// CHECK-LABEL: func.func @left_alone
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @left_alone(%x: tensor<6x7xf32> {fuse.strided = "rows"}, %y: tensor<6x7xf32>) -> (tensor<f32>, tensor<f32>) {
  %r = fuse.kernel "k" ins(%y, %x : tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<6x7xf32>, %b: tensor<6x7xf32>):
    %p = fuse.mul %a, %b : tensor<6x7xf32>
    %s = fuse.reduce sum %p dims = [0, 1] : tensor<6x7xf32> -> tensor<f32>
    fuse.yield %s : tensor<f32>
  }
  %t = fuse.kernel "l" ins(%y : tensor<6x7xf32>) -> tensor<f32>
      schedule = #fuse.columns<threads = 64, vector = 1, splits = 64> {
  ^bb0(%a: tensor<6x7xf32>):
    %s = fuse.reduce sum %a dims = [0, 1] : tensor<6x7xf32> -> tensor<f32>
    fuse.yield %s : tensor<f32>
  }
  return %r, %t : tensor<f32>, tensor<f32>
}

// -----

// An argmax reads the index that it asks for from a shape of its own.
// CHECK-LABEL: func.func @argmax
// CHECK:         fuse.kernel "k" ins(%{{.*}} : tensor<6x7xf32>) -> tensor<6xi32> {
// CHECK:           fuse.reduce max %{{.*}} dims = [1] keep
func.func @argmax(%x: tensor<6x7xf32>) -> tensor<6xi32> {
  %r = fuse.kernel "k" ins(%x : tensor<6x7xf32>) -> tensor<6xi32> {
  ^bb0(%a: tensor<6x7xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<6x7xf32> -> tensor<6x1xf32>
    %e = fuse.compare eq %a, %m : tensor<6x7xf32>, tensor<6x1xf32> -> tensor<6x7xi1>
    %n = fuse.iota dim = 1 like %a : tensor<6x7xf32> -> tensor<6x7xi32>
    %c = fuse.constant dense<7> : tensor<i32>
    %s = fuse.select %e, %n, %c : tensor<6x7xi1>, tensor<6x7xi32>, tensor<i32> -> tensor<6x7xi32>
    %f = fuse.reduce min %s dims = [1] : tensor<6x7xi32> -> tensor<6xi32>
    fuse.yield %f : tensor<6xi32>
  }
  return %r : tensor<6xi32>
}

// -----

// The index of a random number is that of all dimensions together.
// CHECK-LABEL: func.func @random
// CHECK:         fuse.random %{{.*}} stream = 0 : tensor<i64> -> tensor<42xf32>
// CHECK:         fuse.reduce sum %{{.*}} dims = [0] : tensor<42xf32> -> tensor<f32>
func.func @random(%x: tensor<6x7xf32>, %seed: tensor<i64>) -> tensor<f32> {
  %r = fuse.kernel "k" ins(%x, %seed : tensor<6x7xf32>, tensor<i64>) -> tensor<f32> {
  ^bb0(%a: tensor<6x7xf32>, %d: tensor<i64>):
    %u = fuse.random %d stream = 0 : tensor<i64> -> tensor<6x7xf32>
    %p = fuse.mul %a, %u : tensor<6x7xf32>
    %s = fuse.reduce sum %p dims = [0, 1] : tensor<6x7xf32> -> tensor<f32>
    fuse.yield %s : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// With one dimension the broadcast is none, and nobody needs its shape any more.
// CHECK-LABEL: func.func @shape_only
// CHECK:         ^bb0(%{{.*}}: tensor<f16>, %[[J:.*]]: tensor<1xi64>, %{{.*}}: tensor<1xf16>):
// CHECK-NEXT:      fuse.yield %[[J]]
func.func @shape_only(%a: tensor<f16>, %i: tensor<1xi64>, %x: tensor<1x1xf16>) -> tensor<1x1xi64> {
  %y = fuse.kernel "shape_only" ins(%a, %i, %x : tensor<f16>, tensor<1xi64>, tensor<1x1xf16>) -> tensor<1x1xi64> {
  ^bb0(%b: tensor<f16>, %j: tensor<1xi64>, %z: tensor<1x1xf16>):
    %m = fuse.reduce mean %z dims = [0, 1] keep : tensor<1x1xf16> -> tensor<1x1xf16>
    %c = fuse.compare ne %m, %b : tensor<1x1xf16>, tensor<f16> -> tensor<1x1xi1>
    %v = fuse.broadcast %j like %c : tensor<1xi64>, tensor<1x1xi1> -> tensor<1x1xi64>
    fuse.yield %v : tensor<1x1xi64>
  }
  return %y : tensor<1x1xi64>
}

// -----

// Equal sizes of two inputs that only the names of dimensions know, and those of
// a kernel behind, whose input was reshaped.
// CHECK-LABEL: func.func @named
// CHECK:         fuse.reduce max %{{.*}} dims = [0] keep : tensor<?xf32> -> tensor<1xf32>
// CHECK:         fuse.neg %{{.*}} : tensor<?xf32>
// CHECK:         fuse.reduce sum %{{.*}} dims = [0] : tensor<?xf32> -> tensor<f32>
func.func @named(%x: tensor<?x8xf32> {fuse.dims = ["n"]}, %y: tensor<?x8xf32> {fuse.dims = ["n"]})
    -> (tensor<?x8xf32>, tensor<f32>) {
  %r:2 = fuse.kernel "k" ins(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>, tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>):
    %m = fuse.reduce max %a dims = [0, 1] keep : tensor<?x8xf32> -> tensor<1x1xf32>
    %d = fuse.sub %a, %m : tensor<?x8xf32>, tensor<1x1xf32>
    %e = fuse.neg %b : tensor<?x8xf32>
    fuse.yield %d, %e : tensor<?x8xf32>, tensor<?x8xf32>
  }
  %s = fuse.kernel "l" ins(%r#0 : tensor<?x8xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<?x8xf32>):
    %t = fuse.reduce sum %a dims = [0, 1] : tensor<?x8xf32> -> tensor<f32>
    fuse.yield %t : tensor<f32>
  }
  return %r#1, %s : tensor<?x8xf32>, tensor<f32>
}

// -----

// Rows and columns of a picture stay together where its channels are moved, and
// a bias of the columns keeps them apart.
// CHECK-LABEL: func.func @transposed
// CHECK:         fuse.transpose %{{.*}} permutation = [0, 2, 1] : tensor<?x35x4xi8> -> tensor<?x4x35xi8>
// CHECK-NEXT:    fuse.neg %{{.*}} : tensor<?x4x35xi8>
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] {{.*}} : tensor<?x4x35xi8> into tensor<?x4x5x7xi8>
// CHECK:         fuse.transpose %{{.*}} permutation = [0, 3, 1, 2]
func.func @transposed(%x: tensor<?x5x7x4xi8>, %b: tensor<7xi8>) -> (tensor<?x4x5x7xi8>, tensor<?x4x5x7xi8>) {
  %r = fuse.kernel "k" ins(%x : tensor<?x5x7x4xi8>) -> tensor<?x4x5x7xi8> {
  ^bb0(%a: tensor<?x5x7x4xi8>):
    %t = fuse.transpose %a permutation = [0, 3, 1, 2] : tensor<?x5x7x4xi8> -> tensor<?x4x5x7xi8>
    %n = fuse.neg %t : tensor<?x4x5x7xi8>
    fuse.yield %n : tensor<?x4x5x7xi8>
  }
  %s = fuse.kernel "l" ins(%x, %b : tensor<?x5x7x4xi8>, tensor<7xi8>) -> tensor<?x4x5x7xi8> {
  ^bb0(%a: tensor<?x5x7x4xi8>, %c: tensor<7xi8>):
    %t = fuse.transpose %a permutation = [0, 3, 1, 2] : tensor<?x5x7x4xi8> -> tensor<?x4x5x7xi8>
    %n = fuse.add %t, %c : tensor<?x4x5x7xi8>, tensor<7xi8>
    fuse.yield %n : tensor<?x4x5x7xi8>
  }
  return %r, %s : tensor<?x4x5x7xi8>, tensor<?x4x5x7xi8>
}

// -----

// What rows have one of keeps the shape by which it is known to be that, or loses
// dimensions with them.
// CHECK-LABEL: func.func @of_rows
// CHECK:         fuse.kernel "k" ins(%{{.*}} : tensor<3xf32>, tensor<3x20xf32>)
func.func @of_rows(%m: tensor<3x1x1x1xf32>, %x: tensor<3x1x2x10xf32>) -> (tensor<f32>, tensor<f32>) {
  %r:2 = fuse.kernel "k" ins(%m, %x : tensor<3x1x1x1xf32>, tensor<3x1x2x10xf32>) -> tensor<f32>, tensor<f32> {
  ^bb0(%a: tensor<3x1x1x1xf32>, %b: tensor<3x1x2x10xf32>):
    %s = fuse.reduce max %a dims = [0, 1, 2, 3] : tensor<3x1x1x1xf32> -> tensor<f32>
    %t = fuse.reduce max %b dims = [1, 2, 3] : tensor<3x1x2x10xf32> -> tensor<3xf32>
    %u = fuse.reduce max %t dims = [0] : tensor<3xf32> -> tensor<f32>
    fuse.yield %s, %u : tensor<f32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}
