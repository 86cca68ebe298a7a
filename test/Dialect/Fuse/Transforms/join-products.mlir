// RUN: fuse-opt %s -split-input-file -fuse-join-products | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-join-products=narrow-only | FileCheck %s --check-prefix=NARROW

// All heads share the second part of the keys. What follows the sum stays.
// CHECK-LABEL: func.func @shared
// CHECK-SAME:    %[[X:.*]]: tensor<2x8x?x128xbf16>, %[[Y:.*]]: tensor<2x8x?x64xbf16>, %[[K:.*]]: tensor<2x8x?x128xbf16>, %[[R:.*]]: tensor<2x1x?x64xbf16>
// CHECK-DAG:     %[[Q:.*]] = fuse.concat %[[X]], %[[Y]] dim = 3 : {{.*}} -> tensor<2x8x?x192xbf16>
// CHECK-DAG:     %[[T:.*]] = fuse.broadcast %[[R]] : tensor<2x1x?x64xbf16> -> tensor<2x8x?x64xbf16>
// CHECK-DAG:     %[[C:.*]] = fuse.concat %[[K]], %[[T]] dim = 3 : {{.*}} -> tensor<2x8x?x192xbf16>
// CHECK:         %[[S:.*]] = fuse.contract "bhqd,bhkd->bhqk" %[[Q]], %[[C]]
// CHECK-NOT:     fuse.contract "bhqd
// CHECK:         %[[P:.*]] = fuse.sub %[[S]]
func.func @shared(%x: tensor<2x8x?x128xbf16>, %y: tensor<2x8x?x64xbf16>, %k: tensor<2x8x?x128xbf16>, %r: tensor<2x1x?x64xbf16>, %v: tensor<2x8x?x128xbf16>) -> tensor<2x8x?x128xbf16> {
  %a = fuse.contract "bhqd,bhkd->bhqk" %x, %k : tensor<2x8x?x128xbf16>, tensor<2x8x?x128xbf16> -> tensor<2x8x?x?xbf16>
  %b = fuse.contract "bhqd,bhkd->bhqk" %y, %r : tensor<2x8x?x64xbf16>, tensor<2x1x?x64xbf16> -> tensor<2x8x?x?xbf16>
  %s = fuse.add %a, %b : tensor<2x8x?x?xbf16>
  %m = fuse.reduce max %s dims = [3] keep : tensor<2x8x?x?xbf16> -> tensor<2x8x?x1xbf16>
  %d = fuse.sub %s, %m : tensor<2x8x?x?xbf16>, tensor<2x8x?x1xbf16>
  %w = fuse.exp %d : tensor<2x8x?x?xbf16>
  %o = fuse.contract "bhqk,bhkd->bhqd" %w, %v : tensor<2x8x?x?xbf16>, tensor<2x8x?x128xbf16> -> tensor<2x8x?x128xbf16>
  return %o : tensor<2x8x?x128xbf16>
}

// -----

