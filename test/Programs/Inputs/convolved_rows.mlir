// A convolution along the contiguous dimension, with a filter for each row.
func.func @convolved_rows(%x: tensor<?x256xf32> {fuse.dims = ["n"]}, %w: tensor<?x4xf32> {fuse.dims = ["n"]}) -> (tensor<?x256xf32>) {
  %1 = fuse.pad %x low = [0, 3] high = [0, 0] value = 0.0 : tensor<?x256xf32> -> tensor<?x259xf32>
  %2 = fuse.slice %1 offsets = [0, 0] sizes = [-1, 256] steps = [1, 1] : tensor<?x259xf32> -> tensor<?x256xf32>
  %3 = fuse.slice %w offsets = [0, 0] sizes = [-1, 1] steps = [1, 1] : tensor<?x4xf32> -> tensor<?x1xf32>
  %4 = fuse.mul %2, %3 : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
  %5 = fuse.slice %1 offsets = [0, 1] sizes = [-1, 256] steps = [1, 1] : tensor<?x259xf32> -> tensor<?x256xf32>
  %6 = fuse.slice %w offsets = [0, 1] sizes = [-1, 1] steps = [1, 1] : tensor<?x4xf32> -> tensor<?x1xf32>
  %7 = fuse.mul %5, %6 : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
  %8 = fuse.add %4, %7 : tensor<?x256xf32>, tensor<?x256xf32> -> tensor<?x256xf32>
  %9 = fuse.slice %1 offsets = [0, 2] sizes = [-1, 256] steps = [1, 1] : tensor<?x259xf32> -> tensor<?x256xf32>
  %10 = fuse.slice %w offsets = [0, 2] sizes = [-1, 1] steps = [1, 1] : tensor<?x4xf32> -> tensor<?x1xf32>
  %11 = fuse.mul %9, %10 : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
  %12 = fuse.add %8, %11 : tensor<?x256xf32>, tensor<?x256xf32> -> tensor<?x256xf32>
  %13 = fuse.slice %1 offsets = [0, 3] sizes = [-1, 256] steps = [1, 1] : tensor<?x259xf32> -> tensor<?x256xf32>
  %14 = fuse.slice %w offsets = [0, 3] sizes = [-1, 1] steps = [1, 1] : tensor<?x4xf32> -> tensor<?x1xf32>
  %15 = fuse.mul %13, %14 : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
  %16 = fuse.add %12, %15 : tensor<?x256xf32>, tensor<?x256xf32> -> tensor<?x256xf32>
  %17 = fuse.silu %16 : tensor<?x256xf32> -> tensor<?x256xf32>
  return %17 : tensor<?x256xf32>
}
