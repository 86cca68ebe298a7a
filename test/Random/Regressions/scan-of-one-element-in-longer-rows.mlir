// RUN: fuse-crosscheck %s
// A scan of rows of one element is a kernel of its own where longer rows read it.

func.func @program(%a: tensor<2x5xf16>, %m: tensor<2x1xf16>) -> tensor<2x5xf16> {
  %5 = fuse.scan sum %m : tensor<2x1xf16>
  %6 = fuse.mul %5, %a : tensor<2x1xf16>, tensor<2x5xf16> -> tensor<2x5xf16>
  return %6 : tensor<2x5xf16>
}
