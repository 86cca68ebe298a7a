//===- Kernel.td - One kernel, and its launch --------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_KERNEL
#define FUSE_DIALECT_FUSE_IR_KERNEL

include "fuse/Dialect/Fuse/IR/FuseBase.td"
include "fuse/Dialect/Fuse/IR/FuseEnums.td"
include "fuse/Dialect/Fuse/IR/FuseSchedule.td"
include "mlir/IR/SymbolInterfaces.td"

def KernelOp : Fuse_Op<"kernel", [IsolatedFromAbove,
                                  SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "a region that becomes one kernel";
  let description = [{
    What crosses the edge of the region is a byte moved; what stays inside
    lives in registers or shared memory. `schedule` is the whole decision of
    how the region maps onto blocks, threads and lanes.

    1. The block's arguments have the types of `inputs`.
    2. The yielded values have the types of the results.
    3. The body holds primitives of this dialect, tensor reshapes and the sizes
       that these need only.
    4. All elements of a constant in the body are equal; other constants are
       inputs.

    ```mlir
    %y = fuse.kernel "double" ins(%x : tensor<?x4096xf32>) -> tensor<?x4096xf32>
        schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
    ^bb0(%a: tensor<?x4096xf32>):
      %s = fuse.add %a, %a : tensor<?x4096xf32>
      fuse.yield %s : tensor<?x4096xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$kernel_name, Variadic<AnyFuseTensor>:$inputs,
                       OptionalAttr<ScheduleAttrInterface>:$schedule);
  let results = (outs Variadic<AnyFuseTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kernel_name `ins` `(` ($inputs^ `:` type($inputs))? `)`
    (`->` type($results)^)? (`schedule` `=` $schedule^)?
    attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::fuse::YieldOp getYield();
  }];
}

def YieldOp : Op<FuseDialect, "yield", [Pure, Terminator,
                                        ParentOneOf<["KernelOp"]>]> {
  let summary = "what leaves the kernel";
  let arguments = (ins Variadic<AnyFuseTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ValueRange()); }]>];
}

def TensorMapAttr : AttrDef<FuseDialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "how a kernel's asynchronous copies find an operand";
  let description = [{
    The kernel gets, by value, a tensor map (cuTensorMapEncodeTiled) of pointer
    `operand`, counted over the inputs and results of the launch. A copy moves
    `box` elements, the dimension of neighbours in memory first, whose rows of
    128 bytes are swizzled in shared memory. Outside of the tensor there are
    zeros to read, and nothing is written.

    1. `box` has 1 to 5 sizes from 1 to 256.
  }];
  let parameters = (ins "int64_t":$operand, ArrayRefParameter<"int64_t">:$box);
  let assemblyFormat = "`<` `operand` `=` $operand `,` `box` `=` `[` $box `]` `>`";
  let genVerifyDecl = 1;
}
def TensorMapArrayAttr : TypedArrayAttrBase<TensorMapAttr, "tensor maps">;

def LaunchOp : Fuse_Op<"launch", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the launch of a lowered kernel";
  let description = [{
    What a `fuse.kernel` becomes on the host: the kernel's pointers are
    `inputs`, then the results, then `sizes` as i64. `in_place` pairs [result,
    input] name the inputs whose buffer the result may be written to.
    `result_dims` gives the results' dynamic dimensions, in order.

    `copies` pairs [result, input]: the result's buffer must hold the input's
    content before the launch, which writes a part of it. The two may be one
    buffer where nothing reads the input later; otherwise the program copies.

    `gathered` are the numbers of inputs that the kernel only gathers from:
    where it does, and how much of them it reads, depends on other inputs.

    Of the pointers (inputs, then results) in `touched_pointers` the kernel reads
    or writes `touched` elements each, and of others all. For those in `at_most`
    this is a bound: other inputs decide.

    `shared_bytes` is the dynamic shared memory of a block, `cluster` the number
    of blocks that form a cluster, of which `blocks` is a multiple.

    Behind the sizes the kernel gets `tensor_maps`. `map_dims` gives for each the
    sizes of its dimensions, the innermost first, and then how far neighbours
    along each but the innermost lie apart, in elements.

    The blocks of a `cooperative` launch wait for each other, so that all run at
    the same time; where the device has no room for `blocks`, there are fewer.
    The pointer behind the results is then to an i32 of the kernel's own, 0 at
    first, which keeps what the kernel leaves there.

    1. `kernel` is @MODULE::@FUNCTION, and where that module stands in the
       program, it holds the function.
    2. `threads` is from 1 to 1024.
    3. `result_dims` has one value for each dynamic dimension of the results.
    4. `in_place` holds pairs [result, input] of one type.
    5. `copies` holds pairs [result, input] of one type, at most one a result.
    6. `gathered` holds numbers of inputs.
    7. `map_dims` has two values less one for each size of each map's box, and
       the maps are of inputs and results.
    8. `touched_pointers` and `at_most` hold numbers of pointers, the former as
       many as there are values in `touched`.

    ```mlir
    %y = fuse.launch @gelu::@gelu blocks(%g) threads(256) ins(%x : tensor<?xf32>)
         sizes(%n) result_dims(%n) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Index:$blocks, I64Attr:$threads,
                       Variadic<AnyFuseTensor>:$inputs, Variadic<Index>:$sizes,
                       Variadic<Index>:$result_dims,
                       Variadic<Index>:$map_dims,
                       Variadic<Index>:$touched,
                       OptionalAttr<StrArrayAttr>:$ops,
                       OptionalAttr<ScheduleAttrInterface>:$schedule,
                       OptionalAttr<ArrayAttr>:$in_place,
                       OptionalAttr<ArrayAttr>:$copies,
                       OptionalAttr<DenseI64ArrayAttr>:$gathered,
                       OptionalAttr<DenseI64ArrayAttr>:$touched_pointers,
                       OptionalAttr<DenseI64ArrayAttr>:$at_most,
                       OptionalAttr<I64Attr>:$shared_bytes,
                       OptionalAttr<I64Attr>:$cluster,
                       UnitAttr:$cooperative,
                       OptionalAttr<TensorMapArrayAttr>:$tensor_maps);
  let results = (outs Variadic<AnyFuseTensor>:$results);
  let assemblyFormat = [{
    $kernel `blocks` `(` $blocks `)` `threads` `(` $threads `)`
    `ins` `(` ($inputs^ `:` type($inputs))? `)` (`sizes` `(` $sizes^ `)`)?
    (`result_dims` `(` $result_dims^ `)`)?
    (`map_dims` `(` $map_dims^ `)`)?
    (`touched` `(` $touched^ `)`)?
    (`->` type($results)^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The pairs [result, input] in `in_place` or `copies`; none if null.
    static ::llvm::SmallVector<std::pair<unsigned, unsigned>>
    getPairs(::mlir::ArrayAttr pairs);
  }];
}

def StrideOp : Fuse_Op<"stride"> {
  let summary = "how far apart an argument's or a result's elements lie";
  let description = [{
    The distance in memory, in elements, between neighbours along dimension `dim`
    of a program's argument or, for a `tensor.empty` with `fuse.result = N`, of
    what the caller gives for result N. Known at the call; never negative.

    1. `dim` is a dimension of the operand.

    ```mlir
    %s = fuse.stride %x dim = 0 : tensor<?x4096xf32>
    ```
  }];
  let arguments = (ins AnyFuseTensor:$input, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$input `dim` `=` $dim attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def ScalarOp : Fuse_Op<"scalar"> {
  let summary = "the bits of a number that is passed by value";
  let description = [{
    The element of a program's argument with `fuse.scalar`, as it is when the
    program is called: its bits, with zeros in front. Kernels get it by value.

    1. The operand has one element.

    ```mlir
    %s = fuse.scalar %rate : tensor<f32>
    ```
  }];
  let arguments = (ins AnyFuseTensor:$input);
  let results = (outs Index:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def RequireOp : Op<FuseDialect, "require"> {
  let summary = "a condition on sizes that a call is checked for";
  let description = [{
    Before its first launch the program compares two sizes, `eq` or `ge`, and
    where that does not hold the call fails and nothing is launched. The error
    is "expected MESSAGE, but got LHS and RHS", so `message` names what must be,
    as in "'x' and 'y' together to have as many rows as 'z'".

    1. `message` is not empty.

    ```mlir
    fuse.require %rows eq %n "'x' to have as many rows as 'y'"
    ```
  }];
  let arguments = (ins Index:$lhs, RequirePredicateAttr:$predicate, Index:$rhs,
                       StrAttr:$message);
  let assemblyFormat = "$lhs $predicate $rhs $message attr-dict";
  let hasVerifier = 1;
}

#endif // FUSE_DIALECT_FUSE_IR_KERNEL
