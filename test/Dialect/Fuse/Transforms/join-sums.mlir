// RUN: fuse-opt %s -split-input-file -fuse-join-sums | FileCheck %s

// Rows of 1024 elements, which divide all three; what is added besides stays.
// CHECK-LABEL: func.func @three
// CHECK-SAME:    %[[A:.*]]: tensor<64x512xf32>, %[[B:.*]]: tensor<3x1024xf32>, %[[C:.*]]: tensor<1024xf32>, %[[D:.*]]: tensor<f32>
// CHECK-DAG:     %[[P:.*]] = fuse.reduce sum %{{.*}} dims = [1] keep : tensor<32x1024xf32> -> tensor<32x1xf32>
// CHECK-DAG:     %[[Q:.*]] = fuse.reduce sum %{{.*}} dims = [1] keep : tensor<3x1024xf32> -> tensor<3x1xf32>
// CHECK-DAG:     %[[R:.*]] = fuse.reduce sum %{{.*}} dims = [1] keep : tensor<1x1024xf32> -> tensor<1x1xf32>
// CHECK:         %[[J:.*]] = fuse.concat %[[R]], %[[P]], %[[Q]] dim = 0
// CHECK:         %[[S:.*]] = fuse.reduce sum %[[J]] dims = [0, 1] : tensor<36x1xf32> -> tensor<f32>
// CHECK:         %[[T:.*]] = fuse.add %[[S]], %[[D]]
// CHECK:         return %[[T]]
func.func @three(%a: tensor<64x512xf32>, %b: tensor<3x1024xf32>, %c: tensor<1024xf32>, %d: tensor<f32>) -> tensor<f32> {
  %sa = fuse.reduce sum %a dims = [0, 1] : tensor<64x512xf32> -> tensor<f32>
  %sb = fuse.reduce sum %b dims = [0, 1] : tensor<3x1024xf32> -> tensor<f32>
  %sc = fuse.reduce sum %c dims = [0] : tensor<1024xf32> -> tensor<f32>
  %1 = fuse.add %sa, %sb : tensor<f32>
  %2 = fuse.add %1, %d : tensor<f32>
  %3 = fuse.add %sc, %2 : tensor<f32>
  return %3 : tensor<f32>
}

// -----

// Two launches are no fewer than two; a sum that is needed by itself, one of a
// length that no rows divide, and a maximum stay.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     fuse.concat
// CHECK:         return
func.func @others(%a: tensor<64x512xf32>, %b: tensor<3x1024xf32>, %c: tensor<1001xf32>, %d: tensor<?x256xf32>)
    -> (tensor<f32>, tensor<f32>) {
  %sa = fuse.reduce sum %a dims = [0, 1] : tensor<64x512xf32> -> tensor<f32>
  %sb = fuse.reduce sum %b dims = [0, 1] : tensor<3x1024xf32> -> tensor<f32>
  %sc = fuse.reduce sum %c dims = [0] : tensor<1001xf32> -> tensor<f32>
  %sd = fuse.reduce sum %d dims = [0, 1] : tensor<?x256xf32> -> tensor<f32>
  %m = fuse.reduce max %b dims = [0, 1] : tensor<3x1024xf32> -> tensor<f32>
  %1 = fuse.add %sa, %sb : tensor<f32>
  %2 = fuse.add %1, %sc : tensor<f32>
  %3 = fuse.add %2, %sd : tensor<f32>
  %4 = fuse.add %3, %m : tensor<f32>
  return %4, %sa : tensor<f32>, tensor<f32>
}

// -----

