// RUN: fuse-opt %s -split-input-file -verify-diagnostics

// reduce, 1: ascending.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected dims to be distinct dimensions of 'tensor<4x8xf32>' in ascending order, but got [1, 0]; sort them and keep each in 0 to rank - 1}}
  %0 = fuse.reduce sum %x dims = [1, 0] : tensor<4x8xf32> -> tensor<f32>
  return
}

// -----

// reduce, 1: distinct.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected dims to be distinct dimensions of 'tensor<4x8xf32>' in ascending order, but got [1, 1]; sort them and keep each in 0 to rank - 1}}
  %0 = fuse.reduce sum %x dims = [1, 1] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// reduce, 1: of the operand.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected dims to be distinct dimensions of 'tensor<4x8xf32>' in ascending order, but got [2]; sort them and keep each in 0 to rank - 1}}
  %0 = fuse.reduce sum %x dims = [2] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// reduce, 1: not negative.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected dims to be distinct dimensions of 'tensor<4x8xf32>' in ascending order, but got [-1]; count from the start: 1 for -1}}
  %0 = fuse.reduce sum %x dims = [-1] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// reduce, 2: any and all take i1.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected input of i1 for any, but got 'tensor<4x8xf32>'; fuse.compare gives i1}}
  %0 = fuse.reduce any %x dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// reduce, 2: the others take numbers.
func.func @f(%x: tensor<4xi1>) {
  // expected-error @below {{expected input of numbers for sum, but got 'tensor<4xi1>'; fuse.cast it to i32}}
  %0 = fuse.reduce sum %x dims = [0] : tensor<4xi1> -> tensor<i1>
  return
}

// -----

// reduce, 2: mean takes floats.
func.func @f(%x: tensor<4xi32>) {
  // expected-error @below {{expected input of floats for mean, but got 'tensor<4xi32>'; fuse.cast it to f32}}
  %0 = fuse.reduce mean %x dims = [0] : tensor<4xi32> -> tensor<i32>
  return
}

// -----

// The result keeps size 1 with `keep` only.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected result of type 'tensor<4xf32>', but got 'tensor<4x1xf32>'; write the expected type}}
  %0 = fuse.reduce sum %x dims = [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  return
}

// -----

// softmax_stats, 1.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected dims to be distinct dimensions of 'tensor<4x8xf32>' in ascending order, but got [2]; sort them and keep each in 0 to rank - 1}}
  %0, %1 = fuse.softmax_stats %x dims = [2] : tensor<4x8xf32> -> tensor<4x1xf32>, tensor<4x1xf32>
  return
}

// -----

// softmax_stats: both results keep size 1.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected results of type 'tensor<4x1xf32>', but got 'tensor<4xf32>'; reduced dimensions stay with size 1}}
  %0, %1 = fuse.softmax_stats %x dims = [1] : tensor<4x8xf32> -> tensor<4x1xf32>, tensor<4xf32>
  return
}

// -----

// welford, 1.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected sum or mean, but got max; use fuse.reduce}}
  %0, %1 = fuse.welford max %x dims = [1] : tensor<4x8xf32> -> tensor<4x1xf32>, tensor<4x1xf32>
  return
}

// -----

// welford, 2.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected dims to be distinct dimensions of 'tensor<4x8xf32>' in ascending order, but got [1, 1]; sort them and keep each in 0 to rank - 1}}
  %0, %1 = fuse.welford sum %x dims = [1, 1] : tensor<4x8xf32> -> tensor<4x1xf32>, tensor<4x1xf32>
  return
}

// -----

// welford: both results keep size 1.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected results of type 'tensor<4x1xf32>', but got 'tensor<4xf32>'; reduced dimensions stay with size 1}}
  %0, %1 = fuse.welford mean %x dims = [1] : tensor<4x8xf32> -> tensor<4x1xf32>, tensor<4xf32>
  return
}

// -----

