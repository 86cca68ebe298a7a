// RUN: fuse-opt %s -split-input-file -fuse-decompose -fuse-form-softmax -canonicalize -cse | FileCheck %s

// Without a maximum: the factor goes in the quotient, and the logarithm gets it
// back.
// CHECK-LABEL: func.func @plain(
// CHECK:         %[[X:.*]] = fuse.contract "mk,nk->mn"
// CHECK:         %[[MAX:.*]] = fuse.reduce max %[[X]] dims = [1] keep
// CHECK:         %[[FINITE:.*]] = fuse.select %{{.*}}, %{{.*}}, %[[MAX]]
// CHECK:         %[[BELOW:.*]] = fuse.sub %[[X]], %[[FINITE]]
// CHECK:         %[[E:.*]] = fuse.exp %[[BELOW]]
// CHECK:         %[[SUM:.*]] = fuse.reduce sum %[[E]]
// CHECK:         %[[P:.*]] = fuse.div %[[E]], %[[SUM]]
// CHECK:         %[[O:.*]] = fuse.contract "mk,kn->mn" %[[P]]
// CHECK:         %[[LOG:.*]] = fuse.log %[[SUM]]
// CHECK:         %[[L:.*]] = fuse.add %[[LOG]], %[[FINITE]]
// CHECK:         return %[[O]], %[[L]]
func.func @plain(%q: tensor<8x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x16xf32>) -> (tensor<8x16xf32>, tensor<8x1xf32>) {
  %x = fuse.matmul %q, %k transpose_rhs : tensor<8x16xf32>, tensor<64x16xf32> -> tensor<8x64xf32>
  %e = fuse.exp %x : tensor<8x64xf32>
  %s = fuse.reduce sum %e dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %p = fuse.div %e, %s : tensor<8x64xf32>, tensor<8x1xf32>
  %o = fuse.matmul %p, %v : tensor<8x64xf32>, tensor<64x16xf32> -> tensor<8x16xf32>
  %l = fuse.log %s : tensor<8x1xf32>
  return %o, %l : tensor<8x16xf32>, tensor<8x1xf32>
}

// -----

// A number beside the sum: the factor is multiplied into the sum and into what
// is divided, and the sum is of exponentials without it.
// CHECK-LABEL: func.func @beside(
// CHECK:         %[[FINITE:.*]] = fuse.select
// CHECK:         %[[E:.*]] = fuse.exp %{{.*}} : tensor<8x64xf32>
// CHECK:         %[[FACTOR:.*]] = fuse.exp %[[FINITE]]
// CHECK:         %[[ALL:.*]] = fuse.mul %[[E]], %[[FACTOR]]
// CHECK:         %[[SUM:.*]] = fuse.reduce sum %[[E]]
// CHECK:         %[[TOTAL:.*]] = fuse.mul %[[SUM]], %[[FACTOR]]
// CHECK:         %[[MORE:.*]] = fuse.add %[[TOTAL]], %{{.*}}
// CHECK:         %[[P:.*]] = fuse.div %[[ALL]], %[[MORE]]
// CHECK:         fuse.contract "mk,kn->mn" %[[P]]
func.func @beside(%q: tensor<8x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x16xf32>) -> tensor<8x16xf32> {
  %one = fuse.constant dense<1.0> : tensor<f32>
  %x = fuse.matmul %q, %k transpose_rhs : tensor<8x16xf32>, tensor<64x16xf32> -> tensor<8x64xf32>
  %e = fuse.exp %x : tensor<8x64xf32>
  %s = fuse.reduce sum %e dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %t = fuse.add %s, %one : tensor<8x1xf32>, tensor<f32>
  %p = fuse.div %e, %t : tensor<8x64xf32>, tensor<8x1xf32>
  %o = fuse.matmul %p, %v : tensor<8x64xf32>, tensor<64x16xf32> -> tensor<8x16xf32>
  return %o : tensor<8x16xf32>
}

// -----

// A division behind the product is one of the weights, in the type before they
// are rounded.
// CHECK-LABEL: func.func @late(
// CHECK:         %[[SUM:.*]] = fuse.reduce sum %[[E:.*]] dims
// CHECK:         %[[P:.*]] = fuse.div %[[E]], %[[SUM]] : tensor<8x64xf32>
// CHECK:         %[[W:.*]] = fuse.cast %[[P]] {{.*}}-> tensor<8x64xbf16>
// CHECK:         %[[O:.*]] = fuse.contract "mk,kn->mn" %[[W]]
// CHECK:         %[[C:.*]] = fuse.cast %[[O]]
// CHECK:         return %[[C]]
func.func @late(%q: tensor<8x16xbf16>, %k: tensor<64x16xbf16>, %v: tensor<64x16xbf16>) -> tensor<8x16xf32> {
  %b = fuse.matmul %q, %k transpose_rhs : tensor<8x16xbf16>, tensor<64x16xbf16> -> tensor<8x64xbf16>
  %x = fuse.cast %b : tensor<8x64xbf16> -> tensor<8x64xf32>
  %m = fuse.reduce max %x dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %d = fuse.sub %x, %m : tensor<8x64xf32>, tensor<8x1xf32>
  %e = fuse.exp %d : tensor<8x64xf32>
  %s = fuse.reduce sum %e dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %w = fuse.cast %e : tensor<8x64xf32> -> tensor<8x64xbf16>
  %o = fuse.matmul %w, %v : tensor<8x64xbf16>, tensor<64x16xbf16> -> tensor<8x16xbf16>
  %c = fuse.cast %o : tensor<8x16xbf16> -> tensor<8x16xf32>
  %y = fuse.div %c, %s : tensor<8x16xf32>, tensor<8x1xf32>
  return %y : tensor<8x16xf32>
}

