// A causal convolution of each channel, with the channels before the steps.
func.func @convolved_channels(%x: tensor<?x256x?xf16> {fuse.dims = ["b", "t"]}, %w: tensor<256x4xf16>, %c: tensor<256xf16>) -> (tensor<?x256x?xf16>) {
  %1 = fuse.slice %x offsets = [0, 0, 0] sizes = [-1, 256, -4] steps = [1, 1, 1] : tensor<?x256x?xf16> -> tensor<?x256x?xf16>
  %2 = fuse.pad %1 low = [0, 0, 3] high = [0, 0, 0] value = 0.0 : tensor<?x256x?xf16> -> tensor<?x256x?xf16>
  %3 = fuse.slice %w offsets = [0, 0] sizes = [256, 1] steps = [1, 1] : tensor<256x4xf16> -> tensor<256x1xf16>
  %4 = fuse.mul %2, %3 : tensor<?x256x?xf16>, tensor<256x1xf16> -> tensor<?x256x?xf16>
  %5 = fuse.slice %x offsets = [0, 0, 0] sizes = [-1, 256, -3] steps = [1, 1, 1] : tensor<?x256x?xf16> -> tensor<?x256x?xf16>
  %6 = fuse.pad %5 low = [0, 0, 2] high = [0, 0, 0] value = 0.0 : tensor<?x256x?xf16> -> tensor<?x256x?xf16>
  %7 = fuse.slice %w offsets = [0, 1] sizes = [256, 1] steps = [1, 1] : tensor<256x4xf16> -> tensor<256x1xf16>
  %8 = fuse.mul %6, %7 : tensor<?x256x?xf16>, tensor<256x1xf16> -> tensor<?x256x?xf16>
  %9 = fuse.add %4, %8 : tensor<?x256x?xf16>, tensor<?x256x?xf16> -> tensor<?x256x?xf16>
  %10 = fuse.slice %x offsets = [0, 0, 0] sizes = [-1, 256, -2] steps = [1, 1, 1] : tensor<?x256x?xf16> -> tensor<?x256x?xf16>
  %11 = fuse.pad %10 low = [0, 0, 1] high = [0, 0, 0] value = 0.0 : tensor<?x256x?xf16> -> tensor<?x256x?xf16>
  %12 = fuse.slice %w offsets = [0, 2] sizes = [256, 1] steps = [1, 1] : tensor<256x4xf16> -> tensor<256x1xf16>
  %13 = fuse.mul %11, %12 : tensor<?x256x?xf16>, tensor<256x1xf16> -> tensor<?x256x?xf16>
  %14 = fuse.add %9, %13 : tensor<?x256x?xf16>, tensor<?x256x?xf16> -> tensor<?x256x?xf16>
  %15 = fuse.slice %w offsets = [0, 3] sizes = [256, 1] steps = [1, 1] : tensor<256x4xf16> -> tensor<256x1xf16>
  %16 = fuse.mul %x, %15 : tensor<?x256x?xf16>, tensor<256x1xf16> -> tensor<?x256x?xf16>
  %17 = fuse.add %14, %16 : tensor<?x256x?xf16>, tensor<?x256x?xf16> -> tensor<?x256x?xf16>
  %18 = tensor.expand_shape %c [[0, 1]] output_shape [256, 1] : tensor<256xf16> into tensor<256x1xf16>
  %19 = fuse.add %17, %18 : tensor<?x256x?xf16>, tensor<256x1xf16> -> tensor<?x256x?xf16>
  %20 = fuse.silu %19 : tensor<?x256x?xf16> -> tensor<?x256x?xf16>
  return %20 : tensor<?x256x?xf16>
}
