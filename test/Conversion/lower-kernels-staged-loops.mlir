// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// Copies of two steps are on their way before the loop. Each step waits until
// one group is, starts the copies of the step after the next where that is one of
// the row, and reads its own; slots are used in turn. What is no whole step is loaded.
// CHECK-LABEL: fuse.launch @staged
// CHECK-SAME:    shared_bytes = 6144
// CHECK-LABEL: gpu.func @staged
// CHECK-COUNT-2: nvvm.cp.async.shared.global
// CHECK:         nvvm.cp.async.commit.group
// CHECK-COUNT-2: nvvm.cp.async.shared.global
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         scf.for %[[BLOCK:.*]] = %c0{{[_0-9]*}} to %[[STEPPED:.*]] step %c4096{{[_0-9]*}} iter_args(%{{.*}} = %{{.*}}, %[[OUTER:.*]] = %c0{{[_0-9]*}}, {{.*}}) -> (vector<4xf32>, index, vector<4xf32>)
// CHECK:         scf.for %[[AT:.*]] = %[[BLOCK]] to %{{.*}} step %[[STEP:c128[_0-9]*]] iter_args(%{{.*}} = %{{.*}}, %[[STAGE:.*]] = %[[OUTER]]) -> (vector<4xf32>, index)
// CHECK-NEXT:      nvvm.cp.async.wait.group 1
// CHECK:           %[[BEHIND:.*]] = arith.addi %[[STAGE]], %c2
// CHECK:           %[[FITS:.*]] = arith.cmpi slt, %[[BEHIND]], %c3
// CHECK:           %[[FREE:.*]] = arith.select %[[FITS]]
// CHECK:           %[[FROM:.*]] = arith.addi %[[AT]], %c256
// CHECK:           %[[EXISTS:.*]] = arith.cmpi slt, %[[FROM]], %[[STEPPED]]
// CHECK:           scf.if %[[EXISTS]]
// CHECK:             arith.muli %[[FREE]], %c2
// CHECK-COUNT-2:     nvvm.cp.async.shared.global
// CHECK:           nvvm.cp.async.commit.group
// CHECK-COUNT-2:   llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT:       llvm.load
// CHECK:           %[[AFTER:.*]] = arith.select
// CHECK-NEXT:      scf.yield %{{.*}}, %[[AFTER]]
// CHECK:         scf.for
// CHECK:           llvm.load {{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK:         gpu.return
func.func @staged(%x: tensor<?x?xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "staged" ins(%x : tensor<?x?xf32>) -> tensor<?x1xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = loop<unroll = 2, stages = 3>> {
  ^bb0(%a: tensor<?x?xf32>):
    %s = fuse.reduce sum %a dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}

// -----

// What the walk reads, the gather reads besides, from memory.
// CHECK-LABEL: gpu.func @gathered
// CHECK:         llvm.load {{.*}} -> f32
// CHECK:         nvvm.cp.async.shared.global
// CHECK:         scf.for
// CHECK:           llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
func.func @gathered(%x: tensor<?x4096xf32>, %l: tensor<?xi64>) -> tensor<?xf32> {
  %y = fuse.kernel "gathered" ins(%x, %l : tensor<?x4096xf32>, tensor<?xi64>) -> tensor<?xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = loop<unroll = 2, stages = 2>> {
  ^bb0(%a: tensor<?x4096xf32>, %b: tensor<?xi64>):
    %s = fuse.reduce sum %a dims = [1] : tensor<?x4096xf32> -> tensor<?xf32>
    %all = tensor.collapse_shape %a [[0, 1]] : tensor<?x4096xf32> into tensor<?xf32>
    %own = fuse.gather %all, %b dim = 0 : tensor<?xf32>, tensor<?xi64> -> tensor<?xf32>
    %d = fuse.sub %s, %own : tensor<?xf32>
    fuse.yield %d : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// -----

// Columns: the steps of a part.
// CHECK-LABEL: gpu.func @columns
// CHECK-COUNT-3: nvvm.cp.async.commit.group
// CHECK:         scf.for {{.*}} -> (vector<4xf32>, index)
// CHECK-NEXT:      nvvm.cp.async.wait.group 2
// CHECK:           nvvm.cp.async.shared.global
// CHECK:           llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
func.func @columns(%x: tensor<?x64xf32>) -> tensor<64xf32> {
  %y = fuse.kernel "columns" ins(%x : tensor<?x64xf32>) -> tensor<64xf32>
      schedule = #fuse.columns<threads = 32, vector = 4, splits = 8, hold = loop<unroll = 1, stages = 4>, share = parts<3>> {
  ^bb0(%a: tensor<?x64xf32>):
    %m = fuse.reduce sum %a dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
    fuse.yield %m : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// Vectors that are aligned nowhere are loaded.
// CHECK-LABEL: gpu.func @unaligned
// CHECK-NOT:     cp.async
// CHECK:         gpu.return
func.func @unaligned(%x: tensor<?x1033xbf16>) -> tensor<1033xbf16> {
  %y = fuse.kernel "unaligned" ins(%x : tensor<?x1033xbf16>) -> tensor<1033xbf16>
      schedule = #fuse.columns<threads = 64, vector = 8, splits = 8, hold = loop<unroll = 2, stages = 4>> {
  ^bb0(%a: tensor<?x1033xbf16>):
    %s = fuse.reduce max %a dims = [0] : tensor<?x1033xbf16> -> tensor<1033xbf16>
    fuse.yield %s : tensor<1033xbf16>
  }
  return %y : tensor<1033xbf16>
}
