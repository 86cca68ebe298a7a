// RUN: fuse-opt %s | FileCheck %s
// RUN: fuse-opt %s | fuse-opt | FileCheck %s
// RUN: fuse-opt %s -mlir-print-op-generic | fuse-opt | FileCheck %s

// CHECK-LABEL: func.func @reduce
func.func @reduce(%x: tensor<?x4x16xf32>, %i: tensor<?x4xi32>, %b: tensor<?x4xi1>) {
  // CHECK: fuse.reduce sum %{{.*}} dims = [1] : tensor<?x4xi32> -> tensor<?xi32>
  %sum = fuse.reduce sum %i dims = [1] : tensor<?x4xi32> -> tensor<?xi32>
  // CHECK: fuse.reduce prod %{{.*}} dims = [1] : tensor<?x4xi32> -> tensor<?xi32>
  %prod = fuse.reduce prod %i dims = [1] : tensor<?x4xi32> -> tensor<?xi32>
  // CHECK: fuse.reduce max %{{.*}} dims = [1] : tensor<?x4xi32> -> tensor<?xi32>
  %max = fuse.reduce max %i dims = [1] : tensor<?x4xi32> -> tensor<?xi32>
  // CHECK: fuse.reduce min %{{.*}} dims = [1] : tensor<?x4xi32> -> tensor<?xi32>
  %min = fuse.reduce min %i dims = [1] : tensor<?x4xi32> -> tensor<?xi32>
  // CHECK: fuse.reduce mean %{{.*}} dims = [1, 2] keep : tensor<?x4x16xf32> -> tensor<?x1x1xf32>
  %mean = fuse.reduce mean %x dims = [1, 2] keep : tensor<?x4x16xf32> -> tensor<?x1x1xf32>
  // CHECK: fuse.reduce sum %{{.*}} dims = [0, 1, 2] : tensor<?x4x16xf32> -> tensor<f32>
  %total = fuse.reduce sum %x dims = [0, 1, 2] : tensor<?x4x16xf32> -> tensor<f32>
  // CHECK: fuse.reduce any %{{.*}} dims = [0] keep : tensor<?x4xi1> -> tensor<1x4xi1>
  %any = fuse.reduce any %b dims = [0] keep : tensor<?x4xi1> -> tensor<1x4xi1>
  // CHECK: fuse.reduce all %{{.*}} dims = [0] : tensor<?x4xi1> -> tensor<4xi1>
  %all = fuse.reduce all %b dims = [0] : tensor<?x4xi1> -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @welford
func.func @welford(%x: tensor<?x4x16xf32>) {
  // CHECK: fuse.welford mean %{{.*}} dims = [1, 2] : tensor<?x4x16xf32> -> tensor<?x1x1xf32>, tensor<?x1x1xf32>
  %mean, %variance = fuse.welford mean %x dims = [1, 2] : tensor<?x4x16xf32> -> tensor<?x1x1xf32>, tensor<?x1x1xf32>
  // CHECK: fuse.welford sum %{{.*}} dims = [0]
  %m, %s = fuse.welford sum %x dims = [0] : tensor<?x4x16xf32> -> tensor<1x4x16xf32>, tensor<1x4x16xf32>
  return
}

// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<?x4x16xf32>) {
  // CHECK: fuse.softmax_stats %{{.*}} dims = [2] : tensor<?x4x16xf32> -> tensor<?x4x1xf32>, tensor<?x4x1xf32>
  %max, %sum = fuse.softmax_stats %x dims = [2] : tensor<?x4x16xf32> -> tensor<?x4x1xf32>, tensor<?x4x1xf32>
  // CHECK: fuse.softmax %{{.*}} dims = [1, 2] : tensor<?x4x16xf32>
  %softmax = fuse.softmax %x dims = [1, 2] : tensor<?x4x16xf32>
  // CHECK: fuse.log_softmax %{{.*}} dims = [2] : tensor<?x4x16xf32>
  %log_softmax = fuse.log_softmax %x dims = [2] : tensor<?x4x16xf32>
  // CHECK: fuse.logsumexp %{{.*}} dims = [0] : tensor<?x4x16xf32> -> tensor<4x16xf32>
  %lse = fuse.logsumexp %x dims = [0] : tensor<?x4x16xf32> -> tensor<4x16xf32>
  // CHECK: fuse.logsumexp %{{.*}} dims = [0] keep : tensor<?x4x16xf32> -> tensor<1x4x16xf32>
  %lse_keep = fuse.logsumexp %x dims = [0] keep : tensor<?x4x16xf32> -> tensor<1x4x16xf32>
  return
}

// CHECK-LABEL: func.func @norm
func.func @norm(%x: tensor<?x4096xbf16>, %w: tensor<4096xbf16>) {
  // CHECK: fuse.rms_norm %{{.*}}, %{{.*}} eps = 1.000000e-05 : tensor<?x4096xbf16>, tensor<4096xbf16>
  %rms = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x4096xbf16>, tensor<4096xbf16>
  // CHECK: fuse.rms_norm %{{.*}} eps = 0.000000e+00 : tensor<?x4096xbf16>
  %bare_rms = fuse.rms_norm %x eps = 0.0 : tensor<?x4096xbf16>
  // CHECK: fuse.layer_norm %{{.*}}, %{{.*}}, %{{.*}} eps = 1.000000e-05 : tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
  %layer = fuse.layer_norm %x, %w, %w eps = 1.0e-5 : tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
  // CHECK: fuse.layer_norm %{{.*}}, %{{.*}} eps = 1.000000e-05 : tensor<?x4096xbf16>, tensor<4096xbf16>
  %scaled = fuse.layer_norm %x, %w eps = 1.0e-5 : tensor<?x4096xbf16>, tensor<4096xbf16>
  // CHECK: fuse.layer_norm %{{.*}} eps = 1.000000e-05 : tensor<?x4096xbf16>
  %bare = fuse.layer_norm %x eps = 1.0e-5 : tensor<?x4096xbf16>
  return
}
