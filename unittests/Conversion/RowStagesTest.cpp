//===- RowStagesTest.cpp - Single stages of the lowering of rows ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweredRows.h"
#include "Rows/RowExchange.h"
#include "Rows/RowResults.h"
#include "Rows/RowWalker.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct Rows {
  int64_t rows, columns, threads, vector, rowsPerBlock;

  int64_t blocks() const { return llvm::divideCeil(rows, rowsPerBlock); }
  std::string schedule(StringRef hold) const {
    return llvm::formatv(
        "threads = {0}, vector = {1}, rows_per_block = {2}, hold = {3}",
        threads, vector, rowsPerBlock, hold);
  }
};

/// The stages up to the walks, of rows that a thread has one of.
struct Stages {
  explicit Stages(LoweredRows &lowered)
      : rows(lowered.get()),
        block({gpu::BlockIdOp::create(lowered.getFrame().builder,
                                      lowered.getFrame().loc(),
                                      gpu::Dimension::x)}),
        geometry(rowGeometry(rows, block)), places(rows, geometry),
        slots(rows, geometry, places), walker(rows, geometry, places, slots) {}

  const ScheduledRows &rows;
  Index block;
  RowGeometry geometry;
  RowPlaces places;
  RowSlots slots;
  RowWalker walker;
};
} // namespace

/// Vectors that divide rows and others, rows that blocks divide and others,
/// threads without a vector, and rows that start anywhere.
static const Rows everyKind[] = {
    {4, 64, 16, 4, 1},  {5, 64, 32, 4, 2},  {3, 100, 32, 1, 1},
    {2, 8, 32, 4, 1},   {7, 97, 64, 4, 2},  {3, 197, 16, 4, 1},
    {9, 3, 128, 2, 16}, {4, 250, 64, 2, 2}, {1, 1000, 128, 4, 1},
};

/// How often threads take each element, at these points of the row.
static std::vector<int64_t> timesTaken(LoweredRows &lowered, const Rows &shape,
                                       const RowPlace &row,
                                       ArrayRef<Point> points) {
  std::vector<int64_t> times(shape.rows * shape.columns);
  for (int64_t block = 0; block < shape.blocks(); ++block)
    for (int64_t id = 0; id < shape.threads; ++id) {
      ThreadOfRows thread(lowered.getFunction(), block, id);
      for (const Point &point : points) {
        if (!thread.holds(row.exists) || !thread.holds(point.guard))
          continue;
        int64_t first = thread.number(*point.linear);
        EXPECT_GE(first, 0);
        EXPECT_LE(first + point.lanes, int64_t(times.size()));
        // Full accesses are of aligned elements.
        EXPECT_EQ(first % point.lanes, 0);
        for (int64_t lane = 0; lane < point.lanes; ++lane)
          ++times.at(first + lane);
      }
    }
  return times;
}

static SmallVector<Point> heldPoints(const RowPlace &row) {
  SmallVector<Point> points = row.held;
  if (row.edge)
    points.push_back(*row.edge);
  return points;
}

TEST(RowPlaces, EachElementIsOneThreads) {
  for (const Rows &shape : everyKind) {
    LoweredRows lowered(shape.rows, shape.columns, shape.schedule("registers"));
    ASSERT_TRUE(lowered);
    Stages stages(lowered);
    RowPlace row =
        stages.places.placeExisting(stages.places.rowOf(stages.block));
    stages.places.hold(row, 0);
    std::vector<int64_t> once(shape.rows * shape.columns, 1);
    EXPECT_EQ(timesTaken(lowered, shape, row, heldPoints(row)), once)
        << shape.rows << " x " << shape.columns << ": "
        << shape.schedule("registers");
  }
}

