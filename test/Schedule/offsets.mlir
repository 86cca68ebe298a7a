// RUN: fuse inspect %s --chip=sm_90 --emit=schedule | FileCheck %s

// A mask that is computed of positions has an offset among its operands, which is no
// tensor, and is computed again for each of two reductions that depend on each other.
// CHECK: schedule = #fuse.rows<
func.func @causal_argmin(%q: tensor<2x?x2x2xf64> {fuse.dims = ["queries"]},
                         %k: tensor<2x?x1x2xf64> {fuse.dims = ["keys"]},
                         %v: tensor<2x?x1x2xf64> {fuse.dims = ["keys"]}) -> tensor<2x?x2x1xi32> {
  %a = fuse.attention tokens_heads causal %q, %k, %v : tensor<2x?x2x2xf64>, tensor<2x?x1x2xf64>, tensor<2x?x1x2xf64>
  %y = fuse.argmin %a dim = 3 keep : tensor<2x?x2x2xf64> -> tensor<2x?x2x1xi32>
  return %y : tensor<2x?x2x1xi32>
}