// Three products, each widened and scaled, with another tensor between them. The
// part that is no multiple of 64 comes last; operands are turned, and may lack
// an axis or be on the other side.
// CHECK-LABEL: func.func @scaled
// CHECK-SAME:    %[[X:.*]]: tensor<3x7x2x32xbf16>, %[[Y:.*]]: tensor<3x2x7x64xbf16>, %[[Z:.*]]: tensor<3x2x7x128xbf16>, %[[K:.*]]: tensor<3x2x9x32xbf16>, %[[L:.*]]: tensor<3x9x64xbf16>, %[[M:.*]]: tensor<3x2x9x128xbf16>, %{{.*}}, %[[B:.*]]: tensor<7x9xf32>
// CHECK-DAG:     %[[C:.*]] = fuse.constant dense<5.000000e-01>
// CHECK-DAG:     %[[XT:.*]] = fuse.transpose %[[X]] permutation = [0, 2, 1, 3]
// CHECK-DAG:     %[[Q:.*]] = fuse.concat %[[Y]], %[[Z]], %[[XT]] dim = 3 : {{.*}} -> tensor<3x2x7x224xbf16>
// CHECK-DAG:     %[[LE:.*]] = tensor.expand_shape %[[L]] {{\[\[}}0], [1, 2], [3]]
// CHECK-DAG:     %[[LB:.*]] = fuse.broadcast %[[LE]] : tensor<3x1x9x64xbf16> -> tensor<3x2x9x64xbf16>
// CHECK-DAG:     %[[R:.*]] = fuse.concat %[[LB]], %[[M]], %[[K]] dim = 3 : {{.*}} -> tensor<3x2x9x224xbf16>
// CHECK:         %[[S:.*]] = fuse.contract "bhkr,bhqr->bhqk" %[[R]], %[[Q]]
// CHECK:         %[[F:.*]] = fuse.cast %[[S]]
// CHECK:         %[[SC:.*]] = fuse.mul %[[C]], %[[F]]
// CHECK-NOT:     fuse.mul
// CHECK:         fuse.add %[[SC]], %[[B]]
// CHECK-NOT:     fuse.add
// CHECK:         return
func.func @scaled(%x: tensor<3x7x2x32xbf16>, %y: tensor<3x2x7x64xbf16>, %z: tensor<3x2x7x128xbf16>, %k: tensor<3x2x9x32xbf16>, %l: tensor<3x9x64xbf16>, %m: tensor<3x2x9x128xbf16>, %v: tensor<3x2x9x64xbf16>, %bias: tensor<7x9xf32>) -> tensor<3x2x7x64xbf16> {
  %c = fuse.constant dense<0.5> : tensor<f32>
  %again = fuse.constant dense<0.5> : tensor<f32>
  %0 = fuse.contract "bqhd,bhkd->bhqk" %x, %k : tensor<3x7x2x32xbf16>, tensor<3x2x9x32xbf16> -> tensor<3x2x7x9xbf16>
  %1 = fuse.contract "bkr,bhqr->bhqk" %l, %y : tensor<3x9x64xbf16>, tensor<3x2x7x64xbf16> -> tensor<3x2x7x9xbf16>
  %2 = fuse.contract "hnmk,hnpk->hnmp" %z, %m : tensor<3x2x7x128xbf16>, tensor<3x2x9x128xbf16> -> tensor<3x2x7x9xbf16>
  %f0 = fuse.cast %0 : tensor<3x2x7x9xbf16> -> tensor<3x2x7x9xf32>
  %f1 = fuse.cast %1 : tensor<3x2x7x9xbf16> -> tensor<3x2x7x9xf32>
  %f2 = fuse.cast %2 : tensor<3x2x7x9xbf16> -> tensor<3x2x7x9xf32>
  %s0 = fuse.mul %f0, %c : tensor<3x2x7x9xf32>, tensor<f32>
  %s1 = fuse.mul %c, %f1 : tensor<f32>, tensor<3x2x7x9xf32> -> tensor<3x2x7x9xf32>
  %s2 = fuse.mul %f2, %again : tensor<3x2x7x9xf32>, tensor<f32>
  %a = fuse.add %s0, %bias : tensor<3x2x7x9xf32>, tensor<7x9xf32>
  %b = fuse.add %a, %s1 : tensor<3x2x7x9xf32>
  %s = fuse.add %b, %s2 : tensor<3x2x7x9xf32>
  %most = fuse.reduce max %s dims = [3] keep : tensor<3x2x7x9xf32> -> tensor<3x2x7x1xf32>
  %d = fuse.sub %s, %most : tensor<3x2x7x9xf32>, tensor<3x2x7x1xf32>
  %e = fuse.exp %d : tensor<3x2x7x9xf32>
  %w = fuse.cast %e : tensor<3x2x7x9xf32> -> tensor<3x2x7x9xbf16>
  %o = fuse.contract "bhqk,bhkd->bhqd" %w, %v : tensor<3x2x7x9xbf16>, tensor<3x2x9x64xbf16> -> tensor<3x2x7x64xbf16>
  return %o : tensor<3x2x7x64xbf16>
}

// -----