// -----

// A mask of ones and zeros goes into the exponent, whose maximum is that of what
// it shows.
// CHECK-LABEL: func.func @masked(
// CHECK:         %[[X:.*]] = fuse.contract "mk,nk->mn"
// CHECK:         %[[Z:.*]] = fuse.select %arg3, %[[X]], %{{.*}}
// CHECK:         %[[MAX:.*]] = fuse.reduce max %[[Z]]
// CHECK:         %[[E:.*]] = fuse.exp
// CHECK-NOT:     fuse.mul
// CHECK:         %[[SUM:.*]] = fuse.reduce sum %[[E]]
// CHECK:         fuse.div %[[E]], %[[SUM]]
func.func @masked(%q: tensor<8x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x16xf32>, %mask: tensor<8x64xi1>) -> tensor<8x16xf32> {
  %x = fuse.matmul %q, %k transpose_rhs : tensor<8x16xf32>, tensor<64x16xf32> -> tensor<8x64xf32>
  %m = fuse.reduce max %x dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %d = fuse.sub %x, %m : tensor<8x64xf32>, tensor<8x1xf32>
  %e = fuse.exp %d : tensor<8x64xf32>
  %n = fuse.cast %mask : tensor<8x64xi1> -> tensor<8x64xf32>
  %h = fuse.mul %e, %n : tensor<8x64xf32>
  %s = fuse.reduce sum %h dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %p = fuse.div %h, %s : tensor<8x64xf32>, tensor<8x1xf32>
  %o = fuse.matmul %p, %v : tensor<8x64xf32>, tensor<64x16xf32> -> tensor<8x16xf32>
  return %o : tensor<8x16xf32>
}

// -----

// Base 2: the maximum is that of the exponent to base e, and others get theirs
// from it.
// CHECK-LABEL: func.func @binary(
// CHECK:         %[[X:.*]] = fuse.contract "mk,nk->mn"
// CHECK:         %[[NATURAL:.*]] = fuse.mul %[[X]], %{{.*}} : tensor<8x64xf32>
// CHECK:         %[[MAX:.*]] = fuse.reduce max %[[NATURAL]]
// CHECK:         %[[BINARY:.*]] = fuse.mul %[[MAX]], %{{.*}} : tensor<8x1xf32>
// CHECK:         fuse.sub %[[NATURAL]], %[[MAX]]
// CHECK-NOT:     fuse.exp2
// CHECK:         return %{{.*}}, %[[BINARY]]
func.func @binary(%q: tensor<8x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x16xf32>) -> (tensor<8x16xf32>, tensor<8x1xf32>) {
  %x = fuse.matmul %q, %k transpose_rhs : tensor<8x16xf32>, tensor<64x16xf32> -> tensor<8x64xf32>
  %m = fuse.reduce max %x dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %d = fuse.sub %x, %m : tensor<8x64xf32>, tensor<8x1xf32>
  %e = fuse.exp2 %d : tensor<8x64xf32>
  %s = fuse.reduce sum %e dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %p = fuse.div %e, %s : tensor<8x64xf32>, tensor<8x1xf32>
  %o = fuse.matmul %p, %v : tensor<8x64xf32>, tensor<64x16xf32> -> tensor<8x16xf32>
  return %o, %m : tensor<8x16xf32>, tensor<8x1xf32>
}

// -----

// Neither a softmax as it should be, nor exponentials that nobody sums, nor those
// that no contraction reads, change.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-1: fuse.reduce max
// CHECK-NOT:     fuse.reduce max
// CHECK:         return
func.func @others(%q: tensor<8x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x1xf32>) {
  %x = fuse.matmul %q, %k transpose_rhs : tensor<8x16xf32>, tensor<64x16xf32> -> tensor<8x64xf32>
  %p = fuse.softmax %x dims = [1] : tensor<8x64xf32>
  %o = fuse.matmul %p, %v : tensor<8x64xf32>, tensor<64x16xf32> -> tensor<8x16xf32>
  %e = fuse.exp %x : tensor<8x64xf32>
  %u = fuse.matmul %e, %v : tensor<8x64xf32>, tensor<64x16xf32> -> tensor<8x16xf32>
  %f = fuse.exp %o : tensor<8x16xf32>
  %s = fuse.reduce sum %f dims = [1] keep : tensor<8x16xf32> -> tensor<8x1xf32>
  return %o, %u, %s : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x1xf32>
}
