// RUN: fuse-opt %s -split-input-file -fuse-form-kernels | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form-kernels=chip=cpu | FileCheck %s --check-prefix=CPU
// RUN: fuse-opt %s -split-input-file -fuse-form-kernels=fusion=false | FileCheck %s --check-prefix=OFF

// Rows of several shapes that share nothing but a launch.
// CHECK-LABEL: func.func @heads
// CHECK:         fuse.kernel "heads" ins(
// CHECK-NOT:     fuse.kernel
// CPU-LABEL:   func.func @heads
// CPU:           fuse.kernel "heads" ins(
// CPU-NOT:       fuse.kernel
// CPU-LABEL:   func.func @lengths
// OFF-LABEL:   func.func @heads
// OFF-COUNT-2:   fuse.kernel
// OFF-LABEL:   func.func @lengths
func.func @heads(%q: tensor<?x32x128xf32> {fuse.dims = ["t"]}, %k: tensor<?x8x128xf32> {fuse.dims = ["t"]})
    -> (tensor<?x32x1xf32>, tensor<?x8x1xf32>) {
  %a = fuse.reduce max %q dims = [2] keep : tensor<?x32x128xf32> -> tensor<?x32x1xf32>
  %b = fuse.reduce max %k dims = [2] keep : tensor<?x8x128xf32> -> tensor<?x8x1xf32>
  return %a, %b : tensor<?x32x1xf32>, tensor<?x8x1xf32>
}

// -----

// Rows of other lengths, and slices of one input.
// CHECK-LABEL: func.func @lengths
// CHECK:         fuse.kernel "lengths" ins(%{{[a-z0-9]*}} :
// CHECK-NOT:     fuse.kernel
func.func @lengths(%x: tensor<512x1536xf32>) -> (tensor<512x1xf32>, tensor<512x1xf32>) {
  %q = fuse.slice %x offsets = [0, 0] sizes = [512, 1024] : tensor<512x1536xf32> -> tensor<512x1024xf32>
  %k = fuse.slice %x offsets = [0, 1024] sizes = [512, 512] : tensor<512x1536xf32> -> tensor<512x512xf32>
  %a = fuse.reduce max %q dims = [1] keep : tensor<512x1024xf32> -> tensor<512x1xf32>
  %b = fuse.reduce max %k dims = [1] keep : tensor<512x512xf32> -> tensor<512x1xf32>
  return %a, %b : tensor<512x1xf32>, tensor<512x1xf32>
}

// -----

// What groups are reduced to is reduced with their row.
// CHECK-LABEL: func.func @dependent
// CHECK-NOT:     fuse.missed
// CHECK:         fuse.kernel "dependent" ins(%{{[a-z0-9]*}} :
// CHECK:           fuse.reduce max %{{.*}} dims = [2]
// CHECK:           fuse.reduce sum %{{.*}} dims = [1]
// CHECK-NOT:     fuse.kernel
func.func @dependent(%q: tensor<64x32x128xf32>) -> tensor<64x1xf32> {
  %a = fuse.reduce max %q dims = [2] : tensor<64x32x128xf32> -> tensor<64x32xf32>
  %b = fuse.reduce sum %a dims = [1] keep : tensor<64x32xf32> -> tensor<64x1xf32>
  return %b : tensor<64x1xf32>
}

// -----

// A group of 131 elements is in too many parts: two launches.
// CHECK-LABEL: func.func @parts
// CHECK-SAME:    {consumer = "parts_1", producer = "parts_0", reason = {{.*}}kind = "groupsUnshared"}}
// CHECK:         %[[A:.*]] = fuse.kernel "parts_0"
// CHECK:         fuse.kernel "parts_1" ins(%[[A]] :
func.func @parts(%q: tensor<64x32x131xf32>) -> tensor<64x1xf32> {
  %a = fuse.reduce max %q dims = [2] : tensor<64x32x131xf32> -> tensor<64x32xf32>
  %b = fuse.reduce sum %a dims = [1] keep : tensor<64x32xf32> -> tensor<64x1xf32>
  return %b : tensor<64x1xf32>
}

// -----

