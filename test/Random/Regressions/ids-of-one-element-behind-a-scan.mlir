// Ids of a row's one element had no code after a scan.
// RUN: fuse-crosscheck %s
// prepare: died: SIGABRT 0.	Program arguments: /tmp/kit/bin/fuse-crosscheck --trace --check=gpu,gpu-schedules /tmp/tmp3ghoshql/0.mlir /tmp/tmp3ghoshql/1.mlir /tmp
// --dim d0=4097
// --seed 8800810
// --fill normal
// --check emulated,fused,twins,unfused
func.func @program(%a0: tensor<?xi1> {fuse.dims = ["d0"]}, %a1: tensor<1xi16>, %a2: tensor<1xf64>, %a3: tensor<8xi32>, %a4: tensor<i64> {fuse.scalar}, %a5: tensor<2x40x3xbf16>, %a6: tensor<136x40xbf16>) -> (tensor<f64>, tensor<136x40xf64>, tensor<8xf64>, tensor<2x3x136xbf16>) {
  %v0 = fuse.cast %a0 : tensor<?xi1> -> tensor<?xf64>
  %v1 = fuse.iota dim = 0 like %v0 : tensor<?xf64> -> tensor<?xf64>
  %v2 = fuse.scan prod %v1 exclusive : tensor<?xf64>
  %v7 = fuse.reduce mean %v2 dims = [0] keep : tensor<?xf64> -> tensor<1xf64>
  %v8 = fuse.sub %v2, %v7 : tensor<?xf64>, tensor<1xf64> -> tensor<?xf64>
  %v9 = fuse.mul %v8, %v8 : tensor<?xf64>, tensor<?xf64> -> tensor<?xf64>
  %v10 = fuse.reduce sum %v9 dims = [0] keep : tensor<?xf64> -> tensor<1xf64>
  %v11 = fuse.logsumexp %v9 dims = [0] : tensor<?xf64> -> tensor<f64>
  %v12 = fuse.constant dense<2.0> : tensor<f64>
  %v14 = fuse.take_along %v10, %a3 dim = 0 : tensor<1xf64>, tensor<8xi32> -> tensor<8xf64>
  %v15 = fuse.layer_norm %v14 eps = 1.0e-6 : tensor<8xf64>
  %v16 = fuse.dropout %v11, %a4 p = 0.5 stream = 2 : tensor<f64>, tensor<i64>
  %v17 = fuse.matmul %a5, %a6 transpose_lhs transpose_rhs : tensor<2x40x3xbf16>, tensor<136x40xbf16> -> tensor<2x3x136xbf16>
  %v18 = fuse.broadcast %v12 : tensor<f64> -> tensor<136x40xf64>
  %v19 = fuse.min %v17, %v17 : tensor<2x3x136xbf16>, tensor<2x3x136xbf16> -> tensor<2x3x136xbf16>
  return %v16, %v18, %v15, %v19 : tensor<f64>, tensor<136x40xf64>, tensor<8xf64>, tensor<2x3x136xbf16>
}

func.func @twin(%a0: tensor<?xi1> {fuse.dims = ["d0"]}, %a1: tensor<1xi16>, %a2: tensor<1xf64>, %a3: tensor<8xi32>, %a4: tensor<i64> {fuse.scalar}, %a5: tensor<2x40x3xbf16>, %a6: tensor<136x40xbf16>) -> (tensor<f64>, tensor<136x40xf64>, tensor<8xf64>, tensor<2x3x136xbf16>) {
  %w0 = fuse.cast %a0 : tensor<?xi1> -> tensor<?xf64>
  %w1 = fuse.iota dim = 0 like %w0 : tensor<?xf64> -> tensor<?xf64>
  %w2 = fuse.scan prod %w1 exclusive : tensor<?xf64>
  %w3 = fuse.reduce mean %w2 dims = [0] keep : tensor<?xf64> -> tensor<1xf64>
  %w4 = fuse.sub %w2, %w3 : tensor<?xf64>, tensor<1xf64> -> tensor<?xf64>
  %w5 = fuse.mul %w4, %w4 : tensor<?xf64>, tensor<?xf64> -> tensor<?xf64>
  %w6 = fuse.reduce sum %w5 dims = [0] keep : tensor<?xf64> -> tensor<1xf64>
  %w7 = fuse.logsumexp %w5 dims = [0] : tensor<?xf64> -> tensor<f64>
  %w8 = fuse.constant dense<2.0> : tensor<f64>
  %w9 = fuse.take_along %w6, %a3 dim = 0 : tensor<1xf64>, tensor<8xi32> -> tensor<8xf64>
  %w10 = fuse.layer_norm %w9 eps = 1.0e-6 : tensor<8xf64>
  %w11 = fuse.dropout %w7, %a4 p = 0.5 stream = 2 : tensor<f64>, tensor<i64>
  %w12 = fuse.matmul %a5, %a6 transpose_lhs transpose_rhs : tensor<2x40x3xbf16>, tensor<136x40xbf16> -> tensor<2x3x136xbf16>
  %w13 = fuse.broadcast %w8 : tensor<f64> -> tensor<136x40xf64>
  %w14 = fuse.min %w12, %w12 : tensor<2x3x136xbf16>, tensor<2x3x136xbf16> -> tensor<2x3x136xbf16>
  %w15 = fuse.transpose %w14 permutation = [1, 2, 0] : tensor<2x3x136xbf16> -> tensor<3x136x2xbf16>
  %w16 = fuse.transpose %w15 permutation = [2, 0, 1] : tensor<3x136x2xbf16> -> tensor<2x3x136xbf16>
  return %w11, %w13, %w10, %w16 : tensor<f64>, tensor<136x40xf64>, tensor<8xf64>, tensor<2x3x136xbf16>
}
