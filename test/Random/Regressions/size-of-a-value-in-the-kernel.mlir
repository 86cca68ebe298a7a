// RUN: fuse-crosscheck %s
// A reshape takes a size of a value in its own kernel, which finds it itself: keys that are
// turned for several heads, as torch writes them down.

// --dim s27=5
// --dim s23=3
func.func @program(%a1: tensor<8xf32>, %a2: tensor<?x?x64xf32> {fuse.dims = ["s27", "s23"]}, %a4: tensor<?x?x32xf32> {fuse.dims = ["s27", "s23"]}, %a5: tensor<?x?x32xf32> {fuse.dims = ["s27", "s23"]}, %size_s27: tensor<?xi1> {fuse.dims = ["s27"]}) -> (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x?x4x16xf32>, tensor<?x2x2x?x16xf32>, tensor<?x2x2x?x16xf32>) {
  %15 = arith.constant 1 : index
  %6 = arith.constant 0 : index
  %1 = tensor.collapse_shape %a2 [[0, 1], [2]] : tensor<?x?x64xf32> into tensor<?x64xf32>
  %2 = tensor.collapse_shape %a4 [[0, 1], [2]] : tensor<?x?x32xf32> into tensor<?x32xf32>
  %3 = tensor.collapse_shape %a5 [[0, 1], [2]] : tensor<?x?x32xf32> into tensor<?x32xf32>
  %4 = fuse.iota dim = 0 like %size_s27 : tensor<?xi1> -> tensor<?xi64>
  %5 = tensor.dim %a2, %6 : tensor<?x?x64xf32>
  %7 = tensor.expand_shape %4 [[0, 1]] output_shape [%5, 1] : tensor<?xi64> into tensor<?x1xi64>
  %8 = fuse.cast %7 : tensor<?x1xi64> -> tensor<?x1xf32>
  %9 = fuse.mul %8, %a1 : tensor<?x1xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %10 = fuse.concat %9, %9 dim = 1 : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x16xf32>
  %11 = fuse.cos %10 : tensor<?x16xf32> -> tensor<?x16xf32>
  %12 = fuse.sin %10 : tensor<?x16xf32> -> tensor<?x16xf32>
  %13 = tensor.collapse_shape %a2 [[0, 1], [2]] : tensor<?x?x64xf32> into tensor<?x64xf32>
  %14 = tensor.dim %a2, %15 : tensor<?x?x64xf32>
  %16 = tensor.expand_shape %13 [[0, 1], [2]] output_shape [%14, %5, 64] : tensor<?x64xf32> into tensor<?x?x64xf32>
  %17 = tensor.collapse_shape %a2 [[0, 1], [2]] : tensor<?x?x64xf32> into tensor<?x64xf32>
  %18 = tensor.expand_shape %17 [[0, 1], [2, 3]] output_shape [%14, %5, 4, 16] : tensor<?x64xf32> into tensor<?x?x4x16xf32>
  %19 = fuse.transpose %18 permutation = [0, 2, 1, 3] : tensor<?x?x4x16xf32> -> tensor<?x4x?x16xf32>
  %20 = tensor.collapse_shape %a4 [[0, 1], [2]] : tensor<?x?x32xf32> into tensor<?x32xf32>
  %21 = tensor.expand_shape %20 [[0, 1], [2]] output_shape [%14, %5, 32] : tensor<?x32xf32> into tensor<?x?x32xf32>
  %22 = tensor.collapse_shape %a4 [[0, 1], [2]] : tensor<?x?x32xf32> into tensor<?x32xf32>
  %23 = tensor.expand_shape %22 [[0, 1], [2, 3]] output_shape [%14, %5, 2, 16] : tensor<?x32xf32> into tensor<?x?x2x16xf32>
  %24 = fuse.transpose %23 permutation = [0, 2, 1, 3] : tensor<?x?x2x16xf32> -> tensor<?x2x?x16xf32>
  %25 = tensor.collapse_shape %a5 [[0, 1], [2]] : tensor<?x?x32xf32> into tensor<?x32xf32>
  %26 = tensor.expand_shape %25 [[0, 1], [2]] output_shape [%14, %5, 32] : tensor<?x32xf32> into tensor<?x?x32xf32>
  %27 = tensor.collapse_shape %a5 [[0, 1], [2]] : tensor<?x?x32xf32> into tensor<?x32xf32>
  %28 = tensor.expand_shape %27 [[0, 1], [2, 3]] output_shape [%14, %5, 2, 16] : tensor<?x32xf32> into tensor<?x?x2x16xf32>
  %29 = fuse.transpose %28 permutation = [0, 2, 1, 3] : tensor<?x?x2x16xf32> -> tensor<?x2x?x16xf32>
  %30 = fuse.mul %19, %11 : tensor<?x4x?x16xf32>, tensor<?x16xf32> -> tensor<?x4x?x16xf32>
  %31 = fuse.slice %19 offsets = [0, 0, 0, 0] sizes = [-1, 4, -1, 8] steps = [1, 1, 1, 1] : tensor<?x4x?x16xf32> -> tensor<?x4x?x8xf32>
  %32 = fuse.slice %19 offsets = [0, 0, 0, 8] sizes = [-1, 4, -1, 8] steps = [1, 1, 1, 1] : tensor<?x4x?x16xf32> -> tensor<?x4x?x8xf32>
  %33 = fuse.neg %32 : tensor<?x4x?x8xf32> -> tensor<?x4x?x8xf32>
  %34 = fuse.concat %33, %31 dim = 3 : tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32> -> tensor<?x4x?x16xf32>
  %35 = fuse.mul %34, %12 : tensor<?x4x?x16xf32>, tensor<?x16xf32> -> tensor<?x4x?x16xf32>
  %36 = fuse.add %30, %35 : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32> -> tensor<?x4x?x16xf32>
  %37 = fuse.mul %24, %11 : tensor<?x2x?x16xf32>, tensor<?x16xf32> -> tensor<?x2x?x16xf32>
  %38 = fuse.slice %24 offsets = [0, 0, 0, 0] sizes = [-1, 2, -1, 8] steps = [1, 1, 1, 1] : tensor<?x2x?x16xf32> -> tensor<?x2x?x8xf32>
  %39 = fuse.slice %24 offsets = [0, 0, 0, 8] sizes = [-1, 2, -1, 8] steps = [1, 1, 1, 1] : tensor<?x2x?x16xf32> -> tensor<?x2x?x8xf32>
  %40 = fuse.neg %39 : tensor<?x2x?x8xf32> -> tensor<?x2x?x8xf32>
  %41 = fuse.concat %40, %38 dim = 3 : tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32> -> tensor<?x2x?x16xf32>
  %42 = fuse.mul %41, %12 : tensor<?x2x?x16xf32>, tensor<?x16xf32> -> tensor<?x2x?x16xf32>
  %43 = fuse.add %37, %42 : tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32> -> tensor<?x2x?x16xf32>
  %44 = tensor.expand_shape %43 [[0], [1], [2, 3], [4]] output_shape [%14, 2, 1, %5, 16] : tensor<?x2x?x16xf32> into tensor<?x2x1x?x16xf32>
  %45 = tensor.expand_shape %29 [[0], [1], [2, 3], [4]] output_shape [%14, 2, 1, %5, 16] : tensor<?x2x?x16xf32> into tensor<?x2x1x?x16xf32>
  %46 = fuse.transpose %36 permutation = [0, 2, 1, 3] : tensor<?x4x?x16xf32> -> tensor<?x?x4x16xf32>
  %47 = fuse.broadcast %44 : tensor<?x2x1x?x16xf32> -> tensor<?x2x2x?x16xf32>
  %48 = fuse.broadcast %45 : tensor<?x2x1x?x16xf32> -> tensor<?x2x2x?x16xf32>
  return %11, %12, %46, %47, %48 : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x?x4x16xf32>, tensor<?x2x2x?x16xf32>, tensor<?x2x2x?x16xf32>
}
