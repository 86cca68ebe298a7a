//===- Elementwise.td - Pointwise ops ----------------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_ELEMENTWISE
#define FUSE_DIALECT_FUSE_IR_ELEMENTWISE

include "fuse/Dialect/Fuse/IR/FuseBase.td"
include "fuse/Dialect/Fuse/IR/FuseEnums.td"

// Every pointwise op infers its result type: the broadcast shape, and i1 for a
// comparison, otherwise the element type of its last operand (for a select,
// the first operand is the condition).
class Fuse_PointwiseOp<string mnemonic, list<Trait> traits = [],
                       string kind = "Value">
    : Fuse_InferredOp<mnemonic, !listconcat([Pointwise], traits)> {
  let extraClassDefinition = skipInterfaceCheck # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr,
        ::mlir::OpaqueProperties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
      return detail::inferPointwise(operands.getTypes(),
                                    detail::PointwiseKind::}] # kind # [{,
                                    location, inferred);
    }
    ::llvm::LogicalResult $cppClass::verify() {
      return detail::verifyPointwise(*this,
                                     detail::PointwiseKind::}] # kind # [{);
    }
  }];
}

class Fuse_UnaryOp<string mnemonic, Type tensor, string summary_,
                   list<Trait> traits = []>
    : Fuse_PointwiseOp<mnemonic, traits> {
  let summary = summary_;
  let arguments = (ins tensor:$input);
  let results = (outs tensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` custom<PointwiseTypes>(type($input), type($result))
  }];
}

class Fuse_BinaryOp<string mnemonic, Type tensor, string summary_,
                    list<Trait> traits = []>
    : Fuse_PointwiseOp<mnemonic, traits> {
  let summary = summary_;
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<PointwiseTypes>(type($lhs), type($rhs), type($result))
  }];
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

def AddOp : Fuse_BinaryOp<"add", NumberTensor, "sum", [Commutative]> {
  let hasFolder = 1;
}
def SubOp : Fuse_BinaryOp<"sub", NumberTensor, "difference"> {
  let hasFolder = 1;
}
def MulOp : Fuse_BinaryOp<"mul", NumberTensor, "product", [Commutative]> {
  let hasFolder = 1;
}
def DivOp : Fuse_BinaryOp<"div", NumberTensor, "quotient"> {
  let description = [{
    Floats divide as IEEE 754 says. Integers round towards zero; dividing by
    zero gives 0, and the smallest integer divided by -1 gives itself.
  }];
  let hasFolder = 1;
}
def FmodOp : Fuse_BinaryOp<"fmod", NumberTensor, "remainder of a division towards zero, as C's fmod and %"> {
  let description = [{
    x - y trunc(x / y), which is exact in every type, with the sign of x. For
    floats it is NaN where x is infinite or y is 0, and x where y is infinite.
    Integers: where y is 0, the result is x, so that x = y fuse.div(x, y) +
    fuse.fmod(x, y) always holds.
  }];
}
def RemainderOp : Fuse_BinaryOp<"remainder", NumberTensor, "remainder of a division towards -inf, as Python's %", [Composite]> {
  let description = [{
    x - y floor(x / y), with the sign of y: fmod(x, y), plus y where that is not
    0 and has the other sign. It is rounded once, by that addition. What fmod
    says of zeros, infinities and NaN holds here; so does x where y is 0 for
    integers, and y where x is finite, y infinite and the signs differ.
  }];
}
def PowOp : Fuse_BinaryOp<"pow", FloatTensor, "lhs to the power of rhs, as C's pow"> {
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}
def MinOp : Fuse_BinaryOp<"min", NumberTensor, "smaller value; NaN if either is NaN; -0 is smaller than +0", [Commutative]>;
def MaxOp : Fuse_BinaryOp<"max", NumberTensor, "larger value; NaN if either is NaN; +0 is larger than -0", [Commutative]>;

def NegOp : Fuse_UnaryOp<"neg", NumberTensor, "negation"> { let hasFolder = 1; }
def AbsOp : Fuse_UnaryOp<"abs", NumberTensor, "magnitude">;
def SignOp : Fuse_UnaryOp<"sign", NumberTensor, "-1, 0 or 1; keeps zeros and NaN">;
def ExpOp : Fuse_UnaryOp<"exp", FloatTensor, "e to the power of the input">;
def Exp2Op : Fuse_UnaryOp<"exp2", FloatTensor, "2 to the power of the input">;
def Expm1Op : Fuse_UnaryOp<"expm1", FloatTensor, "exp(x) - 1, accurate near zero">;
def LogOp : Fuse_UnaryOp<"log", FloatTensor, "natural logarithm">;
def Log2Op : Fuse_UnaryOp<"log2", FloatTensor, "logarithm to base 2">;
def Log1pOp : Fuse_UnaryOp<"log1p", FloatTensor, "log(1 + x), accurate near zero">;
def SqrtOp : Fuse_UnaryOp<"sqrt", FloatTensor, "square root">;
def RsqrtOp : Fuse_UnaryOp<"rsqrt", FloatTensor, "1 / sqrt(x)">;
def RecipOp : Fuse_UnaryOp<"recip", FloatTensor, "1 / x">;
def SinOp : Fuse_UnaryOp<"sin", FloatTensor, "sine of an angle in radians">;
def CosOp : Fuse_UnaryOp<"cos", FloatTensor, "cosine of an angle in radians">;
def TanhOp : Fuse_UnaryOp<"tanh", FloatTensor, "hyperbolic tangent">;
def ErfOp : Fuse_UnaryOp<"erf", FloatTensor, "error function">;
def SigmoidOp : Fuse_UnaryOp<"sigmoid", FloatTensor, "1 / (1 + exp(-x))">;
def FloorOp : Fuse_UnaryOp<"floor", FloatTensor, "largest integer not above">;
def CeilOp : Fuse_UnaryOp<"ceil", FloatTensor, "smallest integer not below">;
def RoundOp : Fuse_UnaryOp<"round", FloatTensor, "nearest integer, ties to even">;
def TruncOp : Fuse_UnaryOp<"trunc", FloatTensor, "nearest integer not farther from 0">;

//===----------------------------------------------------------------------===//
// Comparison, logic, selection
//===----------------------------------------------------------------------===//

def CompareOp : Fuse_PointwiseOp<"compare", [], "Comparison"> {
  let summary = "comparison to i1";
  let description = [{
    A comparison with NaN is false, except `ne`, which is true. Integers
    compare as signed, ui8 as unsigned.

    ```mlir
    %m = fuse.compare lt %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
    ```
  }];
  let arguments = (ins ComparePredicateAttr:$predicate, ComputeTensor:$lhs,
                       ComputeTensor:$rhs);
  let results = (outs BoolTensor:$result);
  let assemblyFormat = [{
    `` $predicate $lhs `,` $rhs attr-dict `:`
    custom<ComparisonTypes>(type($lhs), type($rhs), type($result))
  }];
}

def AndOp : Fuse_BinaryOp<"and", BitTensor, "and of each bit; of i1 the logical one", [Commutative]> { let hasFolder = 1; }
def OrOp : Fuse_BinaryOp<"or", BitTensor, "or of each bit; of i1 the logical one", [Commutative]> { let hasFolder = 1; }
def XorOp : Fuse_BinaryOp<"xor", BitTensor, "exclusive or of each bit; of i1 the logical one", [Commutative]> { let hasFolder = 1; }
def NotOp : Fuse_UnaryOp<"not", BitTensor, "inversion of each bit; of i1 the logical not"> { let hasFolder = 1; }

def ShlOp : Fuse_BinaryOp<"shl", WholeTensor, "lhs shifted to the left by rhs bits"> {
  let description = [{
    Zeros come in from the right, what goes out on the left is lost. A shift by
    a negative number, or by as many bits as the type has or more, gives 0.
  }];
}
def ShrOp : Fuse_BinaryOp<"shr", WholeTensor, "lhs shifted to the right by rhs bits"> {
  let description = [{
    The sign comes in from the left, with ui8 zeros: floor(lhs / 2^rhs). A shift
    by a negative number, or by as many bits as the type has or more, gives -1
    for negative numbers and 0 for others.
  }];
}

def SelectOp : Fuse_PointwiseOp<"select", [], "Selection"> {
  let summary = "one of two values by a condition";
  let arguments = (ins BoolTensor:$condition, ComputeTensor:$trueValue,
                       ComputeTensor:$falseValue);
  let results = (outs ComputeTensor:$result);
  let assemblyFormat = [{
    $condition `,` $trueValue `,` $falseValue attr-dict `:`
    custom<PointwiseTypes>(type($condition), type($trueValue),
                           type($falseValue), type($result))
  }];
  let hasFolder = 1;
}

def ClampOp : Fuse_PointwiseOp<"clamp"> {
  let summary = "min(max(x, low), high); NaN if any is NaN";
  let arguments = (ins NumberTensor:$input, NumberTensor:$low,
                       NumberTensor:$high);
  let results = (outs NumberTensor:$result);
  let assemblyFormat = [{
    $input `,` $low `,` $high attr-dict `:`
    custom<PointwiseTypes>(type($input), type($low), type($high), type($result))
  }];
}

def CastOp : Fuse_Op<"cast", [Pointwise]> {
  let summary = "change of element type";
  let description = [{
    1. The result has the operand's shape.

    Floats round to nearest, ties to even; overflow gives an infinity. A float
    becomes an integer by rounding towards zero and saturating; NaN becomes 0.
    To f8E4M3FN and f8E5M2 everything saturates to the largest finite value,
    infinities, too; NaN stays.
    Anything becomes i1 by comparing with zero (NaN is true). Integers that do
    not fit wrap. i1 becomes 0 or 1. A cast is never elided: it rounds.
  }];
  let arguments = (ins AnyFuseTensor:$input);
  let results = (outs AnyFuseTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

def ConstantOp : Fuse_Op<"constant", [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a constant tensor";
  let description = [{
    ```mlir
    %half = fuse.constant dense<0.5> : tensor<bf16>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyFuseTensor:$result);
  let assemblyFormat = "$value attr-dict";
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value), [{
    build($_builder, $_state, value.getType(), value);
  }]>];
  let hasFolder = 1;
}

