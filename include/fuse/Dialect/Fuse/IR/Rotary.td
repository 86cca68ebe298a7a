//===- Rotary.td - Rotary position embedding ---------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_ROTARY
#define FUSE_DIALECT_FUSE_IR_ROTARY

include "fuse/Dialect/Fuse/IR/FuseBase.td"
include "fuse/Dialect/Fuse/IR/FuseEnums.td"

def RotaryOp : Fuse_Op<"rotary", [AttrSizedOperandSegments,
                                  AllTypesMatch<["input", "result"]>]> {
  let summary = "rotary position embedding";
  let description = [{
    Rotates each pair of the first R features (R is `dims`, or all D)
    of a head by the angle of its token: for pair i of the token at position p,
    (a, b) becomes (a cos - b sin, b cos + a sin); `inverse` turns the other
    way, which is the gradient. The features from R on are copied. Su et al.,
    arXiv:2104.09864.

    `layout`: `interleaved` pairs features 2i and 2i + 1; `half` (NeoX) pairs
    i and i + R/2. `order` says which axes are tokens and heads:
    `tokens_heads` is [.., tokens, heads, D], `heads_tokens` [.., heads,
    tokens, D].

    The position of token t is `positions[t]` (or `positions[b, t]`, b being
    the first axis), or t itself. cos and sin come from the tables' row of
    that number (a number outside the table takes its first or last row), or
    are computed: angle = position * base^(-2i/R).

    1. D is static and even; R is even, positive and at most D.
    2. Either both tables are given, or `base`, not both.
    3. The tables have equal types, shape [rows, R/2], and element type f32 or
       that of the input. Without `positions`, rows equal the tokens.
    4. `positions` is [tokens] or [batch, tokens], where batch is the input's
       first axis, of i32 or i64.
    5. The input has rank 3 or more for `tokens_heads`, 2 or more for
       `heads_tokens`.
    6. `base` is positive and finite.

    ```mlir
    %y = fuse.rotary interleaved tokens_heads %x tables(%cos, %sin)
         : tensor<?x32x128xf16>, tensor<?x64xf32>
    %z = fuse.rotary half heads_tokens %x positions(%p) base = 5.0e5 dims = 64
         : tensor<4x32x?x128xf16>, tensor<4x?xi32>
    ```
  }];
  let arguments = (ins FloatTensor:$input, Optional<FloatTensor>:$cosTable,
                       Optional<FloatTensor>:$sinTable,
                       Optional<IntTensor>:$positions,
                       RotaryLayoutAttr:$layout, HeadOrderAttr:$order,
                       OptionalAttr<F64Attr>:$base,
                       OptionalAttr<I64Attr>:$dims, UnitAttr:$inverse);
  let results = (outs FloatTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Features that are rotated (R); the rest are copied.
    int64_t getRotaryDims();
    /// Size of a head (D).
    int64_t getHeadDim();
    /// The axis of the input that holds the tokens.
    int64_t getTokenAxis();
  }];
}

#endif // FUSE_DIALECT_FUSE_IR_ROTARY
