// RUN: fuse-opt %s -split-input-file -verify-diagnostics

// transpose, 1: a permutation of all dimensions.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected permutation to hold each dimension of 'tensor<4x8xf32>' once, but got [1, 1]; reorder the numbers 0 to rank - 1}}
  %0 = fuse.transpose %x permutation = [1, 1] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.transpose' op expected result of type 'tensor<8x4xf32>', but got 'tensor<4x8xf32>'; write the expected type}}
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// slice, 1: one number for each dimension.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected sizes to have 2 numbers, one for each dimension of 'tensor<4x8xf32>', but got [4]; add or remove numbers}}
  %0 = fuse.slice %x offsets = [0, 0] sizes = [4] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// slice, 2: offsets are not negative.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected offsets of at least 0, but got -1; count from the start of the dimension}}
  %0 = fuse.slice %x offsets = [-1] sizes = [1] : tensor<4xf32> -> tensor<1xf32>
  return
}

// -----

// slice, 4: no more is left out than there is.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected at most 3 elements to leave out behind offset 1, but got 4 (size -5); keep the slice inside}}
  %0 = fuse.slice %x offsets = [1] sizes = [-5] : tensor<4xf32> -> tensor<0xf32>
  return
}

// -----

// slice, 4: nor than any dimension has.
func.func @f(%x: tensor<?xf32>) {
  // expected-error @below {{expected an offset and a number of elements to leave out that add up to at most 2^63 - 1, but got 9223372036854775807 and 1; no dimension is as large}}
  %0 = fuse.slice %x offsets = [9223372036854775807] sizes = [-2] : tensor<?xf32> -> tensor<?xf32>
  return
}

// -----

// slice, 2: steps are positive.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected steps of at least 1, but got -1; fuse.reverse walks backwards}}
  %0 = fuse.slice %x offsets = [3] sizes = [4] steps = [-1] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// slice, 3: a dynamic dimension goes up to its end.
func.func @f(%x: tensor<?xf32>) {
  // expected-error @below {{expected a negative size of a dynamic dimension, but got 3; write -1, which reaches up to the end, or -1 - k, which leaves out the last k elements}}
  %0 = fuse.slice %x offsets = [0] sizes = [3] : tensor<?xf32> -> tensor<3xf32>
  return
}

// -----

// slice, 4: the offset is inside.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected an offset of at most 4, but got 5; keep the slice inside}}
  %0 = fuse.slice %x offsets = [5] sizes = [-1] : tensor<4xf32> -> tensor<0xf32>
  return
}

// -----

// slice, 4: the last element is inside.
func.func @f(%x: tensor<9xf32>) {
  // expected-error @below {{expected a size of at most 4 from offset 1 with step 2, but got 5; keep the slice inside, or write -1}}
  %0 = fuse.slice %x offsets = [1] sizes = [5] steps = [2] : tensor<9xf32> -> tensor<5xf32>
  return
}

// -----

// pad, 1: one number for each dimension.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected high to have 2 numbers, one for each dimension of 'tensor<4x8xf32>', but got [1]; add or remove numbers}}
  %0 = fuse.pad %x low = [0, 0] high = [1] value = 0.0 : tensor<4x8xf32> -> tensor<5x8xf32>
  return
}

// -----

// pad, 1: not negative.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected low of at least 0, but got -1; fuse.slice removes elements}}
  %0 = fuse.pad %x low = [-1] high = [1] value = 0.0 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected sizes that sum up to at most 2^63 - 1, but got more; make a dimension smaller}}
  %0 = fuse.pad %x low = [9223372036854775807] high = [0] value = 0.0 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error @below {{expected sizes that sum up to at most 2^63 - 1, but got more; make a dimension smaller}}
  %0 = fuse.pad %x low = [4611686018427387904] high = [4611686018427387904] value = 0.0 : tensor<?xf32> -> tensor<?xf32>
  return
}

// -----

// pad, 2: the value fits the operand.
func.func @f(%x: tensor<4xi32>) {
  // expected-error @below {{expected a value that fits 'i32', but got another; write a number, or true or false for i1}}
  %0 = fuse.pad %x low = [0] high = [1] value = 0.5 : tensor<4xi32> -> tensor<5xi32>
  return
}

// -----

func.func @f(%x: tensor<4xi8>) {
  // expected-error @below {{expected a value that fits 'i8', but got another}}
  %0 = fuse.pad %x low = [0] high = [1] value = 128 : tensor<4xi8> -> tensor<5xi8>
  return
}

