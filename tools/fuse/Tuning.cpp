//===- Tuning.cpp - Measured schedules in the driver ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tuning.h"
#include "Inputs.h"
#include "Terminal.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::driver {

TuningOptions::TuningOptions(cl::SubCommand &sub, cl::OptionCategory &category)
    : autotune("autotune", cl::sub(sub), cl::cat(category),
               cl::desc("First measure several schedules on the GPU, and keep "
                        "the fastest in the tuning file")),
      candidates("autotune-candidates", cl::sub(sub), cl::cat(category),
                 cl::init(15), cl::value_desc("N"),
                 cl::desc("Schedules to measure for each kernel")) {}

Expected<std::vector<jit::TunedKernel>> tune(StringRef text, StringRef fileName,
                                             const jit::CompileOptions &compile,
                                             ArrayRef<Shape> inputShapes,
                                             const TuningOptions &options) {
  if (options.candidates < 2)
    return createStringError(formatv(
        "expected --autotune-candidates of 2 or more, but got {0}; leave it "
        "out for 15",
        options.candidates.getValue()));
  jit::AutotuneOptions tuning;
  tuning.candidates = options.candidates;
  ProgressLine progress;
  tuning.progress = [&](StringRef stage, unsigned done, unsigned all) {
    progress.show(stage, done, all);
  };
  return jit::autotune(text, fileName, compile, inputShapes, tuning);
}

Expected<std::vector<Shape>> inputShapes(const ProgramSpec &spec,
                                         ArrayRef<std::string> dims) {
  auto sizes = parseSizes(spec, dims);
  if (!sizes)
    return sizes.takeError();
  std::vector<Shape> shapes;
  for (const TensorSpec &input : spec.inputs) {
    auto shape = evaluateShape(spec, input, *sizes);
    if (!shape)
      return shape.takeError();
    shapes.push_back(std::move(*shape));
  }
  return std::move(shapes);
}

void printTuning(raw_ostream &os, ArrayRef<jit::TunedKernel> kernels) {
  for (const jit::TunedKernel &kernel : kernels) {
    os << "tuned " << kernel.name << "\n";
    for (auto [number, trial] : enumerate(kernel.trials)) {
      std::string time =
          trial.spills ? std::string("    spills")
                       : formatv("{0,7:F2} us", trial.seconds * 1e6).str();
      os << formatv("{0} {1}  {2}\n", number == kernel.best ? "*" : " ", time,
                    trial.schedule);
    }
  }
}

} // namespace fuse::driver
