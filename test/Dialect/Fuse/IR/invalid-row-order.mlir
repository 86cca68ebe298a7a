// RUN: fuse-opt %s -split-input-file -verify-diagnostics

// scan, 1: rank 1 or more.
func.func @f(%x: tensor<f32>) {
  // expected-error @below {{expected input of rank 1 or more, but got 'tensor<f32>'; insert a tensor.expand_shape}}
  %0 = fuse.scan sum %x : tensor<f32>
  return
}

// -----

// scan, 2: what is combined with what comes before.
func.func @scan_unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected sum, prod, max or min for how elements are combined, but got 'total'; use one of these}}
  %0 = fuse.scan total %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected sum, prod, max or min, but got mean; divide a sum by the number of its elements}}
  %0 = fuse.scan mean %x : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error @below {{expected sum, prod, max or min, but got any; fuse.cast i1 to i32 and take max}}
  %0 = fuse.scan any %x : tensor<4xi32>
  return
}

// -----

// scan, 3: a dimension of the operand.
func.func @f(%x: tensor<4x4xi32>) {
  // expected-error @below {{expected dim from 0 to 1, but got 2; count dimensions from the first, 0}}
  %0 = fuse.scan sum %x dim = 2 : tensor<4x4xi32>
  return
}

// -----

func.func @f(%x: tensor<4x4xi32>) {
  // expected-error @below {{expected dim from 0 to 1, but got -1; count dimensions from the first, 0}}
  %0 = fuse.scan sum %x dim = -1 : tensor<4x4xi32>
  return
}

// -----

// top_k, 1: rank 1 or more.
func.func @f(%x: tensor<f32>) {
  // expected-error @below {{expected input of rank 1 or more, but got 'tensor<f32>'; insert a tensor.expand_shape}}
  %v, %i = fuse.top_k %x k = 1 : tensor<f32> -> tensor<1xf32>, tensor<1xi32>
  return
}

// -----

// top_k, 2: k from 1 to 64.
func.func @f(%x: tensor<4x100xf32>) {
  // expected-error @below {{expected k from 1 to 64, but got 65; a program asks for no more elements of a row}}
  %v, %i = fuse.top_k %x k = 65 : tensor<4x100xf32> -> tensor<4x65xf32>, tensor<4x65xi32>
  return
}

// -----

// top_k, 3: rows have so many elements.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected rows of at least k = 9 elements, but got 'tensor<4x8xf32>'; ask for at most 8}}
  %v, %i = fuse.top_k %x k = 9 : tensor<4x8xf32> -> tensor<4x9xf32>, tensor<4x9xi32>
  return
}

// -----

// top_k, 4: the results.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected values of type 'tensor<4x2xf32>', but got 'tensor<4x3xf32>'; write the expected type}}
  %v, %i = fuse.top_k %x k = 2 : tensor<4x8xf32> -> tensor<4x3xf32>, tensor<4x2xi32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected ids of the shape of 'tensor<4x2xf32>', but got 'tensor<4x3xi32>'; write the expected shape}}
  %v, %i = fuse.top_k %x k = 2 : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x3xi32>
  return
}

// -----

// segment_sum, 1: rank 1 or more.
func.func @f(%x: tensor<f32>, %o: tensor<3xi32>) {
  // expected-error @below {{expected input of rank 1 or more, but got 'tensor<f32>'; insert a tensor.expand_shape}}
  %0 = fuse.segment_sum %x, %o : tensor<f32>, tensor<3xi32> -> tensor<2xf32>
  return
}

// -----

// segment_sum, 2: offsets, and the rows of the result.
func.func @f(%x: tensor<4x8xf32>, %o: tensor<3x1xi32>) {
  // expected-error @below {{expected offsets of rank 1 and at least one element, but got 'tensor<3x1xi32>'; give where each run begins, and where the last ends}}
  %0 = fuse.segment_sum %x, %o : tensor<4x8xf32>, tensor<3x1xi32> -> tensor<2x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %o: tensor<3xi32>) {
  // expected-error @below {{expected result of type 'tensor<2x8xf32>', but got 'tensor<3x8xf32>'; write the expected type}}
  %0 = fuse.segment_sum %x, %o : tensor<4x8xf32>, tensor<3xi32> -> tensor<3x8xf32>
  return
}

// -----

// The threads of the schedule are whole warps.
// expected-error @below {{expected threads to be 1 or a multiple of 32, but got 48; choose 64}}
#s = #fuse.ordered<threads = 48, vector = 1, unroll = 1>
