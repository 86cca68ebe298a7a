//===- RotaryScaling.td - Rotary angles of longer contexts -*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models that were trained on short sequences and serve long ones change the
// frequencies of their rotary embedding. Each way of doing so is an attribute
// that gives a frequency for each pair and one factor for cos and sin: nothing
// else of a rotary op depends on it. The parameters are those of the published
// configurations, by the names of transformers' `rope_parameters` (with
// `original_max_position` for `original_max_position_embeddings`).
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_ROTARYSCALING
#define FUSE_DIALECT_FUSE_IR_ROTARYSCALING

include "fuse/Dialect/Fuse/IR/FuseBase.td"

def RotaryScalingAttrInterface : AttrInterface<"RotaryScalingAttrInterface"> {
  let cppNamespace = "::mlir::fuse";
  let description = [{
    How a rotary op's angles differ from position * base^(-2i/R).
  }];
  let methods = [
    InterfaceMethod<[{
        The angle in radians by which each of the R/2 pairs advances per
        position, R being `dims`. `isLong` asks for those of sequences longer
        than getLengthLimit(). Needs what verifyFor() checks.
      }],
      "::llvm::SmallVector<long double>", "getFrequencies",
      (ins "double":$base, "int64_t":$dims, "bool":$isLong)>,
    InterfaceMethod<"What cos and sin are multiplied by.", "double",
      "getMagnitude", (ins), [{}], "return 1.0;">,
    InterfaceMethod<[{
        The longest sequence that the first of two sets of frequencies is for;
        none where there is one set.
      }],
      "::std::optional<int64_t>", "getLengthLimit", (ins), [{}],
      "return ::std::nullopt;">,
    InterfaceMethod<"Whether it suits an op of this base and R.",
      "::llvm::LogicalResult", "verifyFor",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError,
           "double":$base, "int64_t":$dims), [{}],
      "return ::mlir::success();">
  ];
}

