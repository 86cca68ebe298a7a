// RUN: fuse-opt %s -fuse-form -fuse-schedule=chip=cpu | FileCheck %s --check-prefix=CPU
// RUN: fuse-opt %s -fuse-form -fuse-schedule=chip=sm_90 | FileCheck %s --check-prefix=GPU

// One thread of a CPU has whole columns, in tiles of several places; a GPU's share few columns.
// CPU-LABEL: func.func @few
// CPU:       #fuse.ordered<threads = 1, vector = 1, unroll = 8>
// GPU-LABEL: func.func @few
// GPU:       #fuse.ordered<threads = 64, vector = 1, unroll = 8, splits = 64>
func.func @few(%x: tensor<?x1xf32> {fuse.dims = ["n"]}) -> tensor<?x1xf32> {
  %s = fuse.scan sum %x dim = 0 : tensor<?x1xf32>
  return %s : tensor<?x1xf32>
}
