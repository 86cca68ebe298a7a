// RUN: fuse-opt %s -fuse-form=chip=sm_90a | FileCheck %s
// RUN: fuse-opt %s -fuse-form=chip=sm_90a "-fuse-split-tile-statistics=chip=sm_90a aligned=false" | FileCheck %s --check-prefix=APART

// Tiles combine the few elements that inputs have for all, for a row or for an
// element of the product. What runs the product without tensor cores combines
// none, so that each reduction has a kernel before it.
// CHECK-LABEL: func.func @scaled
// CHECK:         fuse.kernel "scaled" ins(
// CHECK-NOT:     fuse.kernel
// APART-LABEL: func.func @scaled
// APART:         %[[MOST:.*]] = fuse.kernel "scaled_reduce_0" ins(%arg2 : tensor<16xf32>) -> tensor<f32>
// APART:           fuse.reduce max
// APART:         %[[SUM:.*]] = fuse.kernel "scaled_reduce_1" ins(%arg3 : tensor<?x32xf32>) -> tensor<?x1xf32>
// APART:           fuse.reduce sum
// APART:         %[[MEAN:.*]] = fuse.kernel "scaled_reduce_2" ins(%arg4 : tensor<?x8x16xf32>) -> tensor<?x8xf32>
// APART:           fuse.reduce mean
// APART:         fuse.kernel "scaled" ins(%arg0, %arg1, %[[MOST]], %[[SUM]], %[[MEAN]] :
// APART-NOT:       fuse.reduce
// APART:         return
func.func @scaled(%x: tensor<?x48xbf16> {fuse.dims = ["t"]}, %w: tensor<48x8xbf16>, %history: tensor<16xf32>, %parts: tensor<?x32xf32> {fuse.dims = ["t"]}, %bias: tensor<?x8x16xf32> {fuse.dims = ["t"]}) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %p = fuse.contract "mk,kn->mn" %x, %w : tensor<?x48xbf16>, tensor<48x8xbf16> -> tensor<?x8xbf16>
  %f = fuse.cast %p : tensor<?x8xbf16> -> tensor<?x8xf32>
  %most = fuse.reduce max %history dims = [0] : tensor<16xf32> -> tensor<f32>
  %sum = fuse.reduce sum %parts dims = [1] keep : tensor<?x32xf32> -> tensor<?x1xf32>
  %mean = fuse.reduce mean %bias dims = [2] : tensor<?x8x16xf32> -> tensor<?x8xf32>
  %a = fuse.mul %f, %most : tensor<?x8xf32>, tensor<f32> -> tensor<?x8xf32>
  %b = fuse.mul %a, %sum : tensor<?x8xf32>, tensor<?x1xf32> -> tensor<?x8xf32>
  %c = fuse.add %b, %mean : tensor<?x8xf32>
  return %c, %mean : tensor<?x8xf32>, tensor<?x8xf32>
}
