// RUN: fuse-opt %s -split-input-file -verify-diagnostics

// Bytes beyond 63 bits: an operand.
func.func @f(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error @below {{expected tensors of at most 2^63 - 1 bytes, but got 'tensor<4294967296x4294967296xf32>' for operand #0; split it, or make a dimension smaller}}
  %0 = fuse.neg %x : tensor<4294967296x4294967296xf32>
  return
}

// -----

// Bytes beyond 63 bits: a result of operands that fit.
func.func @f(%x: tensor<4294967296x1xf32>, %y: tensor<4294967296xf32>) {
  // expected-error @below {{expected tensors of at most 2^63 - 1 bytes, but got 'tensor<4294967296x4294967296xf32>' for result #0}}
  %0 = fuse.add %x, %y : tensor<4294967296x1xf32>, tensor<4294967296xf32>
  return
}

// -----

// Elements fit in 63 bits, bytes do not.
func.func @f(%x: tensor<2305843009213693952xf32>) {
  // expected-error @below {{expected tensors of at most 2^63 - 1 bytes, but got 'tensor<2305843009213693952xf32>'}}
  %0 = fuse.neg %x : tensor<2305843009213693952xf32>
  return
}

// -----

// An empty tensor has strides, too.
func.func @f(%x: tensor<0x4294967296x4294967296xf32>) {
  // expected-error @below {{expected tensors of at most 2^63 - 1 bytes, but got 'tensor<0x4294967296x4294967296xf32>'}}
  %0 = fuse.neg %x : tensor<0x4294967296x4294967296xf32>
  return
}

// -----

// A named argument, used or not.
// expected-error @below {{expected a tensor of at most 2^63 - 1 bytes, but got 'tensor<4294967296x4294967296xf32>'; split it, or make a dimension smaller}}
func.func @f(%x: tensor<4294967296x4294967296xf32> {fuse.name = "x"}) {
  return
}

// -----

// fuse.name is a name.
// expected-error @below {{expected fuse.name to be a name, but got 1 : i64; write it as fuse.name = "x"}}
func.func @f(%x: tensor<?xf32> {fuse.name = 1}) {
  return
}

// -----

// Who sets one by its name writes NAME=.
// expected-error @below {{expected fuse.name without '=', but got "a=b"; choose a name that --input NAME=FILE can set}}
func.func @f(%x: tensor<?xf32> {fuse.name = "a=b"}) {
  return
}

// -----

// The same of dimensions.
// expected-error @below {{expected fuse.dims without '=', but got "a=b"; choose a name that --dim NAME=SIZE can set}}
func.func @f(%x: tensor<?x?xf32> {fuse.dims = ["n", "a=b"]}) {
  return
}

// -----

// Located at the argument.
func.func @f(%x: tensor<?xf32>,
             // expected-error @below {{'func.func' op expected fuse.name to be a name, but got 2 : i64}}
             %y: tensor<?xf32> {fuse.name = 2}) {
  return
}

// -----

// fuse.name is not empty.
// expected-error @below {{expected fuse.name to be a name, but got ""}}
func.func @f(%x: tensor<?xf32> {fuse.name = ""}) {
  return
}

// -----

// fuse.dims are names.
// expected-error @below {{expected fuse.dims to be an array of names, but got [1]; write it as fuse.dims = ["T"]}}
func.func @f(%x: tensor<?xf32> {fuse.dims = [1]}) {
  return
}

// -----

// fuse.dims name each dynamic dimension.
// expected-error @below {{expected fuse.dims to name the 1 dynamic dimensions of 'tensor<?xf32>', but got 2 names; name each '?' once, in order}}
func.func @f(%x: tensor<?xf32> {fuse.dims = ["T", "U"]}) {
  return
}

// -----

// On tensors.
// expected-error @below {{expected fuse.name on a ranked tensor, but got 'index'; remove the attribute}}
func.func @f(%x: index {fuse.name = "n"}) {
  return
}

// -----

// On functions' arguments: no other attribute.
// expected-error @below {{expected fuse.name, fuse.dims, fuse.stddev, fuse.scalar or fuse.strided on argument #0, but got fuse.nome; remove the attribute}}
func.func @f(%x: tensor<?xf32> {fuse.nome = "x"}) {
  return
}

// -----

// On results: no other attribute.
// expected-error @below {{expected fuse.name, fuse.strided or fuse.in_place on result #0, but got fuse.dims}}
func.func @f(%x: tensor<?xf32>) -> (tensor<?xf32> {fuse.dims = ["T"]}) {
  return %x : tensor<?xf32>
}

// -----

// fuse.in_place is a name.
// expected-error @below {{expected fuse.in_place to be a name, but got 0 : i64}}
func.func @f(%x: tensor<?xf32>) -> (tensor<?xf32> {fuse.in_place = 0}) {
  return %x : tensor<?xf32>
}

// -----

// fuse.in_place: of one type.
// expected-error @below {{expected fuse.in_place to name an argument of type 'tensor<?xf32>', but got}}
func.func @f(%x: tensor<4xf32> {fuse.name = "x"}, %y: tensor<?xf32>) -> (tensor<?xf32> {fuse.in_place = "x"}) {
  return %y : tensor<?xf32>
}

// -----

// fuse.stddev is a positive number.
// expected-error @below {{expected fuse.stddev to be a positive number, but got 0.000000e+00 : f64; write it as fuse.stddev = 0.02}}
func.func @f(%x: tensor<?xf32> {fuse.stddev = 0.0}) {
  return
}

// -----

// fuse.strided is a kind.
// expected-error @below {{expected fuse.strided to be "aligned_rows", "rows" or "any", but got "dense"; remove it from a dense tensor}}
func.func private @strided_result() -> (tensor<4x4xf32> {fuse.strided = "dense"})

// -----

// expected-error @below {{expected fuse.strided to be "aligned_rows", "rows" or "any", but got "columns"; remove it from a dense tensor}}
func.func @f(%x: tensor<?xf32> {fuse.strided = "columns"}) {
  return
}

// -----

// fuse.strided: not dense.
// expected-error @below {{expected fuse.strided to be "aligned_rows", "rows" or "any", but got "dense"}}
func.func @f(%x: tensor<?xf32> {fuse.strided = "dense"}) {
  return
}

// -----

// What is passed by value is one number.
// expected-error @below {{expected fuse.scalar on a tensor of rank 0, but got 'tensor<1xf32>'; pass several numbers as a tensor}}
func.func @f(%x: tensor<1xf32> {fuse.scalar}) {
  return
}

// -----

// expected-error @below {{expected fuse.scalar without a value, but got 1.000000e+00 : f32; write it as {fuse.scalar}}}
func.func @f(%x: tensor<f32> {fuse.scalar = 1.0 : f32}) {
  return
}

// -----

// expected-error @below {{expected fuse.in_place to name a tensor, but got "x", which is passed by value; remove fuse.in_place}}
func.func @f(%x: tensor<f32> {fuse.scalar, fuse.name = "x"}) -> (tensor<f32> {fuse.in_place = "x"}) {
  %y = fuse.neg %x : tensor<f32>
  return %y : tensor<f32>
}
