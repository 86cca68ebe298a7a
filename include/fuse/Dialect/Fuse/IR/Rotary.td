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
include "fuse/Dialect/Fuse/IR/RotaryScaling.td"

def RotaryOp : Fuse_Op<"rotary", [AttrSizedOperandSegments,
                                  AllTypesMatch<["input", "result"]>]> {
  let summary = "rotary position embedding";
  let description = [{
    Rotates each pair of the first R features (R is `dims`, or all D)
    of a head by the angle of its token: for pair i of the token at position p,
    (a, b) becomes (a cos - b sin, b cos + a sin); `inverse` turns the other
    way, which is the gradient. The features from R on are copied, and so are
    the heads from `heads` on: those of the values, in a packed QKV. Su et al.,
    arXiv:2104.09864.

    `layout`: `interleaved` pairs features 2i and 2i + 1; `half` (NeoX) pairs
    i and i + R/2. `order` says which axes are tokens and heads:
    `tokens_heads` is [.., tokens, heads, D], `heads_tokens` [.., heads,
    tokens, D].

    The position of token t is n(t), plus `offset` where it is given: a number,
    or one for each b, the index of the first axis. n(t) is

    - `positions[t]`, or `positions[b, t]`;
    - with `sequences`, t - sequences[s]: sequence s has the tokens from
      sequences[s] up to sequences[s + 1] (cumulative lengths, from 0). s is the
      last sequence that starts at or before t, or the first. `offset` may then
      be one number for each sequence;
    - t itself without either.

    cos and sin come from the tables' row of the position's number (one outside
    the table takes its first or last row), or are computed: angle = position *
    base^(-2i/R). `scaling` replaces that frequency and multiplies cos and sin
    by a constant; see the attributes `rope_linear`, `rope_ntk`, `rope_llama3`,
    `rope_yarn` and `rope_longrope`. `length` is the sequence length by which
    LongRoPE chooses.

    1. D is static and even; R is even, positive and at most D.
    2. Either both tables are given, or `base`, not both.
    3. The tables have equal types, shape [rows, R/2], and element type f32 or
       that of the input. Where the position is t, rows equal the tokens.
    4. `positions` is [tokens] or [batch, tokens], where batch is the input's
       first axis, of i32 or i64.
    5. The input has rank 3 or more for `tokens_heads`, 2 or more for
       `heads_tokens`.
    6. `base` is positive and finite.
    7. `sequences` has one dimension, of 1 or more, and excludes `positions`. It
       must not decrease; if it does, positions are unspecified.
    8. `offset` is one number, or [batch], where batch is the input's first axis
       and not that of the tokens; with `sequences`, one number, or one less
       than `sequences` has.
    9. `scaling` goes with `base`, and suits it and R.
    10. `length` is one number, and given where `scaling` has two sets of
        frequencies, only there.
    11. `heads` is positive and at most the number of heads; the input has rank 3
        or more then.

    ```mlir
    %y = fuse.rotary interleaved tokens_heads %x tables(%cos, %sin)
         : tensor<?x32x128xf16>, tensor<?x64xf32>
    %z = fuse.rotary half heads_tokens %x positions(%p) base = 5.0e5 dims = 64
         : tensor<4x32x?x128xf16>, tensor<4x?xi32>
    %w = fuse.rotary half tokens_heads %qkv sequences(%cu) offset(%past)
         base = 5.0e5 heads = 40
         scaling(#fuse.rope_llama3<factor = 8.0, low_freq_factor = 1.0,
             high_freq_factor = 4.0, original_max_position = 8192>)
         : tensor<?x48x128xbf16>, tensor<?xi32>, tensor<?xi32>
    ```
  }];
  let arguments = (ins FloatTensor:$input, Optional<FloatTensor>:$cosTable,
                       Optional<FloatTensor>:$sinTable,
                       Optional<IntTensor>:$positions,
                       Optional<IntTensor>:$sequences,
                       Optional<IntTensor>:$offset,
                       Optional<IntTensor>:$length,
                       RotaryLayoutAttr:$layout, HeadOrderAttr:$order,
                       OptionalAttr<F64Attr>:$base,
                       OptionalAttr<I64Attr>:$dims,
                       OptionalAttr<I64Attr>:$heads,
                       OptionalAttr<RotaryScalingAttrInterface>:$scaling,
                       UnitAttr:$inverse);
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
    /// The axis of the input that holds the heads; negative if there is none.
    int64_t getHeadAxis();
    /// Whether the position of token t is t.
    bool countsTokens() {
      return !getPositions() && !getSequences() && !getOffset();
    }
    /// With `base`: the angle in radians by which each pair advances per
    /// position; `isLong` where a sequence length chooses.
    ::llvm::SmallVector<long double> getFrequencies(bool isLong = false);
    /// With `base`: what cos and sin are multiplied by.
    double getMagnitude();
  }];
}

#endif // FUSE_DIALECT_FUSE_IR_ROTARY
