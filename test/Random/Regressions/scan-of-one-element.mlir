// Candidates shared columns of one element among threads, where a reduction of
// what was scanned asked for another place of the scan.
// RUN: fuse-crosscheck %s --check=emulated --check=emulated-schedules --check=fused
// --seed 4002379
// --fill wide

func.func @program(%a0: tensor<1x4xi64>, %a1: tensor<1xi64>, %a2: tensor<1xf64>, %a3: tensor<f64> {fuse.scalar}) -> (tensor<1xf64>, tensor<1xf64>, tensor<1x4xf64>, tensor<1x4xf64>) {
  %v2 = fuse.cast %a0 : tensor<1x4xi64> -> tensor<1x4xf64>
  %v3 = fuse.logsumexp %v2 dims = [1] : tensor<1x4xf64> -> tensor<1xf64>
  %v5 = fuse.ceil %v2 : tensor<1x4xf64>
  %v6 = fuse.ceil %v3 : tensor<1xf64>
  %v7 = fuse.transpose %v3 permutation = [0] : tensor<1xf64> -> tensor<1xf64>
  %v8 = fuse.scan sum %v5 dim = 0 exclusive : tensor<1x4xf64>
  %v9 = fuse.scatter %v3, %a1, %a2 dim = 0 : tensor<1xf64>, tensor<1xi64>, tensor<1xf64> -> tensor<1xf64>
  %v10 = fuse.logsumexp %v8 dims = [0] keep : tensor<1x4xf64> -> tensor<1x4xf64>
  %v11 = fuse.clamp %v8, %v6, %a3 : tensor<1x4xf64>, tensor<1xf64>, tensor<f64> -> tensor<1x4xf64>
  return %v9, %v7, %v10, %v11 : tensor<1xf64>, tensor<1xf64>, tensor<1x4xf64>, tensor<1x4xf64>
}