// -----

// f8E4M3FN has no infinity.
func.func @f(%x: tensor<4xf8E4M3FN>) {
  // expected-error @below {{expected a value that fits 'f8E4M3FN', but got another}}
  %0 = fuse.pad %x low = [0] high = [1] value = inf : tensor<4xf8E4M3FN> -> tensor<5xf8E4M3FN>
  return
}

// -----

func.func @f(%x: tensor<4xf16>) {
  // expected-error @below {{expected a value that fits 'f16', but got another}}
  %0 = fuse.pad %x low = [0] high = [1] value = 65520.0 : tensor<4xf16> -> tensor<5xf16>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected value of type 'f32', but got 0 : i32; give it the operand's element type}}
  %0 = "fuse.pad"(%x) <{low = array<i64: 0>, high = array<i64: 1>, value = 0 : i32}> : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// reverse, 1: distinct dimensions in ascending order.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected dims to be distinct dimensions of 'tensor<4x8xf32>' in ascending order, but got [1, 0]; sort them and keep each in 0 to rank - 1}}
  %0 = fuse.reverse %x dims = [1, 0] : tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{but got [2]; sort them}}
  %0 = fuse.reverse %x dims = [2] : tensor<4x8xf32>
  return
}

// -----

// concat, 1: at least one operand.
func.func @f() {
  // expected-error @below {{expected at least one operand, but got none; name the tensors to join}}
  %0 = "fuse.concat"() <{dim = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

// concat, 1: one element type and rank.
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @below {{expected operands of one element type, but got 'tensor<4xf16>' beside 'tensor<4xf32>'; fuse.cast the other to f32}}
  %0 = fuse.concat %x, %y dim = 0 : tensor<4xf32>, tensor<4xf16> -> tensor<8xf32>
  return
}

// -----

// concat, 2: `dim` is a dimension.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected dim to be a dimension of 'tensor<4xf32>', but got 1; choose 0 to 0}}
  %0 = fuse.concat %x, %x dim = 1 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @below {{expected a tensor of rank 1 or more, but got 'tensor<f32>'; insert a tensor.expand_shape}}
  %0 = fuse.concat %x, %x dim = 0 : tensor<f32>, tensor<f32> -> tensor<2xf32>
  return
}

// -----

// concat, 3: the other dimensions are equal.
func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x7xf32>) {
  // expected-error @below {{expected size 8 in dimension 1, but got 'tensor<4x7xf32>' beside 'tensor<4x8xf32>'; only dimension 0 may differ}}
  %0 = fuse.concat %x, %y dim = 0 : tensor<4x8xf32>, tensor<4x7xf32> -> tensor<8x8xf32>
  return
}

// -----

// broadcast, 1: the shape broadcasts.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected an operand whose shape broadcasts to 'tensor<4x1xf32>', but got 'tensor<4xf32>'; make the sizes equal or 1, aligned at the last dimension}}
  %0 = fuse.broadcast %x : tensor<4xf32> -> tensor<4x1xf32>
  return
}

// -----

// broadcast, 2: dynamic sizes are known.
func.func @f(%x: tensor<1xf32>) {
  // expected-error @below {{expected the operand to have dynamic dimension 0 of 'tensor<?xf32>', but got 'tensor<1xf32>'; add 'like %x' with a tensor of the result's shape}}
  %0 = fuse.broadcast %x : tensor<1xf32> -> tensor<?xf32>
  return
}

// -----

// broadcast, 2: `like` has the result's shape.
func.func @f(%x: tensor<1xf32>, %y: tensor<?x4xf32>) {
  // expected-error @below {{expected result of the shape of 'like', 'tensor<?x4xf32>', but got 'tensor<?xf32>'; give them one shape}}
  %0 = fuse.broadcast %x like %y : tensor<1xf32>, tensor<?x4xf32> -> tensor<?xf32>
  return
}

// -----

// broadcast, 3: the element types agree.
func.func @f(%x: tensor<1xf32>) {
  // expected-error @below {{expected result of 'f32', but got 'tensor<4xf16>'; fuse.cast the operand first}}
  %0 = fuse.broadcast %x : tensor<1xf32> -> tensor<4xf16>
  return
}

// -----

