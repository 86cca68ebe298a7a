//===- TensorMapTest.cpp - Kernels that take tensor maps ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPrograms.h"
#include "gmock/gmock.h"

using namespace fuse::runtime;
using llvm::cantFail;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
/// Knows tensor maps, which say where they came from; runs nothing.
class MapModule : public Module {
public:
  struct Encoded {
    void *data;
    TensorMapShape shape;
  };
  std::vector<Encoded> encoded;
  /// The first words of the maps in the last launch's second argument.
  std::vector<uint64_t> passed;

  Device device() const override { return Device::cpu(); }
  llvm::Expected<KernelHandle> lookup(llvm::StringRef, unsigned,
                                      unsigned) override {
    return this;
  }
  llvm::Expected<int64_t> mostConcurrentBlocks(KernelHandle, unsigned,
                                               unsigned) override {
    return 1;
  }
  llvm::Error launch(const Launch &launch, Stream) override {
    auto *map = static_cast<const TensorMap *>(launch.params[1]);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(map) % 64, 0U);
    passed.push_back(map->words[0]);
    return llvm::Error::success();
  }
  llvm::Expected<TensorMap> encode(void *data,
                                   const TensorMapShape &shape) override {
    encoded.push_back({data, shape});
    TensorMap map;
    map.words[0] = encoded.size();
    return map;
  }
  llvm::Error clear(void *, int64_t, Stream) override {
    return llvm::Error::success();
  }
  llvm::Error copy(void *, const void *, int64_t, Stream) override {
    return llvm::Error::success();
  }
  llvm::Error upload(void *, const void *, int64_t) override {
    return llvm::Error::success();
  }
  llvm::Expected<std::unique_ptr<Buffer>> allocateOwn(int64_t) override {
    return nullptr;
  }
  llvm::Expected<std::optional<QueueId>> queueId(Stream) override {
    return std::nullopt;
  }
  llvm::Expected<double> time(Stream,
                              llvm::function_ref<llvm::Error()>) override {
    return 0;
  }
};

/// One kernel with a map of x [T, 4], read as 4 x T.
ProgramSpec mapped() {
  SizeExpr rows = SizeExpr::symbol(0);
  TensorMapSpec map;
  map.buffer = BufferRef::input(0);
  map.sizes = {4, rows};
  map.strides = {4};
  map.box = {4, 64};
  ProgramSpec spec;
  spec.name = "mapped";
  spec.symbols = {"T"};
  spec.inputs = {{"x", DType::F32, {rows, 4}, 4}};
  spec.steps = {kernel("map", {BufferRef::input(0), map}, 1)};
  return spec;
}

struct Call {
  std::shared_ptr<MapModule> module = std::make_shared<MapModule>();
  Program program = cantFail(Program::create(mapped(), module));

  std::string run(std::vector<float> &x, int64_t rows) {
    return message(program.run({view(x, {rows, 4})}, {}));
  }
};
} // namespace

TEST(TensorMap, SaysWhereTheTensorLies) {
  Call call;
  std::vector<float> x(32);
  EXPECT_EQ(call.run(x, 8), "");
  ASSERT_EQ(call.module->encoded.size(), 1U);
  const auto &[data, shape] = call.module->encoded.front();
  EXPECT_EQ(data, x.data());
  EXPECT_EQ(shape.rank, 2U);
  EXPECT_EQ(shape.elementBytes, 4U);
  EXPECT_THAT(shape.sizes, ElementsAre(4, 8, 0, 0, 0));
  EXPECT_EQ(shape.strides[1], 16U);
  EXPECT_THAT(shape.box, ElementsAre(4, 64, 0, 0, 0));
}

TEST(TensorMap, IsKeptWhileNothingChanges) {
  Call call;
  std::vector<float> x(32), y(32);
  for (auto [tensor, rows] : {std::pair(&x, 8), {&x, 8}, {&y, 8}, {&y, 4}})
    EXPECT_EQ(call.run(*tensor, rows), "");
  EXPECT_THAT(call.module->passed, ElementsAre(1, 1, 2, 3));
}

// The driver refuses sizes of 0, and the kernel copies nothing.
TEST(TensorMap, IsNotMadeOfNothing) {
  Call call;
  std::vector<float> x(32);
  EXPECT_EQ(call.run(x, 0), "");
  EXPECT_TRUE(call.module->encoded.empty());
  EXPECT_EQ(call.run(x, 8), "");
  EXPECT_EQ(call.module->encoded.size(), 1U);
}

// A single row may lie any distance from the next.
TEST(TensorMap, TakesAnyStrideOfOneRow) {
  auto module = std::make_shared<MapModule>();
  ProgramSpec spec = mapped();
  auto &map =
      std::get<TensorMapSpec>(std::get<KernelSpec>(spec.steps[0]).args[1]);
  map.strides = {3};
  Program program = cantFail(Program::create(std::move(spec), module));
  std::vector<float> x(32);
  EXPECT_EQ(message(program.run({view(x, {1, 4})}, {})), "");
  EXPECT_EQ(module->encoded.front().shape.strides[1] % 16, 0U);
  EXPECT_THAT(message(program.run({view(x, {2, 4})}, {})),
              HasSubstr("expected strides of multiples of 16 bytes for the "
                        "copies of kernel 'map', but got 12"));
}

TEST(TensorMap, HasSizesThatCopiesCanCount) {
  Call call;
  TensorView huge;
  huge.shape = {int64_t(1) << 31, 4};
  alignas(16) float element = 0;
  huge.data = &element;
  EXPECT_THAT(
      message(call.program.run({huge}, {})),
      HasSubstr("expected dimensions of at most 2147483647 elements for "
                "the copies of kernel 'map', which count in 32 bits, "
                "but got 2147483648; split the call"));
}

TEST(TensorMap, MustHaveAStrideForEachSizeButOne) {
  ProgramSpec spec = mapped();
  auto &map =
      std::get<TensorMapSpec>(std::get<KernelSpec>(spec.steps[0]).args[1]);
  map.strides.clear();
  EXPECT_THAT(
      message(spec.verify()),
      HasSubstr("as many of a box and one stride less, but got 2, 2 and "
                "0; correct the plan"));
}

TEST(TensorMap, NeedsADeviceThatKnowsThem) {
  Program program = cantFail(Program::create(
      [] {
        ProgramSpec spec = mapped();
        std::get<KernelSpec>(spec.steps[0]).symbol = "twice";
        return spec;
      }(),
      testModule()));
  std::vector<float> x(32);
  EXPECT_THAT(message(program.run({view(x, {8, 4})}, {})),
              HasSubstr("expected a GPU whose copies take tensor maps, but got "
                        "the host"));
}
