// RUN: fuse-opt %s | fuse-opt | FileCheck %s
// RUN: fuse-opt -mlir-print-op-generic %s | fuse-opt | FileCheck %s

// CHECK-LABEL: func.func @permuted
func.func @permuted(%x: tensor<?x8xf32>) -> (tensor<8x?xf32>, tensor<?x8xf32>) {
  // CHECK: fuse.transpose %arg0 permutation = [1, 0] : tensor<?x8xf32> -> tensor<8x?xf32>
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<?x8xf32> -> tensor<8x?xf32>
  // CHECK: fuse.reverse %arg0 dims = [0, 1] : tensor<?x8xf32>
  %1 = fuse.reverse %x dims = [0, 1] : tensor<?x8xf32>
  return %0, %1 : tensor<8x?xf32>, tensor<?x8xf32>
}

// CHECK-LABEL: func.func @sliced
func.func @sliced(%x: tensor<?x6144xbf16>) {
  // CHECK: fuse.slice %arg0 offsets = [0, 4096] sizes = [-1, 1024] : tensor<?x6144xbf16> -> tensor<?x1024xbf16>
  %0 = fuse.slice %x offsets = [0, 4096] sizes = [-1, 1024] steps = [1, 1]
      : tensor<?x6144xbf16> -> tensor<?x1024xbf16>
  // ceil((6144 - 4096) / 3)
  // CHECK: fuse.slice %arg0 offsets = [3, 4096] sizes = [-1, -1] steps = [2, 3] : tensor<?x6144xbf16> -> tensor<?x683xbf16>
  %1 = fuse.slice %x offsets = [3, 4096] sizes = [-1, -1] steps = [2, 3]
      : tensor<?x6144xbf16> -> tensor<?x683xbf16>
  // CHECK: fuse.slice %arg0 offsets = [0, 6144] sizes = [-1, 0] : tensor<?x6144xbf16> -> tensor<?x0xbf16>
  %2 = fuse.slice %x offsets = [0, 6144] sizes = [-1, 0]
      : tensor<?x6144xbf16> -> tensor<?x0xbf16>
  return
}

// A pad's value has no type of its own; it is read back bit for bit.
// CHECK-LABEL: func.func @padded
func.func @padded(%x: tensor<?xf32>, %h: tensor<2xf16>, %d: tensor<2xf64>,
                  %b: tensor<2xi1>, %i: tensor<2xi64>, %e: tensor<2xf8E4M3FN>) {
  // CHECK: fuse.pad %arg0 low = [1] high = [2] value = 0.000000e+00 : tensor<?xf32> -> tensor<?xf32>
  %0 = fuse.pad %x low = [1] high = [2] value = 0.0 : tensor<?xf32> -> tensor<?xf32>
  // CHECK: value = -0.000000e+00 :
  %1 = fuse.pad %x low = [1] high = [2] value = -0.0 : tensor<?xf32> -> tensor<?xf32>
  // CHECK: value = -inf : tensor<2xf16> -> tensor<5xf16>
  %2 = fuse.pad %h low = [1] high = [2] value = -inf : tensor<2xf16> -> tensor<5xf16>
  // CHECK: value = nan :
  %3 = fuse.pad %h low = [1] high = [2] value = nan : tensor<2xf16> -> tensor<5xf16>
  // CHECK: value = 1.000000e-01 : tensor<?xf32>
  %4 = fuse.pad %x low = [1] high = [2] value = 0.1 : tensor<?xf32> -> tensor<?xf32>
  // CHECK: value = 1.00000001490116110e-01 : tensor<2xf64>
  %5 = fuse.pad %d low = [1] high = [2] value = 0.1000000014901161 : tensor<2xf64> -> tensor<5xf64>
  // CHECK: value = 3.000000e+00 : tensor<?xf32>
  %6 = fuse.pad %x low = [1] high = [2] value = 3 : tensor<?xf32> -> tensor<?xf32>
  // CHECK: value = true : tensor<2xi1> -> tensor<5xi1>
  %7 = fuse.pad %b low = [1] high = [2] value = true : tensor<2xi1> -> tensor<5xi1>
  // CHECK: value = -9223372036854775808 : tensor<2xi64> -> tensor<5xi64>
  %8 = fuse.pad %i low = [1] high = [2] value = -9223372036854775808 : tensor<2xi64> -> tensor<5xi64>
  // CHECK: value = 4.480000e+02 : tensor<2xf8E4M3FN> -> tensor<5xf8E4M3FN>
  %9 = fuse.pad %e low = [1] high = [2] value = 448.0 : tensor<2xf8E4M3FN> -> tensor<5xf8E4M3FN>
  return
}

