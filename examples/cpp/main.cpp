//===- main.cpp - Compile a program and call it from C++ ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y = rms_norm(x + r) on the CPU: compiled from text, called with the caller's
// buffers, and compared with plain loops.
//
//===----------------------------------------------------------------------===//

#include "fuse/Execution/JIT.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace fuse;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;

static constexpr int64_t rows = 64, columns = 1024;

static constexpr const char *text = R"(
func.func @add_rms_norm(%x: tensor<?x1024xf32>, %r: tensor<?x1024xf32>)
    -> tensor<?x1024xf32> {
  %h = fuse.add %x, %r : tensor<?x1024xf32>
  %y = fuse.rms_norm %h eps = 1.0e-5 : tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}
)";

static runtime::TensorView view(std::vector<float> &data) {
  runtime::TensorView tensor;
  tensor.data = data.data();
  tensor.dtype = runtime::DType::F32;
  tensor.shape = {rows, columns};
  return tensor;
}

/// The largest difference between `y` and the norm of x + r.
static double maxError(ArrayRef<float> x, ArrayRef<float> r,
                       ArrayRef<float> y) {
  double worst = 0;
  for (int64_t row = 0; row < rows; ++row) {
    double squares = 0;
    for (int64_t i = row * columns; i < (row + 1) * columns; ++i)
      squares += std::pow(double(x[i]) + r[i], 2);
    double scale = 1 / std::sqrt(squares / columns + 1e-5);
    for (int64_t i = row * columns; i < (row + 1) * columns; ++i)
      worst = std::max(worst, std::abs((double(x[i]) + r[i]) * scale - y[i]));
  }
  return worst;
}

static Error run() {
  jit::CompileOptions options;
  options.target = jit::Target::CPU;
  Expected<std::unique_ptr<jit::CompiledProgram>> program =
      jit::compile(text, "add_rms_norm.mlir", options);
  if (!program)
    return program.takeError();

  std::vector<float> x(rows * columns), r(rows * columns), y(rows * columns);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = std::sin(0.1 * i);
    r[i] = std::cos(0.3 * i);
  }
  auto timings = (*program)->runTimed({view(x), view(r)}, {view(y)});
  if (!timings)
    return timings.takeError();
  for (const runtime::KernelTiming &kernel : *timings)
    llvm::outs() << kernel.name << ": "
                 << (kernel.bytesRead + kernel.bytesWritten) * 1e-6 << " MB in "
                 << kernel.seconds * 1e3 << " ms\n";

  double error = maxError(x, r, y);
  llvm::outs() << "largest error " << error << "\n";
  if (error < 1e-5)
    return Error::success();
  return llvm::createStringError("expected an error below 1e-5");
}

int main() {
  if (Error error = run()) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
