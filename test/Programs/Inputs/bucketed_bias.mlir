// T5: biases from a table by buckets of distances, and the softmax.
func.func @bucketed_bias(%s: tensor<8x64x64xf32>, %table: tensor<32x8xf32>) -> (tensor<8x64x64xf32>) {
  %1 = fuse.iota dim = 0 : tensor<64xi32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [64, 1] : tensor<64xi32> into tensor<64x1xi32>
  %3 = fuse.iota dim = 0 : tensor<64xi32>
  %4 = tensor.expand_shape %3 [[0, 1]] output_shape [1, 64] : tensor<64xi32> into tensor<1x64xi32>
  %5 = fuse.sub %4, %2 : tensor<1x64xi32>, tensor<64x1xi32> -> tensor<64x64xi32>
  %6 = fuse.constant dense<0> : tensor<i32>
  %7 = fuse.compare gt %5, %6 : tensor<64x64xi32>, tensor<i32> -> tensor<64x64xi1>
  %8 = fuse.constant dense<16> : tensor<i32>
  %9 = tensor.expand_shape %8 [] output_shape [1, 1] : tensor<i32> into tensor<1x1xi32>
  %10 = tensor.expand_shape %6 [] output_shape [1, 1] : tensor<i32> into tensor<1x1xi32>
  %11 = fuse.select %7, %9, %10 : tensor<64x64xi1>, tensor<1x1xi32>, tensor<1x1xi32> -> tensor<64x64xi32>
  %12 = fuse.abs %5 : tensor<64x64xi32> -> tensor<64x64xi32>
  %13 = fuse.constant dense<8> : tensor<i32>
  %14 = fuse.compare lt %12, %13 : tensor<64x64xi32>, tensor<i32> -> tensor<64x64xi1>
  %15 = tensor.expand_shape %13 [] output_shape [1, 1] : tensor<i32> into tensor<1x1xi32>
  %16 = fuse.constant dense<12> : tensor<i32>
  %17 = fuse.compare ge %12, %16 : tensor<64x64xi32>, tensor<i32> -> tensor<64x64xi1>
  %18 = fuse.cast %17 : tensor<64x64xi1> -> tensor<64x64xi32>
  %19 = fuse.add %15, %18 : tensor<1x1xi32>, tensor<64x64xi32> -> tensor<64x64xi32>
  %20 = fuse.compare ge %12, %8 : tensor<64x64xi32>, tensor<i32> -> tensor<64x64xi1>
  %21 = fuse.cast %20 : tensor<64x64xi1> -> tensor<64x64xi32>
  %22 = fuse.add %19, %21 : tensor<64x64xi32>, tensor<64x64xi32> -> tensor<64x64xi32>
  %23 = fuse.constant dense<23> : tensor<i32>
  %24 = fuse.compare ge %12, %23 : tensor<64x64xi32>, tensor<i32> -> tensor<64x64xi1>
  %25 = fuse.cast %24 : tensor<64x64xi1> -> tensor<64x64xi32>
  %26 = fuse.add %22, %25 : tensor<64x64xi32>, tensor<64x64xi32> -> tensor<64x64xi32>
  %27 = fuse.constant dense<32> : tensor<i32>
  %28 = fuse.compare ge %12, %27 : tensor<64x64xi32>, tensor<i32> -> tensor<64x64xi1>
  %29 = fuse.cast %28 : tensor<64x64xi1> -> tensor<64x64xi32>
  %30 = fuse.add %26, %29 : tensor<64x64xi32>, tensor<64x64xi32> -> tensor<64x64xi32>
  %31 = fuse.constant dense<46> : tensor<i32>
  %32 = fuse.compare ge %12, %31 : tensor<64x64xi32>, tensor<i32> -> tensor<64x64xi1>
  %33 = fuse.cast %32 : tensor<64x64xi1> -> tensor<64x64xi32>
  %34 = fuse.add %30, %33 : tensor<64x64xi32>, tensor<64x64xi32> -> tensor<64x64xi32>
  %35 = fuse.select %14, %12, %34 : tensor<64x64xi1>, tensor<64x64xi32>, tensor<64x64xi32> -> tensor<64x64xi32>
  %36 = fuse.add %11, %35 : tensor<64x64xi32>, tensor<64x64xi32> -> tensor<64x64xi32>
  %37 = fuse.gather %table, %36 dim = 0 : tensor<32x8xf32>, tensor<64x64xi32> -> tensor<64x64x8xf32>
  %38 = fuse.transpose %37 permutation = [2, 0, 1] : tensor<64x64x8xf32> -> tensor<8x64x64xf32>
  %39 = fuse.add %s, %38 : tensor<8x64x64xf32>, tensor<8x64x64xf32> -> tensor<8x64x64xf32>
  %40 = fuse.softmax %39 dims = [2] : tensor<8x64x64xf32>
  return %40 : tensor<8x64x64xf32>
}
