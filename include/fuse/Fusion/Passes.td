//===- Passes.td - The fusion passes -----------------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_FUSION_PASSES_TD
#define FUSE_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def BindDims : Pass<"fuse-bind-dims", "::mlir::func::FuncOp"> {
  let summary = "Name the dynamic dimensions of a program's arguments";
  let description = [{
    Sets `fuse.dims` on every argument that has dynamic dimensions: one name
    each, equal where the program needs equal sizes, a number where it needs
    that size. Names that the user gave stay; the others are ARGUMENT.AXIS.

    Before:
    ```mlir
    func.func @f(%x: tensor<?x4xf32> {fuse.name = "x"},
                 %y: tensor<?x4xf32> {fuse.name = "y"}) -> tensor<?x4xf32> {
      %s = fuse.add %x, %y : tensor<?x4xf32>
      return %s : tensor<?x4xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<?x4xf32> {fuse.dims = ["x.0"], fuse.name = "x"},
                 %y: tensor<?x4xf32> {fuse.dims = ["x.0"], fuse.name = "y"})
    ```
  }];
}

def SpecializeDims : Pass<"fuse-specialize-dims", "::mlir::func::FuncOp"> {
  let summary = "Give dynamic dimensions of a program the sizes of a call";
  let description = [{
    Puts `sizes` into the types of the arguments, of all that follows from them,
    and of the results. A dimension is named as `fuse-bind-dims` names it. Does
    nothing without sizes.

    Before, with `sizes=n=64`:
    ```mlir
    func.func @f(%x: tensor<?x?xf32> {fuse.dims = ["T", "n"]}) -> tensor<?x1xf32> {
      %s = fuse.reduce sum %x dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
      return %s : tensor<?x1xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<?x64xf32> {fuse.dims = ["T"]}) -> tensor<?x1xf32> {
      %s = fuse.reduce sum %x dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
      return %s : tensor<?x1xf32>
    }
    ```
  }];
  let options = [
    ListOption<"sizes", "sizes", "std::string", "Sizes by name: NAME=SIZE">,
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def FormKernels : Pass<"fuse-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "Group primitives into fuse.kernel ops";
  let description = [{
    Merges producers into consumers, then independent neighbours, as long as
    one kernel can run the group, the merge makes no cycle, and a model of the
    machine (bytes, instructions and launches) does not predict it to be
    slower. A reshape between two ops of a group goes with them. Each group
    becomes a `fuse.kernel`. Independent neighbours may have several shapes, if
    they are pointwise or reduce rows: each shape gets blocks of its own in one
    launch. On GPUs contractions that share the operand of their rows
    may be one kernel, whether or not their results meet; and two with a softmax
    of rows between them, as attention has, are one that streams the rows. What is reduced along
    the last axis of a contraction's result may be had from its tiles there, which
    the schedulers' model of time decides (`fuse.in_tiles` on the reduction has
    both times). On a GPU what is reduced over all rows, and follows from it
    element by element, belongs to the kernel that reduces the rows. What was not
    merged,
    and why, is recorded in the function's
    attribute `fuse.missed`: a `consumer` and its `producer`, or a `kernel` of
    rows and an independent `neighbour`.

    Before:
    ```mlir
    %m = fuse.reduce max %x dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
    %d = fuse.sub %x, %m : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
    ```
    After:
    ```mlir
    %d = fuse.kernel "f" ins(%x : tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%a: tensor<8x64xf32>):
      %m = fuse.reduce max %a dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
      %s = fuse.sub %a, %m : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
      fuse.yield %s : tensor<8x64xf32>
    }
    ```
  }];
  let options = [
    Option<"fusion", "fusion", "bool", "true",
           "Merge; without it every op is a kernel of its own">,
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "The machine whose rates the cost model uses">,
    Option<"strict", "strict", "bool", "false",
           "Keep the roundings and the order of additions: no rows between two "
           "contractions are streamed, and tensor cores multiply no f64">
  ];
}

