// RUN: fuse-opt %s -split-input-file -verify-diagnostics

// matmul, 1: the rank.
func.func @f(%x: tensor<4xf32>, %y: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.matmul' op expected operands of rank 2 or more, but got 'tensor<4xf32>'; insert a tensor.expand_shape}}
  %0 = fuse.matmul %x, %y : tensor<4xf32>, tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

// matmul, 1: the element type.
func.func @f(%x: tensor<2x4xf16>, %y: tensor<4x8xf32>) {
  // expected-error @below {{expected operands of one element type, but got 'tensor<2x4xf16>' for lhs and 'tensor<4x8xf32>' for rhs; fuse.cast lhs to f32}}
  %0 = fuse.matmul %x, %y : tensor<2x4xf16>, tensor<4x8xf32> -> tensor<2x8xf32>
  return
}

// -----

// matmul, 2.
func.func @f(%x: tensor<2x4xf32>, %y: tensor<8x4xf32>) {
  // expected-error @below {{expected equal contracted sizes, but got 4 in lhs and 8 in rhs; transpose_lhs or transpose_rhs reads the operand the other way}}
  %0 = fuse.matmul %x, %y : tensor<2x4xf32>, tensor<8x4xf32> -> tensor<2x8xf32>
  return
}

// -----

// matmul, 3.
func.func @f(%x: tensor<2x2x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error @below {{expected leading dimensions that broadcast, but got 'tensor<2x2x4xf32>' for lhs and 'tensor<3x4x8xf32>' for rhs; make the sizes equal or 1}}
  %0 = fuse.matmul %x, %y : tensor<2x2x4xf32>, tensor<3x4x8xf32> -> tensor<2x2x8xf32>
  return
}

// -----

// matmul: the result.
func.func @f(%x: tensor<2x4xf32>, %y: tensor<4x8xf32>) {
  // expected-error @below {{expected result of type 'tensor<2x8xf32>', but got 'tensor<2x4xf32>'; write the expected type}}
  %0 = fuse.matmul %x, %y : tensor<2x4xf32>, tensor<4x8xf32> -> tensor<2x4xf32>
  return
}

// -----

// contract, 1: the form.
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @below {{expected a spec of the form "LHS,RHS->RESULT", but got "mk->mk"; write for example "mk,kn->mn"}}
  %0 = fuse.contract "mk->mk" %x, %y : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// contract, 1: distinct letters.
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @below {{expected a distinct letter for each dimension of 'tensor<2x3xf32>', but got "mm"; name each dimension by its own letter}}
  %0 = fuse.contract "mm,mk->k" %x, %y : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<3xf32>
  return
}

// -----

// contract, 1: letters.
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @below {{expected a distinct letter for each dimension of 'tensor<2x3xf32>', but got "m1"}}
  %0 = fuse.contract "m1,m1->m" %x, %y : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

// contract, 1: as many as dimensions.
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @below {{expected a distinct letter for each dimension of 'tensor<2x3xf32>', but got "m"}}
  %0 = fuse.contract "m,mk->k" %x, %y : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<3xf32>
  return
}

// -----

// contract, 2: the result's letters.
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @below {{expected each letter of the result in an operand, but got 'n'; remove it from the result}}
  %0 = fuse.contract "mk,mk->n" %x, %y : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

// contract, 2: in one operand.
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @below {{expected a summed letter in both operands, but got 'm' in one; insert a fuse.reduce sum}}
  %0 = fuse.contract "mk,nk->n" %x, %y : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

// contract, 2: nothing summed.
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @below {{expected a letter to sum over, but got none in "mk,mk->mk"; use fuse.mul}}
  %0 = fuse.contract "mk,mk->mk" %x, %y : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// contract, 3: the operands.
func.func @f(%x: tensor<2x3xf32>, %y: tensor<5x4xf32>) {
  // expected-error @below {{expected one size for 'k', but got 3 in lhs and 4 in rhs; make them equal or 1}}
  %0 = fuse.contract "mk,nk->mn" %x, %y : tensor<2x3xf32>, tensor<5x4xf32> -> tensor<2x5xf32>
  return
}

// -----

// contract, 3: the result.
func.func @f(%x: tensor<2x3xf32>, %y: tensor<5x3xf32>) {
  // expected-error @below {{expected size 5 for 'n' in the result, but got 'tensor<2x?xf32>'; write the size that the operands give}}
  %0 = fuse.contract "mk,nk->mn" %x, %y : tensor<2x3xf32>, tensor<5x3xf32> -> tensor<2x?xf32>
  return
}

// -----

// contract, 4.
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @below {{expected tensors of one element type, but got 'tensor<2x3xf32>' for lhs and 'tensor<2x2xf16>' for the result; give the result that of lhs, and fuse.cast it}}
  %0 = fuse.contract "mk,nk->mn" %x, %y : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x2xf16>
  return
}

// -----

// contract, 4: 8-bit floats beside others.
func.func @f(%x: tensor<2x3xf8E4M3FN>, %y: tensor<2x3xbf16>) {
  // expected-error @below {{expected tensors of one element type, but got 'tensor<2x3xf8E4M3FN>' for lhs and 'tensor<2x3xbf16>' for rhs; fuse.cast lhs to bf16}}
  %0 = fuse.contract "mk,nk->mn" %x, %y : tensor<2x3xf8E4M3FN>, tensor<2x3xbf16> -> tensor<2x2xbf16>
  return
}

// -----

