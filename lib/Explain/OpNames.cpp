//===- OpNames.cpp - Ops by the names that people know them by ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Explain/OpNames.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace fuse::jit {

namespace {
struct KnownNames {
  /// Without underscores, in lower case.
  StringLiteral names;
  StringLiteral remedy;
};
} // namespace

/// The names are those of torch, NumPy, JAX, ONNX, and of the dialects arith,
/// math, linalg, tosa and stablehlo.
static constexpr KnownNames knownNames[] = {
    // Arithmetic.
    {"addf addi plus", "use fuse.add"},
    {"subf subi subtract minus", "use fuse.sub"},
    {"mulf muli multiply times", "use fuse.mul"},
    {"divf divsi divui divide truediv", "use fuse.div"},
    {"negf negate negative", "use fuse.neg"},
    {"absf absi absolute", "use fuse.abs"},
    {"maximum maximumf maxnumf maxsi fmax", "use fuse.max"},
    {"minimum minimumf minnumf minsi fmin", "use fuse.min"},
    {"square sqr", "use fuse.mul %x, %x"},
    {"power powf powi", "use fuse.pow"},
    {"inverse reciprocal", "use fuse.recip"},
    {"fma addcmul mulladd lerp", "use fuse.mul and fuse.add"},
    {"mod modulo floormod", "use fuse.remainder"},
    {"remf remsi truncmod", "use fuse.fmod"},
    {"floordiv floordivide", "use fuse.div and fuse.floor"},
    {"log10", "use fuse.log and a factor of 0.4342944819032518"},
    {"tan", "use fuse.sin, fuse.cos and fuse.div"},
    {"erfc", "use fuse.erf, and fuse.sub from 1"},
    {"sinh cosh", "use fuse.exp of x and of -x, and half of their sum or "
                  "difference"},
    {"asin acos atan atan2 asinh acosh atanh",
     "there is no such op; compute it outside the program"},
    {"truncate fix", "use fuse.trunc"},
    // Logic and selection.
    {"where ifelse ternary maskedfill selectv2",
     "use fuse.select %condition, %x, %y"},
    {"cmpf cmpi lt le gt ge eq ne less greater equal notequal lessthan "
     "lessequal greaterequal greaterthan",
     "use fuse.compare, as in fuse.compare lt %x, %y"},
    {"logicaland andi", "use fuse.and of i1"},
    {"logicalor ori", "use fuse.or of i1"},
    {"logicalnot", "use fuse.not of i1"},
    {"logicalxor xori bitwisexor", "use fuse.xor"},
    {"bitwiseand", "use fuse.and"},
    {"bitwiseor", "use fuse.or"},
    {"bitwisenot", "use fuse.not"},
    {"shli shiftleft leftshift bitwiseleftshift", "use fuse.shl"},
    {"shrsi shrui shiftright rightshift bitwiserightshift", "use fuse.shr"},
    {"isnan", "use fuse.compare ne %x, %x"},
    {"isinf isfinite", "use fuse.abs, and fuse.compare with an infinity"},
    {"clip hardtanh relu6", "use fuse.clamp %x, %low, %high"},
    {"clampmin", "use fuse.max"},
    {"clampmax", "use fuse.min"},
    // Activations.
    {"gelunew gelutanh gelupytorchtanh gelufast gelutanhapprox",
     "use fuse.gelu tanh %x"},
    {"gelupython geluerf gelunone", "use fuse.gelu erf %x"},
    {"quickgelu gelusigmoid", "use fuse.gelu sigmoid %x"},
    {"swish", "use fuse.silu"},
    {"logistic", "use fuse.sigmoid"},
    {"glu", "use fuse.sigmoid of the gate, and fuse.mul"},
    {"reglu", "use fuse.relu of the gate, and fuse.mul"},
    {"siluandmul", "use fuse.swiglu"},
    {"geluandmul", "use fuse.geglu"},
    {"leakyrelu prelu",
     "use fuse.select %positive, %x, %scaled with fuse.compare and fuse.mul"},
    {"elu selu celu", "use fuse.select with fuse.compare and fuse.expm1"},
    {"softplus", "use max(x, 0) + log1p(exp(-|x|)): fuse.relu, fuse.abs, "
                 "fuse.neg, fuse.exp, fuse.log1p and fuse.add"},
    {"logsigmoid", "use min(x, 0) - log1p(exp(-|x|)): fuse.min, fuse.abs, "
                   "fuse.neg, fuse.exp, fuse.log1p and fuse.sub"},
    {"mish", "use x * tanh(softplus(x)): fuse.log1p, fuse.exp, fuse.tanh and "
             "fuse.mul"},
    {"hardswish hardsigmoid", "use fuse.add, fuse.clamp and fuse.mul"},
    // Element types.
    {"convert convertelementtype totype astype to typeas float half bfloat16 "
     "double extf truncf extsi extui trunci sitofp uitofp fptosi fptoui",
     "use fuse.cast"},
    {"bitcast viewas",
     "there is no such op; give the program a view of the other type"},
    {"quantize dequantize fakequantize quantizepertensor",
     "use fuse.mul by the scale, fuse.round, fuse.clamp and fuse.cast"},
    // Reductions and norms.
    {"sum reducesum addreduce", "use fuse.reduce sum"},
    {"mean average avg reducemean", "use fuse.reduce mean"},
    {"amax reducemax", "use fuse.reduce max"},
    {"amin reducemin", "use fuse.reduce min"},
    {"prod product reduceprod", "use fuse.reduce prod"},
    {"any reduceany", "use fuse.reduce any"},
    {"all reduceall", "use fuse.reduce all"},
    {"var variance std stddev varmean reducevar",
     "use fuse.reduce mean of the squared differences from fuse.reduce mean; "
     "the two take one pass"},
    {"norm l2norm vectornorm linalgnorm normalize l2normalize",
     "use fuse.mul %x, %x, fuse.reduce sum, and fuse.sqrt or fuse.rsqrt"},
    {"groupnorm batchnorm instancenorm",
     "use fuse.reduce mean over the dimensions that are normalised, fuse.rsqrt "
     "and fuse.mul; tensor.expand_shape makes groups a dimension"},
    {"t5layernorm llamarmsnorm rmsnormalization", "use fuse.rms_norm"},
    {"layernormalization", "use fuse.layer_norm"},
    {"crossentropy nllloss softmaxcrossentropy crossentropyloss",
     "use fuse.logsumexp, and fuse.sub of the label's logit, which fuse.iota, "
     "fuse.compare, fuse.select and fuse.reduce sum find"},
    {"sort argsort kthvalue median",
     "use fuse.top_k for up to 64 elements of a row; sort longer ones outside "
     "the program"},
    {"cumsum", "use fuse.scan sum"},
    {"cumprod", "use fuse.scan prod"},
    {"cummax", "use fuse.scan max"},
    {"cummin", "use fuse.scan min"},
    {"associativescan logcumsumexp",
     "there is no such op; fuse.scan combines by sum, prod, max and min"},
    {"gatherelements takealongaxis takealongdim", "use fuse.take_along"},
    {"nonzero unique maskedselect bincount histogram histc",
     "there is no such op: sizes do not depend on values; use a mask and "
     "fuse.select"},
    {"maxpool maxpool2d avgpool avgpool2d pool reducewindow",
     "use fuse.reduce of a tensor.expand_shape, if the windows do not overlap"},
    // Products.
    {"bmm mm mv batchmatmul addmm baddbmm gemm linear dense fullyconnected "
     "dot dotgeneral matvec vecmat inner",
     "use fuse.matmul, whose leading dimensions are batches, and fuse.add for "
     "a bias"},
    {"einsum tensordot", "use fuse.contract, as in fuse.contract "
                         "\"bmk,bkn->bmn\" %x, %y"},
    {"outer", "use fuse.mul of [m, 1] and [n]"},
    {"sdpa scaleddotproductattention flashattention flashattn mha "
     "multiheadattention selfattention",
     "use fuse.attention"},
    {"conv conv1d conv2d conv3d convolution depthwiseconv",
     "there is no such op; use fuse.matmul of windows that fuse.slice and "
     "fuse.concat lay out"},
    // Positions.
    {"rope rotaryemb rotaryembedding rotaryposemb applyrotaryposemb "
     "applyrotaryemb",
     "use fuse.rotary"},
    {"embedding take indexselect gathernd lookup",
     "use fuse.gather %table, %ids"},
    {"indexput scatternd indexcopy dynamicupdateslice insertslice copyinto",
     "use fuse.scatter %into, %ids, %updates"},
    {"scatteradd indexadd segmentsum",
     "there is no such op: fuse.scatter replaces elements; add outside the "
     "program"},
    {"onehot", "use fuse.compare eq of the ids and a fuse.iota"},
    {"arange range linspace", "use fuse.iota"},
    {"triu tril causalmask",
     "use fuse.iota of both dimensions, fuse.compare and fuse.select"},
    // Shapes.
    {"zeros ones full fill empty splat zeroslike oneslike fulllike const",
     "use fuse.constant dense<0.0> : tensor<f32>, which broadcasts"},
    {"expand broadcastto broadcastindim repeat tile expandas",
     "use fuse.broadcast; pointwise ops broadcast by themselves"},
    {"permute swapaxes movedim t", "use fuse.transpose"},
    {"flip fliplr rot90", "use fuse.reverse"},
    {"roll", "use fuse.slice twice and fuse.concat"},
    {"cat concatenate hstack vstack", "use fuse.concat"},
    {"stack", "use tensor.expand_shape and fuse.concat"},
    {"split chunk narrow unbind stridedslice dynamicslice", "use fuse.slice"},
    {"view reshape flatten unflatten squeeze unsqueeze rearrange",
     "use tensor.expand_shape or tensor.collapse_shape"},
    {"contiguous clone copy identity detach", "use the value itself"},
    {"extract item", "use fuse.slice, which gives a tensor"},
    // Random numbers.
    {"rand uniform bernoulli rnguniform", "use fuse.random"},
    {"randn normal", "use fuse.random, and the Box-Muller transform: fuse.log, "
                     "fuse.sqrt, fuse.cos and fuse.mul"},
    // Control flow.
    {"while for forall parallel fori",
     "there are no loops; write the steps one after the other, or call the "
     "program in a loop"},
    {"if cond case switch",
     "there are no branches; compute both and use fuse.select"},
    {"call", "write the ops of the function that is called in its place"},
};