// softmax, 1.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected dims to be distinct dimensions of 'tensor<4x8xf32>' in ascending order, but got [2]; sort them and keep each in 0 to rank - 1}}
  %0 = fuse.softmax %x dims = [2] : tensor<4x8xf32>
  return
}

// -----

// log_softmax, 1.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected dims to be distinct dimensions of 'tensor<4x8xf32>' in ascending order, but got [1, 0]; sort them and keep each in 0 to rank - 1}}
  %0 = fuse.log_softmax %x dims = [1, 0] : tensor<4x8xf32>
  return
}

// -----

// logsumexp, 1.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected dims to be distinct dimensions of 'tensor<4x8xf32>' in ascending order, but got [2]; sort them and keep each in 0 to rank - 1}}
  %0 = fuse.logsumexp %x dims = [2] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// logsumexp: the result.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected result of type 'tensor<4x1xf32>', but got 'tensor<4xf32>'; write the expected type}}
  %0 = fuse.logsumexp %x dims = [1] keep : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// rms_norm, 1.
func.func @f(%x: tensor<f32>) {
  // expected-error @below {{expected input of rank 1 or more, but got 'tensor<f32>'; insert a tensor.expand_shape}}
  %0 = fuse.rms_norm %x eps = 1.0e-5 : tensor<f32>
  return
}

// -----

// rms_norm, 2: the rank.
func.func @f(%x: tensor<4x8xf32>, %w: tensor<1x8xf32>) {
  // expected-error @below {{expected weight of rank 1 and the size of the last dimension of 'tensor<4x8xf32>', but got 'tensor<1x8xf32>'; give one value for each column}}
  %0 = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<4x8xf32>, tensor<1x8xf32>
  return
}

// -----

// rms_norm, 2: the size.
func.func @f(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @below {{expected weight of rank 1 and the size of the last dimension of 'tensor<4x8xf32>', but got 'tensor<4xf32>'}}
  %0 = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

// rms_norm, 2: the element type.
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf16>) {
  // expected-error @below {{expected weight of 'f32', but got 'tensor<8xf16>'; fuse.cast the weight to f32}}
  %0 = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<4x8xf32>, tensor<8xf16>
  return
}

// -----

// rms_norm, 3.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected eps to be finite and not negative, but got -1}}
  %0 = fuse.rms_norm %x eps = -1.0 : tensor<4x8xf32>
  return
}

// -----

// layer_norm, 1.
func.func @f(%x: tensor<f32>) {
  // expected-error @below {{expected input of rank 1 or more, but got 'tensor<f32>'}}
  %0 = fuse.layer_norm %x eps = 1.0e-5 : tensor<f32>
  return
}

// -----

// layer_norm, 2: the bias.
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{expected bias of rank 1 and the size of the last dimension of 'tensor<4x8xf32>', but got 'tensor<4xf32>'}}
  %0 = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>
  return
}

// -----

// layer_norm, 2: a bias needs a weight.
func.func @f(%x: tensor<4x8xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expected weight with bias, but got bias alone; give a weight of ones}}
  %0 = "fuse.layer_norm"(%x, %b) <{eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// layer_norm, 3.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected eps to be finite and not negative, but got}}
  %0 = fuse.layer_norm %x eps = 0x7FF8000000000000 : tensor<4x8xf32>
  return
}

// -----

// rms_norm, 2: weights are not rounded to the type of the activations.
func.func @f(%x: tensor<4x8xbf16>, %w: tensor<8xf32>) {
  // expected-error @below {{expected weight of 'bf16', but got 'tensor<8xf32>'; fuse.cast the input to f32, and the result back}}
  %0 = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<4x8xbf16>, tensor<8xf32>
  return
}

// -----

// Dimensions are counted from the start.
func.func @f(%x: tensor<4x8x2xf32>) {
  // expected-error @below {{but got [-2]; count from the start: 1 for -2}}
  %0 = fuse.softmax %x dims = [-2] : tensor<4x8x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{but got -1; count from the start: 1 for -1}}
  %0 = fuse.argmax %x dim = -1 : tensor<4x8xf32> -> tensor<4xi32>
  return
}