// What scores of several places are weights of, without a softmax.
// CHECK-LABEL: func.func @plain
// CHECK:         fuse.concat
// CHECK:         fuse.concat
// CHECK:         %[[S:.*]] = fuse.contract "bqd,bkd->bqk"
// CHECK:         fuse.max %[[S]]
// NARROW-LABEL: func.func @plain
// NARROW-NOT:     fuse.concat
// NARROW:         return
func.func @plain(%x: tensor<2x9x64xf32>, %y: tensor<2x9x64xf32>, %k: tensor<2x8x64xf32>, %r: tensor<2x8x64xf32>, %v: tensor<2x8x64xf32>) -> tensor<2x9x64xf32> {
  %zero = fuse.constant dense<0.0> : tensor<f32>
  %a = fuse.contract "bqd,bkd->bqk" %x, %k : tensor<2x9x64xf32>, tensor<2x8x64xf32> -> tensor<2x9x8xf32>
  %b = fuse.contract "bqd,bkd->bqk" %y, %r : tensor<2x9x64xf32>, tensor<2x8x64xf32> -> tensor<2x9x8xf32>
  %s = fuse.add %a, %b : tensor<2x9x8xf32>
  %w = fuse.max %s, %zero : tensor<2x9x8xf32>, tensor<f32>
  %o = fuse.contract "bqk,bkd->bqd" %w, %v : tensor<2x9x8xf32>, tensor<2x8x64xf32> -> tensor<2x9x64xf32>
  return %o : tensor<2x9x64xf32>
}

// -----

// Layers of a network, whose matrices are the same for all rows.
// CHECK-LABEL: func.func @layers
// CHECK-NOT:     fuse.concat
// CHECK:         return
func.func @layers(%x: tensor<?x64xbf16>, %y: tensor<?x64xbf16>, %k: tensor<128x64xbf16>, %r: tensor<128x64xbf16>, %v: tensor<128x64xbf16>) -> tensor<?x64xbf16> {
  %zero = fuse.constant dense<0.0> : tensor<bf16>
  %a = fuse.contract "qd,kd->qk" %x, %k : tensor<?x64xbf16>, tensor<128x64xbf16> -> tensor<?x128xbf16>
  %b = fuse.contract "qd,kd->qk" %y, %r : tensor<?x64xbf16>, tensor<128x64xbf16> -> tensor<?x128xbf16>
  %s = fuse.add %a, %b : tensor<?x128xbf16>
  %w = fuse.max %s, %zero : tensor<?x128xbf16>, tensor<bf16>
  %o = fuse.contract "qk,kd->qd" %w, %v : tensor<?x128xbf16>, tensor<128x64xbf16> -> tensor<?x64xbf16>
  return %o : tensor<?x64xbf16>
}

// -----

// A sum that is needed by itself; products of which one is needed elsewhere.
// CHECK-LABEL: func.func @needed
// CHECK-NOT:     fuse.concat
// CHECK:         return
func.func @needed(%x: tensor<2x9x64xbf16>, %k: tensor<2x8x64xbf16>, %v: tensor<2x8x64xbf16>) -> (tensor<2x9x64xbf16>, tensor<2x9x8xbf16>, tensor<2x9x64xbf16>, tensor<2x9x8xbf16>) {
  %a = fuse.contract "bqd,bkd->bqk" %x, %k : tensor<2x9x64xbf16>, tensor<2x8x64xbf16> -> tensor<2x9x8xbf16>
  %b = fuse.contract "bqd,bkd->bqk" %x, %k : tensor<2x9x64xbf16>, tensor<2x8x64xbf16> -> tensor<2x9x8xbf16>
  %s = fuse.add %a, %b : tensor<2x9x8xbf16>
  %w = fuse.exp %s : tensor<2x9x8xbf16>
  %o = fuse.contract "bqk,bkd->bqd" %w, %v : tensor<2x9x8xbf16>, tensor<2x8x64xbf16> -> tensor<2x9x64xbf16>
  %c = fuse.contract "bqd,bkd->bqk" %x, %k : tensor<2x9x64xbf16>, tensor<2x8x64xbf16> -> tensor<2x9x8xbf16>
  %d = fuse.contract "bqd,bkd->bqk" %x, %k : tensor<2x9x64xbf16>, tensor<2x8x64xbf16> -> tensor<2x9x8xbf16>
  %t = fuse.add %c, %d : tensor<2x9x8xbf16>
  %u = fuse.contract "bqk,bkd->bqd" %t, %v : tensor<2x9x8xbf16>, tensor<2x8x64xbf16> -> tensor<2x9x64xbf16>
  return %o, %s, %u, %d : tensor<2x9x64xbf16>, tensor<2x9x8xbf16>, tensor<2x9x64xbf16>, tensor<2x9x8xbf16>
}

