// RUN: fuse-crosscheck %s
// A reshape that several kernels read was two inputs of one of them.
// --dim d0=1
// --seed 9602261
// --fill normal
func.func @program(%a0: tensor<?x128xf32> {fuse.dims = ["d0"]}, %a1: tensor<?x3xf32> {fuse.dims = ["d0"]}, %a2: tensor<5xi64>) -> (tensor<?x4x32xf32>, tensor<f32>, tensor<?x4x32xf32>, tensor<5x128xf32>) {
  %v0 = fuse.swiglu %a0, %a0 : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<?x128xf32>
  %v1 = tensor.collapse_shape %v0 [[0], [1]] : tensor<?x128xf32> into tensor<?x128xf32>
  %v6 = fuse.constant dense<0.5> : tensor<f32>
  %v7 = fuse.clamp %v1, %v0, %v6 : tensor<?x128xf32>, tensor<?x128xf32>, tensor<f32> -> tensor<?x128xf32>
  %v8 = fuse.reverse %v7 dims = [0, 1] : tensor<?x128xf32>
  %v10 = fuse.gather %v7, %a2 dim = 0 : tensor<?x128xf32>, tensor<5xi64> -> tensor<5x128xf32>
  %v11_c0 = arith.constant 0 : index
  %v11_d0 = tensor.dim %v8, %v11_c0 : tensor<?x128xf32>
  %v11 = tensor.expand_shape %v8 [[0], [1, 2]] output_shape [%v11_d0, 4, 32] : tensor<?x128xf32> into tensor<?x4x32xf32>
  %v12 = fuse.reduce sum %v7 dims = [0, 1] : tensor<?x128xf32> -> tensor<f32>
  %v13 = fuse.div %v11, %v11 : tensor<?x4x32xf32>, tensor<?x4x32xf32> -> tensor<?x4x32xf32>
  %v14 = fuse.log_softmax %v11 dims = [0, 1, 2] : tensor<?x4x32xf32>
  return %v13, %v12, %v14, %v10 : tensor<?x4x32xf32>, tensor<f32>, tensor<?x4x32xf32>, tensor<5x128xf32>
}
