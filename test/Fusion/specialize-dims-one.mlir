// RUN: fuse-opt -fuse-specialize-dims=sizes=n=1 %s | FileCheck %s

// A size of 1 is no broadcast of what gives a result its shape.
// CHECK-LABEL: func.func @one(
// CHECK-SAME: %[[X:.*]]: tensor<1x64xbf16>
// CHECK-SAME: -> (tensor<1x64xf32>, tensor<1x64xi64>, tensor<1x64xf32>, tensor<1x64xf32>)
// CHECK: %[[C:.*]] = fuse.cast %[[X]] : tensor<1x64xbf16> -> tensor<1x64xf32>
// CHECK: fuse.iota dim = 1 like %[[C]] : tensor<1x64xf32> -> tensor<1x64xi64>
// CHECK: fuse.broadcast %{{.*}} like %[[C]] : tensor<64xf32>, tensor<1x64xf32> -> tensor<1x64xf32>
func.func @one(%x: tensor<?x64xbf16> {fuse.dims = ["n"]}, %w: tensor<64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xi64>, tensor<?x64xf32>, tensor<?x64xf32>) {
  %c = fuse.cast %x : tensor<?x64xbf16> -> tensor<?x64xf32>
  %i = fuse.iota dim = 1 like %c : tensor<?x64xf32> -> tensor<?x64xi64>
  %m = fuse.reduce max %c dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
  %d = fuse.sub %c, %m : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  %b = fuse.broadcast %w like %c : tensor<64xf32>, tensor<?x64xf32> -> tensor<?x64xf32>
  return %c, %i, %d, %b : tensor<?x64xf32>, tensor<?x64xi64>, tensor<?x64xf32>, tensor<?x64xf32>
}