// Casts and squares are computed in the shape of the rows; a small tensor that no
// row divides gets zeros after what is computed of it.
// CHECK-LABEL: func.func @computed
// CHECK-SAME:    %[[A:[a-z0-9]*]]: tensor<64x512xbf16>
// CHECK-DAG:     %[[F:.*]] = tensor.collapse_shape %[[A]] {{\[\[}}0, 1]] : tensor<64x512xbf16> into tensor<32768xbf16>
// CHECK-DAG:     %[[E:.*]] = tensor.expand_shape %[[F]] {{\[\[}}0, 1]] output_shape [16, 2048]
// CHECK-DAG:     %[[W:.*]] = fuse.cast %[[E]] : tensor<16x2048xbf16> -> tensor<16x2048xf32>
// CHECK-DAG:     %[[Q:.*]] = fuse.mul %[[W]], %[[W]] : tensor<16x2048xf32>
// CHECK-DAG:     fuse.reduce sum %[[Q]] dims = [1] keep
// CHECK-DAG:     %[[P:.*]] = fuse.pad %{{.*}} low = [0] high = [2033] value = 0.000000e+00 : tensor<15xf32> -> tensor<2048xf32>
// CHECK:         fuse.concat
// CHECK:         fuse.reduce sum %{{.*}} dims = [0, 1] : tensor<33x1xf32> -> tensor<f32>
func.func @computed(%a: tensor<64x512xbf16>, %b: tensor<32768xf32>, %c: tensor<3x5xf32>) -> tensor<f32> {
  %aw = fuse.cast %a : tensor<64x512xbf16> -> tensor<64x512xf32>
  %aq = fuse.mul %aw, %aw : tensor<64x512xf32>
  %cq = fuse.exp %c : tensor<3x5xf32>
  %sa = fuse.reduce sum %aq dims = [0, 1] : tensor<64x512xf32> -> tensor<f32>
  %sb = fuse.reduce sum %b dims = [0] : tensor<32768xf32> -> tensor<f32>
  %sc = fuse.reduce sum %cq dims = [0, 1] : tensor<3x5xf32> -> tensor<f32>
  %1 = fuse.add %sa, %sb : tensor<f32>
  %2 = fuse.add %1, %sc : tensor<f32>
  return %2 : tensor<f32>
}

// -----

// A sum of what a mask keeps, beside the mask's, is one of rows.
// CHECK-LABEL: func.func @masked
// CHECK:         %[[R:.*]] = fuse.reduce sum %{{.*}} dims = [2] keep : tensor<?x?x80xf32> -> tensor<?x?x1xf32>
// CHECK:         %[[M:.*]] = fuse.mul %[[R]], %{{.*}} : tensor<?x?x1xf32>
// CHECK:         fuse.reduce sum %[[M]] dims = [0, 1, 2] : tensor<?x?x1xf32> -> tensor<f32>
func.func @masked(%x: tensor<?x?x80xf32>, %m: tensor<?x?x1xi1>) -> tensor<f32> {
  %f = fuse.cast %m : tensor<?x?x1xi1> -> tensor<?x?x1xf32>
  %q = fuse.mul %x, %x : tensor<?x?x80xf32>
  %p = fuse.mul %q, %f : tensor<?x?x80xf32>, tensor<?x?x1xf32> -> tensor<?x?x80xf32>
  %s = fuse.reduce sum %p dims = [0, 1, 2] : tensor<?x?x80xf32> -> tensor<f32>
  %c = fuse.reduce sum %f dims = [0, 1, 2] : tensor<?x?x1xf32> -> tensor<f32>
  %y = fuse.div %s, %c : tensor<f32>
  return %y : tensor<f32>
}

// -----

// So where it selects, and is counted by another op.
// CHECK-LABEL: func.func @selected
// CHECK:         %[[R:.*]] = fuse.reduce sum %{{.*}} dims = [1] keep : tensor<?x4xf32> -> tensor<?x1xf32>
// CHECK:         %[[M:.*]] = fuse.select %{{.*}}, %[[R]], %{{.*}} : tensor<?x1xi1>, tensor<?x1xf32>, tensor<f32>
// CHECK:         fuse.reduce sum %[[M]] dims = [0, 1]
func.func @selected(%x: tensor<?x4xf32>, %m: tensor<?xi1>) -> (tensor<f32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %m, %c0 : tensor<?xi1>
  %e = tensor.expand_shape %m [[0, 1]] output_shape [%n, 1] : tensor<?xi1> into tensor<?x1xi1>
  %zero = fuse.constant dense<0.0> : tensor<f32>
  %p = fuse.select %e, %x, %zero : tensor<?x1xi1>, tensor<?x4xf32>, tensor<f32> -> tensor<?x4xf32>
  %s = fuse.reduce sum %p dims = [0, 1] : tensor<?x4xf32> -> tensor<f32>
  %f = fuse.cast %m : tensor<?xi1> -> tensor<?xf32>
  %c = fuse.reduce sum %f dims = [0] : tensor<?xf32> -> tensor<f32>
  return %s, %c : tensor<f32>, tensor<f32>
}