// CHECK-LABEL: func.func @joined
func.func @joined(%x: tensor<?x8xi8>, %y: tensor<4x2xi8>, %w: tensor<8xi8>) {
  // CHECK: fuse.concat %arg0, %arg1 dim = 1 : tensor<?x8xi8>, tensor<4x2xi8> -> tensor<4x10xi8>
  %0 = fuse.concat %x, %y dim = 1 : tensor<?x8xi8>, tensor<4x2xi8> -> tensor<4x10xi8>
  // CHECK: fuse.concat %arg0, %arg0 dim = 0 : tensor<?x8xi8>, tensor<?x8xi8> -> tensor<?x8xi8>
  %1 = fuse.concat %x, %x dim = 0 : tensor<?x8xi8>, tensor<?x8xi8> -> tensor<?x8xi8>
  // CHECK: fuse.broadcast %arg2 : tensor<8xi8> -> tensor<4x8xi8>
  %2 = fuse.broadcast %w : tensor<8xi8> -> tensor<4x8xi8>
  // CHECK: fuse.broadcast %arg2 like %arg0 : tensor<8xi8>, tensor<?x8xi8> -> tensor<?x8xi8>
  %3 = fuse.broadcast %w like %x : tensor<8xi8>, tensor<?x8xi8> -> tensor<?x8xi8>
  return
}

// CHECK-LABEL: func.func @indexed
func.func @indexed(%t: tensor<4x?x3xf8E5M2>, %ids: tensor<2x?xi32>,
                   %u: tensor<4x2x?x3xf8E5M2>) {
  // CHECK: fuse.gather %arg0, %arg1 dim = 1 : tensor<4x?x3xf8E5M2>, tensor<2x?xi32> -> tensor<4x2x?x3xf8E5M2>
  %0 = fuse.gather %t, %ids dim = 1
      : tensor<4x?x3xf8E5M2>, tensor<2x?xi32> -> tensor<4x2x?x3xf8E5M2>
  // CHECK: fuse.scatter %arg0, %arg1, %arg2 dim = 1 : tensor<4x?x3xf8E5M2>, tensor<2x?xi32>, tensor<4x2x?x3xf8E5M2> -> tensor<4x?x3xf8E5M2>
  %1 = fuse.scatter %t, %ids, %u dim = 1
      : tensor<4x?x3xf8E5M2>, tensor<2x?xi32>, tensor<4x2x?x3xf8E5M2> -> tensor<4x?x3xf8E5M2>
  return
}

// CHECK-LABEL: func.func @random
func.func @random(%x: tensor<?x8xbf16>, %seed: tensor<i64>) {
  // CHECK: fuse.random %arg1 stream = 3 : tensor<i64> -> tensor<4x8xf32>
  %0 = fuse.random %seed stream = 3 : tensor<i64> -> tensor<4x8xf32>
  // CHECK: fuse.random %arg1 stream = 0 like %arg0 : tensor<i64>, tensor<?x8xbf16> -> tensor<?x8xf32>
  %1 = fuse.random %seed stream = 0 like %x : tensor<i64>, tensor<?x8xbf16> -> tensor<?x8xf32>
  // CHECK: fuse.dropout %arg0, %arg1 p = 1.000000e-01 stream = 0 : tensor<?x8xbf16>, tensor<i64>
  %2 = fuse.dropout %x, %seed p = 0.1 stream = 0 : tensor<?x8xbf16>, tensor<i64>
  return
}