/// As the table has it.
static std::string normalized(StringRef name) {
  std::string result = name.lower();
  erase(result, '_');
  return result;
}

void forEachKnownName(function_ref<void(StringRef, StringRef)> visit) {
  for (const KnownNames &known : knownNames) {
    SmallVector<StringRef> names;
    known.names.split(names, ' ');
    for (StringRef name : names)
      visit(name, known.remedy);
  }
}

static StringRef lookUp(StringRef wanted) {
  StringRef result;
  forEachKnownName([&](StringRef name, StringRef remedy) {
    if (name == wanted)
      result = remedy;
  });
  return result;
}

/// The ops of the dialect that programs are written in, without its name.
static SmallVector<StringRef> mnemonics(mlir::MLIRContext &context) {
  // It is not there before the first of its ops has been read.
  context.getOrLoadDialect("fuse");
  SmallVector<StringRef> names;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations())
    if (op.getDialectNamespace() == "fuse")
      names.push_back(op.getStringRef().split('.').second);
  return names;
}

std::string replacementFor(StringRef name, mlir::MLIRContext &context) {
  SmallVector<StringRef> own = mnemonics(context);
  // Of "torch.aten.add.Tensor" each part may be the name.
  SmallVector<StringRef> parts;
  name.split(parts, '.');
  for (StringRef part : reverse(parts)) {
    std::string wanted = normalized(part);
    for (StringRef mnemonic : own)
      if (normalized(mnemonic) == wanted)
        return ("did you mean 'fuse." + mnemonic + "'?").str();
    if (StringRef remedy = lookUp(wanted); !remedy.empty())
      return remedy.str();
  }
  // A slip of the keyboard, of names that are long enough to tell.
  StringRef last = parts.back();
  StringRef near =
      nearest(last, own, last.size() < 4 ? 0 : 1 + last.size() / 8);
  return near.empty() ? "" : ("did you mean 'fuse." + near + "'?").str();
}

} // namespace fuse::jit
