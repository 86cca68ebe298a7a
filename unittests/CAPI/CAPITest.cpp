//===- CAPITest.cpp - The C API of Fuse -----------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CAPITesting.h"
#include "PlainC.h"
#include "gtest/gtest.h"
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace fuse::capi::testing;

namespace {

constexpr const char *twice = R"(
func.func @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = fuse.add %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
})";

constexpr const char *addRows = R"(
func.func @add_rows(%x: tensor<?x4xf32> {fuse.dims = ["rows"]},
                    %b: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %y = fuse.add %x, %b : tensor<?x4xf32>, tensor<4xf32>
  %z = fuse.mul %y, %y : tensor<?x4xf32>
  return %y, %z : tensor<?x4xf32>, tensor<?x4xf32>
})";

TEST(CAPI, SaysItsVersion) { EXPECT_STREQ(fuseVersion(), FUSE_VERSION); }

TEST(CAPI, SaysItsABI) { EXPECT_EQ(fuseAbi(), FUSE_ABI); }

TEST(CAPI, ErrorsHaveCodes) {
  EXPECT_EQ(fuseStatusCode(nullptr), FUSE_OK);
  FuseOptions options = onCpu();
  FuseProgram *program = nullptr;
  EXPECT_EQ(code(fuseCompile("nothing", 7, nullptr, &options, &program)),
            FUSE_ERROR_PROGRAM);
  options.target = 17;
  EXPECT_EQ(
      code(fuseCompile(twice, strlen(twice), nullptr, &options, &program)),
      FUSE_ERROR_ARGUMENT);
  EXPECT_EQ(code(fuseCompile(nullptr, 0, nullptr, nullptr, &program)),
            FUSE_ERROR_ARGUMENT);
  ProgramPtr compiled = compile(twice);
  EXPECT_EQ(code(fuseRun(compiled.get(), nullptr, 0, nullptr, 0, nullptr)),
            FUSE_ERROR_ARGUMENT);
  // No machine has so many devices.
  options = onCpu();
  options.target = FUSE_TARGET_CUDA;
  options.device = 4096;
  EXPECT_EQ(
      code(fuseCompile(twice, strlen(twice), nullptr, &options, &program)),
      FUSE_ERROR_DEVICE);
}

TEST(CAPI, TellsWhatIsCompiled) {
  std::string lines;
  fuseSetLog(
      [](const char *line, void *user) {
        *static_cast<std::string *>(user) += std::string(line) + "\n";
      },
      &lines);
  compile(twice);
  EXPECT_NE(lines.find("compiled 'twice' for cpu (aligned16, "),
            std::string::npos)
      << lines;
  fuseSetLog(nullptr, nullptr);
  lines.clear();
  compile(twice);
  EXPECT_EQ(lines, "");
}

TEST(CAPI, WritesBundles) {
  std::string folder = testing::TempDir() + "fuse-bundle";
  char *files = nullptr;
  EXPECT_EQ(message(fuseWriteBundle(twice, strlen(twice), nullptr, nullptr,
                                    "cpu,sm_80", folder.c_str(), &files)),
            "");
  EXPECT_NE(std::string(files).find("twice.cpu.o\n"), std::string::npos);
  EXPECT_NE(std::string(files).find("twice.c\n"), std::string::npos);
  fuseStringFree(files);
  FuseStatus *status = fuseWriteBundle(twice, strlen(twice), nullptr, nullptr,
                                       "", folder.c_str(), &files);
  EXPECT_EQ(fuseStatusCode(status), FUSE_ERROR_ARGUMENT);
  EXPECT_NE(message(status).find("expected the chips to compile for"),
            std::string::npos);
  EXPECT_EQ(code(fuseWriteBundle(twice, strlen(twice), nullptr, nullptr,
                                 "sm_12345", folder.c_str(), &files)),
            FUSE_ERROR_PROGRAM);
}

TEST(CAPI, RunsFromC) {
  std::vector<float> in = {1, -2, 0.5, 3, 4}, out(5, NAN);
  EXPECT_EQ(message(runOnVector(twice, in.data(), out.data(), 5)), "");
  EXPECT_EQ(out, (std::vector<float>{2, -4, 1, 6, 8}));
  EXPECT_EQ(message(runOnVector(twice, nullptr, nullptr, 0)), "");
}

