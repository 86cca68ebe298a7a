// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// The kernel walks the updates and writes only those whose id is inside; the
// rest of the result is what the buffer holds before the launch.
// CHECK-LABEL: func.func @f
// CHECK:         fuse.launch @append::@append {{.*}}copies = {{\[}}[0, 0]]
// CHECK-LABEL: gpu.func @append
// CHECK:         %[[ID:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[ID]]
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %[[WIDE]]
// CHECK:         %[[UPDATE:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<8xbf16>
// CHECK:         scf.if %[[INSIDE]] {
// CHECK:           llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>
// CHECK-NOT:     llvm.store
func.func @f(%cache: tensor<?x64xbf16>, %ids: tensor<?xi32>, %rows: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %y = fuse.kernel "append" ins(%cache, %ids, %rows : tensor<?x64xbf16>, tensor<?xi32>, tensor<?x64xbf16>) -> tensor<?x64xbf16>
      schedule = #fuse.pointwise<threads = 128, vector = 8, unroll = 1> {
  ^bb0(%a: tensor<?x64xbf16>, %i: tensor<?xi32>, %u: tensor<?x64xbf16>):
    %s = fuse.scatter %a, %i, %u dim = 0 : tensor<?x64xbf16>, tensor<?xi32>, tensor<?x64xbf16> -> tensor<?x64xbf16>
    fuse.yield %s : tensor<?x64xbf16>
  }
  return %y : tensor<?x64xbf16>
}

// -----

// What is written is also a result of its own: both are of one walk.
// CHECK-LABEL: func.func @f
// CHECK:         fuse.launch {{.*}}copies = {{\[}}[1, 0]]
// CHECK-LABEL: gpu.func @both
// CHECK:         llvm.load %{{.*}} -> vector<4xf32>
// CHECK:         arith.addf
// CHECK:         llvm.store %{{.*}} : vector<4xf32>
// CHECK:         scf.if
// CHECK:           llvm.store %{{.*}} : vector<4xf32>
func.func @f(%cache: tensor<9x8xf32>, %ids: tensor<4xi64>, %rows: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<9x8xf32>) {
  %y:2 = fuse.kernel "both" ins(%cache, %ids, %rows : tensor<9x8xf32>, tensor<4xi64>, tensor<4x8xf32>) -> tensor<4x8xf32>, tensor<9x8xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<9x8xf32>, %i: tensor<4xi64>, %u: tensor<4x8xf32>):
    %d = fuse.add %u, %u : tensor<4x8xf32>
    %s = fuse.scatter %a, %i, %d dim = 0 : tensor<9x8xf32>, tensor<4xi64>, tensor<4x8xf32> -> tensor<9x8xf32>
    fuse.yield %d, %s : tensor<4x8xf32>, tensor<9x8xf32>
  }
  return %y#0, %y#1 : tensor<4x8xf32>, tensor<9x8xf32>
}

// -----

// Neighbouring updates of the last dimension go to indices of their own.
// CHECK-LABEL: gpu.func @columns
// CHECK:         scf.if %{{.*}} {
// CHECK-COUNT-4: scf.if %{{.*}} {
// CHECK-NOT:     scf.if
func.func @f(%cache: tensor<9x8xf32>, %ids: tensor<4xi64>, %columns: tensor<9x4xf32>) -> tensor<9x8xf32> {
  %y = fuse.kernel "columns" ins(%cache, %ids, %columns : tensor<9x8xf32>, tensor<4xi64>, tensor<9x4xf32>) -> tensor<9x8xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<9x8xf32>, %i: tensor<4xi64>, %u: tensor<9x4xf32>):
    %s = fuse.scatter %a, %i, %u dim = 1 : tensor<9x8xf32>, tensor<4xi64>, tensor<9x4xf32> -> tensor<9x8xf32>
    fuse.yield %s : tensor<9x8xf32>
  }
  return %y : tensor<9x8xf32>
}