def AttachOperands : Pass<"fuse-attach-operands", "::mlir::func::FuncOp"> {
  let summary = "Let contractions compute their operands from bytes";
  let description = [{
    What widens bytes for a contraction, as weights of 8 or 4 bits that are cast
    and scaled, is a kernel of its own when kernels are formed. Where tensor cores
    then take less time by the model, for the rows that `fuse.assumed_sizes` says
    or the types have, the contraction's kernel computes it in its tiles, and reads
    the bytes. `fuse.together` has both times.

    Before:
    ```mlir
    %d = fuse.kernel "f_0" ins(%w, %s : tensor<256x512xi8>, tensor<256x1xbf16>) -> tensor<256x512xbf16> {
    ^bb0(%a: tensor<256x512xi8>, %b: tensor<256x1xbf16>):
      %c = fuse.cast %a : tensor<256x512xi8> -> tensor<256x512xbf16>
      %e = fuse.mul %c, %b : tensor<256x512xbf16>, tensor<256x1xbf16>
      fuse.yield %e : tensor<256x512xbf16>
    }
    %y = fuse.kernel "f_1" ins(%x, %d : tensor<64x512xbf16>, tensor<256x512xbf16>) -> tensor<64x256xbf16> {
    ^bb0(%a: tensor<64x512xbf16>, %b: tensor<256x512xbf16>):
      %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x512xbf16>, tensor<256x512xbf16> -> tensor<64x256xbf16>
      fuse.yield %p : tensor<64x256xbf16>
    }
    ```
    After:
    ```mlir
    %y = fuse.kernel "f_1" ins(%x, %w, %s : ...) -> tensor<64x256xbf16> {
    ^bb0(%x: tensor<64x512xbf16>, %a: tensor<256x512xi8>, %b: tensor<256x1xbf16>):
      %c = fuse.cast %a : tensor<256x512xi8> -> tensor<256x512xbf16>
      %e = fuse.mul %c, %b : tensor<256x512xbf16>, tensor<256x1xbf16>
      %p = fuse.contract "mk,nk->mn" %x, %e : tensor<64x512xbf16>, tensor<256x512xbf16> -> tensor<64x256xbf16>
      fuse.yield %p : tensor<64x256xbf16>
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "The machine that is scheduled for">,
    Option<"aligned", "aligned", "bool", "true",
           "Tensors start at multiples of 16 bytes">,
    Option<"divisible", "divisible", "bool", "false",
           "Dynamic innermost dimensions are multiples of 16 bytes">,
    Option<"strict", "strict", "bool", "false",
           "Tensor cores, which round no product of f64, multiply none">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def SplitContractions : Pass<"fuse-split-contractions", "::mlir::func::FuncOp"> {
  let summary = "Give contractions that cannot share a kernel their own";
  let description = [{
    `fuse-form-kernels` lets several contractions share a kernel on tensor cores, as
    those before a SwiGLU. Whether copies can read their operands is known for a
    call only: these must start at multiples of 16 bytes, and so must their rows.
    Where they do not, or the chip has no such instructions, each contraction gets a
    kernel of its own, with what follows from it and those before it. Kernels that
    have a schedule are left alone.

    Before:
    ```mlir
    %y = fuse.kernel "f" ins(%x, %v, %w : ...) -> tensor<8x63xbf16> {
    ^bb0(%a: tensor<8x63xbf16>, %b: tensor<63x63xbf16>, %c: tensor<63x63xbf16>):
      %p = fuse.contract "mk,nk->mn" %a, %b : ... -> tensor<8x63xbf16>
      %q = fuse.contract "mk,nk->mn" %a, %c : ... -> tensor<8x63xbf16>
      %r = fuse.mul %p, %q : tensor<8x63xbf16>
      fuse.yield %r : tensor<8x63xbf16>
    }
    ```
    After:
    ```mlir
    %p = fuse.kernel "f_0" ins(%x, %v : ...) -> tensor<8x63xbf16> {
    ^bb0(%a: tensor<8x63xbf16>, %b: tensor<63x63xbf16>):
      %p = fuse.contract "mk,nk->mn" %a, %b : ... -> tensor<8x63xbf16>
      fuse.yield %p : tensor<8x63xbf16>
    }
    %y = fuse.kernel "f_1" ins(%x, %w, %p : ...) -> tensor<8x63xbf16> {
    ^bb0(%a: tensor<8x63xbf16>, %c: tensor<63x63xbf16>, %p: tensor<8x63xbf16>):
      %q = fuse.contract "mk,nk->mn" %a, %c : ... -> tensor<8x63xbf16>
      %r = fuse.mul %p, %q : tensor<8x63xbf16>
      fuse.yield %r : tensor<8x63xbf16>
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "The machine that is scheduled for">,
    Option<"aligned", "aligned", "bool", "true",
           "Tensors start at multiples of 16 bytes">,
    Option<"divisible", "divisible", "bool", "false",
           "Dynamic innermost dimensions are multiples of 16 bytes">,
    Option<"strict", "strict", "bool", "false",
           "Tensor cores, which round no product of f64, multiply none">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def AlignContractions : Pass<"fuse-align-contractions", "::mlir::func::FuncOp"> {
  let summary = "Copy operands of contractions to rows that tensor cores can read";
  let description = [{
    Tensor maps read rows that start at multiples of 16 bytes. Where the last
    dimension of an operand has another size, the operand is copied with
    zeros behind it: along the summed axis they change nothing, along another
    one a slice drops what they give. A dynamic size stays.

    Operands of 8-bit floats and TF32 are read along the summed axis only. Others
    are transposed first.

    Only for chips that have such instructions, and only if the copies are
    predicted to take less than the products would on the ordinary cores.

    Before:
    ```mlir
    %y = fuse.contract "mk,nk->mn" %x, %w
         : tensor<4096x1001xbf16>, tensor<4096x1001xbf16> -> tensor<4096x4096xbf16>
    ```
    After, of each operand:
    ```mlir
    %p = fuse.pad %x low = [0, 0] high = [0, 7] value = 0.0
         : tensor<4096x1001xbf16> -> tensor<4096x1008xbf16>
    %y = fuse.contract "mk,nk->mn" %p, %q
         : tensor<4096x1008xbf16>, tensor<4096x1008xbf16> -> tensor<4096x4096xbf16>
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "The machine; without tensor maps nothing changes">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def SplitTileStatistics
    : Pass<"fuse-split-tile-statistics", "::mlir::func::FuncOp"> {
  let summary = "Give reductions kernels of their own where no tiles leave parts";
  let description = [{
    Kernels are formed for calls whose tensors tensor cores can read. Where they
    cannot, since tensors start anywhere or rows are no multiples of 16 bytes, a
    kernel that contracts and reduces becomes two: the second one reduces what
    the first one writes. A reduction of an input with few elements a row gets a
    kernel before them. Kernels that have a schedule are left alone.

    Before:
    ```mlir
    %h, %s = fuse.kernel "f" ins(%x, %w : tensor<?x64xbf16>, tensor<32x64xbf16>)
        -> tensor<?x32xbf16>, tensor<?xbf16> {
    ^bb0(%a: tensor<?x64xbf16>, %b: tensor<32x64xbf16>):
      %c = fuse.contract "mk,nk->mn" %a, %b
           : tensor<?x64xbf16>, tensor<32x64xbf16> -> tensor<?x32xbf16>
      %r = fuse.reduce max %c dims = [1] : tensor<?x32xbf16> -> tensor<?xbf16>
      fuse.yield %c, %r : tensor<?x32xbf16>, tensor<?xbf16>
    }
    ```
    After:
    ```mlir
    %h = fuse.kernel "f" ins(%x, %w : tensor<?x64xbf16>, tensor<32x64xbf16>)
        -> tensor<?x32xbf16> {
    ^bb0(%a: tensor<?x64xbf16>, %b: tensor<32x64xbf16>):
      %c = fuse.contract "mk,nk->mn" %a, %b
           : tensor<?x64xbf16>, tensor<32x64xbf16> -> tensor<?x32xbf16>
      fuse.yield %c : tensor<?x32xbf16>
    }
    %s = fuse.kernel "f_rows" ins(%h : tensor<?x32xbf16>) -> tensor<?xbf16> {
    ^bb0(%a: tensor<?x32xbf16>):
      %r = fuse.reduce max %a dims = [1] : tensor<?x32xbf16> -> tensor<?xbf16>
      fuse.yield %r : tensor<?xbf16>
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "The machine that runs the kernels">,
    Option<"aligned", "aligned", "bool", "true",
           "Tensors start at multiples of 16 bytes">,
    Option<"divisible", "divisible", "bool", "false",
           "Dynamic last dimensions are multiples of 16 bytes">,
    Option<"strict", "strict", "bool", "false",
           "Tensor cores, which round no product of f64, multiply none">
  ];
}

def CombineInReaders
    : Pass<"fuse-combine-in-readers", "::mlir::func::FuncOp"> {
  let summary = "Let contractions combine the parts of the rows that they read";
  let description = [{
    Tiles of a contraction leave parts of the rows' reductions, which a launch of
    its own combines. Where all readers of the result are contractions for tensor
    cores, the kernel's results are the parts of the tiles that it is proposed,
    and the readers combine those of their rows, if the model of time finds that
    faster. Kernels that have a schedule are left alone.

    Before:
    ```mlir
    %h, %s = fuse.kernel "f" ins(%x, %w : ...) -> tensor<?x4096xbf16>, tensor<?x1xf32> {
      ...
      %r = fuse.reduce sum %q dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
      fuse.yield %c, %r : tensor<?x4096xbf16>, tensor<?x1xf32>
    }
    %y = fuse.kernel "g" ins(%h, %v, %s : ...) -> tensor<?x14336xbf16> {
    ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<14336x4096xbf16>, %t: tensor<?x1xf32>):
      ...
    }
    ```
    After:
    ```mlir
    %h, %p = fuse.kernel "f" ins(%x, %w : ...) -> tensor<?x4096xbf16>, tensor<?x16xf32> {
      ...
      %e = tensor.expand_shape %q [[0], [1, 2]] output_shape [%m, 16, 256]
           : tensor<?x4096xf32> into tensor<?x16x256xf32>
      %r = fuse.reduce sum %e dims = [2] : tensor<?x16x256xf32> -> tensor<?x16xf32>
      fuse.yield %c, %r : tensor<?x4096xbf16>, tensor<?x16xf32>
    }
    %y = fuse.kernel "g" ins(%h, %v, %p : ...) -> tensor<?x14336xbf16> {
    ^bb0(%a: tensor<?x4096xbf16>, %b: tensor<14336x4096xbf16>, %q: tensor<?x16xf32>):
      %t = fuse.reduce sum %q dims = [1] keep : tensor<?x16xf32> -> tensor<?x1xf32>
      ...
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "The machine that runs the kernels">,
    Option<"aligned", "aligned", "bool", "true",
           "Tensors start at multiples of 16 bytes">,
    Option<"divisible", "divisible", "bool", "false",
           "Dynamic last dimensions are multiples of 16 bytes">,
    Option<"strict", "strict", "bool", "false",
           "Tensor cores, which round no product of f64, multiply none">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def HoistRowScale : Pass<"fuse-hoist-row-scale", "::mlir::func::FuncOp"> {
  let summary = "Take factors of rows out of contractions";
  let description = [{
    contract(x * r[m] * w[k], B) = r[m] * contract(x * w[k], B): a factor of an
    operand that has one value along the summed axes is multiplied into the
    result instead, where the contraction's kernel has it in registers. It may be
    one of a row of the left operand, of a column of the right one, of a batch,
    or a number; it may be a divisor; casts, reshapes and transposes may lie
    between. The norm before a matmul so becomes a scale behind it.

    It applies where x is in memory in any case (an input, a result of the
    program, or a residual that is read again behind the contraction), and

    - nothing but a view of x is left of the operand: nobody writes a scaled one;
    - or x follows element by element from an earlier contraction, and the factor
      from a reduction of x. The kernel of the earlier contraction then writes
      x * w beside x, and the one of the reduction only a number a row.

    Elsewhere, as for a norm with a weight of an input, the kernel that reduces the
    rows writes the operand in either case, and the program stays as it is. So it
    does where an op that would go has other users than such contractions.

    Numbers. What is rounded to the operand's elements is x * w, not x * r * w:
    once an element as before, with the same bound for its relative error, but
    not to the same bits. Only for elements with the range of f32: f16 keeps the
    order of the program, as products that are not normalised yet might
    overflow. An explicit cast to fewer bits asks for a rounding, and nothing
    below it moves. Strict compilations run no such pass.

    A factor of any size may make partial products overflow or vanish that the
    program's own order would not. A norm's, the reciprocal root of a mean of
    squares, cannot where the squares themselves do not. So the pipelines run the
    pass with `norms-only`.

    Of what applies, what a model of time predicts to be slower than a kernel of
    the norm's own stays as it is. `fuse.row_scale` on the contraction has both
    times.

    Before:
    ```mlir
    %f = fuse.cast %x : tensor<?x64xbf16> -> tensor<?x64xf32>
    %n = fuse.mul %f, %r : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
    %y = fuse.cast %n {fuse.implicit} : tensor<?x64xf32> -> tensor<?x64xbf16>
    %c = fuse.contract "mk,kn->mn" %y, %B
         : tensor<?x64xbf16>, tensor<64x32xbf16> -> tensor<?x32xbf16>
    ```
    After:
    ```mlir
    %c = fuse.contract "mk,kn->mn" %x, %B
         : tensor<?x64xbf16>, tensor<64x32xbf16> -> tensor<?x32xbf16>
    %f = fuse.cast %c {fuse.implicit} : tensor<?x32xbf16> -> tensor<?x32xf32>
    %s = fuse.mul %f, %r : tensor<?x32xf32>, tensor<?x1xf32> -> tensor<?x32xf32>
    %y = fuse.cast %s {fuse.implicit} : tensor<?x32xf32> -> tensor<?x32xbf16>
    ```
  }];
  let options = [
    Option<"normsOnly", "norms-only", "bool", "false",
           "Take only reciprocal roots, as of norms">,
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "The machine whose rates the model of time uses">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fuse::FuseDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CopyViews : Pass<"fuse-copy-views", "::mlir::func::FuncOp"> {
  let summary = "Copy views where the program needs dense tensors";
  let description = [{
    Results without `fuse.strided` are dense, and so is what a scatter writes a
    part of. Where either is an argument with `fuse.strided`, or a reshape of one,
    a kernel that yields its input makes a dense copy. A kernel that reads what it
    scatters into, as ids or updates, reads such a copy, too.

    A result with `fuse.strided` is written by the kernel that computes it, if
    nothing else reads it there. Elsewhere such a kernel copies it from a dense
    tensor: what several read, a scatter writes or no kernel computes.

    `copied` has the numbers of arguments, and behind them of results, with
    `fuse.strided` whose strides do not let reshapes join dimensions, such as the
    first two of a transposed matrix. Reshapes that join some get a dense copy,
    and results that a reshape splits are copied.

    Tensor cores read operands whose rows start at multiples of 16 bytes: views of
    others are copied for them, too.

    Before:
    ```mlir
    func.func @f(%x: tensor<?x4xf32> {fuse.strided = "rows"}) -> tensor<?x4xf32> {
      return %x : tensor<?x4xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<?x4xf32> {fuse.strided = "rows"}) -> tensor<?x4xf32> {
      %y = fuse.kernel "copy" ins(%x : tensor<?x4xf32>) -> tensor<?x4xf32> {
      ^bb0(%a: tensor<?x4xf32>):
        fuse.yield %a : tensor<?x4xf32>
      }
      return %y : tensor<?x4xf32>
    }
    ```
  }];
  let options = [
    ListOption<"copied", "copied", "unsigned",
               "Numbers of arguments and results whose dimensions cannot be joined">,
    Option<"chip", "chip", "std::string", "\"\"",
           "The machine; only where its tensor cores run contractions are their operands copied">,
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def CollapseDims : Pass<"fuse-collapse-dims", "::mlir::func::FuncOp"> {
  let summary = "Make dimensions one that nothing in a kernel tells apart";
  let description = [{
    Neighbouring dimensions that a kernel reduces, or that stay and are its last
    ones, become one dimension, of any length: vectors need then not divide the
    last of them alone. So do those that transposes keep together. Every value
    that is tied to them must have all of them, or size 1 along them, or none.
    Where one has a part of them, such as a bias of the last dimension, where an
    op asks for its place along one, and where an input or a result is a view
    with `fuse.strided`, they stay apart.

    The kernel's inputs and results are reshaped on the host, which moves
    nothing; what the kernel computes, and from which elements, does not change.
    Kernels that have a schedule are left alone.

    Before:
    ```mlir
    %s = fuse.kernel "f" ins(%x : tensor<?x4097xf32>) -> tensor<f32> {
    ^bb0(%a: tensor<?x4097xf32>):
      %e = fuse.exp %a : tensor<?x4097xf32>
      %r = fuse.reduce sum %e dims = [0, 1] : tensor<?x4097xf32> -> tensor<f32>
      fuse.yield %r : tensor<f32>
    }
    ```
    After:
    ```mlir
    %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x4097xf32> into tensor<?xf32>
    %s = fuse.kernel "f" ins(%c : tensor<?xf32>) -> tensor<f32> {
    ^bb0(%a: tensor<?xf32>):
      %e = fuse.exp %a : tensor<?xf32>
      %r = fuse.reduce sum %e dims = [0] : tensor<?xf32> -> tensor<f32>
      fuse.yield %r : tensor<f32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // FUSE_FUSION_PASSES_TD
