// Matrices of quaternions of any length, their elements joined.
func.func @rotations(%x: tensor<?x4xf32> {fuse.dims = ["n"]}) -> (tensor<?x9xf32>) {
  %1 = fuse.mul %x, %x : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %2 = fuse.reduce sum %1 dims = [1] keep : tensor<?x4xf32> -> tensor<?x1xf32>
  %3 = fuse.sqrt %2 : tensor<?x1xf32> -> tensor<?x1xf32>
  %4 = fuse.div %x, %3 : tensor<?x4xf32>, tensor<?x1xf32> -> tensor<?x4xf32>
  %5 = fuse.slice %4 offsets = [0, 0] sizes = [-1, 1] steps = [1, 1] : tensor<?x4xf32> -> tensor<?x1xf32>
  %6 = fuse.slice %4 offsets = [0, 1] sizes = [-1, 1] steps = [1, 1] : tensor<?x4xf32> -> tensor<?x1xf32>
  %7 = fuse.slice %4 offsets = [0, 2] sizes = [-1, 1] steps = [1, 1] : tensor<?x4xf32> -> tensor<?x1xf32>
  %8 = fuse.slice %4 offsets = [0, 3] sizes = [-1, 1] steps = [1, 1] : tensor<?x4xf32> -> tensor<?x1xf32>
  %9 = fuse.mul %7, %7 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %10 = fuse.mul %8, %8 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %11 = fuse.add %9, %10 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %12 = fuse.constant dense<2.0> : tensor<f32>
  %13 = fuse.mul %12, %11 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %14 = fuse.constant dense<1.0> : tensor<f32>
  %15 = fuse.sub %14, %13 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %16 = fuse.mul %6, %7 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %17 = fuse.mul %5, %8 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %18 = fuse.sub %16, %17 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %19 = fuse.mul %12, %18 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %20 = fuse.mul %6, %8 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %21 = fuse.mul %5, %7 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %22 = fuse.add %20, %21 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %23 = fuse.mul %12, %22 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %24 = fuse.mul %6, %7 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %25 = fuse.mul %5, %8 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %26 = fuse.add %24, %25 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %27 = fuse.mul %12, %26 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %28 = fuse.mul %6, %6 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %29 = fuse.mul %8, %8 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %30 = fuse.add %28, %29 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %31 = fuse.mul %12, %30 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %32 = fuse.sub %14, %31 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %33 = fuse.mul %7, %8 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %34 = fuse.mul %5, %6 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %35 = fuse.sub %33, %34 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %36 = fuse.mul %12, %35 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %37 = fuse.mul %6, %8 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %38 = fuse.mul %5, %7 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %39 = fuse.sub %37, %38 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %40 = fuse.mul %12, %39 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %41 = fuse.mul %7, %8 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %42 = fuse.mul %5, %6 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %43 = fuse.add %41, %42 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %44 = fuse.mul %12, %43 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %45 = fuse.mul %6, %6 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %46 = fuse.mul %7, %7 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %47 = fuse.add %45, %46 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %48 = fuse.mul %12, %47 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %49 = fuse.sub %14, %48 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %50 = fuse.concat %15, %19, %23, %27, %32, %36, %40, %44, %49 dim = 1 : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x9xf32>
  return %50 : tensor<?x9xf32>
}