def IotaOp : Fuse_Op<"iota", [Pointwise]> {
  let summary = "the index along one dimension";
  let description = [{
    Each element is its own index along `dim`, in the element type. With
    `from_end` the index counts from the end: it is the index minus the size,
    from -size to -1. `like` gives the sizes of dynamic dimensions.

    1. `dim` is a dimension of the result.
    2. The result is static, or `like` is given and has the result's shape.

    ```mlir
    %i = fuse.iota dim = 1 : tensor<4x8xi32>
    %j = fuse.iota dim = 1 like %x : tensor<?x8xf32> -> tensor<?x8xi32>
    %k = fuse.iota dim = 0 from_end like %x : tensor<?x8xf32> -> tensor<?x8xi32>
    ```
  }];
  let arguments = (ins I64Attr:$dim, UnitAttr:$from_end,
                       Optional<AnyFuseTensor>:$like);
  let results = (outs NumberTensor:$result);
  let assemblyFormat = [{
    `dim` `=` $dim (`from_end` $from_end^)? (`like` $like^)? attr-dict `:`
    custom<IotaTypes>(type($like), type($result))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

def GeluOp : Fuse_PointwiseOp<"gelu", [Composite]> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `tanh`: 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); `erf`:
    0.5 x (1 + erf(x / sqrt(2))); `sigmoid`: x sigmoid(1.702 x). Hendrycks and
    Gimpel, arXiv:1606.08415.

    ```mlir
    %y = fuse.gelu tanh %x : tensor<?x4096xbf16>
    ```
  }];
  let arguments = (ins GeluFormAttr:$form, FloatTensor:$input);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    `` $form $input attr-dict `:` custom<PointwiseTypes>(type($input), type($result))
  }];
}

def SiluOp : Fuse_UnaryOp<"silu", FloatTensor, "x sigmoid(x)", [Composite]>;
def ReluOp : Fuse_UnaryOp<"relu", NumberTensor, "max(x, 0); NaN stays", [Composite]>;
def SwigluOp : Fuse_BinaryOp<"swiglu", FloatTensor, "silu(lhs) * rhs", [Composite]> {
  let description = [{ `lhs` is the gate. Shazeer, arXiv:2002.05202. }];
}
def GegluOp : Fuse_PointwiseOp<"geglu", [Composite]> {
  let summary = "gelu(lhs) * rhs";
  let description = [{ `lhs` is the gate. Shazeer, arXiv:2002.05202. }];
  let arguments = (ins GeluFormAttr:$form, FloatTensor:$lhs, FloatTensor:$rhs);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    `` $form $lhs `,` $rhs attr-dict `:`
    custom<PointwiseTypes>(type($lhs), type($rhs), type($result))
  }];
}

#endif // FUSE_DIALECT_FUSE_IR_ELEMENTWISE