// gather, 1: `dim` is a dimension of the table.
func.func @f(%x: tensor<4x8xf32>, %i: tensor<3xi32>) {
  // expected-error @below {{expected dim to be a dimension of 'tensor<4x8xf32>', but got 2; choose 0 to 1}}
  %0 = fuse.gather %x, %i dim = 2 : tensor<4x8xf32>, tensor<3xi32> -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %i: tensor<3xi32>) {
  // expected-error @below {{expected result of type 'tensor<4x3xf32>', but got 'tensor<3x8xf32>'; write the expected type}}
  %0 = fuse.gather %x, %i dim = 1 : tensor<4x8xf32>, tensor<3xi32> -> tensor<3x8xf32>
  return
}

// -----

// scatter, 1: `dim` is a dimension.
func.func @f(%x: tensor<4x8xf32>, %i: tensor<3xi32>, %u: tensor<3x8xf32>) {
  // expected-error @below {{expected dim to be a dimension of 'tensor<4x8xf32>', but got -1; count from the start: 1 for -1}}
  %0 = fuse.scatter %x, %i, %u dim = -1 : tensor<4x8xf32>, tensor<3xi32>, tensor<3x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// scatter, 2: the updates are slices.
func.func @f(%x: tensor<4x8xf32>, %i: tensor<3xi32>, %u: tensor<3x4xf32>) {
  // expected-error @below {{expected updates of type 'tensor<3x8xf32>', but got 'tensor<3x4xf32>'; give one slice of into for each id}}
  %0 = fuse.scatter %x, %i, %u dim = 0 : tensor<4x8xf32>, tensor<3xi32>, tensor<3x4xf32> -> tensor<4x8xf32>
  return
}

// -----

// random, 1: f32.
func.func @f(%s: tensor<i64>) {
  // expected-error @below {{expected result of f32, but got 'tensor<4xf16>'; write f32 and fuse.cast the result}}
  %0 = fuse.random %s stream = 0 : tensor<i64> -> tensor<4xf16>
  return
}

// -----

// random, 2: a shape that is known.
func.func @f(%s: tensor<i64>) {
  // expected-error @below {{expected a static result or an operand 'like', but got 'tensor<?xf32>'; add 'like %x' with a tensor of that shape}}
  %0 = fuse.random %s stream = 0 : tensor<i64> -> tensor<?xf32>
  return
}

// -----

// A seed is one number.
func.func @f(%s: tensor<1xi64>) {
  // expected-error @below {{'fuse.random' op operand #0 must be rank 0 tensor of 64-bit signless integer values, but got 'tensor<1xi64>'}}
  %0 = fuse.random %s stream = 0 : tensor<1xi64> -> tensor<4xf32>
  return
}

// -----

// dropout, 1: a probability below 1.
func.func @f(%x: tensor<4xf32>, %s: tensor<i64>) {
  // expected-error @below {{expected p of at least 0 and less than 1, but got 1.000000e+00; it is the probability of a zero}}
  %0 = fuse.dropout %x, %s p = 1.0 stream = 0 : tensor<4xf32>, tensor<i64>
  return
}

// -----

// argmax, 1: `dim` is a dimension.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected dim to be a dimension of 'tensor<4xf32>', but got 1; choose 0 to rank - 1}}
  %0 = fuse.argmax %x dim = 1 : tensor<4xf32> -> tensor<i32>
  return
}

// -----

// argmax, 2: the other dimensions stay.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected result of type 'tensor<4x1xi32>', but got 'tensor<4xi32>'; write the expected type}}
  %0 = fuse.argmax %x dim = 1 keep : tensor<4x8xf32> -> tensor<4xi32>
  return
}

// -----

// Nothing is computed in storage types.
func.func @f(%x: tensor<4xf8E4M3FN>) {
  // expected-error @below {{must be ranked tensor of f16, bf16, f32, f64, i8, i16, i32, i64 or ui8 values (fuse.cast f8 to f32 first), but got 'tensor<4xf8E4M3FN>'}}
  %0 = fuse.add %x, %x : tensor<4xf8E4M3FN>
  return
}

// -----

func.func @f(%x: tensor<4xf8E4M3FN>) {
  // expected-error @below {{(fuse.cast f8 to f32 first), but got 'tensor<4xf8E4M3FN>'}}
  %0 = fuse.reduce max %x dims = [0] : tensor<4xf8E4M3FN> -> tensor<f8E4M3FN>
  return
}

// -----

func.func @f(%c: tensor<4xi1>, %x: tensor<4xf8E5M2>) {
  // expected-error @below {{(fuse.cast f8 to f32 first), but got 'tensor<4xf8E5M2>'}}
  %0 = fuse.select %c, %x, %x : tensor<4xi1>, tensor<4xf8E5M2>, tensor<4xf8E5M2>
  return
}

// -----