// CHECK-LABEL: func.func @extremes
func.func @extremes(%x: tensor<?x8xbf16>) {
  // CHECK: fuse.argmax %arg0 dim = 1 : tensor<?x8xbf16> -> tensor<?xi32>
  %0 = fuse.argmax %x dim = 1 : tensor<?x8xbf16> -> tensor<?xi32>
  // CHECK: fuse.argmin %arg0 dim = 0 keep : tensor<?x8xbf16> -> tensor<1x8xi64>
  %1 = fuse.argmin %x dim = 0 keep : tensor<?x8xbf16> -> tensor<1x8xi64>
  return
}

// CHECK-LABEL: func.func @storage
func.func @storage(%x: tensor<4xf32>) -> tensor<4xi8> {
  // CHECK: fuse.constant dense<1.500000e+00> : tensor<f8E4M3FN>
  %0 = fuse.constant dense<1.5> : tensor<f8E4M3FN>
  // CHECK: fuse.cast %arg0 : tensor<4xf32> -> tensor<4xf8E4M3FN>
  %1 = fuse.cast %x : tensor<4xf32> -> tensor<4xf8E4M3FN>
  // CHECK: fuse.cast %{{.*}} : tensor<4xf8E4M3FN> -> tensor<4xf8E5M2>
  %2 = fuse.cast %1 : tensor<4xf8E4M3FN> -> tensor<4xf8E5M2>
  // CHECK: fuse.cast %{{.*}} : tensor<4xf8E5M2> -> tensor<4xi8>
  %3 = fuse.cast %2 : tensor<4xf8E5M2> -> tensor<4xi8>
  return %3 : tensor<4xi8>
}

// CHECK-LABEL: func.func @unpacked
func.func @unpacked(%x: tensor<?x8xi8>, %y: tensor<?xi8>, %z: tensor<4xui8>) {
  // CHECK: fuse.unpack unsigned %arg2 : tensor<4xui8> -> tensor<8xui8>
  %2 = fuse.unpack unsigned %z : tensor<4xui8> -> tensor<8xui8>
  // CHECK: fuse.unpack %arg2 : tensor<4xui8> -> tensor<8xi8>
  %3 = fuse.unpack %z : tensor<4xui8> -> tensor<8xi8>
  // CHECK: fuse.unpack %arg0 : tensor<?x8xi8> -> tensor<?x16xi8>
  %0 = fuse.unpack %x : tensor<?x8xi8> -> tensor<?x16xi8>
  // CHECK: fuse.unpack unsigned %arg1 : tensor<?xi8> -> tensor<?xi8>
  %1 = fuse.unpack unsigned %y : tensor<?xi8> -> tensor<?xi8>
  return
}

// CHECK-LABEL: func.func @dynamic_slices
func.func @dynamic_slices(%x: tensor<?x64xf32>, %s: tensor<i64>, %ids: tensor<?xi32>) {
  // CHECK: fuse.dynamic_slice %arg0, %arg1 dim = 0 size = 16 : tensor<?x64xf32>, tensor<i64> -> tensor<16x64xf32>
  %0 = fuse.dynamic_slice %x, %s dim = 0 size = 16 : tensor<?x64xf32>, tensor<i64> -> tensor<16x64xf32>
  // CHECK: fuse.dynamic_slice %arg0, %arg1 dim = 0 like %arg2 : tensor<?x64xf32>, tensor<i64>, tensor<?xi32> -> tensor<?x64xf32>
  %1 = fuse.dynamic_slice %x, %s dim = 0 like %ids : tensor<?x64xf32>, tensor<i64>, tensor<?xi32> -> tensor<?x64xf32>
  return
}
