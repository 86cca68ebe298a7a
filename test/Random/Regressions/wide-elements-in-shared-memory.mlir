// RUN: fuse-crosscheck %s --dim d0=4 --dim d1=16 --check emulated,emulated-schedules,fused
// Eight elements of f64 were said to start at multiples of 64 bytes of shared memory.

func.func @program(%a0: tensor<?x?x1xi16> {fuse.dims = ["d0", "d1"]}, %a1: tensor<?x2x1xf64> {fuse.dims = ["d0"]}) -> (tensor<?x2x?xf64>) {
  %v0 = fuse.cast %a0 : tensor<?x?x1xi16> -> tensor<?x?x1xf64>
  %v1 = fuse.matmul %a1, %v0 transpose_rhs : tensor<?x2x1xf64>, tensor<?x?x1xf64> -> tensor<?x2x?xf64>
  return %v1 : tensor<?x2x?xf64>
}
