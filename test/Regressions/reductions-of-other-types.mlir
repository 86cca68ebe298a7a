// Values that a shuffle does not move in one piece, and reductions of integers,
// whose neutral element is no zero.

// RUN: fuse run %s --target emu --dim rows=5 --verify | FileCheck %s
// RUN: fuse run %s --target cpu --dim rows=5 --verify | FileCheck %s
// CHECK-COUNT-7: verify {{.*}} 0.000 of the bound: ok

func.func @reduce(%x: tensor<?x300xf64> {fuse.dims = ["rows"]}, %n: tensor<?x300xi64> {fuse.dims = ["rows"]},
                  %m: tensor<?x300xi32> {fuse.dims = ["rows"]})
    -> (tensor<?xf64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi32>, tensor<?xi32>,
        tensor<?xi1>, tensor<?xi1>) {
  // Far from zero, and beyond 32 bits.
  %large = fuse.constant dense<8589934599> : tensor<i64>
  %seven = fuse.constant dense<7> : tensor<i32>
  %l = fuse.add %n, %large : tensor<?x300xi64>, tensor<i64> -> tensor<?x300xi64>
  %k = fuse.add %m, %seven : tensor<?x300xi32>, tensor<i32> -> tensor<?x300xi32>
  %j = fuse.neg %k : tensor<?x300xi32>
  %highest = fuse.reduce max %x dims = [1] : tensor<?x300xf64> -> tensor<?xf64>
  %least = fuse.reduce min %l dims = [1] : tensor<?x300xi64> -> tensor<?xi64>
  %total = fuse.reduce sum %l dims = [1] : tensor<?x300xi64> -> tensor<?xi64>
  %min = fuse.reduce min %k dims = [1] : tensor<?x300xi32> -> tensor<?xi32>
  %max = fuse.reduce max %j dims = [1] : tensor<?x300xi32> -> tensor<?xi32>
  %limit = fuse.constant dense<69> : tensor<i32>
  %e = fuse.compare gt %k, %limit : tensor<?x300xi32>, tensor<i32> -> tensor<?x300xi1>
  %any = fuse.reduce any %e dims = [1] : tensor<?x300xi1> -> tensor<?xi1>
  %g = fuse.compare lt %k, %limit : tensor<?x300xi32>, tensor<i32> -> tensor<?x300xi1>
  %all = fuse.reduce all %g dims = [1] : tensor<?x300xi1> -> tensor<?xi1>
  return %highest, %least, %total, %min, %max, %any, %all : tensor<?xf64>, tensor<?xi64>,
    tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<?xi1>, tensor<?xi1>
}
