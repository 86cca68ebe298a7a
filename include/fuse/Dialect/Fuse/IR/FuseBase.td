//===- FuseBase.td - Dialect, type constraints, op classes -*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_FUSEBASE
#define FUSE_DIALECT_FUSE_IR_FUSEBASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def FuseDialect : Dialect {
  let name = "fuse";
  let summary = "Tensor programs that become few GPU kernels";
  let description = [{
    A program is a `func.func` on ranked tensors. Its ops are pure; operands
    broadcast as in NumPy (shapes align at the last dimension, a dimension of
    static size 1 repeats); there is no implicit type promotion: an explicit
    `fuse.cast` changes a type.

    Dynamic dimensions (`?`) are normal. A `?` is never broadcast: where it
    meets another dimension that is not a static 1, the two must be equal when
    the program runs, which its entry checks.

    Numbers. Inside a kernel, f16 and bf16 values are computed in f32 and
    rounded where they leave the kernel; an explicit `fuse.cast` always rounds.
    Reductions accumulate in f32 (f64 for f64, the type itself for integers) in
    a fixed order. Integers wrap. i8, i16 and ui8, the unsigned one, are computed
    in i32, and what leaves an op wraps to their bits. f8E4M3FN and f8E5M2 are
    storage: they enter and leave programs, are moved and cast, and nothing else.
  }];
  let cppNamespace = "::mlir::fuse";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = [
    "::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect",
    "::mlir::arith::ArithDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// `names` are the element types as a program spells them.
class Fuse_Tensor<list<Type> elements, string names, string hint = "">
    : RankedTensorOf<elements, [], "ranked tensor"> {
  let summary = "ranked tensor of " # names # " values" # hint;
}

// What a tensor of storage elements says when an op that computes gets it.
class Fuse_ComputeTensor<list<Type> elements, string names>
    : Fuse_Tensor<elements, names, " (fuse.cast f8 to f32 first)">;

def FloatTensor : Fuse_ComputeTensor<[F16, BF16, F32, F64],
                                     "f16, bf16, f32 or f64">;
// Operands of a contraction, which multiplies 8-bit floats as they are.
def FactorTensor : Fuse_Tensor<[F8E4M3FN, F8E5M2, F16, BF16, F32, F64],
                               "f8E4M3FN, f8E5M2, f16, bf16, f32 or f64">;
def NumberTensor
    : Fuse_ComputeTensor<[F16, BF16, F32, F64, I8, I16, I32, I64, UI8],
                         "f16, bf16, f32, f64, i8, i16, i32, i64 or ui8">;
def ComputeTensor
    : Fuse_ComputeTensor<[F16, BF16, F32, F64, I1, I8, I16, I32, I64, UI8],
                         "f16, bf16, f32, f64, i1, i8, i16, i32, i64 or ui8">;
def ByteTensor : Fuse_Tensor<[I8, UI8], "i8 or ui8">;
// Ids, offsets and places.
def IntTensor : Fuse_Tensor<[I32, I64], "i32 or i64">;
def WholeTensor
    : Fuse_Tensor<[I8, I16, I32, I64, UI8], "i8, i16, i32, i64 or ui8">;
def BitTensor
    : Fuse_Tensor<[I1, I8, I16, I32, I64, UI8], "i1, i8, i16, i32, i64 or ui8">;
def BoolTensor : Fuse_Tensor<[I1], "i1">;

// All element types: those that ops compute with, and those that are storage
// only. The latter cross a kernel's edge, are moved, and are cast.
def AnyFuseTensor
    : Fuse_Tensor<[F16, BF16, F32, F64, I1, I32, I64, F8E4M3FN, F8E5M2, I8, I16,
                   UI8],
                  "f8E4M3FN, f8E5M2, f16, bf16, f32, f64, i1, i8, i16, i32, i64 "
                  "or ui8">;

//===----------------------------------------------------------------------===//
// Traits and op classes
//===----------------------------------------------------------------------===//

// The result at an index depends only on the operands at that index, after
// broadcasting.
def Pointwise : NativeOpTrait<"Pointwise"> {
  let cppNamespace = "::mlir::fuse::OpTrait";
}

// Each element of the result is one of an operand, or a constant: nothing is
// computed but places.
def Movement : NativeOpTrait<"Movement"> {
  let cppNamespace = "::mlir::fuse::OpTrait";
}

// Combines the elements of the first operand along some dimensions.
def Reduction : NativeOpTrait<"Reduction"> {
  let cppNamespace = "::mlir::fuse::OpTrait";
}

// An element of a result follows from the order of the elements along the last
// dimension of the operand: how they follow each other, or which are largest.
def RowOrder : NativeOpTrait<"RowOrder"> {
  let cppNamespace = "::mlir::fuse::OpTrait";
}

// A named shorthand for a program of primitives: `fuse-decompose` expands it.
def Composite : NativeOpTrait<"Composite"> {
  let cppNamespace = "::mlir::fuse::OpTrait";
}

// The bytes of every operand and result fit in 63 bits.
def BoundedTensors : NativeOpTrait<"BoundedTensors"> {
  let cppNamespace = "::mlir::fuse::OpTrait";
}

class Fuse_Op<string mnemonic, list<Trait> traits = []>
    : Op<FuseDialect, mnemonic, !listconcat([Pure, BoundedTensors], traits)>;

// An op whose result type follows from its operands and attributes. `verify`
// compares it with the written one and suggests a remedy, so the interface's
// own check, which cannot, is switched off by `refineReturnTypes`.
class Fuse_InferredOp<string mnemonic, list<Trait> traits = []>
    : Fuse_Op<mnemonic, !listconcat([
          DeclareOpInterfaceMethods<InferTypeOpInterface,
              ["inferReturnTypes", "refineReturnTypes"]>], traits)> {
  let hasVerifier = 1;
  code skipInterfaceCheck = [{
    ::llvm::LogicalResult $cppClass::refineReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location>,
        ::mlir::ValueRange, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties,
        ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &) {
      return ::mlir::success();
    }
  }];
  let extraClassDefinition = skipInterfaceCheck;
}

#endif // FUSE_DIALECT_FUSE_IR_FUSEBASE
