// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// The first blocks take rows of one shape, the others of the other. Both exchange
// through the same memory, which each block has for itself.
// CHECK-LABEL: func.func @two
// CHECK:         fuse.launch {{.*}} {in_place = {{\[\[}}0, 0]]
// CHECK-LABEL: gpu.func @two
// CHECK-SAME:    workgroup(%[[M:[^ ]*]] : memref<4xf32, {{[^%]*}}) kernel
// CHECK:         %[[BLOCK:.*]] = gpu.block_id  x
// CHECK:         arith.muli %{{.*}}, %c4
// CHECK:         %[[COUNT:.*]] = arith.divui
// CHECK-NEXT:    %[[IS_FIRST:.*]] = arith.cmpi slt, %[[BLOCK]], %[[COUNT]]
// CHECK-NEXT:    scf.if %[[IS_FIRST]] {
// CHECK:           gpu.barrier
// CHECK-NEXT:      memref.load %[[M]]
// CHECK:         } else {
// CHECK:           arith.subi %[[BLOCK]], %[[COUNT]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      memref.load %[[M]]
// CHECK:         gpu.return
func.func @two(%q: tensor<?x4x64xf32> {fuse.dims = ["t"]}, %k: tensor<?x2x64xf32> {fuse.dims = ["t"]})
    -> (tensor<?x4x64xf32>, tensor<?x2x1xf32>) {
  %0:2 = fuse.kernel "two" ins(%q, %k : tensor<?x4x64xf32>, tensor<?x2x64xf32>) -> tensor<?x4x64xf32>, tensor<?x2x1xf32>
      schedule = #fuse.rows<threads = 128, vector = 1, rows_per_block = 2, hold = registers> {
  ^bb0(%a: tensor<?x4x64xf32>, %b: tensor<?x2x64xf32>):
    %m = fuse.reduce max %a dims = [2] keep : tensor<?x4x64xf32> -> tensor<?x4x1xf32>
    %s = fuse.reduce sum %b dims = [2] keep : tensor<?x2x64xf32> -> tensor<?x2x1xf32>
    %r = fuse.sub %a, %m : tensor<?x4x64xf32>, tensor<?x4x1xf32> -> tensor<?x4x64xf32>
    fuse.yield %r, %s : tensor<?x4x64xf32>, tensor<?x2x1xf32>
  }
  return %0#0, %0#1 : tensor<?x4x64xf32>, tensor<?x2x1xf32>
}

// -----

// 32 blocks of rows of 64, then 8 of rows of 256. These read what the first
// would have overwritten: nothing is in place.
// CHECK-LABEL: func.func @overlapping
// CHECK:         fuse.launch {{.*}} blocks(%c40)
// CHECK-NOT:     in_place
// CHECK-LABEL: gpu.func @overlapping
// CHECK:         %[[BLOCK:.*]] = gpu.block_id  x
// CHECK:         arith.cmpi slt, %[[BLOCK]], %c32
func.func @overlapping(%x: tensor<8x4x64xf32>) -> (tensor<8x4x64xf32>, tensor<8xf32>) {
  %0:2 = fuse.kernel "overlapping" ins(%x : tensor<8x4x64xf32>) -> tensor<8x4x64xf32>, tensor<8xf32>
      schedule = #fuse.rows<threads = 32, vector = 2, rows_per_block = 1, hold = loop> {
  ^bb0(%a: tensor<8x4x64xf32>):
    %m = fuse.reduce max %a dims = [2] keep : tensor<8x4x64xf32> -> tensor<8x4x1xf32>
    %l = tensor.collapse_shape %a [[0], [1, 2]] : tensor<8x4x64xf32> into tensor<8x256xf32>
    %s = fuse.reduce sum %l dims = [1] : tensor<8x256xf32> -> tensor<8xf32>
    %r = fuse.sub %a, %m : tensor<8x4x64xf32>, tensor<8x4x1xf32> -> tensor<8x4x64xf32>
    fuse.yield %r, %s : tensor<8x4x64xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8x4x64xf32>, tensor<8xf32>
}

// -----

// All shapes of rows lie in the same dynamic shared memory, which is as large
// as the largest takes: two inputs of 1024 here.
// CHECK-LABEL: func.func @shared
// CHECK:         fuse.launch {{.*}} shared_bytes = 8192 : i64
// CHECK-COUNT-1: llvm.mlir.global external @__dynamic_shared
// CHECK-NOT:     llvm.mlir.global
// CHECK-LABEL: gpu.func @shared
// CHECK:         scf.if
// CHECK:           llvm.mlir.addressof @__dynamic_shared
// CHECK:         } else {
// CHECK:           llvm.mlir.addressof @__dynamic_shared
func.func @shared(%x: tensor<8x1024xf32>, %y: tensor<4x1024xf32>, %z: tensor<4x1024xf32>)
    -> (tensor<8x1024xf32>, tensor<4x1024xf32>) {
  %0:2 = fuse.kernel "shared" ins(%x, %y, %z : tensor<8x1024xf32>, tensor<4x1024xf32>, tensor<4x1024xf32>) -> tensor<8x1024xf32>, tensor<4x1024xf32>
      schedule = #fuse.rows<threads = 32, vector = 4, rows_per_block = 1, hold = shared> {
  ^bb0(%a: tensor<8x1024xf32>, %b: tensor<4x1024xf32>, %c: tensor<4x1024xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<8x1024xf32> -> tensor<8x1xf32>
    %r = fuse.sub %a, %m : tensor<8x1024xf32>, tensor<8x1xf32> -> tensor<8x1024xf32>
    %d = fuse.add %b, %c : tensor<4x1024xf32>
    %n = fuse.reduce max %d dims = [1] keep : tensor<4x1024xf32> -> tensor<4x1xf32>
    %t = fuse.sub %d, %n : tensor<4x1024xf32>, tensor<4x1xf32> -> tensor<4x1024xf32>
    fuse.yield %r, %t : tensor<8x1024xf32>, tensor<4x1024xf32>
  }
  return %0#0, %0#1 : tensor<8x1024xf32>, tensor<4x1024xf32>
}
