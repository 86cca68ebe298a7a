// RUN: fuse-opt %s -split-input-file -verify-diagnostics

// 1: D is static.
func.func @f(%x: tensor<4x2x?xf16>) {
  // expected-error @below {{expected input with a static, even last dimension, but got 'tensor<4x2x?xf16>'; make the head size static and even}}
  %0 = fuse.rotary half tokens_heads %x base = 1.0e4 : tensor<4x2x?xf16>
  return
}

// -----

// 1: D is even.
func.func @f(%x: tensor<4x2x63xf16>) {
  // expected-error @below {{expected input with a static, even last dimension, but got 'tensor<4x2x63xf16>'}}
  %0 = fuse.rotary half tokens_heads %x base = 1.0e4 : tensor<4x2x63xf16>
  return
}

// -----

// 1: R is even.
func.func @f(%x: tensor<4x2x64xf16>) {
  // expected-error @below {{expected dims to be even, positive and at most 64, but got 31; rotate whole pairs of a head's features}}
  %0 = fuse.rotary half tokens_heads %x base = 1.0e4 dims = 31 : tensor<4x2x64xf16>
  return
}

// -----

// 1: R is positive.
func.func @f(%x: tensor<4x2x64xf16>) {
  // expected-error @below {{expected dims to be even, positive and at most 64, but got 0}}
  %0 = fuse.rotary half tokens_heads %x base = 1.0e4 dims = 0 : tensor<4x2x64xf16>
  return
}

// -----

// 1: R is at most D.
func.func @f(%x: tensor<4x2x64xf16>) {
  // expected-error @below {{expected dims to be even, positive and at most 64, but got 66}}
  %0 = fuse.rotary half tokens_heads %x base = 1.0e4 dims = 66 : tensor<4x2x64xf16>
  return
}

// -----

// 2: neither.
func.func @f(%x: tensor<4x2x64xf16>) {
  // expected-error @below {{expected either tables or base, but got neither; give 'tables(%cos, %sin)' or 'base = 1.0e4'}}
  %0 = fuse.rotary half tokens_heads %x : tensor<4x2x64xf16>
  return
}

// -----

// 2: both.
func.func @f(%x: tensor<4x2x64xf16>, %t: tensor<4x32xf32>) {
  // expected-error @below {{expected either tables or base, but got both}}
  %0 = fuse.rotary half tokens_heads %x tables(%t, %t) base = 1.0e4 : tensor<4x2x64xf16>, tensor<4x32xf32>
  return
}

// -----

