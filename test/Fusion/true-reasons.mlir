// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 | FileCheck %s

// Reasons are of the groups as they are in the end, and true of them.

// The reductions of a group norm leave one element a block, and their kernel,
// which shares them among many blocks, no element of the shape.
// CHECK-LABEL: func.func @few_blocks
// CHECK-SAME:    reason = {{.*}}kind = "fewBlocks"
// CHECK-COUNT-2: fuse.kernel
func.func @few_blocks(%x: tensor<2x4096x32x10xf32>) -> tensor<2x4096x32x10xf32> {
  %m = fuse.reduce mean %x dims = [1, 3] keep : tensor<2x4096x32x10xf32> -> tensor<2x1x32x1xf32>
  %d = fuse.sub %x, %m : tensor<2x4096x32x10xf32>, tensor<2x1x32x1xf32> -> tensor<2x4096x32x10xf32>
  %q = fuse.mul %d, %d : tensor<2x4096x32x10xf32>
  %v = fuse.reduce mean %q dims = [1, 3] keep : tensor<2x4096x32x10xf32> -> tensor<2x1x32x1xf32>
  %r = fuse.rsqrt %v : tensor<2x1x32x1xf32>
  %y = fuse.mul %d, %r : tensor<2x4096x32x10xf32>, tensor<2x1x32x1xf32> -> tensor<2x4096x32x10xf32>
  return %y : tensor<2x4096x32x10xf32>
}

// -----

// A product lies between what leaves rows and what needs them again.
// CHECK-LABEL: func.func @between
// CHECK-SAME:    consumer = "between_2", producer = "between_0", reason = {{.*}}kind = "kernelBetween"
// CHECK-COUNT-3: fuse.kernel
func.func @between(%q: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
  %m = fuse.reduce max %q dims = [1] keep : tensor<64x128xf32> -> tensor<64x1xf32>
  %d = fuse.sub %q, %m : tensor<64x128xf32>, tensor<64x1xf32> -> tensor<64x128xf32>
  %p = fuse.matmul %d, %w : tensor<64x128xf32>, tensor<128x128xf32> -> tensor<64x128xf32>
  %e = fuse.softmax %p dims = [1] : tensor<64x128xf32>
  %y = fuse.mul %e, %d : tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}

// -----

// Two reshapes between two ops are no kernel.
// CHECK-LABEL: func.func @reshapes
// CHECK-NOT:     fuse.missed
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:     fuse.kernel
func.func @reshapes(%x: tensor<?x64xf32>) -> tensor<?x64x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %a = fuse.exp %x : tensor<?x64xf32>
  %b = fuse.neg %a : tensor<?x64xf32>
  %ea = tensor.expand_shape %a [[0], [1, 2]] output_shape [%n, 64, 1] : tensor<?x64xf32> into tensor<?x64x1xf32>
  %eb = tensor.expand_shape %b [[0], [1, 2]] output_shape [%n, 64, 1] : tensor<?x64xf32> into tensor<?x64x1xf32>
  %c = fuse.concat %ea, %eb dim = 2 : tensor<?x64x1xf32>, tensor<?x64x1xf32> -> tensor<?x64x2xf32>
  return %c : tensor<?x64x2xf32>
}

// -----