// Threads without a row take part in exchanges with the elements of another.
TEST(RowPlaces, ThreadsWithoutARowLoadFromOneThatExists) {
  Rows shape{5, 64, 32, 4, 2};
  LoweredRows lowered(shape.rows, shape.columns, shape.schedule("registers"));
  ASSERT_TRUE(lowered);
  Stages stages(lowered);
  RowPlace row = stages.places.placeExisting(stages.places.rowOf(stages.block));
  stages.places.hold(row, 0);
  int64_t without = 0;
  for (int64_t id = 0; id < shape.threads; ++id) {
    ThreadOfRows thread(lowered.getFunction(), shape.blocks() - 1, id);
    without += !thread.holds(row.exists);
    for (const Point &point : row.held)
      EXPECT_LE(thread.number(*point.linear) + point.lanes,
                shape.rows * shape.columns);
  }
  EXPECT_EQ(without, shape.threads / shape.rowsPerBlock);
}

TEST(RowPlaces, RowsThatBlocksDivideNeedNoGuard) {
  Rows even{4, 64, 32, 4, 2}, odd{5, 64, 32, 4, 2};
  for (const Rows &shape : {even, odd}) {
    LoweredRows lowered(shape.rows, shape.columns, shape.schedule("registers"));
    ASSERT_TRUE(lowered);
    Stages stages(lowered);
    bool isEven = shape.rows % shape.rowsPerBlock == 0;
    EXPECT_EQ(stages.places.haveAllRows(), isEven);
    Index number = stages.places.rowOf(stages.block);
    EXPECT_EQ(!stages.places.placeExisting(number).exists, isEven);
  }
}

// Blocks of a cluster have the vectors of a row in turns.
TEST(RowPlaces, ClustersShareARow) {
  Rows shape{2, 1024, 32, 4, 1};
  LoweredRows lowered(shape.rows, shape.columns,
                      shape.schedule("registers, share = cluster<2>"));
  ASSERT_TRUE(lowered);
  Stages stages(lowered);
  RowPlace row = stages.places.placeExisting(stages.places.rowOf(stages.block));
  stages.places.hold(row, 0);
  EXPECT_EQ(stages.geometry.group.width, 2 * shape.threads);
  EXPECT_EQ(int64_t(row.held.size()),
            shape.columns / (2 * shape.threads * shape.vector));
  for (int64_t block = 0; block < 2 * shape.rows; ++block) {
    ThreadOfRows thread(lowered.getFunction(), block, /*thread=*/0);
    EXPECT_EQ(thread.number(*row.held.front().linear),
              block / 2 * shape.columns +
                  block % 2 * shape.threads * shape.vector);
  }
}

//===----------------------------------------------------------------------===//
// Slots of shared memory
//===----------------------------------------------------------------------===//

TEST(RowSlots, PlansHaveRoomForWhatAllThreadsHave) {
  const int64_t width = 64;
  for (int64_t inRegisters : {0, 1, 3})
    for (int64_t copyGroups : {1, 4})
      for (int64_t unroll : {1, 4}) {
        LoweredRows lowered(
            1, 1024,
            llvm::formatv("threads = 64, vector = 4, rows_per_block = 1, "
                          "hold = shared<in_registers = {0}, "
                          "copy_groups = {1}, unroll = {2}>",
                          inRegisters, copyGroups, unroll));
        ASSERT_TRUE(lowered);
        auto hold = cast<SharedHoldAttr>(lowered.get().schedule.getHold());
        for (int64_t least = 0; least < 900; least += 37) {
          // Of rows that start anywhere, some have a vector more.
          int64_t most = least + 1;
          SlotPlan plan = planSlots(hold, least, most, width);
          // No thread copies a vector that a row may not have.
          EXPECT_LE(plan.slots * width, least);
          // What is left for registers: so many vectors, or the last part.
          int64_t ofThread = (most + width - 1) / width;
          int64_t left = ofThread - plan.slots;
          EXPECT_GE(left, std::min(inRegisters, ofThread));
          EXPECT_LE(left, std::max<int64_t>(inRegisters, 1));
          if (plan.slots == 0)
            continue;
          EXPECT_EQ(plan.inGroup % unroll, 0);
          EXPECT_LE((plan.slots + plan.inGroup - 1) / plan.inGroup, copyGroups);
        }
      }
}

