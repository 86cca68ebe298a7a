// A sum that cancels rounds to a zero of either sign, by which one cannot divide and be certain.
// RUN: fuse-crosscheck %s
// --dim d0=1
// --seed 13102809
// --fill normal
// --check fused
func.func @program(%a4: tensor<?xf64> {fuse.dims = ["d0"]}, %b10: tensor<129xf64>, %b1: tensor<129xf64>) -> (tensor<?xf64>) {
  %v2 = fuse.reduce mean %b1 dims = [0] keep : tensor<129xf64> -> tensor<1xf64>
  %v3 = fuse.sub %v2, %b1 : tensor<1xf64>, tensor<129xf64> -> tensor<129xf64>
  %v8 = fuse.reduce mean %v3 dims = [0] keep : tensor<129xf64> -> tensor<1xf64>
  %v13 = fuse.round %v8 : tensor<1xf64>
  %v15 = fuse.div %b10, %v13 : tensor<129xf64>, tensor<1xf64> -> tensor<129xf64>
  %v22 = fuse.concat %v15, %a4, %v15 dim = 0 : tensor<129xf64>, tensor<?xf64>, tensor<129xf64> -> tensor<?xf64>
  return %v22 : tensor<?xf64>
}
