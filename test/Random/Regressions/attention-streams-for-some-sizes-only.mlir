// RUN: fuse-crosscheck %s
// Whether rows are whole vectors is asked of the code that runs: with few queries the
// scores are in memory, which the code for other sizes keeps in registers.

// --dim d0=2
// --dim d1=17
// --dim d2=3
func.func @program(%a0: tensor<129xf32>, %a1: tensor<i64>, %a2: tensor<?x?x4x16xf16> {fuse.dims = ["d2", "d0"]}, %a3: tensor<?x?x1x16xf16> {fuse.dims = ["d2", "d1"]}, %a4: tensor<?x?x1x16xf16> {fuse.dims = ["d2", "d1"]}) -> (tensor<129xf32>, tensor<129xf32>, tensor<?x?x4x16xf16>) {
  %v0 = fuse.rsqrt %a0 : tensor<129xf32>
  %v1 = fuse.random %a1 stream = 0 : tensor<i64> -> tensor<129xf32>
  %v2 = fuse.attention tokens_heads causal %a2, %a3, %a4 : tensor<?x?x4x16xf16>, tensor<?x?x1x16xf16>, tensor<?x?x1x16xf16>
  return %v0, %v1, %v2 : tensor<129xf32>, tensor<129xf32>, tensor<?x?x4x16xf16>
}