// Dimensions are counted from the start.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{but got -1; count from the start: 1 for -1}}
  %0 = fuse.concat %x, %x dim = -1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{but got [-1, 0]; count from the start: 1 for -1}}
  %0 = fuse.transpose %x permutation = [-1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

// take_along, 1: the dimension exists.
func.func @f(%x: tensor<4x8xf32>, %i: tensor<4x2xi32>) {
  // expected-error @below {{expected dim to be a dimension of 'tensor<4x8xf32>', but got 2}}
  %0 = fuse.take_along %x, %i dim = 2 : tensor<4x8xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
  return
}

// -----

// take_along, 2: the other sizes are equal.
func.func @f(%x: tensor<4x8xf32>, %i: tensor<3x2xi32>) {
  // expected-error @below {{expected ids of the rank of 'tensor<4x8xf32>' and its sizes, but for dimension 1, but got 'tensor<3x2xi32>'; fuse.broadcast them, or use fuse.gather}}
  %0 = fuse.take_along %x, %i dim = 1 : tensor<4x8xf32>, tensor<3x2xi32> -> tensor<3x2xf32>
  return
}

// -----

// unpack, 1: there is a last dimension.
func.func @f(%x: tensor<i8>) {
  // expected-error @below {{expected a tensor of rank 1 or more, but got 'tensor<i8>'; insert a tensor.expand_shape}}
  %0 = fuse.unpack %x : tensor<i8> -> tensor<i8>
  return
}

// -----

// dynamic_slice, 1: the dimension exists.
func.func @f(%x: tensor<4x8xf32>, %s: tensor<i64>) {
  // expected-error @below {{expected dim to be a dimension of 'tensor<4x8xf32>', but got 2}}
  %0 = fuse.dynamic_slice %x, %s dim = 2 size = 2 : tensor<4x8xf32>, tensor<i64> -> tensor<4x2xf32>
  return
}

// -----

// Two elements of the result lie in a byte.
func.func @f(%x: tensor<4x8xi8>) {
  // expected-error @below {{expected result of type 'tensor<4x16xi8>', but got 'tensor<4x8xi8>'; write the expected type}}
  %0 = fuse.unpack %x : tensor<4x8xi8> -> tensor<4x8xi8>
  return
}

// -----

// dynamic_slice, 2: one number says where it starts.
func.func @f(%x: tensor<4x8xf32>, %s: tensor<1xi64>) {
  // expected-error @below {{expected start of rank 0, but got 'tensor<1xi64>'; slice one dimension at a time, and take one element by a fuse.slice and a collapse_shape}}
  %0 = fuse.dynamic_slice %x, %s dim = 1 size = 2 : tensor<4x8xf32>, tensor<1xi64> -> tensor<4x2xf32>
  return
}

// -----

// Bytes hold the integers, not words.
func.func @f(%x: tensor<4x8xi32>) {
  // expected-error @below {{must be ranked tensor of i8 or ui8 values, but got 'tensor<4x8xi32>'}}
  %0 = fuse.unpack %x : tensor<4x8xi32> -> tensor<4x16xi32>
  return
}

// -----

// dynamic_slice, 3: the size comes from one of the two.
func.func @f(%x: tensor<4x8xf32>, %s: tensor<i64>) {
  // expected-error @below {{expected either a size or 'like', but got neither; write 'size = 16', or 'like %x' with a tensor of rank 1}}
  %0 = fuse.dynamic_slice %x, %s dim = 1 : tensor<4x8xf32>, tensor<i64> -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %s: tensor<i64>, %l: tensor<?xi1>) {
  // expected-error @below {{expected either a size or 'like', but got both;}}
  %0 = fuse.dynamic_slice %x, %s dim = 1 size = 2 like %l : tensor<4x8xf32>, tensor<i64>, tensor<?xi1> -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %s: tensor<i64>) {
  // expected-error @below {{expected a size of at least 0, but got -1; 'like' gives sizes that only the call knows}}
  %0 = fuse.dynamic_slice %x, %s dim = 1 size = -1 : tensor<4x8xf32>, tensor<i64> -> tensor<4x?xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %s: tensor<i64>, %l: tensor<?x2xi1>) {
  // expected-error @below {{expected 'like' of rank 1, but got 'tensor<?x2xi1>'; name a tensor whose only dimension has the size}}
  %0 = fuse.dynamic_slice %x, %s dim = 1 like %l : tensor<4x8xf32>, tensor<i64>, tensor<?x2xi1> -> tensor<4x?xf32>
  return
}
