//===- TransposeBanksTest.cpp - Which banks a warp meets in ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers transposes and computes, from the IR of the kernel, the addresses in
// shared memory of every access of every thread of a block. Shared memory has
// 32 banks of 4 bytes. A warp's accesses of up to 4 bytes a lane are served
// together, of 8 bytes half a warp, of 16 bytes a quarter; different words of
// one bank are served one after the other.
//
//===----------------------------------------------------------------------===//

#include "fuse/Conversion/Passes.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// One access to shared memory by one thread.
struct Access {
  int64_t address, bytes;
};

struct Conflicts {
  /// Turns that the worst access of a warp takes, over those it must take.
  int64_t worst = 0;
  int64_t accesses = 0;
};

constexpr int64_t kWarp = 32, kBankBytes = 4, kRowBytes = 128;

/// Evaluates the straight-line code of one thread of block 0.
class Thread {
public:
  explicit Thread(int64_t id) : id(id) {}

  std::vector<Access> run(gpu::GPUFuncOp function) {
    for (Operation &op : function.getBody().front())
      visit(&op);
    return accesses;
  }

private:
  void visit(Operation *op) {
    Builder builder(op->getContext());
    if (auto store = dyn_cast<vector::StoreOp>(op))
      return access(store.getIndices(), store.getVectorType());
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return access(store.getIndices(), store.getValue().getType());
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return access(load.getIndices(), load.getType());
    if (isa<gpu::ThreadIdOp>(op))
      values[op->getResult(0)] = builder.getIndexAttr(id);
    if (isa<gpu::BlockIdOp>(op))
      values[op->getResult(0)] = builder.getIndexAttr(0);
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands())
      operands.push_back(values.lookup(operand));
    SmallVector<OpFoldResult> results;
    if (op->getNumResults() != 1 || failed(op->fold(operands, results)) ||
        results.size() != 1)
      return;
    if (auto number = dyn_cast<Attribute>(results.front()))
      values[op->getResult(0)] = number;
    else
      values[op->getResult(0)] = values.lookup(cast<Value>(results.front()));
  }

  void access(ValueRange indices, Type type) {
    auto index = dyn_cast_or_null<IntegerAttr>(values.lookup(indices.front()));
    ASSERT_TRUE(index) << "an index that does not fold";
    int64_t bytes = getElementBytes(getElementTypeOrSelf(type));
    auto vectorType = dyn_cast<VectorType>(type);
    int64_t lanes = vectorType ? vectorType.getNumElements() : 1;
    accesses.push_back({index.getInt() * bytes, bytes * lanes});
  }

  int64_t id;
  DenseMap<Value, Attribute> values;
  std::vector<Access> accesses;
};
} // namespace

/// Turns that lanes which are served together take.
static int64_t turnsOf(ArrayRef<Access> lanes) {
  std::map<int64_t, std::set<int64_t>> wordsOfBank;
  for (const Access &lane : lanes)
    for (int64_t byte = lane.address; byte < lane.address + lane.bytes;
         byte += kBankBytes) {
      int64_t word = byte / kBankBytes;
      wordsOfBank[word % (kRowBytes / kBankBytes)].insert(word);
    }
  size_t turns = 0;
  for (const auto &[bank, words] : wordsOfBank)
    turns = std::max(turns, words.size());
  return turns;
}

/// Of a kernel that turns a 256 x 256 matrix.
static Conflicts conflictsOf(StringRef element, int64_t threads, int64_t tile,
                             int64_t vector) {
  MLIRContext context;
  context.loadDialect<FuseDialect, func::FuncDialect, tensor::TensorDialect>();
  std::string text = llvm::formatv(
      R"(func.func @f(%x: tensor<256x256x{0}>) -> tensor<256x256x{0}> {{
        %y = fuse.kernel "k" ins(%x : tensor<256x256x{0}>) -> tensor<256x256x{0}>
            schedule = #fuse.transpose<threads = {1}, tile = {2}, vector = {3}> {{
        ^bb0(%a: tensor<256x256x{0}>):
          %t = fuse.transpose %a permutation = [1, 0] : tensor<256x256x{0}> -> tensor<256x256x{0}>
          fuse.yield %t : tensor<256x256x{0}>
        }
        return %y : tensor<256x256x{0}>
      })",
      element, threads, tile, vector);
  Conflicts conflicts;
  auto module = parseSourceString<ModuleOp>(text, &context);
  PassManager passes(&context);
  passes.addPass(createLowerKernels());
  if (!module || failed(passes.run(*module))) {
    ADD_FAILURE() << "expected the kernel to lower";
    return conflicts;
  }
  gpu::GPUFuncOp function;
  module->walk([&](gpu::GPUFuncOp op) { function = op; });
  std::vector<std::vector<Access>> block;
  for (int64_t id = 0; id < threads; ++id)
    block.push_back(Thread(id).run(function));
  conflicts.accesses = block.front().size();
  for (int64_t number = 0; number < conflicts.accesses; ++number) {
    int64_t bytes = block.front()[number].bytes;
    int64_t together = kWarp * kBankBytes / std::max(kBankBytes, bytes);
    for (int64_t first = 0; first < threads; first += together) {
      SmallVector<Access> lanes;
      for (int64_t id = first; id < std::min(threads, first + together); ++id)
        lanes.push_back(block[id][number]);
      conflicts.worst = std::max(conflicts.worst, turnsOf(lanes));
    }
  }
  return conflicts;
}

// The schedules that the scheduler proposes: rows of 128 bytes.
TEST(TransposeBanks, ProposedSchedulesHaveNoConflicts) {
  struct {
    const char *element;
    int64_t threads, tile, vector;
  } schedules[] = {
      {"bf16", 256, 64, 8}, {"bf16", 256, 64, 4}, {"bf16", 512, 64, 2},
      {"f32", 128, 32, 4},  {"f32", 256, 32, 2},  {"f32", 256, 32, 1},
      {"f64", 64, 16, 2},   {"f64", 128, 16, 1},  {"i8", 256, 128, 16},
      {"i1", 256, 128, 16}, {"bf16", 64, 32, 4},
  };
  for (auto [element, threads, tile, vector] : schedules) {
    Conflicts conflicts = conflictsOf(element, threads, tile, vector);
    // As many vectors written as read, these element by element.
    int64_t vectors = tile * tile / vector / threads;
    EXPECT_EQ(conflicts.accesses, vectors + vectors * vector);
    EXPECT_EQ(conflicts.worst, 1)
        << element << " tile " << tile << " vector " << vector;
  }
}

// Two neighbours of two bytes share a word, but lie in different rows.
TEST(TransposeBanks, SingleShortElementsMeetTwice) {
  EXPECT_EQ(conflictsOf("bf16", 1024, 64, 1).worst, 2);
}

TEST(TransposeBanks, TheMeasureSeesConflicts) {
  EXPECT_GT(conflictsOf("f32", 1024, 64, 4).worst, 1);
}
