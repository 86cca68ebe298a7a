// RUN: fuse-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(fuse-assign-schedules))' | FileCheck %s
// RUN: fuse-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(fuse-assign-schedules{divisible}))' | FileCheck %s --check-prefix=DIVISIBLE
// RUN: fuse-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(fuse-assign-schedules{chip=cpu}))' | FileCheck %s --check-prefix=CPU

// Rows of a tile take 128 bytes.
// CHECK-LABEL: "static"
// CHECK-SAME:    #fuse.transpose<threads = 256, tile = 64, vector = 8>
// CPU-LABEL: "static"
// CPU-SAME:      #fuse.transpose<threads = 1, tile = 64, vector = 16>
func.func @f(%x: tensor<4096x1024xbf16>) -> tensor<1024x4096xbf16> {
  %y = fuse.kernel "static" ins(%x : tensor<4096x1024xbf16>) -> tensor<1024x4096xbf16> {
  ^bb0(%a: tensor<4096x1024xbf16>):
    %t = fuse.transpose %a permutation = [1, 0] : tensor<4096x1024xbf16> -> tensor<1024x4096xbf16>
    fuse.yield %t : tensor<1024x4096xbf16>
  }
  return %y : tensor<1024x4096xbf16>
}

// -----

// The wider of what is staged and what is written counts.
// CHECK-LABEL: "mixed"
// CHECK-SAME:    #fuse.transpose<threads = 128, tile = 32, vector = 4>
func.func @f(%x: tensor<4096x1024xbf16>) -> tensor<1024x4096xf32> {
  %y = fuse.kernel "mixed" ins(%x : tensor<4096x1024xbf16>) -> tensor<1024x4096xf32> {
  ^bb0(%a: tensor<4096x1024xbf16>):
    %t = fuse.transpose %a permutation = [1, 0] : tensor<4096x1024xbf16> -> tensor<1024x4096xbf16>
    %c = fuse.cast %t : tensor<1024x4096xbf16> -> tensor<1024x4096xf32>
    fuse.yield %c : tensor<1024x4096xf32>
  }
  return %y : tensor<1024x4096xf32>
}

// -----

// Of dynamic sizes something must be known.
// CHECK-LABEL: "dynamic"
// CHECK-SAME:    #fuse.transpose<threads = 256, tile = 64, vector = 1>
// DIVISIBLE-LABEL: "dynamic"
// DIVISIBLE-SAME:    #fuse.transpose<threads = 256, tile = 64, vector = 8>
func.func @f(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %y = fuse.kernel "dynamic" ins(%x : tensor<?x?xf16>) -> tensor<?x?xf16> {
  ^bb0(%a: tensor<?x?xf16>):
    %t = fuse.transpose %a permutation = [1, 0] : tensor<?x?xf16> -> tensor<?x?xf16>
    fuse.yield %t : tensor<?x?xf16>
  }
  return %y : tensor<?x?xf16>
}

// -----

// Of a slice's size nothing is known.
// DIVISIBLE-LABEL: "slice"
// DIVISIBLE-SAME:    #fuse.transpose<threads = 256, tile = 64, vector = 1>
func.func @f(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %y = fuse.kernel "slice" ins(%x : tensor<?x?xf16>) -> tensor<?x?xf16> {
  ^bb0(%a: tensor<?x?xf16>):
    %s = fuse.slice %a offsets = [0, 3] sizes = [-1, -1] : tensor<?x?xf16> -> tensor<?x?xf16>
    %t = fuse.transpose %s permutation = [1, 0] : tensor<?x?xf16> -> tensor<?x?xf16>
    fuse.yield %t : tensor<?x?xf16>
  }
  return %y : tensor<?x?xf16>
}

// -----

// The last dimension stays: rows are copied.
// CHECK-LABEL: "heads"
// CHECK-SAME:    #fuse.pointwise<threads = 128, vector = 8, unroll = 1>
func.func @f(%x: tensor<128x32x64xbf16>) -> tensor<32x128x64xbf16> {
  %y = fuse.kernel "heads" ins(%x : tensor<128x32x64xbf16>) -> tensor<32x128x64xbf16> {
  ^bb0(%a: tensor<128x32x64xbf16>):
    %t = fuse.transpose %a permutation = [1, 0, 2] : tensor<128x32x64xbf16> -> tensor<32x128x64xbf16>
    fuse.yield %t : tensor<32x128x64xbf16>
  }
  return %y : tensor<32x128x64xbf16>
}

// -----

// Three channels would fill a small part of a tile.
// CHECK-LABEL: "channels"
// CHECK-SAME:    #fuse.pointwise
func.func @f(%x: tensor<4096x3xf32>) -> tensor<3x4096xf32> {
  %y = fuse.kernel "channels" ins(%x : tensor<4096x3xf32>) -> tensor<3x4096xf32> {
  ^bb0(%a: tensor<4096x3xf32>):
    %t = fuse.transpose %a permutation = [1, 0] : tensor<4096x3xf32> -> tensor<3x4096xf32>
    fuse.yield %t : tensor<3x4096xf32>
  }
  return %y : tensor<3x4096xf32>
}

// -----

// Vectors do not straddle the seam of a concat, nor the edge of padding.
// CHECK-LABEL: "concat"
// CHECK-SAME:    #fuse.pointwise<threads = 128, vector = 4, unroll = 1>
func.func @f(%x: tensor<?x16xbf16>, %z: tensor<?x12xbf16>) -> tensor<?x32xbf16> {
  %y = fuse.kernel "concat" ins(%x, %z : tensor<?x16xbf16>, tensor<?x12xbf16>) -> tensor<?x32xbf16> {
  ^bb0(%a: tensor<?x16xbf16>, %b: tensor<?x12xbf16>):
    %c = fuse.concat %a, %b dim = 1 : tensor<?x16xbf16>, tensor<?x12xbf16> -> tensor<?x28xbf16>
    %t = fuse.pad %c low = [0, 4] high = [0, 0] value = 0.0 : tensor<?x28xbf16> -> tensor<?x32xbf16>
    fuse.yield %t : tensor<?x32xbf16>
  }
  return %y : tensor<?x32xbf16>
}

// -----

// 16 elements of a byte are one access.
// CHECK-LABEL: "bytes"
// CHECK-SAME:    #fuse.pointwise<threads = 128, vector = 16, unroll = 1>
func.func @f(%x: tensor<64x256xf8E4M3FN>) -> tensor<64x128xf8E4M3FN> {
  %y = fuse.kernel "bytes" ins(%x : tensor<64x256xf8E4M3FN>) -> tensor<64x128xf8E4M3FN> {
  ^bb0(%a: tensor<64x256xf8E4M3FN>):
    %t = fuse.slice %a offsets = [0, 128] sizes = [-1, 128] : tensor<64x256xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
    fuse.yield %t : tensor<64x128xf8E4M3FN>
  }
  return %y : tensor<64x128xf8E4M3FN>
}

// -----

// A view whose rows are not contiguous is taken for a transposed tensor.
// CHECK-LABEL: "view"
// CHECK-SAME:    #fuse.transpose<threads = 128, tile = 32, vector = 4>
func.func @f(%x: tensor<64x64xf32> {fuse.strided = "any"}, %z: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = fuse.kernel "view" ins(%x, %z : tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %t = fuse.add %a, %b : tensor<64x64xf32>
    fuse.yield %t : tensor<64x64xf32>
  }
  return %y : tensor<64x64xf32>
}
