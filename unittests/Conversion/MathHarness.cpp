//===- MathHarness.cpp - Runs expanded math on the host -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathHarness.h"

#include "fuse/Codegen/NVPTX.h"
#include "fuse/Codegen/Passes.h"
#include "fuse/Codegen/Translate.h"
#include "fuse/Conversion/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::testing;
using llvm::formatv;

#define UNARY(EXPRESSION) [](long double x, long double) { return EXPRESSION; }

llvm::ArrayRef<MathFunction> mlir::fuse::testing::getMathFunctions() {
  static const MathFunction functions[] = {
      {"exp", 1, UNARY(std::exp(x)), 1.5, 1.5, 0.25},
      {"exp2", 1, UNARY(std::exp2(x)), 1.5, 1.5, 0.25},
      {"expm1", 1, UNARY(std::expm1(x)), 2.0, 2.0, 0.25},
      {"log", 1, UNARY(std::log(x)), 1.5, 1.5, 0.25},
      {"log2", 1, UNARY(std::log2(x)), 1.5, 2.0, 0.25},
      {"log1p", 1, UNARY(std::log1p(x)), 1.5, 1.5, 0.25},
      {"rsqrt", 1, UNARY(1.0L / std::sqrt(x)), 1.5, 1.5, 0.25},
      {"sin", 1, UNARY(std::sin(x)), 1.5, 1.5, 0.25},
      {"cos", 1, UNARY(std::cos(x)), 1.5, 1.5, 0.25},
      {"tanh", 1, UNARY(std::tanh(x)), 2.0, 3.0, 0.25},
      {"erf", 1, UNARY(std::erf(x)), 2.0, 4.0, 0.25},
      {"powf", 2, [](long double x, long double y) { return std::pow(x, y); },
       2.0, 1.5, 0.25},
  };
  return functions;
}

#undef UNARY

const MathFunction &mlir::fuse::testing::getMathFunction(StringRef name) {
  return *llvm::find_if(getMathFunctions(), [&](const MathFunction &function) {
    return function.name == name;
  });
}

