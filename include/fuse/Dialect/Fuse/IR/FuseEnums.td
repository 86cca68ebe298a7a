//===- FuseEnums.td - Enumerations -------------------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_FUSEENUMS
#define FUSE_DIALECT_FUSE_IR_FUSEENUMS

include "fuse/Dialect/Fuse/IR/FuseBase.td"

class Fuse_Enum<string name, string summary, list<I32EnumCase> cases>
    : I32Enum<name, summary, cases> {
  let cppNamespace = "::mlir::fuse";
}

class Fuse_EnumAttr<I32Enum e, string mnemonic>
    : EnumAttr<FuseDialect, e, mnemonic> {
  let assemblyFormat = "$value"; // Prints a space first: ops write ``$attr.
}

def ComparePredicate : Fuse_Enum<"ComparePredicate", "ordered comparison", [
  I32EnumCase<"eq", 0>, I32EnumCase<"ne", 1>, I32EnumCase<"lt", 2>,
  I32EnumCase<"le", 3>, I32EnumCase<"gt", 4>, I32EnumCase<"ge", 5>
]>;
def ComparePredicateAttr : Fuse_EnumAttr<ComparePredicate, "compare_predicate">;

def GeluForm : Fuse_Enum<"GeluForm", "formula of GELU", [
  I32EnumCase<"tanh", 0>, I32EnumCase<"erf", 1>, I32EnumCase<"sigmoid", 2>
]>;
def GeluFormAttr : Fuse_EnumAttr<GeluForm, "gelu_form">;

def RotaryLayout : Fuse_Enum<"RotaryLayout", "which features form a pair", [
  I32EnumCase<"interleaved", 0>, I32EnumCase<"half", 1>
]>;
def RotaryLayoutAttr : Fuse_EnumAttr<RotaryLayout, "rotary_layout">;

def HeadOrder : Fuse_Enum<"HeadOrder", "order of the token and head axes", [
  I32EnumCase<"tokens_heads", 0>, I32EnumCase<"heads_tokens", 1>
]>;
def HeadOrderAttr : Fuse_EnumAttr<HeadOrder, "head_order">;

def ContractPrecision : Fuse_Enum<"ContractPrecision", "what products keep of factors in f32", [
  I32EnumCase<"tf32", 0>
]>;
def ContractPrecisionAttr
    : Fuse_EnumAttr<ContractPrecision, "contract_precision">;

def ReduceKind : Fuse_Enum<"ReduceKind", "how values are combined", [
  I32EnumCase<"sum", 0>, I32EnumCase<"prod", 1>, I32EnumCase<"max", 2>,
  I32EnumCase<"min", 3>, I32EnumCase<"mean", 4>, I32EnumCase<"any", 5>,
  I32EnumCase<"all", 6>
]>;
def ReduceKindAttr : Fuse_EnumAttr<ReduceKind, "reduce_kind">;

def LaneAxis : Fuse_Enum<"LaneAxis", "axis of a contraction along which vectors lie", [
  I32EnumCase<"n", 0>, I32EnumCase<"k", 1>
]>;

def MmaIsa : Fuse_Enum<"MmaIsa", "matrix instructions of a chip", [
  I32EnumCase<"wgmma", 0>, I32EnumCase<"mma_sync", 1>
]>;

def MmaStore : Fuse_Enum<"MmaStore", "how the results of a tile reach memory", [
  I32EnumCase<"direct", 0>, I32EnumCase<"tma", 1>, I32EnumCase<"rows", 2>
]>;

def RequirePredicate : Fuse_Enum<"RequirePredicate", "what two sizes must be", [
  I32EnumCase<"eq", 0>, I32EnumCase<"ge", 1>
]>;
def RequirePredicateAttr : Fuse_EnumAttr<RequirePredicate, "require_predicate">;

// How the elements of a program's argument lie in memory. `rows`: neighbours of
// the last dimension are neighbours in memory; `aligned_rows`: moreover each row
// starts at a multiple of 16 bytes; `any`: no two need be neighbours.
def StrideKind : Fuse_Enum<"StrideKind", "strides of an argument", [
  I32EnumCase<"dense", 0>, I32EnumCase<"aligned_rows", 1>,
  I32EnumCase<"rows", 2>, I32EnumCase<"any", 3>
]>;

#endif // FUSE_DIALECT_FUSE_IR_FUSEENUMS
