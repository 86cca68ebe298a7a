// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 | FileCheck %s

// The model of time, which was fitted to kernels that write as much as they read,
// does not overrule the choice for rows that are read once.
// CHECK-LABEL: func.func @labelled
// CHECK:         #fuse.rows<threads = 128, vector = 8, rows_per_block = 32, hold = registers>
func.func @labelled(%x: tensor<?x256xbf16>, %place: tensor<?xi64>) -> tensor<?xf32> {
  %f = fuse.cast %x : tensor<?x256xbf16> -> tensor<?x256xf32>
  %l = fuse.logsumexp %f dims = [1] : tensor<?x256xf32> -> tensor<?xf32>
  %all = tensor.collapse_shape %x [[0, 1]] : tensor<?x256xbf16> into tensor<?xbf16>
  %own = fuse.gather %all, %place dim = 0 : tensor<?xbf16>, tensor<?xi64> -> tensor<?xbf16>
  %w = fuse.cast %own : tensor<?xbf16> -> tensor<?xf32>
  %y = fuse.sub %l, %w : tensor<?xf32>
  return %y : tensor<?xf32>
}
