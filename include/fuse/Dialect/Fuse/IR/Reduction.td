//===- Reduction.td - Reductions and what is made of them --*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_REDUCTION
#define FUSE_DIALECT_FUSE_IR_REDUCTION

include "fuse/Dialect/Fuse/IR/FuseBase.td"
include "fuse/Dialect/Fuse/IR/FuseEnums.td"

def ReduceOp : Fuse_InferredOp<"reduce", [Reduction]> {
  let summary = "reduction over a set of dimensions";
  let description = [{
    Combines the elements along `dims`. With `keep` the reduced dimensions stay
    with size 1, without it they go. An empty sum or any is 0, prod or all 1,
    max -inf and min +inf (the type's smallest and largest integer), mean NaN.
    max and min give NaN if any element is NaN.

    1. `dims` are distinct dimensions of the operand, in ascending order.
    2. any and all take i1; the others take numbers, mean floats.

    ```mlir
    %m = fuse.reduce max %x dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
    ```
  }];
  let arguments = (ins ReduceKindAttr:$kind, ComputeTensor:$input,
                       DenseI64ArrayAttr:$dims, UnitAttr:$keep);
  let results = (outs ComputeTensor:$result);
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let assemblyFormat = [{
    `` $kind $input `dims` `=` $dims (`keep` $keep^)? attr-dict `:`
    type($input) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// m, where this is sum(exp(x - m)) and m is max(x), both over the same
    /// dimensions and keeping them; null elsewhere. What is subtracted may also
    /// be 0 where m is infinite, as in fuse.logsumexp.
    ReduceOp getMaximumOfExponents();
    /// m, where this is sum((x - m)^2) or mean((x - m)^2) and m is mean(x), both
    /// over the same dimensions and keeping them; null elsewhere.
    ReduceOp getMeanOfDeviations();
  }];
}

class Fuse_ArgOp<string mnemonic, string extreme>
    : Fuse_Op<mnemonic, [Composite]> {
  let summary = "index of the first " # extreme # " element along a dimension";
  let description = [{
    A NaN counts as the }] # extreme # [{ value, so the first NaN is taken; the
    two zeros are equal. An empty dimension gives the result type's largest
    integer. With `keep` the dimension stays with size 1.

    1. `dim` is a dimension of the operand.
    2. The result has the operand's other dimensions.

    ```mlir
    %i = fuse.}] # mnemonic # [{ %x dim = 1 : tensor<?x128xf32> -> tensor<?xi32>
    ```
  }];
  let arguments = (ins NumberTensor:$input, I64Attr:$dim, UnitAttr:$keep);
  let results = (outs IntTensor:$result);
  let assemblyFormat = [{
    $input `dim` `=` $dim (`keep` $keep^)? attr-dict `:`
    type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def ArgMaxOp : Fuse_ArgOp<"argmax", "largest">;
def ArgMinOp : Fuse_ArgOp<"argmin", "smallest">;

def SoftmaxStatsOp : Fuse_Op<"softmax_stats", [Reduction]> {
  let summary = "the maximum, and the sum of exp(x - maximum), in one pass";
  let description = [{
    The online form of two reductions: while walking the elements, a larger
    maximum rescales the sum so far. Milakov and Gimelshein, arXiv:1805.02867.
    Both results keep the reduced dimensions with size 1.

    Where the maximum is infinite, the sum is that of exp(x): 0 if all elements
    are -inf, and +inf if one is +inf.

    1. `dims` are distinct dimensions of the operand, in ascending order.
  }];
  let arguments = (ins FloatTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs FloatTensor:$max, FloatTensor:$sum);
  let assemblyFormat = [{
    $input `dims` `=` $dims attr-dict `:` type($input) `->` type($max) `,` type($sum)
  }];
  let hasVerifier = 1;
}

def WelfordOp : Fuse_Op<"welford", [Reduction]> {
  let summary = "the mean and the squared deviations from it, in one pass";
  let description = [{
    mean(x), and the mean or the sum of (x - mean(x))^2, as `kind` says. Parts of
    the elements are combined by their numbers, sums and squared deviations from
    their own means, which no large mean spoils. Welford, Technometrics 4 (1962);
    the combination is that of Chan, Golub and LeVeque, STAN-CS-79-773.
    Both results keep the reduced dimensions with size 1. Where an element is not
    finite, the deviations are NaN; of no elements both are as of
    `fuse.reduce`.

    1. `kind` is sum or mean.
    2. `dims` are distinct dimensions of the operand, in ascending order.

    ```mlir
    %m, %v = fuse.welford mean %x dims = [1] : tensor<?x4096xf32> -> tensor<?x1xf32>, tensor<?x1xf32>
    ```
  }];
  let arguments = (ins ReduceKindAttr:$kind, FloatTensor:$input,
                       DenseI64ArrayAttr:$dims);
  let results = (outs FloatTensor:$mean, FloatTensor:$deviation);
  let assemblyFormat = [{
    `` $kind $input `dims` `=` $dims attr-dict `:` type($input) `->`
    type($mean) `,` type($deviation)
  }];
  let hasVerifier = 1;
}

class Fuse_SoftmaxLikeOp<string mnemonic, string summary_>
    : Fuse_Op<mnemonic, [Composite, AllTypesMatch<["input", "result"]>]> {
  let summary = summary_;
  let arguments = (ins FloatTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$input `dims` `=` $dims attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def SoftmaxOp : Fuse_SoftmaxLikeOp<"softmax", "exp(x - max) / sum(exp(x - max)) over dims"> {
  let description = [{
    A row whose elements are all -inf gives NaN, as the formula does.

    1. `dims` are distinct dimensions of the operand, in ascending order.
  }];
}
def LogSoftmaxOp : Fuse_SoftmaxLikeOp<"log_softmax", "x - max - log(sum(exp(x - max))) over dims"> {
  let description = [{
    1. `dims` are distinct dimensions of the operand, in ascending order.
  }];
}

def LogSumExpOp : Fuse_InferredOp<"logsumexp", [Composite]> {
  let summary = "max + log(sum(exp(x - max))) over dims";
  let description = [{
    A row of all -inf gives -inf, one with +inf gives +inf.

    1. `dims` are distinct dimensions of the operand, in ascending order.
  }];
  let arguments = (ins FloatTensor:$input, DenseI64ArrayAttr:$dims,
                       UnitAttr:$keep);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `dims` `=` $dims (`keep` $keep^)? attr-dict `:`
    type($input) `->` type($result)
  }];
}

def RmsNormOp : Fuse_Op<"rms_norm", [Composite, AllTypesMatch<["input", "result"]>]> {
  let summary = "x / sqrt(mean(x^2) + eps) * weight over the last dimension";
  let description = [{
    Zhang and Sennrich, arXiv:1910.07467.

    The squares are added up in f32, for f64 in f64. Where their sum is beyond
    that type, which rows of magnitudes from about 1e19 / sqrt(features) on have
    (f64: 1e154), the result is 0; where it is below the smallest normal number
    and `eps` is 0, which rows of magnitudes below 1e-19 have, it may be
    infinite. `fuse run --verify` says "overflowed" then.

    1. The input has rank 1 or more.
    2. `weight` has rank 1, the size of the last dimension, and the input's
       element type.
    3. `eps` is not negative.

    ```mlir
    %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x4096xbf16>, tensor<4096xbf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, Optional<FloatTensor>:$weight,
                       F64Attr:$eps);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input (`,` $weight^)? `eps` `=` $eps attr-dict `:`
    type($input) (`,` type($weight)^)?
  }];
  let hasVerifier = 1;
}

def LayerNormOp : Fuse_Op<"layer_norm", [Composite, AttrSizedOperandSegments,
                                         AllTypesMatch<["input", "result"]>]> {
  let summary = "(x - mean) / sqrt(variance + eps) * weight + bias over the last dimension";
  let description = [{
    The variance is mean((x - mean)^2). Ba et al., arXiv:1607.06450.

    The deviations and their squares are added up in f32, for f64 in f64. Where their sum is beyond
    that type, which rows of deviations from about 1e19 / sqrt(features) on have
    (f64: 1e154), the result is 0 or NaN; where it is below the smallest normal number
    and `eps` is 0, which rows of deviations below 1e-19 have, it may be
    infinite. `fuse run --verify` says "overflowed" then.

    1. The input has rank 1 or more.
    2. `weight` and `bias` have rank 1, the size of the last dimension, and the
       input's element type; `bias` needs `weight`.
    3. `eps` is not negative.

    ```mlir
    %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5
         : tensor<?x4096xf32>, tensor<4096xf32>, tensor<4096xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$input, Optional<FloatTensor>:$weight,
                       Optional<FloatTensor>:$bias, F64Attr:$eps);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input (`,` $weight^ (`,` $bias^)?)? `eps` `=` $eps attr-dict `:`
    type($input) (`,` type($weight)^ (`,` type($bias)^)?)?
  }];
  let hasVerifier = 1;
}

#endif // FUSE_DIALECT_FUSE_IR_REDUCTION
