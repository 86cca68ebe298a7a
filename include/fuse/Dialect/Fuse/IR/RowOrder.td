//===- RowOrder.td - Scans and selections of rows ----------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_ROWORDER
#define FUSE_DIALECT_FUSE_IR_ROWORDER

include "fuse/Dialect/Fuse/IR/FuseBase.td"
include "fuse/Dialect/Fuse/IR/FuseEnums.td"

// These ops work along the last dimension, the row. A scan may be along another
// one; for a selection, fuse.transpose brings it there.

def ScanOp : Fuse_Op<"scan", [RowOrder, AllTypesMatch<["input", "result"]>]> {
  let summary = "sum, product, maximum or minimum of all elements up to each";
  let description = [{
    result[.., j] combines input[.., 0] to input[.., j], as fuse.reduce combines
    them; with `exclusive` those before j only, so that the first is what
    fuse.reduce gives for no elements (0, 1, -inf or the smallest integer, +inf
    or the largest). With `reverse` it is from the row's end: input[.., j] to the
    last element. With `dim` it is along that dimension in place of the last.
    From the first NaN on, floats are NaN.

    1. The operand has rank 1 or more.
    2. `kind` is sum, prod, max or min.
    3. `dim` is a dimension of the operand.

    ```mlir
    %c = fuse.scan sum %x : tensor<?x4096xf32>
    %e = fuse.scan max %x exclusive reverse : tensor<?x4096xi32>
    %d = fuse.scan prod %x dim = 0 : tensor<?x4096xf32>
    ```
  }];
  let arguments = (ins ReduceKindAttr:$kind, NumberTensor:$input,
                       OptionalAttr<I64Attr>:$dim, UnitAttr:$exclusive,
                       UnitAttr:$reverse);
  let results = (outs NumberTensor:$result);
  let assemblyFormat = [{
    `` custom<ScanKind>($kind) $input (`dim` `=` $dim^)? (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict
    `:` type($input)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The dimension that is walked.
    int64_t getAxis() {
      int64_t last = getInput().getType().getRank() - 1;
      return static_cast<int64_t>(getDim().value_or(last));
    }
  }];
}

def TopKOp : Fuse_Op<"top_k", [RowOrder]> {
  let summary = "the k largest elements of each row, and where they were";
  let description = [{
    `values` are the k largest elements of each row, the largest first, and `ids`
    their places in it; of equal ones the first come first. NaN is larger than
    all other numbers, and the two zeros are equal: which of them stands in
    `values` is open. With `smallest` the order is the opposite one, the smallest
    first, and NaN last; of equal ones the first still come first.

    1. The operand has rank 1 or more.
    2. `k` is from 1 to 64.
    3. Rows have at least `k` elements; of dynamic length, this is checked when
       the program runs.
    4. The results have the operand's shape, but for the last dimension, `k`, and
       `values` its element type.

    ```mlir
    %v, %i = fuse.top_k %x k = 8 : tensor<?x256xbf16> -> tensor<?x8xbf16>, tensor<?x8xi32>
    ```
  }];
  let arguments = (ins NumberTensor:$input, I64Attr:$k, UnitAttr:$smallest);
  let results = (outs NumberTensor:$values, IntTensor:$ids);
  let assemblyFormat = [{
    $input `k` `=` $k (`smallest` $smallest^)? attr-dict `:`
    type($input) `->` type($values) `,` type($ids)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The most elements that can be asked for.
    static constexpr int64_t mostElements = 64;
  }];
}

def SegmentSumOp : Fuse_InferredOp<"segment_sum"> {
  let summary = "sums of runs of rows that follow each other";
  let description = [{
    result[i, k..] = input[offsets[i], k..] + .. + input[offsets[i + 1] - 1, k..],
    added up in this order, in f32 for 16-bit floats, with an error that does not
    grow with their number; 0 where offsets[i + 1] is not larger. Rows that the
    operand does not have are left out.

    With rows in the order of the places that they go to, by which fuse.gather
    brings them, this is a scatter that adds: the same sums in every run, which
    atomic additions have not.

    1. The operand has rank 1 or more.
    2. `offsets` has rank 1 and at least one element; the result has one row less.

    ```mlir
    %s = fuse.segment_sum %x, %offsets : tensor<?x64xf32>, tensor<9xi32> -> tensor<8x64xf32>
    ```
  }];
  let arguments = (ins NumberTensor:$input, IntTensor:$offsets);
  let results = (outs NumberTensor:$result);
  let assemblyFormat = [{
    $input `,` $offsets attr-dict `:` type($input) `,` type($offsets) `->`
    type($result)
  }];
}

#endif // FUSE_DIALECT_FUSE_IR_ROWORDER
