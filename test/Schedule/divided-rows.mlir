// RUN: fuse-opt %s -split-input-file -fuse-form -fuse-schedule | FileCheck %s

// 688 vectors of one access: 128 threads have five or six, not 256 two or three.
// CHECK-LABEL: func.func @few_vectors
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = cache>
func.func @few_vectors(%x: tensor<?x5504xbf16>) -> tensor<?x5504xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x5504xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x5504xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x5504xbf16>, tensor<?x1xbf16> -> tensor<?x5504xbf16>
  %y = fuse.cast %d : tensor<?x5504xbf16> -> tensor<?x5504xf8E4M3FN>
  return %y : tensor<?x5504xf8E4M3FN>
}

// -----

// Beyond 16384 elements registers would hold what many divisions need.
// CHECK-LABEL: func.func @long_row
// CHECK: #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = shared, unroll = 2>
func.func @long_row(%x: tensor<?x18432xbf16>) -> tensor<?x18432xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x18432xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x18432xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x18432xbf16>, tensor<?x1xbf16> -> tensor<?x18432xbf16>
  %y = fuse.cast %d : tensor<?x18432xbf16> -> tensor<?x18432xf8E4M3FN>
  return %y : tensor<?x18432xf8E4M3FN>
}

// -----

// Vectors of two accesses are in registers, if there are few.
// CHECK-LABEL: func.func @two_accesses
// CHECK: #fuse.rows<threads = 384, vector = 8, rows_per_block = 1, hold = registers>
func.func @two_accesses(%x: tensor<?x5504xf32>) -> tensor<?x5504xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x5504xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x5504xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x5504xf32>, tensor<?x1xf32> -> tensor<?x5504xf32>
  %y = fuse.cast %d : tensor<?x5504xf32> -> tensor<?x5504xf8E4M3FN>
  return %y : tensor<?x5504xf8E4M3FN>
}

// -----

// CHECK-LABEL: func.func @fewer
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = cache>
func.func @fewer(%x: tensor<?x2560xf32>) -> tensor<?x2560xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x2560xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x2560xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x2560xf32>, tensor<?x1xf32> -> tensor<?x2560xf32>
  %y = fuse.cast %d : tensor<?x2560xf32> -> tensor<?x2560xf8E4M3FN>
  return %y : tensor<?x2560xf8E4M3FN>
}

// -----

// More would spill.
// CHECK-LABEL: func.func @too_many
// CHECK: #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = cache>
func.func @too_many(%x: tensor<?x14336xf32>) -> tensor<?x14336xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x14336xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x14336xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x14336xf32>, tensor<?x1xf32> -> tensor<?x14336xf32>
  %y = fuse.cast %d : tensor<?x14336xf32> -> tensor<?x14336xf8E4M3FN>
  return %y : tensor<?x14336xf8E4M3FN>
}

// -----

// 13 vectors: two each, not four for fewer; 5 are too few for that.
// CHECK-LABEL: func.func @whole_lines
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 16, hold = registers>
func.func @whole_lines(%x: tensor<?x104xbf16>) -> tensor<?x104xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x104xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x104xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x104xbf16>, tensor<?x1xbf16> -> tensor<?x104xbf16>
  %y = fuse.cast %d : tensor<?x104xbf16> -> tensor<?x104xf8E4M3FN>
  return %y : tensor<?x104xf8E4M3FN>
}

// -----

// CHECK-LABEL: func.func @five_vectors
// CHECK: #fuse.rows<threads = 128, vector = 8, rows_per_block = 32, hold = registers>
func.func @five_vectors(%x: tensor<?x40xbf16>) -> tensor<?x40xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x40xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x40xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x40xbf16>, tensor<?x1xbf16> -> tensor<?x40xbf16>
  %y = fuse.cast %d : tensor<?x40xbf16> -> tensor<?x40xf8E4M3FN>
  return %y : tensor<?x40xf8E4M3FN>
}
