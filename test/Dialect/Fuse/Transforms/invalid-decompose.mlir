// RUN: fuse-opt %s --fuse-decompose -split-input-file -verify-diagnostics

// An offset that only the run knows.
func.func @f(%x: tensor<8xf32>, %offset: index) -> tensor<4xf32> {
  // expected-error @below {{expected static offsets and strides, and sizes that are static and inside or the tensor.dim of a whole dynamic dimension, but got others; write a fuse.slice, whose size -1 reaches up to the end}}
  %0 = tensor.extract_slice %x[%offset] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A size that is not that of its dimension.
func.func @f(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  // expected-error @below {{'tensor.extract_slice' op expected static offsets}}
  %0 = tensor.extract_slice %x[0, 0] [%n, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// A part of a dynamic dimension.
func.func @f(%x: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tensor.extract_slice' op expected static offsets}}
  %0 = tensor.extract_slice %x[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<?xf32> {
  // expected-error @below {{'tensor.concat' op expected sizes whose sum is below 2^63, and a result as static as the operands, but got 'tensor<?xf32>'; write a fuse.concat}}
  %0 = tensor.concat dim(0) %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// An amount that only the run knows.
func.func @f(%x: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{'tensor.pad' op expected static amounts whose sum with the size is below 2^63, a constant value, and a result as static as the operand, but got others; write a fuse.pad}}
  %0 = tensor.pad %x low[0] high[%n] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A value that is not a constant.
func.func @f(%x: tensor<4xf32>, %value: f32) -> tensor<5xf32> {
  // expected-error @below {{'tensor.pad' op expected static amounts}}
  %0 = tensor.pad %x low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %value : f32
  } : tensor<4xf32> to tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @f(%x: tensor<9223372036854775807xi8>) -> tensor<?xi8> {
  // expected-error @below {{'tensor.concat' op expected sizes whose sum is below 2^63}}
  %0 = tensor.concat dim(0) %x, %x : (tensor<9223372036854775807xi8>, tensor<9223372036854775807xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{'tensor.pad' op expected static amounts whose sum with the size is below 2^63}}
  %0 = tensor.pad %x low[1] high[9223372036854775807] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<8xf32>) -> tensor<3xf32> {
  // expected-error @below {{'tensor.extract_slice' op expected static offsets and strides, and sizes that are static and inside}}
  %0 = tensor.extract_slice %x[1] [3] [9223372036854775807] : tensor<8xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}