// -----

// Factors that differ stay, as do products of f16 that are scaled before they
// are added: as one they may be infinite.
// CHECK-LABEL: func.func @factors
// CHECK-NOT:     fuse.concat
// CHECK:         return
func.func @factors(%x: tensor<2x9x64xbf16>, %k: tensor<2x8x64xbf16>, %v: tensor<2x8x64xbf16>, %y: tensor<2x9x64xf16>, %l: tensor<2x8x64xf16>, %u: tensor<2x8x64xf16>) -> (tensor<2x9x64xbf16>, tensor<2x9x64xf16>) {
  %c = fuse.constant dense<0.5> : tensor<bf16>
  %d = fuse.constant dense<0.25> : tensor<bf16>
  %a = fuse.contract "bqd,bkd->bqk" %x, %k : tensor<2x9x64xbf16>, tensor<2x8x64xbf16> -> tensor<2x9x8xbf16>
  %b = fuse.contract "bqd,bkd->bqk" %x, %k : tensor<2x9x64xbf16>, tensor<2x8x64xbf16> -> tensor<2x9x8xbf16>
  %ac = fuse.mul %a, %c : tensor<2x9x8xbf16>, tensor<bf16>
  %bd = fuse.mul %b, %d : tensor<2x9x8xbf16>, tensor<bf16>
  %s = fuse.add %ac, %bd : tensor<2x9x8xbf16>
  %o = fuse.contract "bqk,bkd->bqd" %s, %v : tensor<2x9x8xbf16>, tensor<2x8x64xbf16> -> tensor<2x9x64xbf16>
  %e = fuse.constant dense<0.5> : tensor<f16>
  %f = fuse.contract "bqd,bkd->bqk" %y, %l : tensor<2x9x64xf16>, tensor<2x8x64xf16> -> tensor<2x9x8xf16>
  %g = fuse.contract "bqd,bkd->bqk" %y, %l : tensor<2x9x64xf16>, tensor<2x8x64xf16> -> tensor<2x9x8xf16>
  %fe = fuse.mul %f, %e : tensor<2x9x8xf16>, tensor<f16>
  %ge = fuse.mul %g, %e : tensor<2x9x8xf16>, tensor<f16>
  %t = fuse.add %fe, %ge : tensor<2x9x8xf16>
  %p = fuse.contract "bqk,bkd->bqd" %t, %u : tensor<2x9x8xf16>, tensor<2x8x64xf16> -> tensor<2x9x64xf16>
  return %o, %p : tensor<2x9x64xbf16>, tensor<2x9x64xf16>
}

// -----

// Keys that none of the operands has all axes of; what is summed over the rows
// of the scores.
// CHECK-LABEL: func.func @axes
// CHECK-NOT:     fuse.concat
// CHECK:         return
func.func @axes(%x: tensor<3x2x9x64xbf16>, %k: tensor<3x8x64xbf16>, %r: tensor<2x8x64xbf16>, %v: tensor<3x8x64xbf16>, %w: tensor<3x2x9x64xbf16>) -> (tensor<3x2x9x64xbf16>, tensor<3x2x8x64xbf16>) {
  %a = fuse.contract "bhqd,bkd->bhqk" %x, %k : tensor<3x2x9x64xbf16>, tensor<3x8x64xbf16> -> tensor<3x2x9x8xbf16>
  %b = fuse.contract "bhqd,hkd->bhqk" %x, %r : tensor<3x2x9x64xbf16>, tensor<2x8x64xbf16> -> tensor<3x2x9x8xbf16>
  %s = fuse.add %a, %b : tensor<3x2x9x8xbf16>
  %o = fuse.contract "bhqk,bkd->bhqd" %s, %v : tensor<3x2x9x8xbf16>, tensor<3x8x64xbf16> -> tensor<3x2x9x64xbf16>
  %c = fuse.contract "bhqd,bkd->bhqk" %x, %k : tensor<3x2x9x64xbf16>, tensor<3x8x64xbf16> -> tensor<3x2x9x8xbf16>
  %d = fuse.contract "bhqd,bkd->bhqk" %w, %k : tensor<3x2x9x64xbf16>, tensor<3x8x64xbf16> -> tensor<3x2x9x8xbf16>
  %t = fuse.add %c, %d : tensor<3x2x9x8xbf16>
  %p = fuse.contract "bhqk,bhqd->bhkd" %t, %w : tensor<3x2x9x8xbf16>, tensor<3x2x9x64xbf16> -> tensor<3x2x8x64xbf16>
  return %o, %p : tensor<3x2x9x64xbf16>, tensor<3x2x8x64xbf16>
}