/// The kernel that applies the op to one vector per block. A function of turns
/// is a placeholder conversion until replaceTurns.
static std::string kernelText(StringRef name, unsigned arity, bool isDouble,
                              unsigned lanes, StringRef attributes) {
  bool isTurns = name.ends_with("_turns");
  auto shaped = [&](StringRef element) {
    return lanes ? formatv("vector<{0}x{1}>", lanes, element).str()
                 : element.str();
  };
  std::string element = isDouble ? "f64" : "f32";
  std::string in = shaped(isTurns ? "i64" : element), out = shaped(element);
  std::string op;
  if (isTurns)
    op = formatv("arith.sitofp %x : {0} to {1}", in, out);
  else
    op = formatv("math.{0} %x{1} {2} : {3}", name, arity == 2 ? ", %y" : "",
                 attributes, out);
  return formatv(R"(
    gpu.module @m {{
      gpu.func @k(%a: !llvm.ptr, %b: !llvm.ptr, %out: !llvm.ptr) kernel {{
        %block = gpu.block_id x
        %i = arith.index_cast %block : index to i64
        %pa = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {0}
        %pb = llvm.getelementptr %b[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {0}
        %po = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {1}
        %x = llvm.load %pa {{alignment = 4 : i64} : !llvm.ptr -> {0}
        %y = llvm.load %pb {{alignment = 4 : i64} : !llvm.ptr -> {0}
        %r = {2}
        llvm.store %r, %po {{alignment = 4 : i64} : {1}, !llvm.ptr
        gpu.return
      }
    })",
                 in, out, op);
}

static void replaceTurns(ModuleOp module, bool wantsSin) {
  module.walk([&](arith::SIToFPOp op) {
    OpBuilder builder(op);
    bool isDouble = getElementTypeOrSelf(op.getType()).isF64();
    auto [sin, cos] =
        isDouble ? buildSinCosOfTurnsF64(builder, op.getLoc(), op.getIn())
                 : buildSinCosOfTurns(builder, op.getLoc(), op.getIn());
    op.replaceAllUsesWith(wantsSin ? sin : cos);
    op.erase();
    return WalkResult::interrupt();
  });
}

namespace {

/// A kernel on its way from text to code; owns what its module lives in.
class Kernel {
public:
  Kernel() : context(makeRegistry()) {
    context.loadDialect<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                        math::MathDialect, scf::SCFDialect,
                        vector::VectorDialect>();
  }

  /// Parses `text`, expands the math for `target` and runs `lowering`.
  llvm::Error lower(const std::string &text, StringRef name, MathTarget target,
                    std::unique_ptr<Pass> lowering) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return llvm::createStringError("expected the kernel to parse");
    if (name.ends_with("_turns"))
      replaceTurns(*module, name.starts_with("sin"));
    PassManager passes(&context);
    passes.addPass(createExpandMath({target}));
    passes.nest<gpu::GPUModuleOp>().addPass(std::move(lowering));
    if (failed(passes.run(*module)))
      return llvm::createStringError("expected the passes to succeed");
    return llvm::Error::success();
  }

  gpu::GPUModuleOp get() { return *module->getOps<gpu::GPUModuleOp>().begin(); }

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerCodegenTranslations(registry);
    return registry;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

llvm::Expected<CompiledMath>
CompiledMath::compile(StringRef name, unsigned arity, bool isDouble,
                      unsigned lanes, bool isApproximate) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  Kernel kernel;
  if (llvm::Error error =
          kernel.lower(kernelText(name, arity, isDouble, lanes,
                                  isApproximate ? "fastmath<afn>" : ""),
                       name, MathTarget::Cpu, createFuseGPUToCPU()))
    return std::move(error);
  auto object = compileHostObject(kernel.get());
  if (!object)
    return object.takeError();
  auto loaded = loadHostObject(*object, {"k"});
  if (!loaded)
    return loaded.takeError();
  CompiledMath result;
  result.object = *loaded;
  result.kernel = loaded->entries["k"];
  result.lanes = lanes;
  return result;
}

llvm::Expected<std::string>
mlir::fuse::testing::emitMathPTX(StringRef name, unsigned arity, bool isDouble,
                                 unsigned lanes, StringRef attributes) {
  Kernel kernel;
  if (llvm::Error error =
          kernel.lower(kernelText(name, arity, isDouble, lanes, attributes),
                       name, MathTarget::Cuda, createFuseGPUToNVVM()))
    return std::move(error);
  auto target = lookupGPUTarget("sm_90");
  if (!target)
    return target.takeError();
  return emitPTX(kernel.get(), *target);
}

double mlir::fuse::testing::ulpError(long double got, long double truth,
                                     const UlpFormat &format) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (std::isnan(got) || std::isnan(truth))
    return std::isnan(got) && std::isnan(truth) ? 0.0 : wrong;
  if (truth == 0)
    return got == 0 && std::signbit(got) == std::signbit(truth) ? 0.0 : wrong;
  auto bounded = [&](long double value) {
    long double limit = std::ldexp(1.0L, format.maxExponent + 1);
    return std::fmin(std::fmax(value, -limit), limit);
  };
  got = bounded(got);
  truth = bounded(truth);
  int exponent = std::min(std::max(std::ilogb(truth), format.minExponent),
                          format.maxExponent);
  return std::fabs(std::ldexp(got - truth, format.mantissaBits - exponent));
}

template <typename T> static std::vector<T> specialValues() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {
      Limits::quiet_NaN(),  Limits::infinity(), T(0),
      Limits::denorm_min(), Limits::min(),      Limits::max(),
      Limits::min() / 2,    Limits::epsilon()};
  for (T center :
       {0.125,  0.3465736,  0.5,       0.55,      0.70710678, 0.7853982,
        1.0,    1.41421356, 1.5708,    2.0,       3.0,        3.14159265,
        4.0,    5.0,        6.0,       10.0,      22.0,       88.72284,
        89.0,   103.97,     104.5,     127.0,     128.0,      149.0,
        150.0,  151.0,      65536.0,   105615.0,  709.78,     745.13,
        1023.0, 1024.0,     1048576.0, 4194304.0, 1e10,       1e22,
        1e30})
    for (T value : {std::nextafter(center, T(0)), center,
                    std::nextafter(center, Limits::infinity())})
      values.push_back(value);
  for (size_t i = 0, n = values.size(); i < n; ++i)
    values.push_back(-values[i]);
  return values;
}

std::vector<float> mlir::fuse::testing::specialValuesF32() {
  return specialValues<float>();
}

std::vector<double> mlir::fuse::testing::specialValuesF64() {
  return specialValues<double>();
}