TEST(CAPI, TakesViews) {
  ProgramPtr program = compile(twice);
  Array x({8}), y({4}, NAN);
  for (int i = 0; i < 8; ++i)
    x.values[i] = i;
  x.shape = {4};
  for (int64_t stride : {2, 1, 0}) {
    EXPECT_EQ(run(program.get(), {strided(x, &stride)}, {y.tensor()}), "");
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(y.values[i], 2 * i * stride);
  }
}

TEST(CAPI, WritesViews) {
  ProgramPtr program = compile(twice);
  Array x({4}, 3), y({9}, -1);
  y.shape = {4};
  int64_t two = 2;
  EXPECT_EQ(run(program.get(), {x.tensor()}, {strided(y, &two)}), "");
  EXPECT_EQ(y.values, (std::vector<float>{6, -1, 6, -1, 6, -1, 6, -1, -1}));

  DLTensor from = x.tensor(), to = strided(y, &two);
  const DLTensor *inputs[] = {&from}, *outputs[] = {&to};
  from.data = to.data = nullptr;
  FuseCall *call = nullptr;
  ASSERT_EQ(
      message(fusePrepareOutputs(program.get(), inputs, 1, outputs, 1, &call)),
      "");
  void *addresses[] = {x.values.data(), y.values.data() + 1};
  EXPECT_EQ(message(fuseCallRun(call, addresses, 2, nullptr)), "");
  EXPECT_EQ(y.values, (std::vector<float>{6, 6, 6, 6, 6, 6, 6, 6, -1}));
  fuseCallFree(call);
}

TEST(CAPI, RunsSeveralInputsAndOutputs) {
  ProgramPtr program = compile(addRows);
  for (int64_t rows : {0, 1, 3}) {
    Array x({rows, 4}, 1), b({4}, 2), y({rows, 4}, NAN), z({rows, 4}, NAN);
    EXPECT_EQ(
        run(program.get(), {x.tensor(), b.tensor()}, {y.tensor(), z.tensor()}),
        "");
    EXPECT_EQ(y.values, Array({rows, 4}, 3).values);
    EXPECT_EQ(z.values, Array({rows, 4}, 9).values);
  }
}

TEST(CAPI, HonorsTheByteOffset) {
  ProgramPtr program = compile(twice);
  Array x({6}, 1), y({4}, NAN);
  x.values = {10, 20, 1, 2, 3, 4};
  DLTensor from = x.tensor();
  int64_t four = 4;
  from.shape = &four;
  from.byte_offset = 8;
  EXPECT_EQ(run(program.get(), {from}, {y.tensor()}), "");
  EXPECT_EQ(y.values, (std::vector<float>{2, 4, 6, 8}));
}

TEST(CAPI, InfersShapes) {
  ProgramPtr program = compile(addRows);
  Array x({7, 4}), b({4});
  DLTensor tensors[] = {x.tensor(), b.tensor()};
  const DLTensor *inputs[] = {&tensors[0], &tensors[1]};
  ASSERT_EQ(fuseProgramOutputDims(program.get()), 4);
  std::vector<int64_t> dims(4);
  EXPECT_EQ(
      message(fuseProgramInferShapes(program.get(), inputs, 2, dims.data())),
      "");
  EXPECT_EQ(dims, (std::vector<int64_t>{7, 4, 7, 4}));
}

TEST(CAPI, RunsPreparedCalls) {
  ProgramPtr program = compile(addRows);
  Array x({3, 4}, 1), b({4}, 2), y({3, 4}, NAN), z({3, 4}, NAN);
  // No address is there yet.
  DLTensor tensors[] = {x.tensor(), b.tensor()};
  tensors[0].data = tensors[1].data = nullptr;
  const DLTensor *inputs[] = {&tensors[0], &tensors[1]};
  FuseCall *call = nullptr;
  ASSERT_EQ(message(fusePrepare(program.get(), inputs, 2, &call)), "");
  void *addresses[] = {x.values.data(), b.values.data(), y.values.data(),
                       z.values.data()};
  EXPECT_EQ(message(fuseCallRun(call, addresses, 4, nullptr)), "");
  EXPECT_EQ(z.values, Array({3, 4}, 9).values);
  // Memory that is not aligned to 16 bytes needs other code.
  std::vector<float> odd(13, 5);
  addresses[0] = odd.data() + 1;
  EXPECT_EQ(message(fuseCallRun(call, addresses, 4, nullptr)), "");
  EXPECT_EQ(y.values, Array({3, 4}, 7).values);
  EXPECT_EQ(message(fuseCallRun(call, addresses, 3, nullptr)),
            "expected 4 addresses, but got 3; pass that of each input, then "
            "that of each output");
  addresses[3] = addresses[2];
  EXPECT_NE(message(fuseCallRun(call, addresses, 4, nullptr))
                .find("not to overlap output"),
            std::string::npos);
  addresses[3] = nullptr;
  EXPECT_NE(message(fuseCallRun(call, addresses, 4, nullptr))
                .find("to have data, but got a null pointer"),
            std::string::npos);
  fuseCallFree(call);

  Array narrow({3, 3});
  tensors[0] = narrow.tensor();
  call = nullptr;
  EXPECT_NE(message(fusePrepare(program.get(), inputs, 2, &call))
                .find("to be 4, but got 3"),
            std::string::npos);
  EXPECT_EQ(call, nullptr);
  fuseCallFree(nullptr);
}

