//===- ReductionPasses.td - Passes on reductions -----------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_TRANSFORMS_REDUCTIONPASSES_TD
#define FUSE_DIALECT_FUSE_TRANSFORMS_REDUCTIONPASSES_TD

include "mlir/Pass/PassBase.td"

def FuseKeepReducedDims
    : Pass<"fuse-keep-reduced-dims", "::mlir::func::FuncOp"> {
  let summary = "Keep reduced dimensions where something gives them back";
  let description = [{
    Whether a reduction keeps its dimensions, as size 1, must not decide what shares a
    kernel. Where a `tensor.expand_shape` gives a result, or what is computed from it
    element by element, these dimensions back, the reduction keeps them, and what else
    reads the result drops them. A reduction of leading dimensions is broadcast along
    them as it is: it keeps them where its result meets what it has reduced.

    Before:

    ```mlir
    %m = fuse.reduce max %x dims = [1] : tensor<8x64xf32> -> tensor<8xf32>
    %u = tensor.expand_shape %m [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
    %y = fuse.div %x, %u : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
    ```

    After:

    ```mlir
    %m = fuse.reduce max %x dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
    %y = fuse.div %x, %m : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseWidenReductions
    : Pass<"fuse-widen-reductions", "::mlir::func::FuncOp"> {
  let summary = "Reduce with columns what repeats along them";
  let description = [{
    A reduction of what all columns have in common, as of a mask whose count divides
    sums of the columns that it keeps, is of another shape than theirs, and another
    walk. Where these columns are computed from what it reduces, and it only meets what
    they are reduced to, it is repeated along them: one more operation an element.

    Before:

    ```mlir
    %p = fuse.mul %x, %f : tensor<8x50x64xf32>, tensor<8x50x1xf32> -> tensor<8x50x64xf32>
    %s = fuse.reduce sum %p dims = [1] : tensor<8x50x64xf32> -> tensor<8x64xf32>
    %c = fuse.reduce sum %f dims = [1] : tensor<8x50x1xf32> -> tensor<8x1xf32>
    %y = fuse.div %s, %c : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
    ```

    After:

    ```mlir
    %w = fuse.broadcast %f : tensor<8x50x1xf32> -> tensor<8x50x64xf32>
    %c = fuse.reduce sum %w dims = [1] : tensor<8x50x64xf32> -> tensor<8x64xf32>
    %y = fuse.div %s, %c : tensor<8x64xf32>
    ```
  }];
}

def FuseUnrollReductions
    : Pass<"fuse-unroll-reductions", "::mlir::func::FuncOp"> {
  let summary = "Add up a few terms element by element before a reduction of rows";
  let description = [{
    A sum, mean, maximum or minimum of up to eight elements that are rows apart, as of what
    experts give a token, whose result is reduced along its last dimension, becomes
    operations on slices, in pairs: the kernel of the rows computes them.

    Before:

    ```mlir
    %s = fuse.reduce sum %x dims = [0] : tensor<2x8x64xf32> -> tensor<8x64xf32>
    %m = fuse.reduce max %s dims = [1] : tensor<8x64xf32> -> tensor<8xf32>
    ```

    After:

    ```mlir
    %a = fuse.slice %x offsets = [0, 0, 0] sizes = [1, -1, -1] steps = [1, 1, 1] : ...
    %b = fuse.slice %x offsets = [1, 0, 0] sizes = [1, -1, -1] steps = [1, 1, 1] : ...
    %c = fuse.add %a, %b : tensor<1x8x64xf32>
    %s = tensor.collapse_shape %c [[0, 1], [2]] : tensor<1x8x64xf32> into tensor<8x64xf32>
    %m = fuse.reduce max %s dims = [1] : tensor<8x64xf32> -> tensor<8xf32>
    ```
  }];
}

def FuseNestReductions
    : Pass<"fuse-nest-reductions", "::mlir::func::FuncOp"> {
  let summary = "Reduce further what another reduction has left";
  let description = [{
    Where elements are reduced over some dimensions, and by the same kind over more, the
    second reduction goes on from the results of the first: a kernel of rows takes in all
    rows, too, and nothing is read twice. Extremes and integers are exact; sums, means
    and products of floats go on in the type in which they are added up, 16-bit ones
    before they are rounded. A mean also goes on from sums of known numbers of elements.
    Values are the same that the same ops compute, or that casts have widened. What rows
    of another shape have one of each is reduced where these are.

    Before:

    ```mlir
    %r = fuse.reduce max %x dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
    %a = fuse.reduce max %x dims = [0, 1] : tensor<?x64xf32> -> tensor<f32>
    ```

    After:

    ```mlir
    %r = fuse.reduce max %x dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
    %a = fuse.reduce max %r dims = [0] : tensor<?xf32> -> tensor<f32>
    ```
  }];
  let dependentDialects = ["FuseDialect", "::mlir::tensor::TensorDialect"];
}

def FuseSplitReductions
    : Pass<"fuse-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Make two steps of reductions whose results are too few";
  let description = [{
    A row, or a few columns, are the work of one block. A reduction with so few
    results that most of the machine would idle becomes two: the first makes
    enough partial results, the second combines them. It is cut between the
    dimensions that it reduces, or inside the first of them where its static
    size has a suitable divisor. With `shared-by-blocks` only where the program
    goes on from several results to values of the shape that is reduced: other
    results are shared among blocks by the kernel's schedule. So are rows of up to
    `shared-row-bytes`, each by up to `blocks-per-row` blocks.

    A reduction whose operand needs rows of its shape reduced is always cut behind
    the row, so that its first step joins their kernel. So is one of all elements
    beside one of rows, or of columns, of the same tensors.

    Before:
    ```mlir
    %s = fuse.reduce sum %x dims = [0, 1] : tensor<?x4096xf32> -> tensor<f32>
    ```
    After:
    ```mlir
    %p = fuse.reduce sum %x dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
    %k = fuse.reduce sum %p dims = [0] keep : tensor<?x1xf32> -> tensor<1x1xf32>
    %s = tensor.collapse_shape %k [] : tensor<1x1xf32> into tensor<f32>
    ```
  }];
  let options = [
    Option<"blocks", "blocks", "int64_t", "264",
           "Blocks that keep the machine busy">,
    Option<"sharedByBlocks", "shared-by-blocks", "bool", "false",
           "Schedules let blocks share a result: cut only where the program goes "
           "on from several to values of the shape that is reduced">,
    Option<"blocksPerRow", "blocks-per-row", "int64_t", "1",
           "Blocks that share a row, which then keeps them busy">,
    Option<"sharedRowBytes", "shared-row-bytes", "int64_t", "0",
           "The longest row that blocks share">
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

#endif // FUSE_DIALECT_FUSE_TRANSFORMS_REDUCTIONPASSES_TD
