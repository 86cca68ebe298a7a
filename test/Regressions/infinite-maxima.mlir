// Rows that are all -inf, or have a +inf, a -inf, a NaN or the largest numbers:
// the logarithm of the sum of their exponentials, and the sum relative to a
// maximum that nothing guards. Both are one walk.

// RUN: split-file %s %t
// RUN: fuse-opt -fuse-form -fuse-schedule %t/logsumexp.mlir | FileCheck %s --check-prefix=ONE
// RUN: fuse-opt -fuse-form -fuse-schedule %t/sum.mlir | FileCheck %s --check-prefix=ONE
// ONE:         fuse.softmax_stats
// ONE-NOT:     fuse.reduce

// RUN: fuse run %t/logsumexp.mlir --target cpu --verify | FileCheck %s
// RUN: fuse run %t/logsumexp.mlir --target emu --verify | FileCheck %s
// RUN: fuse run %t/sum.mlir --target cpu --verify | FileCheck %s
// RUN: fuse run %t/sum.mlir --target emu --verify | FileCheck %s
// CHECK-COUNT-2: : ok

//--- logsumexp.mlir
func.func @f(%long: tensor<7x20000xf32>, %short: tensor<7x40xbf16>) -> (tensor<7x1xf32>, tensor<7xbf16>) {
  %value = fuse.constant dense<[[0xFF800000], [0x7F800000], [0xFF800000], [0x7FC00000],
                                [0x7F7FFFFF], [0xFF7FFFFF], [0x7F800000]]> : tensor<7x1xf32>
  %zero = fuse.constant dense<0> : tensor<i32>
  %far = fuse.constant dense<[[5], [19999], [3], [12345], [0], [77], [19998]]> : tensor<7x1xi32>
  %c = fuse.iota dim = 1 like %long : tensor<7x20000xf32> -> tensor<7x20000xi32>
  %r = fuse.iota dim = 0 like %long : tensor<7x20000xf32> -> tensor<7x20000xi32>
  %at = fuse.compare eq %c, %far : tensor<7x20000xi32>, tensor<7x1xi32> -> tensor<7x20000xi1>
  %first = fuse.compare eq %r, %zero : tensor<7x20000xi32>, tensor<i32> -> tensor<7x20000xi1>
  %is = fuse.or %at, %first : tensor<7x20000xi1>
  %x = fuse.select %is, %value, %long : tensor<7x20000xi1>, tensor<7x1xf32>, tensor<7x20000xf32> -> tensor<7x20000xf32>
  %y = fuse.logsumexp %x dims = [1] keep : tensor<7x20000xf32> -> tensor<7x1xf32>

  %near = fuse.constant dense<[[5], [39], [3], [32], [0], [31], [38]]> : tensor<7x1xi32>
  %wide = fuse.cast %short : tensor<7x40xbf16> -> tensor<7x40xf32>
  %cs = fuse.iota dim = 1 like %short : tensor<7x40xbf16> -> tensor<7x40xi32>
  %rs = fuse.iota dim = 0 like %short : tensor<7x40xbf16> -> tensor<7x40xi32>
  %ats = fuse.compare eq %cs, %near : tensor<7x40xi32>, tensor<7x1xi32> -> tensor<7x40xi1>
  %firsts = fuse.compare eq %rs, %zero : tensor<7x40xi32>, tensor<i32> -> tensor<7x40xi1>
  %iss = fuse.or %ats, %firsts : tensor<7x40xi1>
  %xs = fuse.select %iss, %value, %wide : tensor<7x40xi1>, tensor<7x1xf32>, tensor<7x40xf32> -> tensor<7x40xf32>
  %narrow = fuse.cast %xs : tensor<7x40xf32> -> tensor<7x40xbf16>
  %ys = fuse.logsumexp %narrow dims = [1] : tensor<7x40xbf16> -> tensor<7xbf16>
  return %y, %ys : tensor<7x1xf32>, tensor<7xbf16>
}

//--- sum.mlir
func.func @f(%long: tensor<7x20000xf32>) -> (tensor<7x1xf32>, tensor<7x1xf32>) {
  %value = fuse.constant dense<[[0xFF800000], [0x7F800000], [0xFF800000], [0x7FC00000],
                                [0x7F7FFFFF], [0xFF7FFFFF], [0x7F800000]]> : tensor<7x1xf32>
  %far = fuse.constant dense<[[5], [19999], [3], [12345], [0], [77], [19998]]> : tensor<7x1xi32>
  %0:2 = fuse.kernel "k" ins(%long, %value, %far : tensor<7x20000xf32>, tensor<7x1xf32>, tensor<7x1xi32>) -> tensor<7x1xf32>, tensor<7x1xf32> {
  ^bb0(%a: tensor<7x20000xf32>, %v: tensor<7x1xf32>, %p: tensor<7x1xi32>):
    %zero = fuse.constant dense<0> : tensor<i32>
    %c = fuse.iota dim = 1 like %a : tensor<7x20000xf32> -> tensor<7x20000xi32>
    %r = fuse.iota dim = 0 like %a : tensor<7x20000xf32> -> tensor<7x20000xi32>
    %at = fuse.compare eq %c, %p : tensor<7x20000xi32>, tensor<7x1xi32> -> tensor<7x20000xi1>
    %first = fuse.compare eq %r, %zero : tensor<7x20000xi32>, tensor<i32> -> tensor<7x20000xi1>
    %is = fuse.or %at, %first : tensor<7x20000xi1>
    %x = fuse.select %is, %v, %a : tensor<7x20000xi1>, tensor<7x1xf32>, tensor<7x20000xf32> -> tensor<7x20000xf32>
    %m = fuse.reduce max %x dims = [1] keep : tensor<7x20000xf32> -> tensor<7x1xf32>
    %d = fuse.sub %x, %m : tensor<7x20000xf32>, tensor<7x1xf32> -> tensor<7x20000xf32>
    %e = fuse.exp %d : tensor<7x20000xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<7x20000xf32> -> tensor<7x1xf32>
    fuse.yield %m, %s : tensor<7x1xf32>, tensor<7x1xf32>
  }
  return %0#0, %0#1 : tensor<7x1xf32>, tensor<7x1xf32>
}