TEST(CAPI, Describes) {
  ProgramPtr program = compile(addRows);
  const char *json = nullptr;
  ASSERT_EQ(message(fuseProgramDescribe(program.get(), &json)), "");
  std::string text = json;
  for (const char *part :
       {R"("name":"add_rows")", R"("symbols":["rows"])", R"("chip":"cpu")",
        R"("shape":["rows",4])", R"("dtype":"f32")", R"("schedule":"#fuse.)"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  DLDevice device = fuseProgramDevice(program.get());
  EXPECT_EQ(device.device_type, kDLCPU);
}

TEST(CAPI, SaysWhatCallsHaveCopied) {
  ProgramPtr program = compile(R"(
func.func @f(%x: tensor<2x4xf32>) -> tensor<8xf32> {
  %v = tensor.collapse_shape %x [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %y = fuse.neg %v : tensor<8xf32>
  return %y : tensor<8xf32>
})");
  auto remarks = [&] {
    char *json = nullptr;
    EXPECT_EQ(message(fuseProgramRemarks(program.get(), &json)), "");
    std::string text = json;
    fuseStringFree(json);
    return text;
  };
  EXPECT_NE(remarks().find("fuse-kernel"), std::string::npos);
  EXPECT_EQ(remarks().find("fuse-copy"), std::string::npos);
  float from[8] = {0, 1, 2, 3, 4, 5, 6, 7}, to[8];
  int64_t shape[] = {2, 4}, strides[] = {1, 2}, length[] = {8};
  DLTensor x{from, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0};
  DLTensor y{to, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, length, nullptr, 0};
  const DLTensor *inputs[] = {&x}, *outputs[] = {&y};
  ASSERT_EQ(message(fuseRun(program.get(), inputs, 1, outputs, 1, nullptr)),
            "");
  EXPECT_EQ(std::vector<float>(to, to + 8),
            (std::vector<float>{0, -2, -4, -6, -1, -3, -5, -7}));
  EXPECT_NE(remarks().find("kernel 'copy' copies 'x'"), std::string::npos);
  EXPECT_NE(message(fuseProgramRemarks(program.get(), nullptr)), "");
}

TEST(CAPI, PrintsStages) {
  ProgramPtr program = compile(twice);
  const char *expected[] = {"fuse.kernel", "#fuse.pointwise", "gpu.func",
                            "llvm."};
  for (int stage : {FUSE_STAGE_KERNELS, FUSE_STAGE_SCHEDULE, FUSE_STAGE_GPU,
                    FUSE_STAGE_LLVM}) {
    char *text = nullptr;
    ASSERT_EQ(message(fuseProgramPrint(program.get(), stage, &text)), "");
    EXPECT_NE(std::string(text).find(expected[stage]), std::string::npos)
        << text;
    fuseStringFree(text);
  }
  char *text = nullptr;
  EXPECT_EQ(message(fuseProgramPrint(program.get(), 9, &text)),
            "expected a FuseStage from 0 to 4, but got 9; pass one of the "
            "enumerators");
}

TEST(CAPI, RecordsCallsOnAGPUOnly) {
  FuseOptions options;
  fuseOptionsInit(&options);
  options.target = FUSE_TARGET_CPU;
  options.cache = 0;
  options.graphs = 1;
  FuseProgram *program = nullptr;
  EXPECT_EQ(message(fuseCompile(addRows, strlen(addRows), nullptr, &options,
                                &program)),
            "expected a program on a GPU, whose calls are recorded as CUDA "
            "graphs, but got one on cpu; compile it without the option graphs");
  EXPECT_EQ(program, nullptr);
  // A caller of an older header has no such field.
  options.size = offsetof(FuseOptions, graphs);
  EXPECT_EQ(message(fuseCompile(addRows, strlen(addRows), nullptr, &options,
                                &program)),
            "");
  fuseProgramFree(program);
}

TEST(CAPI, InspectsForAChipThatIsNotThere) {
  FuseOptions options;
  fuseOptionsInit(&options);
  options.target = FUSE_TARGET_CUDA;
  options.chip = "sm_90";
  options.cache = 0;
  char *json = nullptr;
  ASSERT_EQ(
      message(fuseInspect(addRows, strlen(addRows), nullptr, &options, &json)),
      "");
  std::string text = json;
  fuseStringFree(json);
  EXPECT_NE(text.find(".target sm_90"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("min_access_bits":128)"), std::string::npos) << text;
  EXPECT_NE(text.find("griddepcontrol.wait"), std::string::npos) << text;

  options.launch_overlap = 0;
  ASSERT_EQ(
      message(fuseInspect(addRows, strlen(addRows), nullptr, &options, &json)),
      "");
  text = json;
  fuseStringFree(json);
  EXPECT_EQ(text.find("griddepcontrol"), std::string::npos) << text;

  options.lengths = -1;
  EXPECT_EQ(
      message(fuseInspect(addRows, strlen(addRows), nullptr, &options, &json)),
      "expected lengths of 0 or more, but got -1; 0 compiles for any length "
      "only");
  options.lengths = 0;
  options.sizes = "T=3,Q=4";
  EXPECT_NE(
      message(fuseInspect(addRows, strlen(addRows), nullptr, &options, &json))
          .find("expected the name of a dynamic dim, one of "),
      std::string::npos);
  options.sizes = nullptr;

  options.chip = nullptr;
  EXPECT_EQ(
      message(fuseInspect(addRows, strlen(addRows), nullptr, &options, &json)),
      "expected a chip to inspect the target cuda for, but got none; "
      "name one, such as sm_90");
}

TEST(CAPI, ReportsWhatIsWrongWithAProgram) {
  FuseOptions options = onCpu();
  FuseProgram *program = nullptr;
  const char *bad = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                    "  %y = fuse.unknown %x : tensor<4xf32>\n"
                    "  return %y : tensor<4xf32>\n}\n";
  std::string text =
      message(fuseCompile(bad, strlen(bad), "bad.mlir", &options, &program));
  EXPECT_EQ(text.rfind("bad.mlir:2:", 0), 0u) << text;
  EXPECT_EQ(program, nullptr);

  text = message(fuseCompileFile("/no/such/file.mlir", &options, &program));
  EXPECT_NE(text.find("/no/such/file.mlir"), std::string::npos) << text;
}

TEST(CAPI, ReportsWhatIsWrongWithTensors) {
  ProgramPtr program = compile(twice);
  Array x({4}, 1), y({4}), wide({2, 4}), longer({5});

  EXPECT_EQ(run(program.get(), {}, {y.tensor()})
                .rfind("expected 1 input tensors, but got 0", 0),
            0u);
  EXPECT_EQ(run(program.get(), {wide.tensor()}, {y.tensor()})
                .rfind("expected 'x' to have rank 1, but got rank 2", 0),
            0u);
  EXPECT_NE(run(program.get(), {x.tensor()}, {longer.tensor()}).find("to be 4"),
            std::string::npos);

  DLTensor odd = x.tensor();
  odd.dtype = {kDLUInt, 16, 1};
  EXPECT_EQ(run(program.get(), {odd}, {y.tensor()}),
            "expected 'x' to be f32, f16, bf16, f64, f8E4M3FN, f8E5M2, bool, "
            "i8, i16, i32, i64 or ui8, but got DLPack type code 1 of 16 "
            "bits x 1; convert it");
  odd = x.tensor();
  odd.device.device_type = static_cast<DLDeviceType>(8);
  EXPECT_EQ(run(program.get(), {odd}, {y.tensor()}),
            "expected 'x' to be on the CPU or a CUDA device, but got DLPack "
            "device type 8; move it");
  int64_t zero = 0;
  EXPECT_EQ(run(program.get(), {x.tensor()}, {strided(y, &zero)})
                .rfind("expected each element of 'y' to have a place of its "
                       "own, but got strides [0]",
                       0),
            0u);
  int64_t back = -1;
  EXPECT_EQ(run(program.get(), {strided(x, &back)}, {y.tensor()})
                .rfind("'x': expected strides of 0 or more, but got [-1]", 0),
            0u);
}

TEST(CAPI, RefusesNull) {
  const char *remedy = "() to be set, but got NULL; pass pointers to valid "
                       "memory";
  FuseProgram *program = nullptr;
  EXPECT_EQ(message(fuseCompile(nullptr, 0, nullptr, nullptr, &program)),
            std::string("expected the arguments of fuseCompile") + remedy);
  EXPECT_EQ(message(fuseCompileFile("x.mlir", nullptr, nullptr)),
            std::string("expected the arguments of fuseCompileFile") + remedy);
  EXPECT_EQ(message(fuseRun(nullptr, nullptr, 0, nullptr, 0, nullptr)),
            std::string("expected the arguments of fuseRun") + remedy);
  ProgramPtr compiled = compile(twice);
  const DLTensor *none[] = {nullptr};
  EXPECT_EQ(message(fuseRun(compiled.get(), none, 1, none, 1, nullptr)),
            "expected 'x' to be a tensor, but got NULL; pass a DLTensor");
  fuseProgramFree(nullptr);
  fuseStatusFree(nullptr);
  fuseStringFree(nullptr);
  EXPECT_STREQ(fuseStatusMessage(nullptr), "");
}

TEST(CAPI, TakesTheOptionsOfAnOlderHeader) {
  FuseOptions options = onCpu();
  // Up to `device`; what follows must not be read.
  options.size = offsetof(FuseOptions, chip);
  options.chip = "nonsense";
  FuseProgram *program = nullptr;
  EXPECT_EQ(
      message(fuseCompile(twice, strlen(twice), nullptr, &options, &program)),
      "");
  fuseProgramFree(program);
}

TEST(CAPI, TunesWithAllDimsAndAGPUOnly) {
  FuseOptions options = onCpu();
  auto tune = [&](std::vector<int64_t> dims) {
    char *json = nullptr;
    return message(fuseAutotune(twice, strlen(twice), nullptr, &options,
                                dims.data(), dims.size(), &json));
  };
  EXPECT_NE(tune({}).find("expected 1 dims for the inputs of"),
            std::string::npos);
  EXPECT_NE(tune({4, 4}).find("but got 2; pass one for each dimension"),
            std::string::npos);
  EXPECT_NE(tune({4}).find("expected a GPU to tune on"), std::string::npos);
}

TEST(CAPI, RunsInSeveralThreads) {
  ProgramPtr program = compile(twice);
  std::vector<std::thread> threads;
  std::vector<std::string> errors(4);
  for (int i = 0; i != 4; ++i)
    threads.emplace_back([&, i] {
      for (int64_t count = 1; count != 50 && errors[i].empty(); ++count) {
        Array x({count}, i), y({count}, NAN);
        errors[i] = run(program.get(), {x.tensor()}, {y.tensor()});
        if (y.values != Array({count}, 2 * i).values)
          errors[i] += "wrong values";
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(errors, std::vector<std::string>(4));
}

TEST(CAPI, CompilesAnExampleFile) {
  FuseOptions options = onCpu();
  FuseProgram *program = nullptr;
  ASSERT_EQ(message(fuseCompileFile(FUSE_EXAMPLES "/softmax.mlir", &options,
                                    &program)),
            "");
  ProgramPtr owner(program);
  Array x({2, 4096}, 1), y({2, 4096}, NAN);
  EXPECT_EQ(run(program, {x.tensor()}, {y.tensor()}), "");
  for (float value : y.values)
    ASSERT_NEAR(value, 1.0 / 4096, 1e-9);
}

TEST(CAPI, ExportsNothingButItself) {
  void *library = dlopen(nullptr, RTLD_NOW);
  ASSERT_NE(library, nullptr);
  EXPECT_NE(dlsym(library, "fuseRun"), nullptr);
  // Of the JIT, which libfuse_compiler.so contains.
  EXPECT_EQ(dlsym(library, "_ZNK4fuse3jit15CompiledProgram6deviceEv"), nullptr);
  dlclose(library);
}

} // namespace
