// Means over tokens, with the heads behind each other; an odd number of columns,
// whose last vectors overlap; and a part of the means beside what was given.
func.func @heads_of_means(%x: tensor<?x256xbf16> {fuse.dims = ["t"]}, %y: tensor<?x51xf32> {fuse.dims = ["u"]}, %z: tensor<8x16x300xf32>, %given: tensor<8x300xf32>)
    -> (tensor<64x4xbf16>, tensor<2x51xf32>, tensor<8x500xf32>) {
  %m = fuse.reduce mean %x dims = [0] : tensor<?x256xbf16> -> tensor<256xbf16>
  %e = tensor.expand_shape %m [[0, 1]] output_shape [4, 64] : tensor<256xbf16> into tensor<4x64xbf16>
  %h = fuse.transpose %e permutation = [1, 0] : tensor<4x64xbf16> -> tensor<64x4xbf16>
  %low = fuse.reduce min %y dims = [0] keep : tensor<?x51xf32> -> tensor<1x51xf32>
  %high = fuse.reduce max %y dims = [0] keep : tensor<?x51xf32> -> tensor<1x51xf32>
  %ends = fuse.concat %low, %high dim = 0 : tensor<1x51xf32>, tensor<1x51xf32> -> tensor<2x51xf32>
  %n = fuse.reduce mean %z dims = [1] : tensor<8x16x300xf32> -> tensor<8x300xf32>
  %part = fuse.slice %n offsets = [0, 4] sizes = [-1, 200] steps = [1, 1] : tensor<8x300xf32> -> tensor<8x200xf32>
  %both = fuse.concat %given, %part dim = 1 : tensor<8x300xf32>, tensor<8x200xf32> -> tensor<8x500xf32>
  return %h, %ends, %both : tensor<64x4xbf16>, tensor<2x51xf32>, tensor<8x500xf32>
}
