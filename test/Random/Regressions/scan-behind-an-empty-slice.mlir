// The empty slice made the scan a part of the concatenation's kernel.
// RUN: fuse-crosscheck %s
// --dim n=64

func.func @program(%a: tensor<?xf64> {fuse.dims = ["n"]}, %b: tensor<5xf64>) -> tensor<5xf64> {
  %scan = fuse.scan sum %a reverse : tensor<?xf64>
  %sum = fuse.reduce sum %scan dims = [0] keep : tensor<?xf64> -> tensor<1xf64>
  %none = fuse.slice %sum offsets = [1] sizes = [-1] steps = [3] : tensor<1xf64> -> tensor<0xf64>
  %y = fuse.concat %none, %b dim = 0 : tensor<0xf64>, tensor<5xf64> -> tensor<5xf64>
  return %y : tensor<5xf64>
}
