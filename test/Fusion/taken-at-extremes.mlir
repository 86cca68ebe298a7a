// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 | FileCheck %s

// What a row takes of an input at the index that it is reduced to is its own.
// CHECK-LABEL: func.func @taken
// CHECK:         fuse.kernel "taken" ins(
// CHECK-NOT:     fuse.kernel
func.func @taken(%x: tensor<?x1000xf32> {fuse.dims = ["n"]}, %z: tensor<?x1000xf32> {fuse.dims = ["n"]}, %table: tensor<1000xf32>) -> (tensor<?x1000xf32>, tensor<?x1xi32>) {
  %i = fuse.argmin %x dim = 1 keep : tensor<?x1000xf32> -> tensor<?x1xi32>
  %e = fuse.take_along %z, %i dim = 1 : tensor<?x1000xf32>, tensor<?x1xi32> -> tensor<?x1xf32>
  %g = fuse.gather %table, %i dim = 0 : tensor<1000xf32>, tensor<?x1xi32> -> tensor<?x1xf32>
  %s = fuse.mul %e, %g : tensor<?x1xf32>
  %y = fuse.mul %x, %s : tensor<?x1000xf32>, tensor<?x1xf32> -> tensor<?x1000xf32>
  return %y, %i : tensor<?x1000xf32>, tensor<?x1xi32>
}

// -----

// Of rows that follow from a reduction as well.
// CHECK-LABEL: func.func @of_log_softmax
// CHECK:         fuse.kernel "of_log_softmax" ins(
// CHECK-NOT:     fuse.kernel
func.func @of_log_softmax(%x: tensor<?x1000xf32> {fuse.dims = ["n"]}) -> (tensor<?x1xi32>, tensor<?x1xf32>) {
  %i = fuse.argmax %x dim = 1 keep : tensor<?x1000xf32> -> tensor<?x1xi32>
  %l = fuse.log_softmax %x dims = [1] : tensor<?x1000xf32>
  %e = fuse.take_along %l, %i dim = 1 : tensor<?x1000xf32>, tensor<?x1xi32> -> tensor<?x1xf32>
  return %i, %e : tensor<?x1xi32>, tensor<?x1xf32>
}

// -----

// What is costly to compute is computed for the reductions once, and not again
// for what is taken.
// CHECK-LABEL: func.func @of_sampled
// CHECK:         fuse.kernel "of_sampled" ins(
// CHECK-NOT:     fuse.kernel
func.func @of_sampled(%x: tensor<?x50257xf16> {fuse.dims = ["n"]}, %t: tensor<?x1xf32> {fuse.dims = ["n"]}, %seed: tensor<i64>) -> (tensor<?x1xi64>, tensor<?x1xf32>) {
  %c = fuse.cast %x : tensor<?x50257xf16> -> tensor<?x50257xf32>
  %d = fuse.div %c, %t : tensor<?x50257xf32>, tensor<?x1xf32>
  %u = fuse.random %seed stream = 0 like %d : tensor<i64>, tensor<?x50257xf32> -> tensor<?x50257xf32>
  %a = fuse.log %u : tensor<?x50257xf32>
  %m = fuse.neg %a : tensor<?x50257xf32>
  %b = fuse.log %m : tensor<?x50257xf32>
  %g = fuse.sub %d, %b : tensor<?x50257xf32>
  %i = fuse.argmax %g dim = 1 keep : tensor<?x50257xf32> -> tensor<?x1xi64>
  %l = fuse.log_softmax %d dims = [1] : tensor<?x50257xf32>
  %e = fuse.take_along %l, %i dim = 1 : tensor<?x50257xf32>, tensor<?x1xi64> -> tensor<?x1xf32>
  return %i, %e : tensor<?x1xi64>, tensor<?x1xf32>
}

// -----

// Rows that an index names are others: those that follow from reductions are
// in memory first.
// CHECK-LABEL: func.func @of_other_rows
// CHECK-SAME:    {consumer = "of_other_rows_1", producer = "of_other_rows_0"
// CHECK-COUNT-2: fuse.kernel
func.func @of_other_rows(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = fuse.softmax %x dims = [1] : tensor<64x64xf32>
  %i = fuse.argmax %x dim = 1 keep : tensor<64x64xf32> -> tensor<64x1xi32>
  %f = tensor.collapse_shape %i [[0, 1]] : tensor<64x1xi32> into tensor<64xi32>
  %e = fuse.gather %s, %f dim = 0 : tensor<64x64xf32>, tensor<64xi32> -> tensor<64x64xf32>
  return %e : tensor<64x64xf32>
}
