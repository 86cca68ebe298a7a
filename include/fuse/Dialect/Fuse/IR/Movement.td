//===- Movement.td - Ops that move elements ----------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_MOVEMENT
#define FUSE_DIALECT_FUSE_IR_MOVEMENT

include "fuse/Dialect/Fuse/IR/FuseBase.td"

// These ops take every element type, storage included. Their offsets, steps and
// amounts are static, some counted from the end, but for those of
// fuse.dynamic_slice; sizes may be dynamic.

// An op with an overload of detail::inferMoved, which states and checks its
// constraints.
class Fuse_MovedOp<string mnemonic, list<Trait> traits = []>
    : Fuse_InferredOp<mnemonic, traits> {
  let extraClassDefinition = skipInterfaceCheck # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context,
        ::std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
      auto type = detail::inferMoved(
          Adaptor(operands, attributes, properties, regions), [&] {
            return ::mlir::emitError(
                location.value_or(::mlir::UnknownLoc::get(context)));
          });
      if (succeeded(type))
        inferred.push_back(*type);
      return type;
    }
    ::llvm::LogicalResult $cppClass::verify() {
      auto type = detail::inferMoved(Adaptor(*this),
                                     [&] { return emitOpError(); });
      if (failed(type))
        return ::llvm::failure();
      return detail::verifyInferredResult(*this, *type);
    }
  }];
}