// contract, 4: the result is wider.
func.func @f(%x: tensor<2x3xf8E4M3FN>, %y: tensor<2x3xf8E4M3FN>) {
  // expected-error @below {{result #0 must be ranked tensor of f16, bf16, f32 or f64 values}}
  %0 = fuse.contract "mk,nk->mn" %x, %y : tensor<2x3xf8E4M3FN>, tensor<2x3xf8E4M3FN> -> tensor<2x2xf8E4M3FN>
  return
}

// -----

// attention, 1: the rank.
func.func @f(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x16xf16>, %v: tensor<2x4x8x16xf16>) {
  // expected-error @below {{expected query, key and value of rank 4, but got 'tensor<2x4x16xf16>'; insert a tensor.expand_shape}}
  %0 = fuse.attention tokens_heads %q, %k, %v : tensor<2x4x8x16xf16>, tensor<2x4x16xf16>, tensor<2x4x8x16xf16>
  return
}

// -----

// attention, 1: the element type.
func.func @f(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x8x16xf16>, %v: tensor<2x4x8x16xf32>) {
  // expected-error @below {{expected query, key and value of one element type, but got 'tensor<2x4x8x16xf32>' beside 'tensor<2x4x8x16xf16>'; fuse.cast query to f32}}
  %0 = fuse.attention tokens_heads %q, %k, %v : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf32>
  return
}

// -----

// attention, 2: static heads.
func.func @f(%q: tensor<2x4x?x16xf16>, %k: tensor<2x4x8x16xf16>, %v: tensor<2x4x8x16xf16>) {
  // expected-error @below {{expected a static head count and head size, but got 'tensor<2x4x?x16xf16>'; make them static}}
  %0 = fuse.attention tokens_heads %q, %k, %v : tensor<2x4x?x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>
  return
}

// -----

// attention, 2: static heads of the other order.
func.func @f(%q: tensor<2x?x4x16xf16>, %k: tensor<2x4x8x16xf16>, %v: tensor<2x4x8x16xf16>) {
  // expected-error @below {{expected a static head count and head size, but got 'tensor<2x?x4x16xf16>'}}
  %0 = fuse.attention heads_tokens %q, %k, %v : tensor<2x?x4x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>
  return
}

// -----

// attention, 2: a multiple.
func.func @f(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x3x16xf16>, %v: tensor<2x4x3x16xf16>) {
  // expected-error @below {{expected query heads in multiples of the 3 key heads, but got 8; choose a multiple, or swap the axes' order}}
  %0 = fuse.attention tokens_heads %q, %k, %v : tensor<2x4x8x16xf16>, tensor<2x4x3x16xf16>, tensor<2x4x3x16xf16>
  return
}

// -----

// attention, 3: tokens of key and value.
func.func @f(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x8x16xf16>, %v: tensor<2x5x8x16xf16>) {
  // expected-error @below {{expected value to have the size of key in axis 1, but got 'tensor<2x5x8x16xf16>' beside 'tensor<2x4x8x16xf16>'; make the sizes equal}}
  %0 = fuse.attention tokens_heads %q, %k, %v : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x5x8x16xf16>
  return
}

// -----

// attention, 3: heads of key and value.
func.func @f(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x8x16xf16>, %v: tensor<2x4x4x16xf16>) {
  // expected-error @below {{expected value to have the size of key in axis 2}}
  %0 = fuse.attention tokens_heads %q, %k, %v : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x4x16xf16>
  return
}

// -----

// attention, 3: the batch.
func.func @f(%q: tensor<3x4x8x16xf16>, %k: tensor<2x4x8x16xf16>, %v: tensor<2x4x8x16xf16>) {
  // expected-error @below {{expected key to have the size of query in axis 0}}
  %0 = fuse.attention tokens_heads %q, %k, %v : tensor<3x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>
  return
}

// -----

// attention, 3: the head size.
func.func @f(%q: tensor<2x4x8x32xf16>, %k: tensor<2x4x8x16xf16>, %v: tensor<2x4x8x16xf16>) {
  // expected-error @below {{expected key to have the size of query in axis 3}}
  %0 = fuse.attention tokens_heads %q, %k, %v : tensor<2x4x8x32xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>
  return
}

// -----

// attention, 2: the value's head size.
func.func @f(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x8x16xf16>, %v: tensor<2x4x8x?xf16>) {
  // expected-error @below {{expected a static head count and head size, but got 'tensor<2x4x8x?xf16>'; make them static}}
  %0 = fuse.attention tokens_heads %q, %k, %v : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x?xf16>
  return
}

// -----

// matmul, 4.
func.func @f(%x: tensor<2x4xbf16>, %y: tensor<4x8xbf16>) {
  // expected-error @below {{expected operands and a result of f32 for precision = tf32, but got 'tensor<2x4xbf16>' and 'tensor<2x8xbf16>'; leave precision out, or fuse.cast to f32}}
  %0 = fuse.matmul %x, %y precision = tf32 : tensor<2x4xbf16>, tensor<4x8xbf16> -> tensor<2x8xbf16>
  return
}

// -----

// contract, 5.
func.func @f(%x: tensor<2x4xf8E5M2>, %y: tensor<4x8xf8E5M2>) {
  // expected-error @below {{expected operands and a result of f32 for precision = tf32, but got 'tensor<2x4xf8E5M2>' and 'tensor<2x8xf32>'; leave precision out, or fuse.cast to f32}}
  %0 = fuse.contract "mk,kn->mn" %x, %y precision = tf32 : tensor<2x4xf8E5M2>, tensor<4x8xf8E5M2> -> tensor<2x8xf32>
  return
}

// -----

// attention, 4.
func.func @f(%q: tensor<2x4x8x16xf16>) {
  // expected-error @below {{expected operands and a result of f32 for precision = tf32}}
  %0 = fuse.attention tokens_heads %q, %q, %q precision = tf32 : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>
  return
}
