//===- Passes.td - Passes within the fuse dialect ----------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_TRANSFORMS_PASSES
#define FUSE_DIALECT_FUSE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def FuseDecompose : Pass<"fuse-decompose"> {
  let summary = "Expand composite ops into primitives";
  let description = [{
    Replaces every op with the trait Composite by the primitives that its
    description names, so that the later stages know primitives only.

    Numbers. Composites whose formula holds constants that 16 bits cannot name
    (gelu, geglu, the scale of attention), or squares and sums that 16 bits
    cannot hold (softmax, log_softmax, logsumexp, rms_norm, layer_norm), cast
    f16 and bf16 operands to f32 first and cast the result back. silu, relu and
    swiglu need neither and keep their element type: a kernel computes them in
    f32 anyway, and rounds an intermediate value only where it leaves.

    tensor.extract_slice, concat and pad become the movement ops of this dialect
    where offsets, steps and amounts are static; others are errors.

    Constants have rank 0 and broadcast, so that CSE merges them. Sizes that
    only the run knows come from `tensor.dim`.

    Before:

    ```mlir
    func.func @norm(%x: tensor<?x64xbf16>, %w: tensor<64xbf16>) -> tensor<?x64xbf16> {
      %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x64xbf16>, tensor<64xbf16>
      return %y : tensor<?x64xbf16>
    }
    ```

    After:

    ```mlir
    func.func @norm(%x: tensor<?x64xbf16>, %w: tensor<64xbf16>) -> tensor<?x64xbf16> {
      %0 = fuse.cast %x : tensor<?x64xbf16> -> tensor<?x64xf32>
      %1 = fuse.mul %0, %0 : tensor<?x64xf32>
      %2 = fuse.reduce mean %1 dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
      %3 = fuse.constant dense<9.99999974E-6> : tensor<f32>
      %4 = fuse.add %2, %3 : tensor<?x1xf32>, tensor<f32>
      %5 = fuse.rsqrt %4 : tensor<?x1xf32>
      %6 = fuse.mul %0, %5 : tensor<?x64xf32>, tensor<?x1xf32>
      %7 = fuse.cast %w : tensor<64xbf16> -> tensor<64xf32>
      %8 = fuse.mul %6, %7 : tensor<?x64xf32>, tensor<64xf32>
      %9 = fuse.cast %8 {fuse.implicit} : tensor<?x64xf32> -> tensor<?x64xbf16>
      return %9 : tensor<?x64xbf16>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fuse::FuseDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FuseJoinSums : Pass<"fuse-join-sums", "::mlir::func::FuncOp"> {
  let summary = "Make one sum of the sums of many tensors";
  let description = [{
    The sums of whole tensors that are added up, as for the norm of all gradients, would
    each take a launch: the blocks that share one wait for each other. The tensors are cut
    into rows of one length instead, whose sums share a launch and are stored side by
    side, and these are summed. Of static shapes that rows of 256 elements divide. So it
    is with maxima, minima, `any` and `all`, and where a concat of results is reduced.

    The sum of what a mask keeps, which has an element for each row, becomes one of rows
    where the mask is summed, too: blocks add up the mask beside the rows.

    Before:

    ```mlir
    %s = fuse.reduce sum %x dims = [0, 1] : tensor<512x512xf32> -> tensor<f32>
    %t = fuse.reduce sum %y dims = [0, 1] : tensor<512x512xf32> -> tensor<f32>
    %u = fuse.reduce sum %z dims = [0, 1] : tensor<512x512xf32> -> tensor<f32>
    %a = fuse.add %s, %t : tensor<f32>
    %b = fuse.add %a, %u : tensor<f32>
    ```

    After:

    ```mlir
    %c = fuse.concat %p, %q, %r dim = 0 : tensor<128x1xf32>, tensor<128x1xf32>, tensor<128x1xf32> -> tensor<384x1xf32>
    %b = fuse.reduce sum %c dims = [0, 1] : tensor<384x1xf32> -> tensor<f32>
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def FuseJoinProducts : Pass<"fuse-join-products", "::mlir::func::FuncOp"> {
  let summary = "Make one product of a sum of products that are scores";
  let description = [{
    Scores that are sums of products, as where positions have features of their own,
    become one product of the operands side by side, which a kernel streams. An operand
    that lacks an axis of the others, or has size 1 there, is repeated. The products may
    be scaled by one number, or widened, before they are added, but not in f16.

    ```mlir
    %a = fuse.contract "bhqd,bhkd->bhqk" %x, %k : tensor<2x8x?x128xbf16>, tensor<2x8x?x128xbf16> -> tensor<2x8x?x?xbf16>
    %b = fuse.contract "bhqd,bkd->bhqk" %y, %r : tensor<2x8x?x64xbf16>, tensor<2x?x64xbf16> -> tensor<2x8x?x?xbf16>
    %s = fuse.add %a, %b : tensor<2x8x?x?xbf16>
    // Becomes, where %t is %r repeated for each head:
    %q = fuse.concat %x, %y dim = 3 : tensor<2x8x?x128xbf16>, tensor<2x8x?x64xbf16> -> tensor<2x8x?x192xbf16>
    %c = fuse.concat %k, %t dim = 3 : tensor<2x8x?x128xbf16>, tensor<2x8x?x64xbf16> -> tensor<2x8x?x192xbf16>
    %s = fuse.contract "bhqd,bhkd->bhqk" %q, %c : tensor<2x8x?x192xbf16>, tensor<2x8x?x192xbf16> -> tensor<2x8x?x?xbf16>
    ```
  }];
  let options = [
    Option<"narrowOnly", "narrow-only", "bool", "false",
           "Products of 16-bit floats only, as tensor cores stream them">
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def FuseFoldRepeats : Pass<"fuse-fold-repeats", "::mlir::func::FuncOp"> {
  let summary = "Let contractions repeat operands that are repeated for them";
  let description = [{
    Heads of keys that are repeated for the query heads which share them would be
    written to memory, and read as often. A contraction repeats an operand's size of 1
    by itself: the axes that a collapse behind the repetition joins become axes of the
    contraction, and the repetition goes.

    Before:

    ```mlir
    %b = fuse.broadcast %k : tensor<8x1x64x128xbf16> -> tensor<8x4x64x128xbf16>
    %r = tensor.collapse_shape %b [[0, 1], [2], [3]] : tensor<8x4x64x128xbf16> into tensor<32x64x128xbf16>
    %s = fuse.contract "hld,hmd->hlm" %q, %r : tensor<32x16x128xbf16>, tensor<32x64x128xbf16> -> tensor<32x16x64xbf16>
    ```

    After:

    ```mlir
    %e = tensor.expand_shape %q [[0, 1], [2], [3]] output_shape [8, 4, 16, 128] : tensor<32x16x128xbf16> into tensor<8x4x16x128xbf16>
    %t = fuse.contract "hald,hamd->halm" %e, %k : tensor<8x4x16x128xbf16>, tensor<8x1x64x128xbf16> -> tensor<8x4x16x64xbf16>
    %s = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<8x4x16x64xbf16> into tensor<32x16x64xbf16>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseSplitConcats : Pass<"fuse-split-concats", "::mlir::func::FuncOp"> {
  let summary = "Reduce the parts of concatenated rows one by one";
  let description = [{
    Rows to which an element is appended for a reduction only, as a sink is to the scores
    of attention, are never put together: what is computed from them element by element
    is computed from the parts, reductions along them are combined, and slices that leave
    out the rest are a part. That is done where nothing else needs the whole rows. Of rows
    of up to eight single elements, others get what is computed joined again.

    Before:

    ```mlir
    %c = fuse.concat %x, %s dim = 1 : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x65xf32>
    %m = fuse.reduce max %c dims = [1] keep : tensor<8x65xf32> -> tensor<8x1xf32>
    %d = fuse.sub %c, %m : tensor<8x65xf32>, tensor<8x1xf32>
    %y = fuse.slice %d offsets = [0, 0] sizes = [8, 64] : tensor<8x65xf32> -> tensor<8x64xf32>
    ```

    After:

    ```mlir
    %n = fuse.reduce max %x dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
    %m = fuse.max %n, %s : tensor<8x1xf32>
    %y = fuse.sub %x, %m : tensor<8x64xf32>, tensor<8x1xf32>
    ```
  }];
  let dependentDialects = ["FuseDialect"];
}

def FuseSplitPads : Pass<"fuse-split-pads", "::mlir::func::FuncOp"> {
  let summary = "Write rows of padding behind reductions as parts of a concatenation";
  let description = [{
    The threads of a row fill what is beside it along its last dimension. Padding of the
    dimensions before that is rows which nobody computes: what follows from reductions
    and is stored, element by element or moved, is concatenated with constants there.

    Before, with `%n` of a norm:

    ```mlir
    %y = fuse.pad %n low = [1, 0] high = [2, 0] value = 0.0 : tensor<8x64xf32> -> tensor<11x64xf32>
    ```

    After:

    ```mlir
    %c = fuse.constant dense<0.0> : tensor<f32>
    %a = fuse.broadcast %c : tensor<f32> -> tensor<1x64xf32>
    %b = fuse.broadcast %c : tensor<f32> -> tensor<2x64xf32>
    %y = fuse.concat %a, %n, %b dim = 0 : tensor<1x64xf32>, tensor<8x64xf32>, tensor<2x64xf32> -> tensor<11x64xf32>
    ```
  }];
  let dependentDialects = ["FuseDialect"];
}

def FuseGatherRows : Pass<"fuse-gather-rows", "::mlir::func::FuncOp"> {
  let summary = "Compute what a loss reads of rows, and no other elements";
  let description = [{
    Where elements of rows that follow from their reductions are gathered by their index
    among all, row * columns + label, the rows need not be stored. If nothing else needs
    them, a kernel computes the rows that are read, each by its number. Else what follows
    from the reductions element by element is computed where it is read. An index that is
    in another row, or in none, gives what it gave.

    Before:

    ```mlir
    %l = fuse.sub %x, %s : tensor<8x64xf32>, tensor<8x1xf32>
    %f = tensor.collapse_shape %l [[0, 1]] : tensor<8x64xf32> into tensor<512xf32>
    %y = fuse.gather %f, %place dim = 0 : tensor<512xf32>, tensor<8xi64> -> tensor<8xf32>
    ```

    After, if `%s` is needed elsewhere, with `%row` of `%place` by division, and but for
    places that are out of the tensor:

    ```mlir
    %f = tensor.collapse_shape %x [[0, 1]] : tensor<8x64xf32> into tensor<512xf32>
    %x1 = fuse.gather %f, %place dim = 0 : tensor<512xf32>, tensor<8xi64> -> tensor<8xf32>
    %t = tensor.collapse_shape %s [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
    %s1 = fuse.gather %t, %row dim = 0 : tensor<8xf32>, tensor<8xi64> -> tensor<8xf32>
    %y = fuse.sub %x1, %s1 : tensor<8xf32>
    ```
  }];
  let dependentDialects = [
    "FuseDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FusePropagateReshapes
    : Pass<"fuse-propagate-reshapes", "::mlir::func::FuncOp"> {
  let summary = "Move reshapes to the ends of a program, where they are free";
  let description = [{
    A reshape between two ops changes the shape in which a kernel would walk
    them. `tensor.collapse_shape` moves down past pointwise ops and reductions,
    `tensor.expand_shape` up past pointwise ops that do not follow from a reduction:
    what lies between works in the shape with more dimensions, and the reshapes end
    at inputs and results, as views of memory. A gather from floats that a cast has
    widened, reshaped or not, gathers before the cast: from memory, if what is cast is an argument.

    Where an expansion meets a collapse, and neither undoes the other, both change places
    by way of the shape that refines both: of [8, 128] and [2, 512], [2, 4, 128]. Where
    there is none, ops that read nothing broadcast leave both to their operands.

    Before, the norm of each head and a weight for all heads together:

    ```mlir
    %h = fuse.mul %x, %r : tensor<8x4x32xf32>, tensor<8x4x1xf32> -> tensor<8x4x32xf32>
    %c = tensor.collapse_shape %h [[0], [1, 2]] : tensor<8x4x32xf32> into tensor<8x128xf32>
    %y = fuse.mul %c, %w : tensor<8x128xf32>, tensor<128xf32> -> tensor<8x128xf32>
    ```

    After:

    ```mlir
    %h = fuse.mul %x, %r : tensor<8x4x32xf32>, tensor<8x4x1xf32> -> tensor<8x4x32xf32>
    %v = tensor.expand_shape %w [[0, 1]] output_shape [4, 32] : tensor<128xf32> into tensor<4x32xf32>
    %m = fuse.mul %h, %v : tensor<8x4x32xf32>, tensor<4x32xf32> -> tensor<8x4x32xf32>
    %y = tensor.collapse_shape %m [[0], [1, 2]] : tensor<8x4x32xf32> into tensor<8x128xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseSumBlocks : Pass<"fuse-sum-blocks", "::mlir::func::FuncOp"> {
  let summary = "Scale products of 8-bit floats block by block of the summed axis";
  let description = [{
    Where both operands of a contraction of 16-bit floats are 8-bit floats times
    scales that are the same for 128 neighbours along the summed axis, these are
    multiplied as they are, and the sums of each block are scaled. An operand
    that is split in blocks is a `tensor.collapse_shape` of [.., blocks, 128],
    also with its other axis split. The roundings of the scaled operands are left
    out, so that it is done with `rounds` only.

    A sum of blocks, also one that the program has, gets the contraction's shape.

    Before:

    ```mlir
    %s = fuse.mul %x, %a : tensor<64x4x128xbf16>, tensor<64x4x1xbf16> -> tensor<64x4x128xbf16>
    %l = tensor.collapse_shape %s [[0], [1, 2]] : tensor<64x4x128xbf16> into tensor<64x512xbf16>
    %p = fuse.contract "mk,nk->mn" %l, %r : tensor<64x512xbf16>, tensor<256x512xbf16> -> tensor<64x256xbf16>
    ```

    After, %y and %b being what %r is made of, with casts left out:

    ```mlir
    %p = fuse.contract "mak,nak->amn" %x, %y
         : tensor<64x4x128xf8E4M3FN>, tensor<256x4x128xf8E4M3FN> -> tensor<4x64x256xf32>
    %q = fuse.mul %p, %a : tensor<4x64x256xf32>, tensor<4x64x1xf32> -> tensor<4x64x256xf32>
    %t = fuse.mul %q, %b : tensor<4x64x256xf32>, tensor<4x1x256xf32> -> tensor<4x64x256xf32>
    %y = fuse.reduce sum %t dims = [0] : tensor<4x64x256xf32> -> tensor<64x256xf32>
    ```
  }];
  let options = [
    Option<"rounds", "rounds", "bool", "true",
           "Roundings of operands may be left out, and the chip multiplies "
           "8-bit floats">
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def FuseRaiseMovement : Pass<"fuse-raise-movement", "::mlir::func::FuncOp"> {
  let summary = "Move transposes, expansions and slices of rows up past reductions";
  let description = [{
    A kernel that reduces rows can read them in any order, but writes them where it
    walks. A transpose that leaves the reduced dimensions where they are goes up
    past the ops that its operand follows from, as far as nobody else needs their
    results, if a reduction is among them: pointwise ops, reductions of the last
    dimensions that keep them, and rotary embeddings whose tokens and heads change
    places. It stays where reductions that it cannot pass remain before it, or goes
    down past what needs other places of their rows. So does a `tensor.expand_shape` go
    up, whose reductions then have more dimensions, and a slice of other dimensions than
    the reduced ones: rows that nobody needs are not computed.

    Rows that are needed as they are and in groups that are reduced have the shape of
    the groups as far as ops of their shape go, back to what lies in memory; what is
    stored otherwise is a `tensor.collapse_shape` of them.

    Before, a norm of each head, and heads before tokens for an attention:

    ```mlir
    %r = fuse.rsqrt %m : tensor<?x8x1xf32>
    %n = fuse.mul %x, %r : tensor<?x8x128xf32>, tensor<?x8x1xf32> -> tensor<?x8x128xf32>
    %t = fuse.transpose %n permutation = [1, 0, 2] : tensor<?x8x128xf32> -> tensor<8x?x128xf32>
    ```

    After, with `%m` of `%y`:

    ```mlir
    %y = fuse.transpose %x permutation = [1, 0, 2] : tensor<?x8x128xf32> -> tensor<8x?x128xf32>
    %r = fuse.rsqrt %m : tensor<8x?x1xf32>
    %t = fuse.mul %y, %r : tensor<8x?x128xf32>, tensor<8x?x1xf32> -> tensor<8x?x128xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def FuseFormWelford : Pass<"fuse-form-welford", "::mlir::func::FuncOp"> {
  let summary = "Take a mean and the squared deviations from it in one walk";
  let description = [{
    A mean and the sum or the mean of (x - mean)^2 over the same dimensions become
    one `fuse.welford`: threads exchange their parts once, and a row or a column
    that is not in registers is read once less.

    Before:

    ```mlir
    %m = fuse.reduce mean %x dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    %d = fuse.sub %x, %m : tensor<?x?xf32>, tensor<?x1xf32> -> tensor<?x?xf32>
    %q = fuse.mul %d, %d : tensor<?x?xf32>
    %v = fuse.reduce mean %q dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    ```

    After:

    ```mlir
    %m, %v = fuse.welford mean %x dims = [1] : tensor<?x?xf32> -> tensor<?x1xf32>, tensor<?x1xf32>
    ```
  }];
  let options = [
    Option<"statisticsOnly", "statistics-only", "bool", "false",
           "Only where the program does not go on from the results to values of "
           "the shape that is reduced">
  ];
}

def FuseSplitRotaries : Pass<"fuse-split-rotaries", "::mlir::func::FuncOp"> {
  let summary = "Cut matrices whose products with a vector are rotated";
  let description = [{
    A rotary embedding of what products of a matrix with a vector leave, as
    queries and keys of one token, takes pairs of sums of different rows. The
    matrix is cut into the rows of the pairs' first and second features, so that
    the sums of a pair are found together and the rotation follows in their
    kernel. Between products and rotary embedding may be what is computed
    feature by feature, such as a bias. Heads that are rotated in part stay.

    Before:

    ```mlir
    %y = fuse.contract "bd,nd->bn" %x, %w
         : tensor<1x64xf32>, tensor<32x64xf32> -> tensor<1x32xf32>
    %r = fuse.rotary half heads_tokens %y base = 1.0e4 : tensor<1x32xf32>
    ```

    After, with the cosines and sines of the positions:

    ```mlir
    %a = fuse.contract "bd,nd->bn" %x, %firsts
         : tensor<1x64xf32>, tensor<16x64xf32> -> tensor<1x16xf32>
    %b = fuse.contract "bd,nd->bn" %x, %seconds
         : tensor<1x64xf32>, tensor<16x64xf32> -> tensor<1x16xf32>
    // first = a cos - b sin, second = b cos + a sin
    %r = fuse.concat %first, %second dim = 1
         : tensor<1x16xf32>, tensor<1x16xf32> -> tensor<1x32xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def FuseReduceMatrixVector
    : Pass<"fuse-reduce-matrix-vector", "::mlir::func::FuncOp"> {
  let summary = "Make products with a vector reductions";
  let description = [{
    Where all axes of one operand of a contraction are axes of the other one, in
    the same order, each element of that one is used once, so that the product
    takes as long as reading it: one row times a weight, as in decoding, or a dot
    product for each row. It becomes a reduction of products, computed in f32 for
    16-bit operands as contractions are, and fuses as reductions do. Sizes of 1
    count for nothing; a dynamic size is not taken for 1. With `streams` the
    contractions of attention stay: one kernel runs both.

    Before:

    ```mlir
    %y = fuse.contract "mk,nk->mn" %x, %w
         : tensor<1x64xf32>, tensor<32x64xf32> -> tensor<1x32xf32>
    ```

    After:

    ```mlir
    %e = tensor.expand_shape %w [[0, 1], [2]] output_shape [1, 32, 64]
         : tensor<32x64xf32> into tensor<1x32x64xf32>
    %v = tensor.expand_shape %x [[0, 1], [2]] output_shape [1, 1, 64]
         : tensor<1x64xf32> into tensor<1x1x64xf32>
    %p = fuse.mul %e, %v
         : tensor<1x32x64xf32>, tensor<1x1x64xf32> -> tensor<1x32x64xf32>
    %y = fuse.reduce sum %p dims = [2] : tensor<1x32x64xf32> -> tensor<1x32xf32>
    ```

    A matrix that is computed from elements of 8 or 4 bits, as weights with scales
    are, is reduced with each of a few rows by itself, unless tensor cores may
    compute it on its way to them: of 16-bit floats, and by eight neighbours.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
  let options = [
    Option<"mostRows", "most-rows", "int64_t", "8",
           "Rows that multiply such a matrix one by one; 1 for none">,
    Option<"streams", "streams", "bool", "false",
           "leave f16 and bf16 contractions with a softmax between them, which tensor "
           "cores stream">
  ];
}

def FuseRepeatStatistics
    : Pass<"fuse-repeat-statistics", "::mlir::func::FuncOp"> {
  let summary = "Let each row that multiplies a vector find its statistic";
  let description = [{
    Where rows of a matrix are multiplied with a vector, and all of that has a
    factor that follows from a reduction of as many elements, as behind a norm,
    the products wait for it: for a launch, or for blocks that meet. Each row
    that is walked reduces these elements once more, beside the products, and
    the factor goes behind their sum. For vectors of up to 16,384 elements,
    matrices of elements of 16 bits and more, and sums in f32 of what has the
    range of f32.

    Before:

    ```mlir
    %s = fuse.reduce mean %q dims = [1] keep : tensor<1x64xf32> -> tensor<1x1xf32>
    %r = fuse.rsqrt %s : tensor<1x1xf32>
    %n = fuse.mul %x, %r : tensor<1x64xf32>, tensor<1x1xf32>
    %p = fuse.mul %w, %n : tensor<32x64xf32>, tensor<1x64xf32>
    %y = fuse.reduce sum %p dims = [1] : tensor<32x64xf32> -> tensor<32xf32>
    ```

    After:

    ```mlir
    %p = fuse.mul %w, %x : tensor<32x64xf32>, tensor<1x64xf32>
    %z = fuse.reduce sum %p dims = [1] : tensor<32x64xf32> -> tensor<32xf32>
    %b = fuse.broadcast %q : tensor<1x64xf32> -> tensor<32x64xf32>
    %s = fuse.reduce mean %b dims = [1] : tensor<32x64xf32> -> tensor<32xf32>
    %r = fuse.rsqrt %s : tensor<32xf32>
    %y = fuse.mul %z, %r : tensor<32xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def FuseSplitWelford : Pass<"fuse-split-welford", "::mlir::func::FuncOp"> {
  let summary = "Take a mean and squared deviations apart in registers";
  let description = [{
    Where the threads of one block hold the row of a `fuse.welford` in registers,
    a walk more costs no memory, and a second exchange less than the combination
    of deviations: the mean, and the reduction of (x - mean)^2, are two again.
    Calls that move few bytes (`preload`), and blocks that stay, wait for
    exchanges and keep the one.
  }];
}

// Those of reductions, and of softmaxes.
include "fuse/Dialect/Fuse/Transforms/ReductionPasses.td"
include "fuse/Dialect/Fuse/Transforms/SoftmaxPasses.td"

#endif // FUSE_DIALECT_FUSE_TRANSFORMS_PASSES
