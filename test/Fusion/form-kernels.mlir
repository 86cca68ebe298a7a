// RUN: fuse-opt %s -split-input-file -fuse-form-kernels | FileCheck %s

// Producers, a reduction and its consumers become one kernel; the constant is
// copied into it.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT:    %[[R:.*]] = fuse.kernel "chain" ins(%{{.*}} : tensor<8x64xf32>) -> tensor<8x64xf32> {
// CHECK:           fuse.constant dense<2.0
// CHECK:           fuse.mul
// CHECK:           fuse.reduce max
// CHECK:           fuse.sub
// CHECK:           fuse.yield
// CHECK:         return %[[R]]
func.func @chain(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %c = fuse.constant dense<2.0> : tensor<f32>
  %s = fuse.mul %x, %c : tensor<8x64xf32>, tensor<f32> -> tensor<8x64xf32>
  %m = fuse.reduce max %s dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
  %d = fuse.sub %s, %m : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
  return %d : tensor<8x64xf32>
}

// -----

// A value that leaves in the middle is a second result, computed once.
// CHECK-LABEL: func.func @two_results
// CHECK-NEXT:    %[[R:.*]]:2 = fuse.kernel "two_results"
// CHECK-COUNT-1:   fuse.add
// CHECK-NOT:       fuse.add
// CHECK:           fuse.yield %[[A:.*]], %{{.*}} :
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @two_results(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = fuse.add %x, %y : tensor<8xf32>
  %b = fuse.exp %a : tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

// Independent pointwise ops of different shapes share a launch.
// CHECK-LABEL: func.func @siblings
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:     fuse.kernel
func.func @siblings(%q: tensor<4x32x64xf32>, %k: tensor<4x8x64xf32>, %s: tensor<64xf32>)
    -> (tensor<4x32x64xf32>, tensor<4x8x64xf32>) {
  %a = fuse.mul %q, %s : tensor<4x32x64xf32>, tensor<64xf32> -> tensor<4x32x64xf32>
  %b = fuse.mul %k, %s : tensor<4x8x64xf32>, tensor<64xf32> -> tensor<4x8x64xf32>
  return %a, %b : tensor<4x32x64xf32>, tensor<4x8x64xf32>
}

// -----

// A diamond around an op that cannot join: merging both ends would make a cycle
// through the contraction.
// CHECK-LABEL: func.func @no_cycle
// CHECK:         %[[A:.*]] = fuse.kernel "no_cycle_0"
// CHECK:           fuse.exp
// CHECK:         fuse.kernel "no_cycle_1" ins(%[[A]]
// CHECK:           fuse.contract
// CHECK:           fuse.add
func.func @no_cycle(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = fuse.exp %x : tensor<8x8xf32>
  %c = fuse.contract "mk,kn->mn" %e, %e : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %s = fuse.add %c, %e : tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// -----

// What follows a contraction elementwise joins it; what needs rows does not,
// and the function says why.
// CHECK-LABEL: func.func @epilogue
// CHECK-SAME:    fuse.missed = [{consumer = "epilogue_1", producer = "epilogue_0", reason = {{.*}}kind = "reductionNeedsRows"}}]
// CHECK:         fuse.kernel "epilogue_0"
// CHECK:           fuse.contract
// CHECK-NEXT:      fuse.add
// CHECK-NEXT:      fuse.yield
// CHECK:         fuse.kernel "epilogue_1"
// CHECK:           fuse.reduce
func.func @epilogue(%x: tensor<8x16xf32>, %w: tensor<32x16xf32>, %b: tensor<32xf32>) -> tensor<8x1xf32> {
  %c = fuse.contract "mk,nk->mn" %x, %w : tensor<8x16xf32>, tensor<32x16xf32> -> tensor<8x32xf32>
  %s = fuse.add %c, %b : tensor<8x32xf32>, tensor<32xf32> -> tensor<8x32xf32>
  %m = fuse.reduce max %s dims = [1] keep : tensor<8x32xf32> -> tensor<8x1xf32>
  return %m : tensor<8x1xf32>
}

// -----

// What depends on a reduction over leading dimensions walks them again.
// CHECK-LABEL: func.func @leading
// CHECK-COUNT-1: fuse.kernel "leading"
// CHECK:           fuse.mul
// CHECK:           fuse.reduce sum
// CHECK:           fuse.div
// CHECK-NOT:     fuse.kernel
func.func @leading(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %q = fuse.mul %x, %x : tensor<8x64xf32>
  %s = fuse.reduce sum %q dims = [0] keep : tensor<8x64xf32> -> tensor<1x64xf32>
  %d = fuse.div %x, %s : tensor<8x64xf32>, tensor<1x64xf32> -> tensor<8x64xf32>
  return %d : tensor<8x64xf32>
}

// -----

// Square shapes: a row sum without its dimension aligns with the columns when
// it broadcasts, so each row needs the sums of all others.
// CHECK-LABEL: func.func @other_rows
// CHECK-SAME:    reason = {{.*}}kind = "exchangedDims"
// CHECK-COUNT-2: fuse.kernel
func.func @other_rows(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = fuse.reduce sum %x dims = [1] : tensor<64x64xf32> -> tensor<64xf32>
  %d = fuse.div %x, %s : tensor<64x64xf32>, tensor<64xf32> -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// -----

// A reshape between two ops goes with them.
// CHECK-LABEL: func.func @reshape
// CHECK-COUNT-1: fuse.kernel "reshape"
// CHECK:           fuse.exp
// CHECK-NEXT:      tensor.collapse_shape
// CHECK-NEXT:      fuse.neg
// CHECK-NOT:     fuse.kernel
func.func @reshape(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %e = fuse.exp %x : tensor<4x8xf32>
  %f = tensor.collapse_shape %e [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %n = fuse.neg %f : tensor<32xf32>
  return %n : tensor<32xf32>
}

// -----

// An input that is used twice is passed once, and a returned argument needs no
// kernel.
// CHECK-LABEL: func.func @identity
// CHECK-NOT:     fuse.kernel
// CHECK:         return
func.func @identity(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// The square is computed where its mean is: the contraction writes h only.
// CHECK-LABEL: func.func @sink
// CHECK:         %[[H:.*]] = fuse.kernel "sink_0"
// CHECK:           fuse.contract
// CHECK-NEXT:      %[[S:.*]] = fuse.add
// CHECK-NEXT:      fuse.yield %[[S]] :
// CHECK:         fuse.kernel "sink_1" ins(%[[H]] :
// CHECK:           fuse.mul
// CHECK-NEXT:      fuse.reduce mean
func.func @sink(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x1xf32>) {
  %c = fuse.contract "mk,nk->mn" %x, %w : tensor<8x16xf32>, tensor<16x16xf32> -> tensor<8x16xf32>
  %h = fuse.add %x, %c : tensor<8x16xf32>
  %q = fuse.mul %h, %h : tensor<8x16xf32>
  %m = fuse.reduce mean %q dims = [1] keep : tensor<8x16xf32> -> tensor<8x1xf32>
  return %h, %m : tensor<8x16xf32>, tensor<8x1xf32>
}

// -----

// The same behind a reshape: the row that all rows of %w are multiplied with is read in bf16. The
// product and its rounding stay where they are computed once.
// CHECK-LABEL: func.func @sink_behind_reshape
// CHECK:         %[[X:.*]]:2 = fuse.kernel "sink_behind_reshape_0" {{.*}} -> tensor<1x4096xbf16>, tensor<1x4096xbf16>
// CHECK:           fuse.reduce sum
// CHECK:           fuse.mul
// CHECK:           fuse.cast {{.*}} -> tensor<1x4096xbf16>
// CHECK:         fuse.kernel "sink_behind_reshape_1" ins({{.*}}%[[X]]#1
// CHECK-NOT:       fuse.cast {{.*}} : tensor<1x4096xf32>
// CHECK:           fuse.cast {{.*}} : tensor<1x4096xbf16> -> tensor<1x4096xf32>
// CHECK:           tensor.expand_shape
func.func @sink_behind_reshape(%a: tensor<1x4096x256xf32>, %s: tensor<4096xf32>, %w: tensor<1x4096x4096xbf16>) -> (tensor<1x4096xbf16>, tensor<1x4096xf32>) {
  %h = fuse.reduce sum %a dims = [2] : tensor<1x4096x256xf32> -> tensor<1x4096xf32>
  %n = fuse.cast %h : tensor<1x4096xf32> -> tensor<1x4096xbf16>
  %m = fuse.mul %h, %s : tensor<1x4096xf32>, tensor<4096xf32> -> tensor<1x4096xf32>
  %b = fuse.cast %m : tensor<1x4096xf32> -> tensor<1x4096xbf16>
  %f = fuse.cast %b : tensor<1x4096xbf16> -> tensor<1x4096xf32>
  %e = tensor.expand_shape %f [[0], [1, 2]] output_shape [1, 1, 4096] : tensor<1x4096xf32> into tensor<1x1x4096xf32>
  %v = fuse.cast %w : tensor<1x4096x4096xbf16> -> tensor<1x4096x4096xf32>
  %p = fuse.mul %v, %e : tensor<1x4096x4096xf32>, tensor<1x1x4096xf32> -> tensor<1x4096x4096xf32>
  %y = fuse.reduce sum %p dims = [2] : tensor<1x4096x4096xf32> -> tensor<1x4096xf32>
  return %n, %y : tensor<1x4096xbf16>, tensor<1x4096xf32>
}

// -----

// The cast serves another result, too: the mean's kernel casts h again, which is
// in memory, rather than read a square that the contraction would write.
// CHECK-LABEL: func.func @stored
// CHECK:         %[[K:.*]]:2 = fuse.kernel "stored_0"
// CHECK:           %[[S:.*]] = fuse.add
// CHECK:           %[[W:.*]] = fuse.mul
// CHECK-NEXT:      %[[B:.*]] = fuse.cast %[[W]]
// CHECK-NEXT:      fuse.yield %[[S]], %[[B]] : tensor<8x16xbf16>, tensor<8x16xbf16>
// CHECK:         fuse.kernel "stored_1" ins(%[[K]]#0 : tensor<8x16xbf16>)
// CHECK:           fuse.cast
// CHECK-NEXT:      fuse.mul
// CHECK-NEXT:      fuse.reduce mean
func.func @stored(%x: tensor<8x16xbf16>, %w: tensor<16x16xbf16>, %g: tensor<16xf32>) -> (tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x1xf32>) {
  %c = fuse.contract "mk,nk->mn" %x, %w : tensor<8x16xbf16>, tensor<16x16xbf16> -> tensor<8x16xbf16>
  %h = fuse.add %x, %c : tensor<8x16xbf16>
  %f = fuse.cast %h : tensor<8x16xbf16> -> tensor<8x16xf32>
  %q = fuse.mul %f, %f : tensor<8x16xf32>
  %m = fuse.reduce mean %q dims = [1] keep : tensor<8x16xf32> -> tensor<8x1xf32>
  %p = fuse.mul %f, %g : tensor<8x16xf32>, tensor<16xf32> -> tensor<8x16xf32>
  %b = fuse.cast %p {fuse.implicit} : tensor<8x16xf32> -> tensor<8x16xbf16>
  return %h, %b, %m : tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x1xf32>
}

// -----

// Two column reductions of one input read it once.
// CHECK-LABEL: func.func @columns
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:     fuse.kernel
func.func @columns(%x: tensor<8x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %q = fuse.mul %x, %x : tensor<8x64xf32>
  %s = fuse.reduce sum %q dims = [0] : tensor<8x64xf32> -> tensor<64xf32>
  %m = fuse.reduce max %x dims = [0] : tensor<8x64xf32> -> tensor<64xf32>
  return %s, %m : tensor<64xf32>, tensor<64xf32>
}

// -----

// The dynamic sizes of an expanded tensor are computed inside.
// CHECK-LABEL: func.func @expand_inside
// CHECK:         fuse.kernel "expand_inside"
// CHECK:           %[[E:.*]] = fuse.exp
// CHECK:           %[[D:.*]] = tensor.dim %[[E]], %{{.*}} : tensor<?x8xf32>
// CHECK:           %[[N:.*]] = arith.divui %[[D]]
// CHECK:           tensor.expand_shape %[[E]] {{\[\[}}0], [1, 2]] output_shape [%[[N]], 2, 4]
// CHECK:           fuse.neg
// CHECK-NOT:     fuse.kernel
func.func @expand_inside(%x: tensor<?x8xf32>) -> tensor<?x2x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = fuse.exp %x : tensor<?x8xf32>
  %f = tensor.expand_shape %e [[0], [1, 2]] output_shape [%n, 2, 4] : tensor<?x8xf32> into tensor<?x2x4xf32>
  %r = fuse.neg %f : tensor<?x2x4xf32>
  return %r : tensor<?x2x4xf32>
}

// -----

// The norm of each row would be needed by other rows.
// CHECK-LABEL: func.func @moved_reduction
// CHECK-SAME:    reason = {{.*}}kind = "otherRows"
// CHECK-COUNT-2: fuse.kernel
func.func @moved_reduction(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<64x32xf32> -> tensor<64x1xf32>
  %r = fuse.reverse %m dims = [0] : tensor<64x1xf32>
  %d = fuse.sub %x, %r : tensor<64x32xf32>, tensor<64x1xf32> -> tensor<64x32xf32>
  return %d : tensor<64x32xf32>
}

// -----

// Views before a reduction are read in place, whatever their shape.
// CHECK-LABEL: func.func @slice_of_packed
// CHECK-COUNT-1: fuse.kernel "slice_of_packed"
// CHECK-NOT:     fuse.kernel
func.func @slice_of_packed(%x: tensor<?x96xf32>) -> tensor<?x32xf32> {
  %q = fuse.slice %x offsets = [0, 64] sizes = [-1, 32] : tensor<?x96xf32> -> tensor<?x32xf32>
  %t = fuse.mul %q, %q : tensor<?x32xf32>
  %m = fuse.reduce mean %t dims = [1] keep : tensor<?x32xf32> -> tensor<?x1xf32>
  %d = fuse.div %q, %m : tensor<?x32xf32>, tensor<?x1xf32> -> tensor<?x32xf32>
  return %d : tensor<?x32xf32>
}

// -----

// A cast that two kernels need is computed in each: reading 2 bytes twice is
// less than writing 4 and reading them.
// CHECK-LABEL: func.func @cast_twice
// CHECK:         fuse.kernel "cast_twice_0" ins(%{{.*}}, %{{.*}} : tensor<4096x4096xf16>
// CHECK:           fuse.cast
// CHECK:         fuse.kernel "cast_twice_1" ins(%{{.*}} : tensor<4096x4096xf16>
// CHECK:           fuse.cast
// CHECK:           fuse.reduce
func.func @cast_twice(%x: tensor<4096x4096xf16>, %y: tensor<4096xf32>) -> (tensor<4096x4096xf32>, tensor<4096xf32>) {
  %c = fuse.cast %x : tensor<4096x4096xf16> -> tensor<4096x4096xf32>
  %t = fuse.transpose %c permutation = [1, 0] : tensor<4096x4096xf32> -> tensor<4096x4096xf32>
  %e = fuse.mul %t, %y : tensor<4096x4096xf32>, tensor<4096xf32> -> tensor<4096x4096xf32>
  %s = fuse.reduce sum %c dims = [1] : tensor<4096x4096xf32> -> tensor<4096xf32>
  return %e, %s : tensor<4096x4096xf32>, tensor<4096xf32>
}

// -----

// x + x^T, over and over: each level would double the indices at which %x is
// needed.
// CHECK-LABEL: func.func @too_many_views
// CHECK-SAME:    reason = {{.*}}kind = "tooManyPlaces"
func.func @too_many_views(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %t0 = fuse.transpose %x permutation = [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %a0 = fuse.add %x, %t0 : tensor<64x64xf32>
  %r1 = fuse.reverse %a0 dims = [0] : tensor<64x64xf32>
  %a1 = fuse.add %a0, %r1 : tensor<64x64xf32>
  %r2 = fuse.reverse %a1 dims = [1] : tensor<64x64xf32>
  %a2 = fuse.add %a1, %r2 : tensor<64x64xf32>
  %r3 = fuse.reverse %a2 dims = [0] : tensor<64x64xf32>
  %a3 = fuse.add %a2, %r3 : tensor<64x64xf32>
  %r4 = fuse.reverse %a3 dims = [1] : tensor<64x64xf32>
  %a4 = fuse.add %a3, %r4 : tensor<64x64xf32>
  return %a4 : tensor<64x64xf32>
}

// -----

// The row's mean of h^2 scales h, which comes from elsewhere: the rows of both
// are walked together.
// CHECK-LABEL: func.func @norm_of_result
// CHECK:         fuse.kernel "norm_of_result_0"
// CHECK:           fuse.contract
// CHECK:         fuse.kernel "norm_of_result_1"
// CHECK:           fuse.reduce mean
// CHECK:           fuse.mul
// CHECK-NOT:     fuse.kernel
func.func @norm_of_result(%x: tensor<?x16xf32>, %w: tensor<16x16xf32>) -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %c = fuse.contract "mk,nk->mn" %x, %w : tensor<?x16xf32>, tensor<16x16xf32> -> tensor<?x16xf32>
  %h = fuse.add %x, %c : tensor<?x16xf32>
  %q = fuse.mul %h, %h : tensor<?x16xf32>
  %m = fuse.reduce mean %q dims = [1] keep : tensor<?x16xf32> -> tensor<?x1xf32>
  %n = fuse.mul %h, %m : tensor<?x16xf32>, tensor<?x1xf32> -> tensor<?x16xf32>
  return %h, %n : tensor<?x16xf32>, tensor<?x16xf32>
}

// -----

// Weights that two norms share, widened for each row: a kernel that made them wide once would only
// leave more to be read.
// CHECK-LABEL: func.func @shared_weights
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:     fuse.kernel
func.func @shared_weights(%a: tensor<32768x4096xbf16>, %w: tensor<4096xbf16>) -> tensor<32768x4096xbf16> {
  %v = fuse.cast %w : tensor<4096xbf16> -> tensor<4096xf32>
  %x = fuse.cast %a : tensor<32768x4096xbf16> -> tensor<32768x4096xf32>
  %t = fuse.tanh %x : tensor<32768x4096xf32>
  %m = fuse.reduce max %t dims = [1] keep : tensor<32768x4096xf32> -> tensor<32768x1xf32>
  %d = fuse.div %t, %m : tensor<32768x4096xf32>, tensor<32768x1xf32> -> tensor<32768x4096xf32>
  %p = fuse.mul %d, %v : tensor<32768x4096xf32>, tensor<4096xf32> -> tensor<32768x4096xf32>
  %s = fuse.tanh %p : tensor<32768x4096xf32>
  %n = fuse.reduce max %s dims = [1] keep : tensor<32768x4096xf32> -> tensor<32768x1xf32>
  %e = fuse.div %s, %n : tensor<32768x4096xf32>, tensor<32768x1xf32> -> tensor<32768x4096xf32>
  %q = fuse.mul %e, %v : tensor<32768x4096xf32>, tensor<4096xf32> -> tensor<32768x4096xf32>
  %y = fuse.cast %q : tensor<32768x4096xf32> -> tensor<32768x4096xbf16>
  return %y : tensor<32768x4096xbf16>
}