def TransposeOp : Fuse_MovedOp<"transpose", [Movement]> {
  let summary = "permutation of the dimensions";
  let description = [{
    Dimension i of the result is dimension `permutation[i]` of the operand.

    1. `permutation` holds each dimension of the operand once.

    ```mlir
    %y = fuse.transpose %x permutation = [1, 0] : tensor<?x8xf32> -> tensor<8x?xf32>
    ```
  }];
  let arguments = (ins AnyFuseTensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyFuseTensor:$result);
  let assemblyFormat = [{
    $input `permutation` `=` $permutation attr-dict `:`
    type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def SliceOp : Fuse_MovedOp<"slice", [Movement]> {
  let summary = "every step-th element from an offset on";
  let description = [{
    result[i, ..] = input[offsets[0] + i steps[0], ..]. A size of -1 reaches up
    to the end: ceil((n - offset) / step) elements of a dimension of size n. One
    of -1 - k leaves out the last k: ceil((n - offset - k) / step) elements, as
    x[offset:-k:step] has in Python. `steps` are 1 where they are not given.

    1. `offsets`, `sizes` and `steps` have one number for each dimension.
    2. Offsets are not negative, steps positive.
    3. The size of a dynamic dimension is negative.
    4. The slice stays inside the operand; of a dynamic dimension, this is
       checked when the program runs.

    ```mlir
    %k = fuse.slice %qkv offsets = [0, 4096] sizes = [-1, 1024]
         : tensor<?x6144xbf16> -> tensor<?x1024xbf16>
    %p = fuse.slice %x offsets = [1] sizes = [-3] : tensor<?xf32> -> tensor<?xf32>
    ```

    The second is x[1:-2].
  }];
  let arguments = (ins AnyFuseTensor:$input, DenseI64ArrayAttr:$offsets,
                       DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$steps);
  let results = (outs AnyFuseTensor:$result);
  let assemblyFormat = [{
    $input `offsets` `=` $offsets custom<SliceSizes>($sizes, $steps) attr-dict
    `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// How many of the last elements along `dim` the slice leaves out by its
    /// size; 0 where that is a number of elements or -1.
    int64_t getLeftOut(int64_t dim) {
      int64_t size = getSizes()[dim];
      return size < 0 ? -1 - size : 0;
    }
  }];
}

def DynamicSliceOp : Fuse_MovedOp<"dynamic_slice", [Composite]> {
  let summary = "elements from a place on that is computed";
  let description = [{
    result[i.., j, k..] = input[i.., start + j, k..], where i.. are the
    dimensions before `dim` and k.. those after it: x[start : start + size].
    `like` gives the size in place of `size`. Places that the operand does not
    have give NaN for floats, 0 for integers and false for i1; nothing outside
    of it is read.

    1. `dim` is a dimension of the operand.
    2. `start` has rank 0.
    3. Either `size` is given, and not negative, or `like`, which has rank 1.

    ```mlir
    %y = fuse.dynamic_slice %x, %start dim = 0 size = 16
         : tensor<?x64xf32>, tensor<i64> -> tensor<16x64xf32>
    %z = fuse.dynamic_slice %x, %start dim = 0 like %ids
         : tensor<?x64xf32>, tensor<i64>, tensor<?xi32> -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins AnyFuseTensor:$input, IntTensor:$start, I64Attr:$dim,
                       OptionalAttr<I64Attr>:$size,
                       Optional<AnyFuseTensor>:$like);
  let results = (outs AnyFuseTensor:$result);
  let assemblyFormat = [{
    $input `,` $start `dim` `=` $dim (`size` `=` $size^)? (`like` $like^)?
    attr-dict `:` type($input) `,` type($start) (`,` type($like)^)? `->`
    type($result)
  }];
}

def PadOp : Fuse_MovedOp<"pad", [Movement]> {
  let summary = "constant elements before and after each dimension";
  let description = [{
    `low` elements of `value` go before the operand's in each dimension, `high`
    elements after them. `value` is a number, `inf`, `-inf` or `nan`, and `true`
    or `false` for i1.

    1. `low` and `high` have one number, not negative, for each dimension.
    2. `value` has the operand's element type.

    ```mlir
    %y = fuse.pad %x low = [0, 1] high = [0, 2] value = 0.0
         : tensor<?x8xf32> -> tensor<?x11xf32>
    ```
  }];
  let arguments = (ins AnyFuseTensor:$input, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, TypedAttrInterface:$value);
  let results = (outs AnyFuseTensor:$result);
  let assemblyFormat = [{
    $input `low` `=` $low `high` `=` $high attr-dict
    custom<PadValue>($value, type($input), type($result))
  }];
  let hasFolder = 1;
}

def ReverseOp : Fuse_Op<"reverse", [Movement,
                                    AllTypesMatch<["input", "result"]>]> {
  let summary = "elements in the opposite order along some dimensions";
  let description = [{
    1. `dims` are distinct dimensions of the operand, in ascending order.

    ```mlir
    %y = fuse.reverse %x dims = [1] : tensor<?x8xf32>
    ```
  }];
  let arguments = (ins AnyFuseTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs AnyFuseTensor:$result);
  let assemblyFormat = "$input `dims` `=` $dims attr-dict `:` type($input)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ConcatOp : Fuse_MovedOp<"concat", [Movement]> {
  let summary = "tensors one after the other along a dimension";
  let description = [{
    1. There is at least one operand; all have one element type and one rank.
    2. `dim` is a dimension of the operands.
    3. The other dimensions are equal.

    ```mlir
    %y = fuse.concat %a, %b dim = 1
         : tensor<?x8xf32>, tensor<?x4xf32> -> tensor<?x12xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyFuseTensor>:$inputs, I64Attr:$dim);
  let results = (outs AnyFuseTensor:$result);
  let assemblyFormat = [{
    $inputs `dim` `=` $dim attr-dict `:` type($inputs) `->` type($result)
  }];
  let hasFolder = 1;
}

def BroadcastOp : Fuse_Op<"broadcast", [Pointwise]> {
  let summary = "repetition of dimensions of size 1";
  let description = [{
    What pointwise ops do with their operands, made visible: shapes align at the
    last dimension, and a dimension of static size 1 repeats. `like` gives the
    sizes of dynamic dimensions that the operand does not have.

    1. The operand's shape broadcasts to the result's.
    2. Each dynamic dimension of the result is one of the operand's, or `like`
       is given and has the result's shape.
    3. The element types agree.

    ```mlir
    %y = fuse.broadcast %x : tensor<?x1xf32> -> tensor<?x8xf32>
    %z = fuse.broadcast %w like %x : tensor<8xf32>, tensor<?x8xbf16> -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins AnyFuseTensor:$input, Optional<AnyFuseTensor>:$like);
  let results = (outs AnyFuseTensor:$result);
  let assemblyFormat = [{
    $input (`like` $like^)? attr-dict `:`
    type($input) (`,` type($like)^)? `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def GatherOp : Fuse_MovedOp<"gather", [Movement]> {
  let summary = "slices of a table, chosen by ids";
  let description = [{
    result[i.., j.., k..] = table[i.., ids[j..], k..], where i.. are the
    dimensions before `dim` and k.. those after it. An id outside of [0, n),
    n being the size of `dim`, gives NaN for floats, 0 for integers and false
    for i1; nothing outside of the table is read.

    1. `dim` is a dimension of the table.

    ```mlir
    %y = fuse.gather %table, %ids dim = 0
         : tensor<?x4096xbf16>, tensor<?xi32> -> tensor<?x4096xbf16>
    ```
  }];
  let arguments = (ins AnyFuseTensor:$table, IntTensor:$ids, I64Attr:$dim);
  let results = (outs AnyFuseTensor:$result);
  let assemblyFormat = [{
    $table `,` $ids `dim` `=` $dim attr-dict `:`
    type($table) `,` type($ids) `->` type($result)
  }];
}

def TakeAlongOp : Fuse_MovedOp<"take_along", [Movement]> {
  let summary = "elements of each line along a dimension, chosen by ids";
  let description = [{
    result[i.., j, k..] = table[i.., ids[i.., j, k..], k..], where i.. are the
    dimensions before `dim` and k.. those after it: numpy.take_along_axis, and
    torch.gather of equal other dimensions. An id outside of [0, n), n being the
    size of `dim`, gives NaN for floats, 0 for integers and false for i1;
    nothing outside of the table is read.

    1. `dim` is a dimension of the table.
    2. `ids` has the table's rank and, but for `dim`, its sizes.

    ```mlir
    %l = fuse.take_along %logits, %labels dim = 1
         : tensor<?x32000xbf16>, tensor<?x1xi64> -> tensor<?x1xbf16>
    ```
  }];
  let arguments = (ins AnyFuseTensor:$table, IntTensor:$ids, I64Attr:$dim);
  let results = (outs AnyFuseTensor:$result);
  let assemblyFormat = [{
    $table `,` $ids `dim` `=` $dim attr-dict `:`
    type($table) `,` type($ids) `->` type($result)
  }];
}

def UnpackOp : Fuse_MovedOp<"unpack", [Movement]> {
  let summary = "the integers of four bits that lie in bytes";
  let description = [{
    Along the last dimension element 2 i of the result is the low half of byte
    i, element 2 i + 1 its high half: -8 to 7 as i8, or with `unsigned` 0 to 15
    in the operand's type. A fuse.cast makes numbers of them.

    1. The operand has rank 1 or more.

    ```mlir
    %q = fuse.unpack %w : tensor<4096x2048xi8> -> tensor<4096x4096xi8>
    %u = fuse.unpack unsigned %w : tensor<4096x2048xi8> -> tensor<4096x4096xi8>
    ```
  }];
  let arguments = (ins ByteTensor:$input, UnitAttr:$is_unsigned);
  let results = (outs ByteTensor:$result);
  let assemblyFormat = [{
    (`unsigned` $is_unsigned^)? $input attr-dict `:`
    type($input) `->` type($result)
  }];
}

def ScatterOp : Fuse_MovedOp<"scatter"> {
  let summary = "slices of a tensor, chosen by ids, replaced";
  let description = [{
    The result is `into` with result[i.., ids[j..], k..] = updates[i.., j..,
    k..], where i.. are the dimensions before `dim` and k.. those after it.
    Updates whose id is outside of [0, n), n being the size of `dim`, are
    dropped. Where ids are equal, it is unspecified which update stays, and the
    elements of a slice may come from different ones.

    The kernel writes the updates only, in place of `into`.

    1. `dim` is a dimension of `into`.
    2. `updates` has the element type of `into`, and its shape with `dim`
       replaced by the dimensions of `ids`.

    ```mlir
    %y = fuse.scatter %cache, %ids, %rows dim = 0
         : tensor<?x1024xbf16>, tensor<?xi32>, tensor<?x1024xbf16> -> tensor<?x1024xbf16>
    ```
  }];
  let arguments = (ins AnyFuseTensor:$into, IntTensor:$ids,
                       AnyFuseTensor:$updates, I64Attr:$dim);
  let results = (outs AnyFuseTensor:$result);
  let assemblyFormat = [{
    $into `,` $ids `,` $updates `dim` `=` $dim attr-dict `:`
    type($into) `,` type($ids) `,` type($updates) `->` type($result)
  }];
}

#endif // FUSE_DIALECT_FUSE_IR_MOVEMENT
