// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=packed-extremes | FileCheck %s

// Of 197 elements 16 threads have three vectors of four each, wherever the row
// starts, and what is left beside these, five elements, is the edges: no vector
// has a guard. All elements are taken into the maximum at once, in 16 bits, before
// the sum, which nothing rescales in the thread.
// CHECK-LABEL: gpu.func @even
// CHECK-COUNT-3: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<4xbf16>
// CHECK:         %[[EDGE:.*]] = scf.if %[[HAS:.*]] -> (bf16)
// CHECK:         %[[MASKED:.*]] = arith.select %[[HAS]], %[[EDGE]], %{{.*}} : bf16
// CHECK-COUNT-2: arith.maximumf {{.*}} : vector<4xbf16>
// CHECK:         arith.maximumf {{.*}}, %[[MASKED]] : bf16
// CHECK-COUNT-4: math.exp {{.*}} {fuse.summed}
// CHECK-NOT:     {fuse.summed}
// CHECK:         gpu.shuffle
func.func @even(%x: tensor<?x197xbf16>) -> tensor<?x1xbf16> {
  %y = fuse.kernel "even" ins(%x : tensor<?x197xbf16>) -> tensor<?x1xbf16>
      schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 8, hold = registers> {
  ^bb0(%a: tensor<?x197xbf16>):
    %max, %sum = fuse.softmax_stats %a dims = [1] : tensor<?x197xbf16> -> tensor<?x1xbf16>, tensor<?x1xbf16>
    fuse.yield %sum : tensor<?x1xbf16>
  }
  return %y : tensor<?x1xbf16>
}

// -----

// Of vectors of eight two are not enough, and a third is too many.
// CHECK-LABEL: gpu.func @uneven
// CHECK:         llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<8xbf16>
// CHECK:         scf.if %{{.*}} -> (vector<8xbf16>)
// CHECK:         gpu.shuffle
func.func @uneven(%x: tensor<?x197xbf16>) -> tensor<?xbf16> {
  %y = fuse.kernel "uneven" ins(%x : tensor<?x197xbf16>) -> tensor<?xbf16>
      schedule = #fuse.rows<threads = 128, vector = 8, rows_per_block = 8, hold = registers> {
  ^bb0(%a: tensor<?x197xbf16>):
    %max = fuse.reduce max %a dims = [1] : tensor<?x197xbf16> -> tensor<?xbf16>
    fuse.yield %max : tensor<?xbf16>
  }
  return %y : tensor<?xbf16>
}

// -----

// The magnitude is found in 16 bits, too, and what is computed is not.
// CHECK-LABEL: gpu.func @magnitude
// CHECK:         math.absf {{.*}} : vector<8xf16>
// CHECK:         arith.maximumf {{.*}} : vector<8xf16>
// CHECK:         arith.maximumf {{.*}} : vector<4xf16>
// CHECK:         gpu.shuffle
// CHECK-LABEL: gpu.func @computed
// CHECK-NOT:     arith.maximumf {{.*}}f16
// CHECK:         arith.maximumf {{.*}} : vector<8xf32>
// CHECK-NOT:     arith.maximumf {{.*}}f16
// CHECK:         gpu.return
func.func @extremes(%x: tensor<?x256xf16>) -> (tensor<?xf16>, tensor<?xf16>) {
  %y = fuse.kernel "magnitude" ins(%x : tensor<?x256xf16>) -> tensor<?xf16>
      schedule = #fuse.rows<threads = 128, vector = 8, rows_per_block = 8, hold = registers> {
  ^bb0(%a: tensor<?x256xf16>):
    %size = fuse.abs %a : tensor<?x256xf16>
    %max = fuse.reduce max %size dims = [1] : tensor<?x256xf16> -> tensor<?xf16>
    fuse.yield %max : tensor<?xf16>
  }
  %z = fuse.kernel "computed" ins(%x : tensor<?x256xf16>) -> tensor<?xf16>
      schedule = #fuse.rows<threads = 128, vector = 8, rows_per_block = 8, hold = registers> {
  ^bb0(%a: tensor<?x256xf16>):
    %square = fuse.mul %a, %a : tensor<?x256xf16>
    %max = fuse.reduce max %square dims = [1] : tensor<?x256xf16> -> tensor<?xf16>
    fuse.yield %max : tensor<?xf16>
  }
  return %y, %z : tensor<?xf16>, tensor<?xf16>
}