// An op that moved behind all merges reads what its new kernel does not compute: each such kernel has a reason.
// CHECK-LABEL: func.func @adafactor
// CHECK-SAME:    consumer = "adafactor_4", producer = "adafactor_0", reason = 
// CHECK-SAME:    consumer = "adafactor_4", producer = "adafactor_2", reason = 
func.func @adafactor(%g: tensor<1024x4096xf32>, %r: tensor<1024xf32>, %c: tensor<4096xf32>, %p_: tensor<1024x4096xf32>) -> (tensor<1024x4096xf32>, tensor<1024xf32>, tensor<4096xf32>) {
  %1 = fuse.mul %g, %g : tensor<1024x4096xf32>, tensor<1024x4096xf32> -> tensor<1024x4096xf32>
  %2 = fuse.constant dense<1.0000000031710769e-30> : tensor<f32>
  %3 = fuse.add %1, %2 : tensor<1024x4096xf32>, tensor<f32> -> tensor<1024x4096xf32>
  %4 = fuse.constant dense<0.9990000128746033> : tensor<f32>
  %5 = fuse.mul %4, %r : tensor<f32>, tensor<1024xf32> -> tensor<1024xf32>
  %6 = fuse.reduce mean %3 dims = [1] : tensor<1024x4096xf32> -> tensor<1024xf32>
  %7 = fuse.constant dense<0.0010000000474974513> : tensor<f32>
  %8 = fuse.mul %7, %6 : tensor<f32>, tensor<1024xf32> -> tensor<1024xf32>
  %9 = fuse.add %5, %8 : tensor<1024xf32>, tensor<1024xf32> -> tensor<1024xf32>
  %10 = fuse.mul %4, %c : tensor<f32>, tensor<4096xf32> -> tensor<4096xf32>
  %11 = fuse.reduce mean %3 dims = [0] : tensor<1024x4096xf32> -> tensor<4096xf32>
  %12 = fuse.mul %7, %11 : tensor<f32>, tensor<4096xf32> -> tensor<4096xf32>
  %13 = fuse.add %10, %12 : tensor<4096xf32>, tensor<4096xf32> -> tensor<4096xf32>
  %14 = fuse.reduce mean %9 dims = [0] : tensor<1024xf32> -> tensor<f32>
  %15 = fuse.div %9, %14 : tensor<1024xf32>, tensor<f32> -> tensor<1024xf32>
  %16 = fuse.rsqrt %15 : tensor<1024xf32> -> tensor<1024xf32>
  %17 = fuse.rsqrt %13 : tensor<4096xf32> -> tensor<4096xf32>
  %18 = tensor.expand_shape %16 [[0, 1]] output_shape [1024, 1] : tensor<1024xf32> into tensor<1024x1xf32>
  %19 = fuse.mul %g, %18 : tensor<1024x4096xf32>, tensor<1024x1xf32> -> tensor<1024x4096xf32>
  %20 = tensor.expand_shape %17 [[0, 1]] output_shape [1, 4096] : tensor<4096xf32> into tensor<1x4096xf32>
  %21 = fuse.mul %19, %20 : tensor<1024x4096xf32>, tensor<1x4096xf32> -> tensor<1024x4096xf32>
  %22 = fuse.mul %21, %21 : tensor<1024x4096xf32>, tensor<1024x4096xf32> -> tensor<1024x4096xf32>
  %23 = fuse.reduce mean %22 dims = [0, 1] : tensor<1024x4096xf32> -> tensor<f32>
  %24 = fuse.sqrt %23 : tensor<f32> -> tensor<f32>
  %25 = fuse.constant dense<1.0> : tensor<f32>
  %26 = fuse.max %25, %24 : tensor<f32>, tensor<f32> -> tensor<f32>
  %27 = fuse.mul %7, %21 : tensor<f32>, tensor<1024x4096xf32> -> tensor<1024x4096xf32>
  %28 = fuse.div %27, %26 : tensor<1024x4096xf32>, tensor<f32> -> tensor<1024x4096xf32>
  %29 = fuse.sub %p_, %28 : tensor<1024x4096xf32>, tensor<1024x4096xf32> -> tensor<1024x4096xf32>
  return %29, %9, %13 : tensor<1024x4096xf32>, tensor<1024xf32>, tensor<4096xf32>
}

// -----

// Shapes of parts that nobody wrote are not what keeps kernels apart.
// CHECK-LABEL: func.func @parts
// CHECK-SAME:    reason = {{.*}}kind = "partsMeet"
// CHECK-NOT:     differentShapes
// CHECK-NOT:     notRowShape
// CHECK:         fuse.kernel
func.func @parts(%x: tensor<4096x4096xbf16>) -> tensor<4096x4096xi8> {
  %f = fuse.cast %x : tensor<4096x4096xbf16> -> tensor<4096x4096xf32>
  %a = fuse.abs %f : tensor<4096x4096xf32>
  %s = fuse.reduce max %a dims = [0] keep : tensor<4096x4096xf32> -> tensor<1x4096xf32>
  %q = fuse.div %f, %s : tensor<4096x4096xf32>, tensor<1x4096xf32>
  %i = fuse.cast %q : tensor<4096x4096xf32> -> tensor<4096x4096xi8>
  return %i : tensor<4096x4096xi8>
}

// -----