class Fuse_RotaryScaling<string name, string mnemonic_,
                         list<string> overridden = []>
    : AttrDef<FuseDialect, name, [DeclareAttrInterfaceMethods<
          RotaryScalingAttrInterface, ["getFrequencies"] # overridden>]> {
  let mnemonic = mnemonic_;
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

// An f64, printed without its type.
class Fuse_F64 : AttrOrTypeParameter<"::mlir::FloatAttr", "f64"> {
  let printer = "$_printer.printAttributeWithoutType($_self)";
}
def Fuse_Number : Fuse_F64;
def Fuse_OptionalNumber : Fuse_F64 {
  let defaultValue = "::mlir::FloatAttr()";
}

def RotaryLinearScaling : Fuse_RotaryScaling<"RotaryLinearScaling",
                                             "rope_linear"> {
  let summary = "position interpolation";
  let description = [{
    Positions are divided by `factor`: pair i advances by base^(-2i/R) / factor.
    Chen et al., arXiv:2306.15595; `linear` in transformers.

    1. `factor` is positive and finite.

    ```mlir
    #fuse.rope_linear<factor = 8.0>
    ```
  }];
  let parameters = (ins Fuse_Number:$factor);
}

def RotaryNtkScaling : Fuse_RotaryScaling<"RotaryNtkScaling", "rope_ntk",
                                          ["verifyFor"]> {
  let summary = "NTK-aware scaling of the base";
  let description = [{
    The base becomes base * factor^(R / (R - 2)): the last pair advances as much
    slower as `factor` says, the first as fast as ever. bloc97, "NTK-aware
    scaled RoPE"; Peng et al., arXiv:2309.00071, section 3.1.

    `dynamic` in transformers is this attribute with the factor of a sequence
    length L: factor * L / max_position_embeddings - (factor - 1).

    1. `factor` is positive and finite.
    2. The op's R is above 2.

    ```mlir
    #fuse.rope_ntk<factor = 4.0>
    ```
  }];
  let parameters = (ins Fuse_Number:$factor);
}

def RotaryLlama3Scaling : Fuse_RotaryScaling<"RotaryLlama3Scaling",
                                             "rope_llama3"> {
  let summary = "Llama 3.1's interpolation of low frequencies";
  let description = [{
    Of pair i with frequency f = base^(-2i/R), the wave length is 2 pi / f
    positions, which `original_max_position` holds r times. f stays where r is
    above `high_freq_factor`, becomes f / factor where r is below
    `low_freq_factor`, and in between

        (1 - s) f / factor + s f,
        s = (r - low_freq_factor) / (high_freq_factor - low_freq_factor).

    `llama3` in transformers, and Meta's llama-models.

    1. The three factors are positive and finite, and `low_freq_factor` is below
       `high_freq_factor`.
    2. `original_max_position` is positive.

    ```mlir
    #fuse.rope_llama3<factor = 8.0, low_freq_factor = 1.0,
                      high_freq_factor = 4.0, original_max_position = 8192>
    ```
  }];
  let parameters = (ins Fuse_Number:$factor, Fuse_Number:$low_freq_factor,
                        Fuse_Number:$high_freq_factor,
                        "int64_t":$original_max_position);
}

def RotaryYarnScaling : Fuse_RotaryScaling<"RotaryYarnScaling", "rope_yarn",
                                           ["getMagnitude", "verifyFor"]> {
  let summary = "YaRN";
  let description = [{
    Pair i of frequency f = base^(-2i/R) turns about its own f by

        (1 - g) f + g f / factor,  g = clamp((i - low) / (high - low), 0, 1),

    where low and high are the pairs that turn `beta_fast` (32 if absent) and
    `beta_slow` (1) times in `original_max_position` positions,

        R ln(original_max_position / (2 pi beta)) / (2 ln base),

    rounded down and up unless `truncate` is false, low being at least 0, high at
    most R - 1, and high becoming low + 0.001 if they are equal. cos and sin are
    multiplied by `attention_factor`, by default 0.1 ln(factor) + 1, or 1 if
    factor is at most 1. Peng et al., arXiv:2309.00071; `yarn` in transformers.

    1. `factor`, `beta_fast`, `beta_slow` and `attention_factor` are positive and
       finite, and `beta_fast` is at least `beta_slow`.
    2. `original_max_position` is positive.
    3. The op's base is above 1.

    ```mlir
    #fuse.rope_yarn<factor = 4.0, original_max_position = 32768>
    ```
  }];
  let parameters = (ins Fuse_Number:$factor, "int64_t":$original_max_position,
                        Fuse_OptionalNumber:$beta_fast,
                        Fuse_OptionalNumber:$beta_slow,
                        Fuse_OptionalNumber:$attention_factor,
                        DefaultValuedParameter<"bool", "true">:$truncate);
}

def RotaryLongScaling : Fuse_RotaryScaling<"RotaryLongScaling", "rope_longrope",
    ["getMagnitude", "getLengthLimit", "verifyFor"]> {
  let summary = "LongRoPE";
  let description = [{
    Pair i advances by base^(-2i/R) / F[i], where F is `long_factors` for
    sequences longer than `original_max_position`, else `short_factors`. Where
    both are given, the op's operand `length` decides when the program runs;
    with one list the choice is made. cos and sin are multiplied by
    `attention_factor`, by default sqrt(1 + ln(factor) /
    ln(original_max_position)), or 1 if factor is at most 1; `factor` is the
    ratio of max_position_embeddings to original_max_position. Ding et al.,
    arXiv:2402.13753; `longrope` in transformers.

    1. `factor`, `attention_factor` and the elements of the lists, which are
       f64, are positive and finite.
    2. `original_max_position` is above 1.
    3. One list is given, or two.
    4. The lists have R/2 elements, R being the op's.

    ```mlir
    #fuse.rope_longrope<factor = 32.0, original_max_position = 4096,
                        short_factors = [1.0, 1.05], long_factors = [1.08, 64.0]>
    ```
  }];
  let parameters = (ins Fuse_Number:$factor, "int64_t":$original_max_position,
                        OptionalParameter<"ArrayAttr">:$short_factors,
                        OptionalParameter<"ArrayAttr">:$long_factors,
                        Fuse_OptionalNumber:$attention_factor);
}

#endif // FUSE_DIALECT_FUSE_IR_ROTARYSCALING