TEST(RowSlots, SlotsAndRegistersHoldEachElementOnce) {
  const Rows shapes[] = {
      {2, 512, 16, 4, 1}, {3, 520, 32, 4, 1}, {2, 1001, 64, 4, 1}};
  for (const Rows &shape : shapes)
    for (int64_t inRegisters : {0, 1, 2}) {
      std::string hold =
          llvm::formatv("shared<in_registers = {0}>", inRegisters);
      LoweredRows lowered(shape.rows, shape.columns, shape.schedule(hold));
      ASSERT_TRUE(lowered);
      Stages stages(lowered);
      RowPlace row =
          stages.places.placeExisting(stages.places.rowOf(stages.block));
      stages.slots.findInputs(row);
      stages.slots.plan(row);
      EXPECT_GT(stages.slots.count(), 0);
      stages.places.hold(row, stages.slots.count());
      SmallVector<Point> points = heldPoints(row);
      for (int64_t slot = 0; slot < stages.slots.count(); ++slot)
        points.push_back(stages.slots.pointOf(row, Index::constant(slot)));
      std::vector<int64_t> once(shape.rows * shape.columns, 1);
      EXPECT_EQ(timesTaken(lowered, shape, row, points), once);
    }
}

// Shared memory has room for the present row and those on their way, and none
// of these lies where another does.
TEST(RowSlots, RowsAheadLieInACircle) {
  Rows shape{64, 512, 32, 4, 1};
  const int64_t stages = 3;
  LoweredRows lowered(
      shape.rows, shape.columns,
      shape.schedule("shared<preload = true, stages = 3>, persistent = 8"));
  ASSERT_TRUE(lowered);
  Stages of(lowered);
  RowPlace row = of.places.place(of.places.rowOf(of.block));
  of.slots.findInputs(row);
  of.slots.plan(row);
  int64_t bytes = shape.columns * sizeof(float);
  EXPECT_EQ(lowered.getFrame().sharedBytes, stages * bytes);
  std::set<int64_t> seen;
  Index first = Index::constant(0);
  SmallVector<Index> circle;
  for (int64_t i = 0; i < stages; ++i) {
    circle.push_back(first);
    first = of.slots.slotsAfter(first, 1);
  }
  circle.push_back(first);
  ThreadOfRows thread(lowered.getFunction(), /*block=*/0, /*thread=*/0);
  for (const Index &index : ArrayRef(circle).drop_back()) {
    int64_t slot = thread.number(index);
    EXPECT_EQ(slot % of.slots.count(), 0);
    EXPECT_LT(slot, stages * of.slots.count());
    EXPECT_TRUE(seen.insert(slot).second);
  }
  EXPECT_EQ(thread.number(circle.back()), 0);
}

//===----------------------------------------------------------------------===//
// Walks and exchanges
//===----------------------------------------------------------------------===//

TEST(RowWalker, VisitsEachPointOnceInOrder) {
  for (const Rows &shape : everyKind) {
    LoweredRows lowered(shape.rows, shape.columns, shape.schedule("registers"));
    ASSERT_TRUE(lowered);
    Stages stages(lowered);
    RowPlace row = stages.places.place(stages.places.rowOf(stages.block));
    stages.places.hold(row, 0);
    SmallVector<Index> visited;
    stages.walker.visit(row, [&](const RowPlace &, const Point &point) {
      visited.push_back(*point.linear);
    });
    SmallVector<Point> points = heldPoints(row);
    ASSERT_EQ(visited.size(), points.size());
    for (auto [index, point] : llvm::zip(visited, points))
      EXPECT_EQ(index.key(), point.linear->key());
  }
}

/// Barriers behind a row that another one follows.
static int64_t barriersBehind(const Rows &shape, RowsProgram program) {
  LoweredRows lowered(shape.rows, shape.columns, shape.schedule("registers"),
                      program);
  if (!lowered)
    return -1;
  Stages stages(lowered);
  RowExchange exchange(stages.rows, stages.geometry);
  exchange.endRow();
  int64_t barriers = 0;
  lowered.getFunction().walk([&](gpu::BarrierOp) { ++barriers; });
  return barriers;
}

