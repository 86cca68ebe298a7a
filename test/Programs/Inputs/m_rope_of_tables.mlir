// Qwen2-VL: queries and keys turned by tables of three positions.
func.func @m_rope_of_tables(%q: tensor<?x28x128xbf16> {fuse.dims = ["t"]}, %k: tensor<?x4x128xbf16> {fuse.dims = ["t"]}, %cos: tensor<3x?x128xf32> {fuse.dims = ["t"]}, %sin: tensor<3x?x128xf32> {fuse.dims = ["t"]}) -> (tensor<?x28x128xbf16>, tensor<?x4x128xbf16>) {
  %21 = arith.constant 0 : index
  %1 = fuse.slice %cos offsets = [0, 0, 0] sizes = [1, -1, 128] steps = [1, 1, 1] : tensor<3x?x128xf32> -> tensor<1x?x128xf32>
  %2 = tensor.collapse_shape %1 [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
  %3 = fuse.slice %2 offsets = [0, 0] sizes = [-1, 16] steps = [1, 1] : tensor<?x128xf32> -> tensor<?x16xf32>
  %4 = fuse.slice %cos offsets = [1, 0, 0] sizes = [1, -1, 128] steps = [1, 1, 1] : tensor<3x?x128xf32> -> tensor<1x?x128xf32>
  %5 = tensor.collapse_shape %4 [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
  %6 = fuse.slice %5 offsets = [0, 16] sizes = [-1, 24] steps = [1, 1] : tensor<?x128xf32> -> tensor<?x24xf32>
  %7 = fuse.slice %cos offsets = [2, 0, 0] sizes = [1, -1, 128] steps = [1, 1, 1] : tensor<3x?x128xf32> -> tensor<1x?x128xf32>
  %8 = tensor.collapse_shape %7 [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
  %9 = fuse.slice %8 offsets = [0, 40] sizes = [-1, 24] steps = [1, 1] : tensor<?x128xf32> -> tensor<?x24xf32>
  %10 = fuse.slice %cos offsets = [0, 0, 0] sizes = [1, -1, 128] steps = [1, 1, 1] : tensor<3x?x128xf32> -> tensor<1x?x128xf32>
  %11 = tensor.collapse_shape %10 [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
  %12 = fuse.slice %11 offsets = [0, 64] sizes = [-1, 16] steps = [1, 1] : tensor<?x128xf32> -> tensor<?x16xf32>
  %13 = fuse.slice %cos offsets = [1, 0, 0] sizes = [1, -1, 128] steps = [1, 1, 1] : tensor<3x?x128xf32> -> tensor<1x?x128xf32>
  %14 = tensor.collapse_shape %13 [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
  %15 = fuse.slice %14 offsets = [0, 80] sizes = [-1, 24] steps = [1, 1] : tensor<?x128xf32> -> tensor<?x24xf32>
  %16 = fuse.slice %cos offsets = [2, 0, 0] sizes = [1, -1, 128] steps = [1, 1, 1] : tensor<3x?x128xf32> -> tensor<1x?x128xf32>
  %17 = tensor.collapse_shape %16 [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
  %18 = fuse.slice %17 offsets = [0, 104] sizes = [-1, 24] steps = [1, 1] : tensor<?x128xf32> -> tensor<?x24xf32>
  %19 = fuse.concat %3, %6, %9, %12, %15, %18 dim = 1 : tensor<?x16xf32>, tensor<?x24xf32>, tensor<?x24xf32>, tensor<?x16xf32>, tensor<?x24xf32>, tensor<?x24xf32> -> tensor<?x128xf32>
  %20 = tensor.dim %q, %21 : tensor<?x28x128xbf16>
  %22 = tensor.expand_shape %19 [[0], [1, 2]] output_shape [%20, 1, 128] : tensor<?x128xf32> into tensor<?x1x128xf32>
  %23 = fuse.slice %sin offsets = [0, 0, 0] sizes = [1, -1, 128] steps = [1, 1, 1] : tensor<3x?x128xf32> -> tensor<1x?x128xf32>
  %24 = tensor.collapse_shape %23 [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
  %25 = fuse.slice %24 offsets = [0, 0] sizes = [-1, 16] steps = [1, 1] : tensor<?x128xf32> -> tensor<?x16xf32>
  %26 = fuse.slice %sin offsets = [1, 0, 0] sizes = [1, -1, 128] steps = [1, 1, 1] : tensor<3x?x128xf32> -> tensor<1x?x128xf32>
  %27 = tensor.collapse_shape %26 [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
  %28 = fuse.slice %27 offsets = [0, 16] sizes = [-1, 24] steps = [1, 1] : tensor<?x128xf32> -> tensor<?x24xf32>
  %29 = fuse.slice %sin offsets = [2, 0, 0] sizes = [1, -1, 128] steps = [1, 1, 1] : tensor<3x?x128xf32> -> tensor<1x?x128xf32>
  %30 = tensor.collapse_shape %29 [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
  %31 = fuse.slice %30 offsets = [0, 40] sizes = [-1, 24] steps = [1, 1] : tensor<?x128xf32> -> tensor<?x24xf32>
  %32 = fuse.slice %sin offsets = [0, 0, 0] sizes = [1, -1, 128] steps = [1, 1, 1] : tensor<3x?x128xf32> -> tensor<1x?x128xf32>
  %33 = tensor.collapse_shape %32 [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
  %34 = fuse.slice %33 offsets = [0, 64] sizes = [-1, 16] steps = [1, 1] : tensor<?x128xf32> -> tensor<?x16xf32>
  %35 = fuse.slice %sin offsets = [1, 0, 0] sizes = [1, -1, 128] steps = [1, 1, 1] : tensor<3x?x128xf32> -> tensor<1x?x128xf32>
  %36 = tensor.collapse_shape %35 [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
  %37 = fuse.slice %36 offsets = [0, 80] sizes = [-1, 24] steps = [1, 1] : tensor<?x128xf32> -> tensor<?x24xf32>
  %38 = fuse.slice %sin offsets = [2, 0, 0] sizes = [1, -1, 128] steps = [1, 1, 1] : tensor<3x?x128xf32> -> tensor<1x?x128xf32>
  %39 = tensor.collapse_shape %38 [[0, 1], [2]] : tensor<1x?x128xf32> into tensor<?x128xf32>
  %40 = fuse.slice %39 offsets = [0, 104] sizes = [-1, 24] steps = [1, 1] : tensor<?x128xf32> -> tensor<?x24xf32>
  %41 = fuse.concat %25, %28, %31, %34, %37, %40 dim = 1 : tensor<?x16xf32>, tensor<?x24xf32>, tensor<?x24xf32>, tensor<?x16xf32>, tensor<?x24xf32>, tensor<?x24xf32> -> tensor<?x128xf32>
  %42 = tensor.expand_shape %41 [[0], [1, 2]] output_shape [%20, 1, 128] : tensor<?x128xf32> into tensor<?x1x128xf32>
  %43 = fuse.cast %q : tensor<?x28x128xbf16> -> tensor<?x28x128xf32>
  %44 = fuse.mul %43, %22 : tensor<?x28x128xf32>, tensor<?x1x128xf32> -> tensor<?x28x128xf32>
  %45 = fuse.slice %43 offsets = [0, 0, 64] sizes = [-1, 28, 64] steps = [1, 1, 1] : tensor<?x28x128xf32> -> tensor<?x28x64xf32>
  %46 = fuse.neg %45 : tensor<?x28x64xf32> -> tensor<?x28x64xf32>
  %47 = fuse.slice %43 offsets = [0, 0, 0] sizes = [-1, 28, 64] steps = [1, 1, 1] : tensor<?x28x128xf32> -> tensor<?x28x64xf32>
  %48 = fuse.concat %46, %47 dim = 2 : tensor<?x28x64xf32>, tensor<?x28x64xf32> -> tensor<?x28x128xf32>
  %49 = fuse.mul %48, %42 : tensor<?x28x128xf32>, tensor<?x1x128xf32> -> tensor<?x28x128xf32>
  %50 = fuse.add %44, %49 : tensor<?x28x128xf32>, tensor<?x28x128xf32> -> tensor<?x28x128xf32>
  %51 = fuse.cast %50 : tensor<?x28x128xf32> -> tensor<?x28x128xbf16>
  %52 = fuse.cast %k : tensor<?x4x128xbf16> -> tensor<?x4x128xf32>
  %53 = fuse.mul %52, %22 : tensor<?x4x128xf32>, tensor<?x1x128xf32> -> tensor<?x4x128xf32>
  %54 = fuse.slice %52 offsets = [0, 0, 64] sizes = [-1, 4, 64] steps = [1, 1, 1] : tensor<?x4x128xf32> -> tensor<?x4x64xf32>
  %55 = fuse.neg %54 : tensor<?x4x64xf32> -> tensor<?x4x64xf32>
  %56 = fuse.slice %52 offsets = [0, 0, 0] sizes = [-1, 4, 64] steps = [1, 1, 1] : tensor<?x4x128xf32> -> tensor<?x4x64xf32>
  %57 = fuse.concat %55, %56 dim = 2 : tensor<?x4x64xf32>, tensor<?x4x64xf32> -> tensor<?x4x128xf32>
  %58 = fuse.mul %57, %42 : tensor<?x4x128xf32>, tensor<?x1x128xf32> -> tensor<?x4x128xf32>
  %59 = fuse.add %53, %58 : tensor<?x4x128xf32>, tensor<?x4x128xf32> -> tensor<?x4x128xf32>
  %60 = fuse.cast %59 : tensor<?x4x128xf32> -> tensor<?x4x128xbf16>
  return %51, %60 : tensor<?x28x128xbf16>, tensor<?x4x128xbf16>
}
