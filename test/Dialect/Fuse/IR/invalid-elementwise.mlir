// RUN: fuse-opt %s -split-input-file -verify-diagnostics

// No implicit promotion.
func.func @f(%x: tensor<4xf16>, %y: tensor<4xf32>) {
  // expected-error @below {{expected operands of one element type, but got 'f16' for operand #0 and 'f32' for operand #1; insert a fuse.cast}}
  %0 = fuse.add %x, %y : tensor<4xf16>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// The branches of a select share a type; its condition does not.
func.func @f(%c: tensor<4xi1>, %x: tensor<4xf16>, %y: tensor<4xf32>) {
  // expected-error @below {{expected operands of one element type, but got 'f16' for operand #1 and 'f32' for operand #2; insert a fuse.cast}}
  %0 = fuse.select %c, %x, %y : tensor<4xi1>, tensor<4xf16>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// Sizes that differ, the result given.
func.func @f(%x: tensor<4xf32>, %y: tensor<2x8xf32>) {
  // expected-error @below {{expected operands whose shapes broadcast, but got 'tensor<2x8xf32>' for operand #1 beside 'tensor<4xf32>'; make the sizes equal or 1, aligned at the last dimension}}
  %0 = fuse.mul %x, %y : tensor<4xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

// Sizes that differ, the result inferred.
func.func @f(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-error @below {{expected operands whose shapes broadcast, but got 'tensor<8xf32>' for operand #1 beside 'tensor<4xf32>'; make the sizes equal or 1, aligned at the last dimension}}
  %0 = fuse.mul %x, %y : tensor<4xf32>, tensor<8xf32>
  return
}

// -----

// The third operand meets both.
func.func @f(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{expected operands whose shapes broadcast, but got 'tensor<3xf32>' for operand #2}}
  %0 = fuse.clamp %x, %x, %y : tensor<4xf32>, tensor<4xf32>, tensor<3xf32>
  return
}

// -----

// A dynamic size takes the static one.
func.func @f(%x: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'fuse.sub' op expected result of type 'tensor<4xf32>', but got 'tensor<?xf32>'; write the expected type}}
  %0 = fuse.sub %x, %y : tensor<?xf32>, tensor<4xf32> -> tensor<?xf32>
  return
}

// -----

// The result has the operands' element type.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.exp' op expected result of type 'tensor<4xf32>', but got 'tensor<4xf16>'; insert a fuse.cast of the result}}
  %0 = fuse.exp %x : tensor<4xf32> -> tensor<4xf16>
  return
}

// -----

// A comparison gives i1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.compare' op expected result of type 'tensor<4xi1>', but got 'tensor<2xi1>'; write the expected type}}
  %0 = "fuse.compare"(%x, %x) <{predicate = #fuse<compare_predicate lt>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<2xi1>
  return
}

// -----

// Types that an op does not take.
func.func @f(%x: tensor<4xi32>) {
  // expected-error @below {{'fuse.exp' op operand #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values}}
  %0 = fuse.exp %x : tensor<4xi32>
  return
}

// -----

// The number of types.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected 3 operand types, but got 2; give one for each operand, or one for all}}
  %0 = fuse.clamp %x, %x, %x : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// Tensors have a rank.
func.func @f(%x: tensor<*xf32>) {
  // expected-error @below {{expected ranked tensors, but got 'tensor<*xf32>'; give the tensor a rank}}
  %0 = fuse.neg %x : tensor<*xf32>
  return
}

// -----

// cast, 1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.cast' op expected result of the shape of 'tensor<4xf32>', but got 'tensor<?xf16>'; a cast changes the element type only}}
  %0 = fuse.cast %x : tensor<4xf32> -> tensor<?xf16>
  return
}

// -----

// iota, 1.
func.func @f() {
  // expected-error @below {{'fuse.iota' op expected dim to be a dimension of 'tensor<4x8xi32>', but got 2; choose 0 to rank - 1}}
  %0 = fuse.iota dim = 2 : tensor<4x8xi32>
  return
}

// -----

// iota, 2: a dynamic size needs `like`.
func.func @f() {
  // expected-error @below {{'fuse.iota' op expected a static result or an operand 'like', but got 'tensor<?xi32>'; add 'like %x' with a tensor of that shape}}
  %0 = fuse.iota dim = 0 : tensor<?xi32>
  return
}

// -----

// iota, 2: `like` has the result's shape.
func.func @f(%x: tensor<?xf32>) {
  // expected-error @below {{'fuse.iota' op expected result of the shape of 'like', 'tensor<?xf32>', but got 'tensor<4xi32>'; give them one shape}}
  %0 = fuse.iota dim = 0 like %x : tensor<?xf32> -> tensor<4xi32>
  return
}
