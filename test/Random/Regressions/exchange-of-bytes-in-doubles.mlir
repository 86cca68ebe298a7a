// RUN: fuse-crosscheck %s
// A cluster shared columns of one-byte elements: 16 lanes of a vector, each with
// a state of three doubles, are more than the blocks have room to exchange.
// --dim d0=16
func.func @program(%x: tensor<8x?x16xi1> {fuse.dims = ["d0"]}) -> tensor<8x1x16xf64> {
  %v0 = fuse.cast %x : tensor<8x?x16xi1> -> tensor<8x?x16xf64>
  %v1 = fuse.reduce mean %v0 dims = [1] keep : tensor<8x?x16xf64> -> tensor<8x1x16xf64>
  %v2 = fuse.sub %v0, %v1 : tensor<8x?x16xf64>, tensor<8x1x16xf64> -> tensor<8x?x16xf64>
  %v3 = fuse.mul %v2, %v2 : tensor<8x?x16xf64>, tensor<8x?x16xf64> -> tensor<8x?x16xf64>
  %v4 = fuse.reduce mean %v3 dims = [1] keep : tensor<8x?x16xf64> -> tensor<8x1x16xf64>
  return %v4 : tensor<8x1x16xf64>
}