// 2: one table.
func.func @f(%x: tensor<4x2x64xf16>, %t: tensor<4x32xf32>) {
  // expected-error @below {{expected both tables or none, but got one; give cos and sin}}
  %0 = "fuse.rotary"(%x, %t) <{layout = #fuse<rotary_layout half>, order = #fuse<head_order tokens_heads>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0>}> : (tensor<4x2x64xf16>, tensor<4x32xf32>) -> tensor<4x2x64xf16>
  return
}

// -----

// 3: equal types.
func.func @f(%x: tensor<4x2x64xf16>, %c: tensor<4x32xf32>, %s: tensor<4x32xf16>) {
  // expected-error @below {{expected tables of one type, but got 'tensor<4x32xf32>' for cos and 'tensor<4x32xf16>' for sin; give them one type}}
  %0 = "fuse.rotary"(%x, %c, %s) <{layout = #fuse<rotary_layout half>, order = #fuse<head_order tokens_heads>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>}> : (tensor<4x2x64xf16>, tensor<4x32xf32>, tensor<4x32xf16>) -> tensor<4x2x64xf16>
  return
}

// -----

// 3: R/2 columns.
func.func @f(%x: tensor<4x2x64xf16>, %t: tensor<4x64xf32>) {
  // expected-error @below {{expected tables of shape [rows, 32], but got 'tensor<4x64xf32>'; give a row of R/2 values for each position}}
  %0 = fuse.rotary half tokens_heads %x tables(%t, %t) : tensor<4x2x64xf16>, tensor<4x64xf32>
  return
}

// -----

// 3: f32 or the type of the input.
func.func @f(%x: tensor<4x2x64xf16>, %t: tensor<4x32xbf16>) {
  // expected-error @below {{expected tables of f32 or 'f16', but got 'tensor<4x32xbf16>'; fuse.cast the tables to f32}}
  %0 = fuse.rotary half tokens_heads %x tables(%t, %t) : tensor<4x2x64xf16>, tensor<4x32xbf16>
  return
}

// -----

// 3: a row for each token.
func.func @f(%x: tensor<4x2x64xf16>, %t: tensor<8x32xf32>) {
  // expected-error @below {{expected tables with a row for each of 4 tokens, but got 8 rows; give positions}}
  %0 = fuse.rotary half tokens_heads %x tables(%t, %t) : tensor<4x2x64xf16>, tensor<8x32xf32>
  return
}

// -----

// 4: the tokens.
func.func @f(%x: tensor<4x2x64xf16>, %p: tensor<2xi32>) {
  // expected-error @below {{expected positions of shape [tokens] or [batch, tokens] of 'tensor<4x2x64xf16>', but got 'tensor<2xi32>'; give one position for each token}}
  %0 = fuse.rotary half tokens_heads %x positions(%p) base = 1.0e4 : tensor<4x2x64xf16>, tensor<2xi32>
  return
}

// -----

// 4: the batch.
func.func @f(%x: tensor<3x4x2x64xf16>, %p: tensor<2x4xi32>) {
  // expected-error @below {{expected positions of shape [tokens] or [batch, tokens] of 'tensor<3x4x2x64xf16>', but got 'tensor<2x4xi32>'}}
  %0 = fuse.rotary half tokens_heads %x positions(%p) base = 1.0e4 : tensor<3x4x2x64xf16>, tensor<2x4xi32>
  return
}

// -----

// 4: tokens cannot be the batch, too.
func.func @f(%x: tensor<4x2x64xf16>, %p: tensor<4x4xi32>) {
  // expected-error @below {{expected positions of shape [tokens] or [batch, tokens] of 'tensor<4x2x64xf16>', but got 'tensor<4x4xi32>'}}
  %0 = fuse.rotary half tokens_heads %x positions(%p) base = 1.0e4 : tensor<4x2x64xf16>, tensor<4x4xi32>
  return
}

// -----

// 4: i32 or i64.
func.func @f(%x: tensor<4x2x64xf16>, %p: tensor<4xf32>) {
  // expected-error @below {{'fuse.rotary' op operand #1 must be ranked tensor of i32 or i64 values, but got 'tensor<4xf32>'}}
  %0 = fuse.rotary half tokens_heads %x positions(%p) base = 1.0e4 : tensor<4x2x64xf16>, tensor<4xf32>
  return
}

// -----

// 5: tokens_heads.
func.func @f(%x: tensor<4x64xf16>) {
  // expected-error @below {{expected input of rank 3 or more for tokens_heads, but got 'tensor<4x64xf16>'; insert a tensor.expand_shape}}
  %0 = fuse.rotary half tokens_heads %x base = 1.0e4 : tensor<4x64xf16>
  return
}

// -----

// 5: heads_tokens.
func.func @f(%x: tensor<64xf16>) {
  // expected-error @below {{expected input of rank 2 or more for heads_tokens, but got 'tensor<64xf16>'}}
  %0 = fuse.rotary half heads_tokens %x base = 1.0e4 : tensor<64xf16>
  return
}

// -----

// 6: positive.
func.func @f(%x: tensor<4x2x64xf16>) {
  // expected-error @below {{expected base to be positive and finite, but got 0}}
  %0 = fuse.rotary half tokens_heads %x base = 0.0 : tensor<4x2x64xf16>
  return
}

// -----

// 6: finite.
func.func @f(%x: tensor<4x2x64xf16>) {
  // expected-error @below {{expected base to be positive and finite, but got}}
  %0 = fuse.rotary half tokens_heads %x base = 0x7FF0000000000000 : tensor<4x2x64xf16>
  return
}

// -----

// 7: excludes positions.
func.func @f(%x: tensor<4x2x64xf16>, %p: tensor<4xi32>, %cu: tensor<3xi32>) {
  // expected-error @below {{expected positions or sequences, but got both; remove one}}
  %0 = fuse.rotary half tokens_heads %x positions(%p) sequences(%cu) base = 1.0e4 : tensor<4x2x64xf16>, tensor<4xi32>, tensor<3xi32>
  return
}

// -----

// 7: one dimension.
func.func @f(%x: tensor<4x2x64xf16>, %cu: tensor<3x1xi32>) {
  // expected-error @below {{expected sequences of shape [sequences + 1], but got 'tensor<3x1xi32>'; give the cumulative lengths, from 0}}
  %0 = fuse.rotary half tokens_heads %x sequences(%cu) base = 1.0e4 : tensor<4x2x64xf16>, tensor<3x1xi32>
  return
}

// -----

// 7: of 1 or more.
func.func @f(%x: tensor<4x2x64xf16>, %cu: tensor<0xi32>) {
  // expected-error @below {{expected sequences of shape [sequences + 1], but got 'tensor<0xi32>'}}
  %0 = fuse.rotary half tokens_heads %x sequences(%cu) base = 1.0e4 : tensor<4x2x64xf16>, tensor<0xi32>
  return
}

// -----

// 8: the batch.
func.func @f(%x: tensor<3x4x2x64xf16>, %o: tensor<4xi32>) {
  // expected-error @below {{expected one offset, or one for each batch of 'tensor<3x4x2x64xf16>', but got 'tensor<4xi32>'; give tensor<i32> or a number for each of the first axis}}
  %0 = fuse.rotary half tokens_heads %x offset(%o) base = 1.0e4 : tensor<3x4x2x64xf16>, tensor<4xi32>
  return
}

// -----

// 8: tokens cannot be the batch, too.
func.func @f(%x: tensor<4x2x64xf16>, %o: tensor<4xi32>) {
  // expected-error @below {{expected one offset, or one for each batch of 'tensor<4x2x64xf16>', but got 'tensor<4xi32>'}}
  %0 = fuse.rotary half tokens_heads %x offset(%o) base = 1.0e4 : tensor<4x2x64xf16>, tensor<4xi32>
  return
}

// -----

// 8: of rank 1.
func.func @f(%x: tensor<3x4x2x64xf16>, %o: tensor<3x1xi32>) {
  // expected-error @below {{expected one offset, or one for each batch of 'tensor<3x4x2x64xf16>', but got 'tensor<3x1xi32>'}}
  %0 = fuse.rotary half tokens_heads %x offset(%o) base = 1.0e4 : tensor<3x4x2x64xf16>, tensor<3x1xi32>
  return
}

// -----

// 8: one less than the cumulative lengths.
func.func @f(%x: tensor<4x2x64xf16>, %cu: tensor<3xi32>, %o: tensor<3xi32>) {
  // expected-error @below {{expected one offset, or one for each sequence of 'tensor<3xi32>', but got 'tensor<3xi32>'; give one less than there are cumulative lengths}}
  %0 = fuse.rotary half tokens_heads %x sequences(%cu) offset(%o) base = 1.0e4 : tensor<4x2x64xf16>, tensor<3xi32>, tensor<3xi32>
  return
}

// -----

// 8: of rank 1, for sequences.
func.func @f(%x: tensor<4x2x64xf16>, %cu: tensor<?xi32>, %o: tensor<2x1xi32>) {
  // expected-error @below {{expected one offset, or one for each sequence of 'tensor<?xi32>', but got 'tensor<2x1xi32>'}}
  %0 = fuse.rotary half tokens_heads %x sequences(%cu) offset(%o) base = 1.0e4 : tensor<4x2x64xf16>, tensor<?xi32>, tensor<2x1xi32>
  return
}

// -----

// 9: with base.
func.func @f(%x: tensor<4x2x64xf16>, %t: tensor<4x32xf32>) {
  // expected-error @below {{expected scaling of computed angles, but got tables; scale the tables instead}}
  %0 = fuse.rotary half tokens_heads %x tables(%t, %t) scaling(#fuse.rope_linear<factor = 8.0>) : tensor<4x2x64xf16>, tensor<4x32xf32>
  return
}

// -----

// 9: rope_ntk needs more than one pair.
func.func @f(%x: tensor<4x2x64xf16>) {
  // expected-error @below {{expected more than 2 rotated features for rope_ntk, but got 2; use rope_linear}}
  %0 = fuse.rotary half tokens_heads %x base = 1.0e4 dims = 2 scaling(#fuse.rope_ntk<factor = 8.0>) : tensor<4x2x64xf16>
  return
}

// -----

// 9: rope_yarn needs a base above 1.
func.func @f(%x: tensor<4x2x64xf16>) {
  // expected-error @below {{expected a base above 1 for rope_yarn, but got 1.000000e+00; 1.0e4 is usual}}
  %0 = fuse.rotary half tokens_heads %x base = 1.0 scaling(#fuse.rope_yarn<factor = 8.0, original_max_position = 32>) : tensor<4x2x64xf16>
  return
}

// -----

// 9: rope_longrope needs a factor for each pair.
func.func @f(%x: tensor<4x2x64xf16>) {
  // expected-error @below {{expected rope_longrope with a factor for each of 32 pairs, but got 2; give as many, or other dims}}
  %0 = fuse.rotary half tokens_heads %x base = 1.0e4 scaling(#fuse.rope_longrope<factor = 8.0, original_max_position = 32, long_factors = [1.0, 2.0]>) : tensor<4x2x64xf16>
  return
}

// -----

// 10: given where there is a choice.
func.func @f(%x: tensor<4x2x4xf16>) {
  // expected-error @below {{expected length exactly where rope_longrope has short and long factors, but got none; add 'length(%n)', or leave one list}}
  %0 = fuse.rotary half tokens_heads %x base = 1.0e4 scaling(#fuse.rope_longrope<factor = 8.0, original_max_position = 32, short_factors = [1.0, 1.0], long_factors = [1.0, 2.0]>) : tensor<4x2x4xf16>
  return
}

// -----

// 10: only there.
func.func @f(%x: tensor<4x2x4xf16>, %n: tensor<i32>) {
  // expected-error @below {{expected length exactly where rope_longrope has short and long factors, but got one; remove it, or give both lists}}
  %0 = fuse.rotary half tokens_heads %x length(%n) base = 1.0e4 scaling(#fuse.rope_longrope<factor = 8.0, original_max_position = 32, short_factors = [1.0, 1.0]>) : tensor<4x2x4xf16>, tensor<i32>
  return
}

// -----

// 10: one number.
func.func @f(%x: tensor<4x2x4xf16>, %n: tensor<4xi32>) {
  // expected-error @below {{expected one length, but got 'tensor<4xi32>'; give tensor<i32>}}
  %0 = fuse.rotary half tokens_heads %x length(%n) base = 1.0e4 scaling(#fuse.rope_longrope<factor = 8.0, original_max_position = 32, short_factors = [1.0, 1.0], long_factors = [1.0, 2.0]>) : tensor<4x2x4xf16>, tensor<4xi32>
  return
}

// -----

// 11: positive.
func.func @f(%x: tensor<4x2x64xf16>) {
  // expected-error @below {{expected heads to be positive and at most those of 'tensor<4x2x64xf16>', but got 0; rotate the first heads of them}}
  %0 = fuse.rotary half tokens_heads %x base = 1.0e4 heads = 0 : tensor<4x2x64xf16>
  return
}

// -----

// 11: at most the number of heads.
func.func @f(%x: tensor<4x2x64xf16>) {
  // expected-error @below {{expected heads to be positive and at most those of 'tensor<4x2x64xf16>', but got 3}}
  %0 = fuse.rotary half tokens_heads %x base = 1.0e4 heads = 3 : tensor<4x2x64xf16>
  return
}

// -----

// 11: an axis of heads.
func.func @f(%x: tensor<4x64xf16>) {
  // expected-error @below {{expected an input with heads, but got 'tensor<4x64xf16>'; remove 'heads'}}
  %0 = fuse.rotary half heads_tokens %x base = 1.0e4 heads = 1 : tensor<4x64xf16>
  return
}

// -----

// Clauses have an order.
func.func @f(%x: tensor<4x2x8xf32>, %p: tensor<4xi32>) {
  // expected-error @below {{expected 'positions' once and before what follows it in the order tables, positions, sequences, offset, length, base, dims, heads, scaling, inverse, but got it later; move it there}}
  %0 = fuse.rotary half tokens_heads %x base = 1.0e4 positions(%p) : tensor<4x2x8xf32>, tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<4x2x8xf32>) {
  // expected-error @below {{expected one of tables, positions, sequences, offset, length, base, dims, heads, scaling, inverse, but got 'theta'; write these, in this order}}
  %0 = fuse.rotary half tokens_heads %x theta = 1.0e4 : tensor<4x2x8xf32>
  return
}
