// RUN: fuse inspect %s --chip sm_90a --emit=ptx | FileCheck %s

// Scores that nothing scales are carried to the next tile as they are. They are
// copied behind the wait for their products, never between: ptxas would
// serialise the products.
// CHECK:     wgmma.commit_group
// CHECK-NOT: mov.b32 {{.*}}%r{{[0-9]+}}, %r
// CHECK:     wgmma.wait_group.sync.aligned 0;
// CHECK:     mov.b32 %r{{[0-9]+}}, %r
// CHECK:     wgmma.mma_async
// CHECK:     wgmma.mma_async
// CHECK:     wgmma.commit_group
// CHECK-NOT: mov.b32 {{.*}}%r{{[0-9]+}}, %r
// CHECK:     wgmma.wait_group
func.func @plain(%a: tensor<2x5x64xbf16>, %b: tensor<2x130x64xbf16>, %v: tensor<2x130x64xbf16>) -> tensor<2x5x64xbf16> {
  %v0 = fuse.matmul %a, %b transpose_rhs : tensor<2x5x64xbf16>, tensor<2x130x64xbf16> -> tensor<2x5x130xbf16>
  %s0 = fuse.cast %v0 : tensor<2x5x130xbf16> -> tensor<2x5x130xf32>
  %i = fuse.iota dim = 2 : tensor<2x5x130xi32>
  %j = fuse.iota dim = 1 : tensor<2x5x130xi32>
  %m = fuse.compare le %i, %j : tensor<2x5x130xi32>, tensor<2x5x130xi32> -> tensor<2x5x130xi1>
  %z = fuse.constant dense<0.0> : tensor<f32>
  %s2 = fuse.select %m, %s0, %z : tensor<2x5x130xi1>, tensor<2x5x130xf32>, tensor<f32> -> tensor<2x5x130xf32>
  %w = fuse.cast %s2 : tensor<2x5x130xf32> -> tensor<2x5x130xbf16>
  %r = fuse.matmul %w, %v : tensor<2x5x130xbf16>, tensor<2x130x64xbf16> -> tensor<2x5x64xbf16>
  return %r : tensor<2x5x64xbf16>
}