// -----

// Of four, two are scaled together, one of which alone before: both are added once.
// CHECK-LABEL: func.func @together
// CHECK-SAME:    %[[X:.*]]: tensor<2x9x64xbf16>, %[[K:.*]]: tensor<2x8x64xbf16>, %[[L:.*]]: tensor<2x8x64xbf16>, %[[M:.*]]: tensor<2x8x64xbf16>, %[[N:.*]]: tensor<2x8x64xbf16>, %
// CHECK:         %[[A:.*]] = fuse.contract "bqd,bkd->bqk" %[[X]], %[[K]]
// CHECK:         %[[B:.*]] = fuse.contract "bqd,bkd->bqk" %[[X]], %[[L]]
// CHECK:         %[[C:.*]] = fuse.mul %[[B]]
// CHECK:         %[[D:.*]] = fuse.add %[[A]], %[[C]]
// CHECK:         %[[E:.*]] = fuse.mul %[[D]]
// CHECK-DAG:     %[[Q:.*]] = fuse.concat %[[X]], %[[X]] dim = 2
// CHECK-DAG:     %[[R:.*]] = fuse.concat %[[M]], %[[N]] dim = 2
// CHECK:         %[[S:.*]] = fuse.contract "bqd,bkd->bqk" %[[Q]], %[[R]]
// CHECK:         %[[T:.*]] = fuse.add %[[S]], %[[E]]
// CHECK-NEXT:    fuse.contract "bqk,bkd->bqd" %[[T]]
func.func @together(%x: tensor<2x9x64xbf16>, %k: tensor<2x8x64xbf16>, %l: tensor<2x8x64xbf16>, %m: tensor<2x8x64xbf16>, %n: tensor<2x8x64xbf16>, %v: tensor<2x8x64xbf16>) -> tensor<2x9x64xbf16> {
  %c = fuse.constant dense<0.5> : tensor<bf16>
  %0 = fuse.contract "bqd,bkd->bqk" %x, %k : tensor<2x9x64xbf16>, tensor<2x8x64xbf16> -> tensor<2x9x8xbf16>
  %1 = fuse.contract "bqd,bkd->bqk" %x, %l : tensor<2x9x64xbf16>, tensor<2x8x64xbf16> -> tensor<2x9x8xbf16>
  %2 = fuse.contract "bqd,bkd->bqk" %x, %m : tensor<2x9x64xbf16>, tensor<2x8x64xbf16> -> tensor<2x9x8xbf16>
  %3 = fuse.contract "bqd,bkd->bqk" %x, %n : tensor<2x9x64xbf16>, tensor<2x8x64xbf16> -> tensor<2x9x8xbf16>
  %4 = fuse.mul %1, %c : tensor<2x9x8xbf16>, tensor<bf16>
  %5 = fuse.add %0, %4 : tensor<2x9x8xbf16>
  %6 = fuse.mul %5, %c : tensor<2x9x8xbf16>, tensor<bf16>
  %7 = fuse.add %2, %6 : tensor<2x9x8xbf16>
  %8 = fuse.add %7, %3 : tensor<2x9x8xbf16>
  %o = fuse.contract "bqk,bkd->bqd" %8, %v : tensor<2x9x8xbf16>, tensor<2x8x64xbf16> -> tensor<2x9x64xbf16>
  return %o : tensor<2x9x64xbf16>
}
