// Boxes of a tensor without elements had none, by whose number the grid was divided.
// RUN: fuse-crosscheck %s --check=emulated --check=fused
// --dim d0=16
// --seed 39009721
// --fill small
func.func @program(%a0: tensor<3x?x4x2xi32> {fuse.dims = ["d0"]}) -> (tensor<4x0x0x?xi32>, tensor<3x?x4x2xf16>, tensor<0x?x4x0xi32>) {
  %v0 = fuse.slice %a0 offsets = [3, 5, 0, 2] sizes = [-1, -1, -1, 0] : tensor<3x?x4x2xi32> -> tensor<0x?x4x0xi32>
  %v1 = fuse.cast %a0 : tensor<3x?x4x2xi32> -> tensor<3x?x4x2xf16>
  %v2 = fuse.gelu sigmoid %v1 : tensor<3x?x4x2xf16>
  %v3 = fuse.transpose %v0 permutation = [2, 0, 3, 1] : tensor<0x?x4x0xi32> -> tensor<4x0x0x?xi32>
  %v4 = fuse.shr %v0, %v0 : tensor<0x?x4x0xi32>, tensor<0x?x4x0xi32> -> tensor<0x?x4x0xi32>
  %v5 = fuse.log2 %v2 : tensor<3x?x4x2xf16>
  %v6 = fuse.slice %v3 offsets = [0, 0, 0, 0] sizes = [-1, -1, -1, -1] : tensor<4x0x0x?xi32> -> tensor<4x0x0x?xi32>
  return %v6, %v5, %v4 : tensor<4x0x0x?xi32>, tensor<3x?x4x2xf16>, tensor<0x?x4x0xi32>
}
