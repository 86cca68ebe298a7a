// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// Held rows: loaded once, used three times; a butterfly in each warp and one
// exchange of the warps for each level.
// CHECK-LABEL: gpu.func @softmax
// CHECK-SAME:    workgroup(%{{.*}} : memref<4xf32, #gpu.address_space<workgroup>>, %{{.*}} : memref<4xf32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NOT:     llvm.load
// CHECK:         arith.maximumf
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK:         gpu.barrier
// CHECK-COUNT-2: math.exp
// CHECK-NOT:     math.exp
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK:         gpu.barrier
// CHECK-COUNT-2: llvm.store
// CHECK-NOT:     llvm.store
// CHECK:         gpu.return
func.func @softmax(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %y = fuse.kernel "softmax" ins(%x : tensor<?x1024xf32>) -> tensor<?x1024xf32>
      schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers> {
  ^bb0(%a: tensor<?x1024xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
    %e = fuse.exp %d : tensor<?x1024xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
    %q = fuse.div %e, %s : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
    fuse.yield %q : tensor<?x1024xf32>
  }
  return %y : tensor<?x1024xf32>
}

// -----

// A tail: the last vector is loaded where it exists, and only there something is
// added. Every thread still takes part in the shuffles.
// CHECK-LABEL: gpu.func @tail
// CHECK:         %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %c100
// CHECK:         %[[LAST:.*]] = scf.if %[[IN]] -> (f32)
// CHECK:           llvm.load
// CHECK:         scf.if %[[IN]] -> (f32)
// CHECK:           %[[MORE:.*]] = arith.addf %[[SUM:.*]], %[[LAST]] fastmath<contract>
// CHECK:           scf.yield %[[MORE]]
// CHECK:         else
// CHECK:           scf.yield %[[SUM]]
// CHECK-COUNT-5: gpu.shuffle xor
func.func @tail(%x: tensor<?x100xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "tail" ins(%x : tensor<?x100xf32>) -> tensor<?x1xf32>
      schedule = #fuse.rows<threads = 128, vector = 1, rows_per_block = 4, hold = registers> {
  ^bb0(%a: tensor<?x100xf32>):
    %s = fuse.reduce sum %a dims = [1] keep : tensor<?x100xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}

// -----

// Rows that do not fill the last block: its threads read the last row again
// and write nothing.
// CHECK-LABEL: gpu.func @rows_tail
// CHECK:         %[[EXISTS:.*]] = arith.cmpi slt
// CHECK:         arith.minsi
// CHECK:         %[[FIRST:.*]] = arith.cmpi slt
// CHECK:         %[[BOTH:.*]] = arith.andi %[[EXISTS]], %[[FIRST]]
// CHECK:         scf.if %[[BOTH]]
// CHECK:           llvm.store
func.func @rows_tail(%x: tensor<5x32xf32>) -> tensor<5xf32> {
  %y = fuse.kernel "rows_tail" ins(%x : tensor<5x32xf32>) -> tensor<5xf32>
      schedule = #fuse.rows<threads = 64, vector = 1, rows_per_block = 2, hold = registers> {
  ^bb0(%a: tensor<5x32xf32>):
    %s = fuse.reduce sum %a dims = [1] : tensor<5x32xf32> -> tensor<5xf32>
    fuse.yield %s : tensor<5xf32>
  }
  return %y : tensor<5xf32>
}

// -----

// A loop over whole vectors four at a time, then single vectors, then single
// elements.
// CHECK-LABEL: gpu.func @looped
// CHECK:         scf.for
// CHECK-COUNT-4:   llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK:         scf.for
// CHECK:           llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK:         scf.for
// CHECK:           llvm.load %{{.*}} : !llvm.ptr -> f32
func.func @looped(%x: tensor<?x?xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "looped" ins(%x : tensor<?x?xf32>) -> tensor<?x1xf32>
      schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = loop> {
  ^bb0(%a: tensor<?x?xf32>):
    %s = fuse.reduce sum %a dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}
