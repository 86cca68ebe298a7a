//===- Contraction.td - Products summed over an axis -------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_CONTRACTION
#define FUSE_DIALECT_FUSE_IR_CONTRACTION

include "fuse/Dialect/Fuse/IR/FuseBase.td"
include "fuse/Dialect/Fuse/IR/FuseEnums.td"
include "fuse/Dialect/Fuse/IR/Reduction.td"

def MatmulOp : Fuse_InferredOp<"matmul", [Composite]> {
  let summary = "batched matrix product, accumulated in f32 (f64 for f64)";
  let description = [{
    result[.., m, n] = sum over k of lhs[.., m, k] rhs[.., k, n]. The leading
    dimensions broadcast. `transpose_lhs` reads lhs as [.., k, m],
    `transpose_rhs` rhs as [.., n, k], which is the layout of a linear layer's
    weight.

    1. Both operands have rank 2 or more and one element type.
    2. The contracted sizes agree.
    3. The leading dimensions broadcast.
    4. `precision = tf32`, see fuse.contract, is for operands of f32.

    ```mlir
    %y = fuse.matmul %x, %w transpose_rhs
         : tensor<?x512xf16>, tensor<2048x512xf16> -> tensor<?x2048xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$lhs, FloatTensor:$rhs,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs,
                       OptionalAttr<ContractPrecisionAttr>:$precision);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)?
    (`transpose_rhs` $transpose_rhs^)? (`precision` `=` `` $precision^)?
    attr-dict `:`
    type($lhs) `,` type($rhs) `->` type($result)
  }];
}

def ContractOp : Fuse_Op<"contract"> {
  let summary = "sum of products by named axes";
  let description = [{
    The primitive under matmul and attention. `spec` names the axes of the
    operands and of the result by letters, as einsum does: an axis that only
    the operands have is summed over.

    1. `spec` is `LHS,RHS->RESULT`, each a word of distinct letters, as many as
       the tensor has dimensions.
    2. Each letter of the result is in an operand; a letter in only one operand
       is in the result; at least one letter is summed over.
    3. A letter has one size wherever it stands; in an operand it may also have
       the static size 1, which repeats.
    4. All three have one element type; or both operands are 8-bit floats, of
       one format or of both, and the result is a wider float.
    5. `precision = tf32` is for operands and a result of f32.

    8-bit floats are multiplied exactly and summed in f32: the same as the
    contraction of what casts to f32 make of them.

    With `precision = tf32` tensor cores may multiply f32, of which they read 10
    bits of the fraction: each factor may be cut or rounded to these, by less than
    2^-10 of itself. Sums are in f32. What other cores multiply is exact.

    ```mlir
    %s = fuse.contract "blhgd,bmhd->bhglm" %q, %k
         : tensor<2x?x8x4x64xf16>, tensor<2x?x8x64xf16> -> tensor<2x8x4x?x?xf16>
    ```
  }];
  let arguments = (ins StrAttr:$spec, FactorTensor:$lhs, FactorTensor:$rhs,
                       OptionalAttr<ContractPrecisionAttr>:$precision);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $spec $lhs `,` $rhs (`precision` `=` `` $precision^)? attr-dict `:`
    type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The letters of each tensor's axes.
    ::llvm::StringRef getLhsAxes();
    ::llvm::StringRef getRhsAxes();
    ::llvm::StringRef getResultAxes();
    /// The letters that are summed over, in the order of the left operand.
    ::llvm::SmallString<4> getContractedAxes();
    /// Whether factors of f32 may be cut to TF32.
    bool usesTF32() { return getPrecision() == ContractPrecision::tf32; }
  }];
}

def AttentionOp : Fuse_InferredOp<"attention", [Composite]> {
  let summary = "scaled dot-product attention";
  let description = [{
    softmax(scale q k^T) v for each head; `causal` lets the query at l see the
    keys up to l + (keys - queries). With fewer key heads than query heads
    (GQA), query head h reads key head h / (H / Hkv). `order` gives the axes:
    `tokens_heads` is [batch, tokens, heads, D], `heads_tokens` [batch, heads,
    tokens, D]. The value's heads, and so the result's, may have another size
    than D.

    1. query, key and value have rank 4 and one element type.
    2. Head counts and sizes are static; query heads are a multiple of key heads.
    3. key and value agree in batch, tokens and heads, query and key in batch
       and D.
    4. `precision = tf32`, of both products, see fuse.contract, is for f32.

    `scale` defaults to 1/sqrt(D).

    ```mlir
    %o = fuse.attention tokens_heads causal %q, %k, %v
         : tensor<2x?x8x64xf16>, tensor<2x?x2x64xf16>, tensor<2x?x2x64xf16>
    ```
  }];
  let arguments = (ins HeadOrderAttr:$order, UnitAttr:$causal,
                       FloatTensor:$query, FloatTensor:$key, FloatTensor:$value,
                       OptionalAttr<F64Attr>:$scale,
                       OptionalAttr<ContractPrecisionAttr>:$precision);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    `` $order (`causal` $causal^)? $query `,` $key `,` $value
    (`scale` `=` $scale^)? (`precision` `=` `` $precision^)? attr-dict `:`
    type($query) `,` type($key) `,` type($value)
  }];
  let hasVerifier = 1;
}

#endif // FUSE_DIALECT_FUSE_IR_CONTRACTION