// Rows of squares and the parts of their columns are reduced from one tensor, which
// the second kernel reads in a shape that nobody wrote.
// CHECK-LABEL: func.func @adafactor
// CHECK-SAME:    {kernel = "adafactor_1", neighbour = "adafactor_0", reason = {kind = "partsMeet"}}
func.func @adafactor(%g: tensor<1024x2048xf32>, %r: tensor<1024xf32>, %c: tensor<2048xf32>, %w: tensor<1024x2048xf32>, %lr: tensor<f32>) -> (tensor<1024x2048xf32>, tensor<1024xf32>, tensor<2048xf32>) {
  %v1 = fuse.mul %g, %g : tensor<1024x2048xf32>, tensor<1024x2048xf32> -> tensor<1024x2048xf32>
  %v2 = fuse.constant dense<1.0e-30> : tensor<f32>
  %v3 = fuse.add %v1, %v2 : tensor<1024x2048xf32>, tensor<f32> -> tensor<1024x2048xf32>
  %v4 = fuse.constant dense<0.999> : tensor<f32>
  %v5 = fuse.mul %r, %v4 : tensor<1024xf32>, tensor<f32> -> tensor<1024xf32>
  %v6 = fuse.reduce mean %v3 dims = [1] : tensor<1024x2048xf32> -> tensor<1024xf32>
  %v7 = fuse.constant dense<0.001> : tensor<f32>
  %v8 = fuse.mul %v6, %v7 : tensor<1024xf32>, tensor<f32> -> tensor<1024xf32>
  %v9 = fuse.add %v5, %v8 : tensor<1024xf32>, tensor<1024xf32> -> tensor<1024xf32>
  %v10 = fuse.mul %c, %v4 : tensor<2048xf32>, tensor<f32> -> tensor<2048xf32>
  %v11 = fuse.reduce mean %v3 dims = [0] : tensor<1024x2048xf32> -> tensor<2048xf32>
  %v12 = fuse.mul %v11, %v7 : tensor<2048xf32>, tensor<f32> -> tensor<2048xf32>
  %v13 = fuse.add %v10, %v12 : tensor<2048xf32>, tensor<2048xf32> -> tensor<2048xf32>
  %v14 = fuse.reduce mean %v9 dims = [0] : tensor<1024xf32> -> tensor<f32>
  %v15 = fuse.div %v9, %v14 : tensor<1024xf32>, tensor<f32> -> tensor<1024xf32>
  %v16 = fuse.rsqrt %v15 : tensor<1024xf32> -> tensor<1024xf32>
  %v17 = tensor.expand_shape %v16 [[0, 1]] output_shape [1024, 1] : tensor<1024xf32> into tensor<1024x1xf32>
  %v18 = fuse.rsqrt %v13 : tensor<2048xf32> -> tensor<2048xf32>
  %v19 = fuse.mul %g, %v17 : tensor<1024x2048xf32>, tensor<1024x1xf32> -> tensor<1024x2048xf32>
  %v20 = fuse.mul %v19, %v18 : tensor<1024x2048xf32>, tensor<2048xf32> -> tensor<1024x2048xf32>
  %v21 = fuse.mul %v20, %v20 : tensor<1024x2048xf32>, tensor<1024x2048xf32> -> tensor<1024x2048xf32>
  %v22 = fuse.reduce mean %v21 dims = [0, 1] : tensor<1024x2048xf32> -> tensor<f32>
  %v23 = fuse.sqrt %v22 : tensor<f32> -> tensor<f32>
  %v24 = fuse.constant dense<1.0> : tensor<f32>
  %v25 = fuse.max %v23, %v24 : tensor<f32>, tensor<f32> -> tensor<f32>
  %v26 = fuse.div %v20, %v25 : tensor<1024x2048xf32>, tensor<f32> -> tensor<1024x2048xf32>
  %v27 = fuse.mul %v26, %lr : tensor<1024x2048xf32>, tensor<f32> -> tensor<1024x2048xf32>
  %v28 = fuse.mul %w, %w : tensor<1024x2048xf32>, tensor<1024x2048xf32> -> tensor<1024x2048xf32>
  %v29 = fuse.reduce mean %v28 dims = [0, 1] : tensor<1024x2048xf32> -> tensor<f32>
  %v30 = fuse.sqrt %v29 : tensor<f32> -> tensor<f32>
  %v31 = fuse.max %v30, %v7 : tensor<f32>, tensor<f32> -> tensor<f32>
  %v32 = fuse.mul %v27, %v31 : tensor<1024x2048xf32>, tensor<f32> -> tensor<1024x2048xf32>
  %v33 = fuse.sub %w, %v32 : tensor<1024x2048xf32>, tensor<1024x2048xf32> -> tensor<1024x2048xf32>
  return %v33, %v9, %v13 : tensor<1024x2048xf32>, tensor<1024xf32>, tensor<2048xf32>
}