// One exchange in shared memory a row may still be read when the next begins.
TEST(RowExchange, RowsOfOneExchangeMeetBehindIt) {
  EXPECT_EQ(barriersBehind({64, 512, 128, 4, 1}, RowsProgram::sums), 1);
  // Two exchanges see to it themselves, and a warp has none in shared memory.
  EXPECT_EQ(barriersBehind({64, 512, 128, 4, 1}, RowsProgram::softmax), 0);
  EXPECT_EQ(barriersBehind({64, 512, 32, 4, 1}, RowsProgram::sums), 0);
}

/// Shuffles of an exchange of one state.
static int64_t shufflesOf(const Rows &shape) {
  LoweredRows lowered(shape.rows, shape.columns, shape.schedule("registers"),
                      RowsProgram::sums);
  if (!lowered)
    return -1;
  Stages stages(lowered);
  RowExchange exchange(stages.rows, stages.geometry);
  SmallVector<Reducer> reducers;
  reducers.emplace_back(stages.rows.emitter, stages.rows.space.levels[0][0],
                        Reducer::Lanes::partsOfOneResult);
  ReductionStates states{reducers.front().identity(1)};
  states = exchange.combine(reducers, std::move(states), /*isFirst=*/true);
  EXPECT_EQ(states.size(), 1u);
  int64_t shuffles = 0;
  lowered.getFunction().walk([&](gpu::ShuffleOp) { ++shuffles; });
  return shuffles;
}

// A butterfly over the threads that share a row, and nothing for one thread.
TEST(RowExchange, ThreadsOfAWarpExchangeInAButterfly) {
  EXPECT_EQ(shufflesOf({64, 64, 32, 4, 1}), 5);
  EXPECT_EQ(shufflesOf({64, 64, 32, 4, 4}), 3);
  EXPECT_EQ(shufflesOf({64, 4, 32, 4, 32}), 0);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

// What follows from no reduction need not wait for one.
TEST(RowResults, PreloadedRowsStoreEarlyWhatTheyCan) {
  Rows shape{64, 512, 128, 4, 1};
  struct {
    const char *hold;
    std::vector<unsigned> early, late;
  } cases[] = {
      {"registers<preload = true>", {1}, {0}},
      {"registers", {}, {0, 1}},
      // Vectors in shared memory are stored as they are read.
      {"shared<preload = true>", {}, {0, 1}},
  };
  for (const auto &each : cases) {
    LoweredRows lowered(shape.rows, shape.columns, shape.schedule(each.hold),
                        RowsProgram::exponentials);
    ASSERT_TRUE(lowered);
    Stages stages(lowered);
    RowResults results(stages.rows, stages.geometry, stages.places);
    EXPECT_EQ(results.getEarly().vec(), each.early) << each.hold;
    EXPECT_EQ(results.getLate().vec(), each.late) << each.hold;
  }
}

// An element that every row has is stored without a branch, another behind one.
TEST(RowResults, StoresAreGuardedAsTheirPointsAre) {
  for (int64_t columns : {512, 500}) {
    Rows shape{64, columns, 128, 4, 1};
    LoweredRows lowered(shape.rows, shape.columns,
                        shape.schedule("registers<preload = true>"),
                        RowsProgram::exponentials);
    ASSERT_TRUE(lowered);
    Stages stages(lowered);
    RowResults results(stages.rows, stages.geometry, stages.places);
    RowPlace row = stages.places.place(stages.places.rowOf(stages.block));
    stages.places.hold(row, 0);
    ASSERT_EQ(row.held.size(), 1u);
    results.storeAt(results.getEarly(), row, row.held.front());
    int64_t stores = 0, guarded = 0;
    lowered.getFunction().walk([&](LLVM::StoreOp store) {
      ++stores;
      guarded += isa<scf::IfOp>(store->getParentOp());
    });
    EXPECT_EQ(stores, 1);
    EXPECT_EQ(guarded, columns % (shape.threads * shape.vector) != 0);
  }
}
