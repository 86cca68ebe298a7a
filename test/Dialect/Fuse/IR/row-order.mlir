// RUN: fuse-opt %s | FileCheck %s
// RUN: fuse-opt %s | fuse-opt | FileCheck %s
// RUN: fuse-opt %s -mlir-print-op-generic | fuse-opt | FileCheck %s

// CHECK-LABEL: func.func @row_order
func.func @row_order(%x: tensor<?x8xbf16>, %n: tensor<?x?xi64>, %i: tensor<?x3xi32>, %o: tensor<?xi32>) {
  // CHECK: fuse.scan sum %{{.*}} : tensor<?x8xbf16>
  %0 = fuse.scan sum %x : tensor<?x8xbf16>
  // CHECK: fuse.scan max %{{.*}} exclusive reverse : tensor<?x?xi64>
  %1 = fuse.scan max %n exclusive reverse : tensor<?x?xi64>
  // CHECK: fuse.scan min %{{.*}} dim = 0 exclusive reverse : tensor<?x?xi64>
  %7 = fuse.scan min %n dim = 0 exclusive reverse : tensor<?x?xi64>
  // CHECK: fuse.top_k %{{.*}} k = 2 : tensor<?x8xbf16> -> tensor<?x2xbf16>, tensor<?x2xi32>
  %2:2 = fuse.top_k %x k = 2 : tensor<?x8xbf16> -> tensor<?x2xbf16>, tensor<?x2xi32>
  // CHECK: fuse.top_k %{{.*}} k = 64 smallest : tensor<?x?xi64> -> tensor<?x64xi64>, tensor<?x64xi64>
  %3:2 = fuse.top_k %n k = 64 smallest : tensor<?x?xi64> -> tensor<?x64xi64>, tensor<?x64xi64>
  // CHECK: fuse.take_along %{{.*}}, %{{.*}} dim = 1 : tensor<?x8xbf16>, tensor<?x3xi32> -> tensor<?x3xbf16>
  %4 = fuse.take_along %x, %i dim = 1 : tensor<?x8xbf16>, tensor<?x3xi32> -> tensor<?x3xbf16>
  // CHECK: fuse.slice %{{.*}} offsets = [0, 1] sizes = [-2, -3]
  %5 = fuse.slice %n offsets = [0, 1] sizes = [-2, -3] : tensor<?x?xi64> -> tensor<?x?xi64>
  // CHECK: fuse.segment_sum %{{.*}}, %{{.*}} : tensor<?x8xbf16>, tensor<?xi32> -> tensor<?x8xbf16>
  %6 = fuse.segment_sum %x, %o : tensor<?x8xbf16>, tensor<?xi32> -> tensor<?x8xbf16>
  return
}
