// RUN: fuse-opt %s -split-input-file -verify-diagnostics

// No implicit promotion.
func.func @f(%x: tensor<4xf16>, %y: tensor<4xf32>) {
  // expected-error @below {{expected operands of one element type, but got 'f16' for operand #0 and 'f32' for operand #1; fuse.cast operand #0 to f32}}
  %0 = fuse.add %x, %y : tensor<4xf16>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// The branches of a select share a type; its condition does not.
func.func @f(%c: tensor<4xi1>, %x: tensor<4xf16>, %y: tensor<4xf32>) {
  // expected-error @below {{expected operands of one element type, but got 'f16' for operand #1 and 'f32' for operand #2; fuse.cast operand #1 to f32}}
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
  // expected-error @below {{'fuse.exp' op expected result of type 'tensor<4xf32>', but got 'tensor<4xf16>'; write the expected type and fuse.cast the result}}
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
  // expected-error @below {{'fuse.exp' op operand #0 must be ranked tensor of f16, bf16, f32 or f64 values (fuse.cast f8 to f32 first), but got 'tensor<4xi32>'}}
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

// -----

// Operands are cast up, whichever of them is narrower; both where neither type
// has the other's values.
func.func @f(%x: tensor<4xf32>, %y: tensor<4xbf16>) {
  // expected-error @below {{'f32' for operand #0 and 'bf16' for operand #1; fuse.cast operand #1 to f32}}
  %0 = fuse.add %x, %y : tensor<4xf32>, tensor<4xbf16> -> tensor<4xbf16>
  return
}

// -----

func.func @f(%x: tensor<4xf16>, %y: tensor<4xbf16>) {
  // expected-error @below {{'f16' for operand #0 and 'bf16' for operand #1; fuse.cast both to f32}}
  %0 = fuse.mul %x, %y : tensor<4xf16>, tensor<4xbf16> -> tensor<4xbf16>
  return
}

// -----

func.func @f(%x: tensor<4xi32>, %y: tensor<4xbf16>) {
  // expected-error @below {{'i32' for operand #0 and 'bf16' for operand #1; fuse.cast both to f32}}
  %0 = fuse.mul %x, %y : tensor<4xi32>, tensor<4xbf16> -> tensor<4xbf16>
  return
}

// -----

func.func @f(%x: tensor<4xi32>, %y: tensor<4xi64>) {
  // expected-error @below {{'i32' for operand #0 and 'i64' for operand #1; fuse.cast operand #0 to i64}}
  %0 = fuse.max %x, %y : tensor<4xi32>, tensor<4xi64> -> tensor<4xi64>
  return
}

// -----

// A wider result: what is cast afterwards has been rounded.
func.func @f(%x: tensor<4xbf16>) {
  // expected-error @below {{expected result of type 'tensor<4xbf16>', but got 'tensor<4xf32>'; fuse.cast the operands to f32, or write the expected type and fuse.cast the result}}
  %0 = fuse.exp %x : tensor<4xbf16> -> tensor<4xf32>
  return
}