// One axis of the groups is none of the row's: columns need what others do.
// CHECK-LABEL: func.func @across
// CHECK-COUNT-2: fuse.kernel "
func.func @across(%q: tensor<64x128x128xf32>) -> tensor<64x128xf32> {
  %a = fuse.reduce max %q dims = [1] : tensor<64x128x128xf32> -> tensor<64x128xf32>
  %s = fuse.reduce sum %a dims = [1] keep : tensor<64x128xf32> -> tensor<64x1xf32>
  %y = fuse.div %a, %s : tensor<64x128xf32>, tensor<64x1xf32> -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}

// -----

// So do two with a kernel between them.
// CHECK-LABEL: func.func @between
// CHECK-COUNT-3: fuse.kernel
// CHECK-NOT:     fuse.kernel
func.func @between(%q: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> (tensor<64x128xf32>, tensor<64x1xf32>) {
  %m = fuse.reduce max %q dims = [1] keep : tensor<64x128xf32> -> tensor<64x1xf32>
  %n = fuse.sub %q, %m : tensor<64x128xf32>, tensor<64x1xf32> -> tensor<64x128xf32>
  %p = fuse.contract "mk,kn->mn" %n, %w : tensor<64x128xf32>, tensor<128x96xf32> -> tensor<64x96xf32>
  %b = fuse.reduce max %p dims = [1] keep : tensor<64x96xf32> -> tensor<64x1xf32>
  return %n, %b : tensor<64x128xf32>, tensor<64x1xf32>
}

// -----

// CHECK-LABEL: func.func @too_different
// CHECK-SAME:    {kernel = "too_different_1", neighbour = "too_different_0", reason = {{.*}}kind = "longBesideShort"}}
// CHECK-COUNT-2: fuse.kernel
func.func @too_different(%a: tensor<64x128xf32>, %b: tensor<64x1024xf32>) -> (tensor<64x1xf32>, tensor<64x1xf32>) {
  %x = fuse.reduce max %a dims = [1] keep : tensor<64x128xf32> -> tensor<64x1xf32>
  %y = fuse.reduce max %b dims = [1] keep : tensor<64x1024xf32> -> tensor<64x1xf32>
  return %x, %y : tensor<64x1xf32>, tensor<64x1xf32>
}

// -----

// CHECK-LABEL: func.func @vectors
// CHECK-SAME:    reason = {{.*}}kind = "differentVectors"
// CHECK-COUNT-2: fuse.kernel
func.func @vectors(%a: tensor<64x128xf32>, %b: tensor<64x128xbf16>) -> (tensor<64x1xf32>, tensor<64x1xbf16>) {
  %x = fuse.reduce max %a dims = [1] keep : tensor<64x128xf32> -> tensor<64x1xf32>
  %y = fuse.reduce max %b dims = [1] keep : tensor<64x128xbf16> -> tensor<64x1xbf16>
  return %x, %y : tensor<64x1xf32>, tensor<64x1xbf16>
}

// -----

// CHECK-LABEL: func.func @unknown_length
// CHECK-SAME:    reason = {{.*}}kind = "knownAndUnknownLength"
// CHECK-COUNT-2: fuse.kernel
func.func @unknown_length(%a: tensor<64x128xf32>, %b: tensor<64x?xf32>) -> (tensor<64x1xf32>, tensor<64x1xf32>) {
  %x = fuse.reduce max %a dims = [1] keep : tensor<64x128xf32> -> tensor<64x1xf32>
  %y = fuse.reduce max %b dims = [1] keep : tensor<64x?xf32> -> tensor<64x1xf32>
  return %x, %y : tensor<64x1xf32>, tensor<64x1xf32>
}

// -----

// A CPU shares no rows.
// CHECK-LABEL: func.func @few_long
// CPU-LABEL:   func.func @few_long
// CPU:           fuse.kernel "few_long" ins(
// CHECK-SAME:    reason = {{.*}}kind = "sharedLongRows"
// CHECK-COUNT-2: fuse.kernel
func.func @few_long(%a: tensor<4x1048576xf32>, %b: tensor<8x1048576xf32>) -> (tensor<4x1xf32>, tensor<8x1xf32>) {
  %x = fuse.reduce max %a dims = [1] keep : tensor<4x1048576xf32> -> tensor<4x1xf32>
  %y = fuse.reduce max %b dims = [1] keep : tensor<8x1048576xf32> -> tensor<8x1xf32>
  return %x, %y : tensor<4x1xf32>, tensor<8x1xf32>
}

// -----

// To read the input twice takes longer than a second launch.
// CHECK-LABEL: func.func @again
// CHECK-SAME:    reason = {{.*}}kind = "recomputed"
// CHECK-COUNT-2: fuse.kernel
func.func @again(%a: tensor<65536x4x1024xf32>, %b: tensor<65536x4x1024xf32>, %c: tensor<65536x4x1024xf32>)
    -> (tensor<65536x4x1024xf32>, tensor<65536x4x1xf32>, tensor<131072xf32>) {
  %s = fuse.add %a, %b : tensor<65536x4x1024xf32>
  %h = fuse.add %s, %c : tensor<65536x4x1024xf32>
  %x = fuse.reduce max %h dims = [2] keep : tensor<65536x4x1024xf32> -> tensor<65536x4x1xf32>
  %l = tensor.collapse_shape %h [[0, 1], [2]] : tensor<65536x4x1024xf32> into tensor<262144x1024xf32>
  %r = tensor.expand_shape %l [[0, 1], [2]] output_shape [131072, 2, 1024] : tensor<262144x1024xf32> into tensor<131072x2x1024xf32>
  %y = fuse.reduce max %r dims = [1, 2] : tensor<131072x2x1024xf32> -> tensor<131072xf32>
  return %h, %x, %y : tensor<65536x4x1024xf32>, tensor<65536x4x1xf32>, tensor<131072xf32>
}

// -----

// Rows and their groups are one walk.
// CHECK-LABEL: func.func @rows_and_groups
// CHECK:         fuse.kernel "rows_and_groups" ins(
func.func @rows_and_groups(%a: tensor<65536x4x1024xf32>, %b: tensor<65536x4x1024xf32>, %c: tensor<65536x4x1024xf32>)
    -> (tensor<65536x4x1024xf32>, tensor<65536x4x1xf32>, tensor<65536xf32>) {
  %s = fuse.add %a, %b : tensor<65536x4x1024xf32>
  %h = fuse.add %s, %c : tensor<65536x4x1024xf32>
  %x = fuse.reduce max %h dims = [2] keep : tensor<65536x4x1024xf32> -> tensor<65536x4x1xf32>
  %y = fuse.reduce max %h dims = [1, 2] : tensor<65536x4x1024xf32> -> tensor<65536xf32>
  return %h, %x, %y : tensor<65536x4x1024xf32>, tensor<65536x4x1xf32>, tensor<65536xf32>
}

// -----

// CHECK-LABEL: func.func @five
// CHECK-SAME:    reason = {{.*}}kind = "tooManyShapes"
// CHECK-COUNT-2: fuse.kernel
func.func @five(%a: tensor<64x128xf32>, %b: tensor<65x128xf32>, %c: tensor<66x128xf32>, %d: tensor<67x128xf32>, %e: tensor<68x128xf32>)
    -> (tensor<64x128xf32>, tensor<65x128xf32>, tensor<66x128xf32>, tensor<67x128xf32>, tensor<68x128xf32>) {
  %ma = fuse.reduce max %a dims = [1] keep : tensor<64x128xf32> -> tensor<64x1xf32>
  %sa = fuse.sub %a, %ma : tensor<64x128xf32>, tensor<64x1xf32> -> tensor<64x128xf32>
  %mb = fuse.reduce max %b dims = [1] keep : tensor<65x128xf32> -> tensor<65x1xf32>
  %sb = fuse.sub %b, %mb : tensor<65x128xf32>, tensor<65x1xf32> -> tensor<65x128xf32>
  %mc = fuse.reduce max %c dims = [1] keep : tensor<66x128xf32> -> tensor<66x1xf32>
  %sc = fuse.sub %c, %mc : tensor<66x128xf32>, tensor<66x1xf32> -> tensor<66x128xf32>
  %md = fuse.reduce max %d dims = [1] keep : tensor<67x128xf32> -> tensor<67x1xf32>
  %sd = fuse.sub %d, %md : tensor<67x128xf32>, tensor<67x1xf32> -> tensor<67x128xf32>
  %me = fuse.reduce max %e dims = [1] keep : tensor<68x128xf32> -> tensor<68x1xf32>
  %se = fuse.sub %e, %me : tensor<68x128xf32>, tensor<68x1xf32> -> tensor<68x128xf32>
  return %sa, %sb, %sc, %sd, %se : tensor<64x128xf32>, tensor<65x128xf32>, tensor<66x128xf32>, tensor<67x128xf32>, tensor<68x128xf32>
}

// -----

// Rows that are read once, and of which one number is left, take little code.
// CHECK-LABEL: func.func @five_read_once
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:     fuse.kernel
func.func @five_read_once(%a: tensor<64x128xf32>, %b: tensor<65x128xf32>, %c: tensor<66x128xf32>, %d: tensor<67x128xf32>, %e: tensor<68x128xf32>)
    -> (tensor<64x1xf32>, tensor<65x1xf32>, tensor<66x1xf32>, tensor<67x1xf32>, tensor<68x1xf32>) {
  %v = fuse.reduce max %a dims = [1] keep : tensor<64x128xf32> -> tensor<64x1xf32>
  %w = fuse.reduce max %b dims = [1] keep : tensor<65x128xf32> -> tensor<65x1xf32>
  %x = fuse.reduce max %c dims = [1] keep : tensor<66x128xf32> -> tensor<66x1xf32>
  %y = fuse.reduce max %d dims = [1] keep : tensor<67x128xf32> -> tensor<67x1xf32>
  %z = fuse.reduce max %e dims = [1] keep : tensor<68x128xf32> -> tensor<68x1xf32>
  return %v, %w, %x, %y, %z : tensor<64x1xf32>, tensor<65x1xf32>, tensor<66x1xf32>, tensor<67x1xf32>, tensor<68x1xf32>
}

// -----

// Rows of unknown length: vectors, where they are multiples of 16 bytes, would
// be wider in one.
// CHECK-LABEL: func.func @unknown_lengths
// CHECK-SAME:    reason = {{.*}}kind = "differentVectors"
// CHECK-COUNT-2: fuse.kernel
func.func @unknown_lengths(%a: tensor<64x?xf32>, %b: tensor<64x?xf32>, %c: tensor<64x2x?xf32>)
    -> (tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x1x1xf32>) {
  %x = fuse.reduce max %a dims = [1] keep : tensor<64x?xf32> -> tensor<64x1xf32>
  %y = fuse.reduce max %b dims = [1] keep : tensor<64x?xf32> -> tensor<64x1xf32>
  %z = fuse.reduce max %c dims = [1, 2] keep : tensor<64x2x?xf32> -> tensor<64x1x1xf32>
  return %x, %y, %z : tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x1x1xf32>
}

// -----

// Rows of 4097 leave edges, rows of two dimensions that a bias keeps apart do not:
// the two want vectors of different widths, and a launch each.
// CHECK-LABEL: func.func @edges_and_elements
// CHECK-SAME:    reason = {{.*}}kind = "differentVectors"
// CHECK-COUNT-2: fuse.kernel
func.func @edges_and_elements(%x: tensor<64x4097xbf16>, %y: tensor<32x9x455xbf16>, %w: tensor<455xbf16>) -> (tensor<64x4097xbf16>, tensor<32x9x455xbf16>) {
  %ma = fuse.reduce max %x dims = [1] keep : tensor<64x4097xbf16> -> tensor<64x1xbf16>
  %a = fuse.sub %x, %ma : tensor<64x4097xbf16>, tensor<64x1xbf16>
  %mb = fuse.reduce max %y dims = [1, 2] keep : tensor<32x9x455xbf16> -> tensor<32x1x1xbf16>
  %b = fuse.sub %y, %mb : tensor<32x9x455xbf16>, tensor<32x1x1xbf16>
  %c = fuse.add %b, %w : tensor<32x9x455xbf16>, tensor<455xbf16>
  return %a, %c : tensor<64x4097xbf16>, tensor<32x9x455xbf16>
}

// -----

// Dimensions that nothing tells apart are one in the end: of 576 elements vectors
// of four are what those of 1024 want, too, if rows of nine would not.
// CHECK-LABEL: func.func @scaled
// CHECK:         fuse.kernel "scaled"
// CHECK-NOT:     fuse.kernel
func.func @scaled(%x: tensor<1024xf32>, %y: tensor<64x9xf32>) -> (tensor<1024xf32>, tensor<64x9xf32>) {
  %s = fuse.reduce sum %x dims = [0] : tensor<1024xf32> -> tensor<f32>
  %a = fuse.div %x, %s : tensor<1024xf32>, tensor<f32>
  %t = fuse.reduce sum %y dims = [0, 1] : tensor<64x9xf32> -> tensor<f32>
  %b = fuse.div %y, %t : tensor<64x9xf32>, tensor<f32>
  return %a, %b : tensor<1024xf32>, tensor<64x9xf32>
}

// -----

// Also where one has weights.
// CHECK-LABEL: func.func @both_with_edges
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:     fuse.kernel
func.func @both_with_edges(%x: tensor<64x4097xbf16>, %y: tensor<32x4097xbf16>, %w: tensor<4097xbf16>) -> (tensor<64x4097xbf16>, tensor<32x4097xbf16>) {
  %ma = fuse.reduce max %x dims = [1] keep : tensor<64x4097xbf16> -> tensor<64x1xbf16>
  %a = fuse.sub %x, %ma : tensor<64x4097xbf16>, tensor<64x1xbf16>
  %mb = fuse.reduce max %y dims = [1] keep : tensor<32x4097xbf16> -> tensor<32x1xbf16>
  %b = fuse.sub %y, %mb : tensor<32x4097xbf16>, tensor<32x1xbf16>
  %c = fuse.mul %b, %w : tensor<32x4097xbf16>, tensor<4097xbf16>
  return %a, %c : tensor<64x4097xbf16>, tensor<32x4097xbf16>
}

// -----

// What a row has one of is computed once by each thread, not for each element.
// CHECK-LABEL: func.func @number_of_a_row
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:   fuse.kernel
// CHECK:       return
func.func @number_of_a_row(%x: tensor<8192x4096xbf16>, %g: tensor<8192x1xf32>) -> tensor<8192x4096xf32> {
  %f = fuse.cast %x : tensor<8192x4096xbf16> -> tensor<8192x4096xf32>
  %m = fuse.reduce max %f dims = [1] keep : tensor<8192x4096xf32> -> tensor<8192x1xf32>
  %w = fuse.sub %f, %m : tensor<8192x4096xf32>, tensor<8192x1xf32> -> tensor<8192x4096xf32>
  %e = fuse.exp %g : tensor<8192x1xf32>
  %r = fuse.sqrt %e : tensor<8192x1xf32>
  %t = fuse.tanh %r : tensor<8192x1xf32>
  %y = fuse.mul %w, %t : tensor<8192x4096xf32>, tensor<8192x1xf32> -> tensor<8192x4096xf32>
  return %y : tensor<8192x4096xf32>
}

// -----

// What all rows share is computed for each place that needs it.
// CHECK-LABEL: func.func @shared_by_rows
// CHECK-SAME:    kind = "recomputed"
// CHECK-COUNT-2: fuse.kernel
func.func @shared_by_rows(%x: tensor<16384x4096xbf16>, %g: tensor<1x4096xf32>) -> tensor<16384x4096xbf16> {
  %e = fuse.exp %g : tensor<1x4096xf32>
  %r = fuse.sqrt %e : tensor<1x4096xf32>
  %t = fuse.tanh %r : tensor<1x4096xf32>
  %w = fuse.cast %x : tensor<16384x4096xbf16> -> tensor<16384x4096xf32>
  %y = fuse.mul %w, %t : tensor<16384x4096xf32>, tensor<1x4096xf32> -> tensor<16384x4096xf32>
  %c = fuse.cast %y : tensor<16384x4096xf32> -> tensor<16384x4096xbf16>
  return %c : tensor<16384x4096xbf16>
}

// -----

// Two walks of one tensor differ in what they reduce, not in what it is.
// CHECK-LABEL: func.func @one_tensor
// CHECK-SAME:    kind = "differentDims"
// CHECK-NOT:     knownAndUnknownLength
// CPU-LABEL:   func.func @one_tensor
// OFF-LABEL:   func.func @one_tensor
func.func @one_tensor(%x: tensor<?x1024xf32> {fuse.dims = ["n"]}) -> (tensor<?xf32>, tensor<f32>) {
  %r = fuse.reduce max %x dims = [1] : tensor<?x1024xf32> -> tensor<?xf32>
  %a = fuse.reduce max %x dims = [0, 1] : tensor<?x1024xf32> -> tensor<f32>
  return %r, %a : tensor<?xf32>, tensor<f32>
}