// -----

// Nobody sums the weights, whose columns are not rows, or another number is
// selected.
// CHECK-LABEL: func.func @not_masked
// CHECK-NOT:     keep
func.func @not_masked(%x: tensor<8x4xf32>, %w: tensor<8x1xf32>, %m: tensor<8x1xi1>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %p = fuse.mul %x, %w : tensor<8x4xf32>, tensor<8x1xf32> -> tensor<8x4xf32>
  %s = fuse.reduce sum %p dims = [0, 1] : tensor<8x4xf32> -> tensor<f32>
  %one = fuse.constant dense<1.0> : tensor<f32>
  %q = fuse.select %m, %x, %one : tensor<8x1xi1>, tensor<8x4xf32>, tensor<f32> -> tensor<8x4xf32>
  %t = fuse.reduce sum %q dims = [0, 1] : tensor<8x4xf32> -> tensor<f32>
  %f = fuse.cast %m : tensor<8x1xi1> -> tensor<8x1xf32>
  %c = fuse.reduce sum %f dims = [0, 1] : tensor<8x1xf32> -> tensor<f32>
  return %s, %t, %c : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// Maxima, of which some are stacked, and what is none of a whole tensor; short
// rows end in what no maximum is.
// CHECK-LABEL: func.func @maxima
// CHECK-SAME:    %[[A:.*]]: tensor<2048xf32>, %[[B:.*]]: tensor<15xf32>, %[[C:.*]]: tensor<4096xf32>, %[[D:.*]]: tensor<1xf32>, %[[E:.*]]: tensor<f32>
// CHECK-DAG:     fuse.reduce max %{{.*}} dims = [1] keep : tensor<1x2048xf32> -> tensor<1x1xf32>
// CHECK-DAG:     fuse.reduce max %{{.*}} dims = [1] keep : tensor<2x2048xf32> -> tensor<2x1xf32>
// CHECK-DAG:     fuse.pad %{{.*}} low = [0] high = [2033] value = -inf : tensor<15xf32> -> tensor<2048xf32>
// CHECK:         %[[J:.*]] = fuse.concat %{{.*}} dim = 0 : tensor<1x1xf32>, tensor<1x1xf32>, tensor<2x1xf32> -> tensor<4x1xf32>
// CHECK:         %[[M:.*]] = fuse.reduce max %[[J]] dims = [0, 1] : tensor<4x1xf32> -> tensor<f32>
// CHECK-DAG:     %[[S:.*]] = tensor.collapse_shape %[[D]] [] : tensor<1xf32> into tensor<f32>
// CHECK:         %[[N:.*]] = fuse.max %[[M]], %[[S]]
// CHECK:         %[[O:.*]] = fuse.max %[[N]], %[[E]]
// CHECK:         return %[[O]]
func.func @maxima(%a: tensor<2048xf32>, %b: tensor<15xf32>, %c: tensor<4096xf32>, %d: tensor<1xf32>, %e: tensor<f32>) -> tensor<f32> {
  %ma = fuse.reduce max %a dims = [0] : tensor<2048xf32> -> tensor<f32>
  %mb = fuse.reduce max %b dims = [0] : tensor<15xf32> -> tensor<f32>
  %mc = fuse.reduce max %c dims = [0] : tensor<4096xf32> -> tensor<f32>
  %ea = tensor.expand_shape %ma [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %eb = tensor.expand_shape %mb [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %s = fuse.concat %ea, %eb, %d dim = 0 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32> -> tensor<3xf32>
  %m = fuse.reduce max %s dims = [0] : tensor<3xf32> -> tensor<f32>
  %1 = fuse.max %m, %mc : tensor<f32>
  %2 = fuse.max %1, %e : tensor<f32>
  return %2 : tensor<f32>
}

// -----

// A sum of maxima, and a maximum of sums, are no single reduction.
// CHECK-LABEL: func.func @mixed
// CHECK-NOT:     fuse.concat
// CHECK:         return
func.func @mixed(%a: tensor<2048xf32>, %b: tensor<2048xf32>, %c: tensor<4096xf32>) -> (tensor<f32>, tensor<f32>) {
  %ma = fuse.reduce max %a dims = [0] : tensor<2048xf32> -> tensor<f32>
  %mb = fuse.reduce max %b dims = [0] : tensor<2048xf32> -> tensor<f32>
  %mc = fuse.reduce max %c dims = [0] : tensor<4096xf32> -> tensor<f32>
  %1 = fuse.add %ma, %mb : tensor<f32>
  %2 = fuse.add %1, %mc : tensor<f32>
  %sa = fuse.reduce sum %a dims = [0] : tensor<2048xf32> -> tensor<f32>
  %sb = fuse.reduce sum %b dims = [0] : tensor<2048xf32> -> tensor<f32>
  %sc = fuse.reduce sum %c dims = [0] : tensor<4096xf32> -> tensor<f32>
  %3 = fuse.max %sa, %sb : tensor<f32>
  %4 = fuse.max %3, %sc : tensor<f32>
  return %2, %4 : tensor<f32>, tensor<f32>
}

// -----

// Whether any element of many tensors holds, and all of those of others: what
// fills short rows is none of these.
// CHECK-LABEL: func.func @any_and_all
// CHECK:         fuse.pad %{{.*}} value = false
// CHECK:         %[[A:.*]] = fuse.concat
// CHECK-NEXT:    fuse.reduce any %[[A]] dims = [0, 1] : tensor<4x1xi1> -> tensor<i1>
// CHECK:         fuse.pad %{{.*}} value = true
// CHECK:         %[[B:.*]] = fuse.concat
// CHECK-NEXT:    fuse.reduce all %[[B]] dims = [0, 1] : tensor<4x1xi1> -> tensor<i1>
// CHECK-NOT:     fuse.concat
func.func @any_and_all(%a: tensor<2048xi1>, %b: tensor<2x2048xi1>, %c: tensor<2000xi1>, %d: tensor<2048xi32>)
    -> (tensor<i1>, tensor<i1>, tensor<i32>) {
  %x = fuse.reduce any %a dims = [0] : tensor<2048xi1> -> tensor<i1>
  %y = fuse.reduce any %b dims = [0, 1] : tensor<2x2048xi1> -> tensor<i1>
  %z = fuse.reduce any %c dims = [0] : tensor<2000xi1> -> tensor<i1>
  %1 = fuse.or %x, %y : tensor<i1>
  %2 = fuse.or %1, %z : tensor<i1>
  %u = fuse.reduce all %a dims = [0] : tensor<2048xi1> -> tensor<i1>
  %v = fuse.reduce all %b dims = [0, 1] : tensor<2x2048xi1> -> tensor<i1>
  %w = fuse.reduce all %c dims = [0] : tensor<2000xi1> -> tensor<i1>
  %3 = fuse.and %u, %v : tensor<i1>
  %4 = fuse.and %3, %w : tensor<i1>
  // Bits are not joined.
  %p = fuse.reduce max %d dims = [0] : tensor<2048xi32> -> tensor<i32>
  %q = fuse.or %p, %p : tensor<i32>
  return %2, %4, %q : tensor<i1>, tensor<i1>, tensor<i32>
}
