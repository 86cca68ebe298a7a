//===- EmulatorTensorShims.cpp - Phases, boxes, matrices ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorGrid.h"
#include "EmulatorMatrices.h"
#include "EmulatorShims.h"
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace fuse::runtime;

static EmulatorGrid &grid() { return EmulatorGrid::current(); }

//===----------------------------------------------------------------------===//
// Barriers with phases
//===----------------------------------------------------------------------===//

static void initShim(uint64_t address, uint32_t count,
                     const EmulatorSite *site) {
  grid().getMbarriers().init(address, count, site);
}

static void invalidateShim(uint64_t address, const EmulatorSite *site) {
  grid().getMbarriers().invalidate(address, site);
}

static uint64_t arriveOnceShim(uint64_t address, const EmulatorSite *site) {
  return grid().getMbarriers().arrive({"mbarrier.arrive", address}, site);
}

static uint64_t arriveShim(uint64_t address, uint32_t count,
                           const EmulatorSite *site) {
  return grid().getMbarriers().arrive({"mbarrier.arrive", address, count},
                                      site);
}

static uint64_t arriveExpectShim(uint64_t address, uint32_t bytes,
                                 const EmulatorSite *site) {
  return grid().getMbarriers().arrive(
      {"mbarrier.arrive.expect_tx", address, 1, bytes}, site);
}

static void expectShim(uint64_t address, uint32_t bytes,
                       const EmulatorSite *site) {
  grid().getMbarriers().expect(address, bytes, site);
}

static bool waitForParityShim(uint64_t address, uint32_t parity,
                              const EmulatorSite *site) {
  return grid().getMbarriers().waitForParity(address, parity, site);
}

static bool waitForParitySoonShim(uint64_t address, uint32_t parity,
                                  uint32_t nanoseconds,
                                  const EmulatorSite *site) {
  return grid().getMbarriers().waitForParity(address, parity, site);
}

static bool waitForPhaseShim(uint64_t address, uint64_t phase,
                             const EmulatorSite *site) {
  return grid().getMbarriers().waitForPhase(address, phase, site);
}

static void fenceInitsShim() { grid().getMbarriers().fenceInits(); }
static void fenceProxiesShim() { grid().fenceProxies(); }

static void arriveAtBarrierShim(int32_t number, int32_t count,
                                const EmulatorSite *site) {
  grid().arriveAtBarrier(number, count, site);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// A coordinate of a dimension.
template <size_t> using Coordinate = int32_t;

template <typename Dimensions> struct BoxShims;

/// Hints for caches have no effect here.
template <size_t... dims> struct BoxShims<std::index_sequence<dims...>> {
  static void load(uint64_t to, uint64_t mbarrier, const void *map,
                   Coordinate<dims>... origin, uint16_t ranks, uint64_t policy,
                   bool isMulticast, bool hasPolicy, int32_t pair,
                   const EmulatorSite *site) {
    int32_t coordinates[] = {origin...};
    grid().getBulkCopies().load(
        {map, coordinates, to}, mbarrier,
        isMulticast ? std::optional<uint16_t>(ranks) : std::nullopt, site);
  }

  static void loadToBlock(uint64_t to, uint64_t mbarrier, const void *map,
                          Coordinate<dims>... origin, uint64_t policy,
                          bool hasPolicy, const EmulatorSite *site) {
    int32_t coordinates[] = {origin...};
    grid().getBulkCopies().load({map, coordinates, to}, mbarrier, std::nullopt,
                                site);
  }

  static void prefetch(const void *map, Coordinate<dims>... origin,
                       uint64_t policy, bool hasPolicy) {}

  static void store(uint64_t from, const void *map, Coordinate<dims>... origin,
                    uint64_t policy, bool hasPolicy, const EmulatorSite *site) {
    int32_t coordinates[] = {origin...};
    grid().getBulkCopies().store({map, coordinates, from}, site);
  }
};

static void commitStoresShim() { grid().getBulkCopies().commit(); }

template <bool isRead>
static void waitForStoresShim(int32_t pending, const EmulatorSite *site) {
  grid().getBulkCopies().wait(pending, isRead, site);
}

static void prefetchMapShim(const void *map) {}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// 8 x 8 elements of 16 bits, as rows in memory and as what a register of each
/// lane holds: row lane / 4, columns 2 (lane % 4) and the next.
static constexpr int64_t matrixRowBytes = 16;

namespace {
struct MatrixRows {
  uint64_t address;
  uint32_t *registers;
};
} // namespace

/// The element of a lane's register in its lower or upper half, as {row,
/// column} of what lies in memory.
static std::pair<unsigned, unsigned> placeInMatrix(unsigned lane, unsigned half,
                                                   bool isTransposed) {
  unsigned row = lane / 4, column = 2 * (lane % 4) + half;
  return isTransposed ? std::make_pair(column, row)
                      : std::make_pair(row, column);
}

/// Lane 8 i + r has the address of row r of matrix i.
template <unsigned count, bool isTransposed, AccessKind kind>
static void moveMatrices(StringRef name, uint64_t address, uint32_t *registers,
                         const EmulatorSite *site) {
  MatrixRows payload{address, registers};
  grid().warpOperation({name, ~0u, &payload, site}, [&](WarpLanes lanes) {
    for (unsigned i = 0; i < count; ++i) {
      std::array<char *, 8> rows;
      for (unsigned row = 0; row < 8; ++row) {
        unsigned lane = 8 * i + row;
        rows[row] = static_cast<char *>(
            grid().accessOfLane(lane,
                                {lanes.payload<MatrixRows>(lane).address,
                                 matrixRowBytes, matrixRowBytes, kind},
                                site));
      }
      for (unsigned lane : lanes.members())
        for (unsigned half = 0; half < 2; ++half) {
          auto [row, column] = placeInMatrix(lane, half, isTransposed);
          auto *mine = reinterpret_cast<char *>(
              &lanes.payload<MatrixRows>(lane).registers[i]);
          char *element = rows[row] + 2 * column;
          if (kind == AccessKind::Load)
            std::memcpy(mine + 2 * half, element, 2);
          else
            std::memcpy(element, mine + 2 * half, 2);
        }
    }
    return true;
  });
}

/// Several registers go through a pointer to a struct, one does not.
template <unsigned count, bool isTransposed>
static void loadMatricesShim(uint32_t *result, uint64_t address,
                             const EmulatorSite *site) {
  moveMatrices<count, isTransposed, AccessKind::Load>("ldmatrix", address,
                                                      result, site);
}
template <bool isTransposed>
static uint32_t loadMatrixShim(uint64_t address, const EmulatorSite *site) {
  uint32_t result = 0;
  loadMatricesShim<1, isTransposed>(&result, address, site);
  return result;
}

template <bool isTransposed, typename... Registers>
static void storeMatricesShim(uint64_t address, Registers... registers,
                              const EmulatorSite *site) {
  uint32_t values[] = {registers...};
  moveMatrices<sizeof...(Registers), isTransposed, AccessKind::Store>(
      "stmatrix", address, values, site);
}

//===----------------------------------------------------------------------===//
// Multiplications
//===----------------------------------------------------------------------===//

namespace {
/// What a lane brings to m16n8k16, m16n8k32 of 8 bits or m16n8k8 of TF32, and
/// gets from it.
struct WarpProduct {
  static constexpr unsigned rows = 16, columns = 8, sumWords = 4;
  std::array<uint32_t, 4> a;
  std::array<uint32_t, 2> b;
  std::array<float, sumWords> sums;
};
} // namespace

/// Puts the elements of a register, which is number `number` of A, where they
/// are in a matrix of `depth` columns.
static void putWord(MutableArrayRef<float> matrix, unsigned lane,
                    unsigned number, uint32_t word, EmulatorFactor element) {
  unsigned bytes = bytesOf(element);
  SumPlace place = placeOfA(/*warp=*/0, lane, number);
  size_t at = place.row * depthOf(element) + place.column * 2 / bytes;
  for (unsigned i = 0; i < sizeof(word) / bytes; ++i)
    matrix[at + i] = factorToFloat(word >> 8 * bytes * i, element);
}

/// The columns of B lie in registers as the first 8 rows of A would.
static void multiplyInWarp(WarpLanes lanes, EmulatorFactor elementA,
                           EmulatorFactor elementB) {
  constexpr unsigned rows = WarpProduct::rows, columns = WarpProduct::columns;
  std::vector<float> a(rows * depthOf(elementA)),
      b(columns * depthOf(elementB));
  std::array<float, rows * columns> sums;
  auto sumOf = [&](unsigned lane, unsigned number) -> float & {
    SumPlace place = placeOfSum(/*warp=*/0, lane, number);
    return sums[place.row * columns + place.column];
  };
  for (unsigned lane : lanes.members()) {
    auto &mine = lanes.payload<WarpProduct>(lane);
    for (unsigned number = 0; number < mine.a.size(); ++number)
      putWord(a, lane, number, mine.a[number], elementA);
    for (unsigned number = 0; number < mine.b.size(); ++number)
      putWord(b, lane, 2 * number, mine.b[number], elementB);
    for (unsigned number = 0; number < mine.sums.size(); ++number)
      sumOf(lane, number) = mine.sums[number];
  }
  if (bytesOf(elementA) == 1)
    multiplyAddShort(a, b, sums, rows);
  else
    multiplyAdd(a, b, sums, rows);
  for (unsigned lane : lanes.members())
    for (unsigned number = 0; number < WarpProduct::sumWords; ++number)
      lanes.payload<WarpProduct>(lane).sums[number] = sumOf(lane, number);
}

template <EmulatorFactor elementA, EmulatorFactor elementB>
static void multiplySyncShim(float *result, uint32_t a0, uint32_t a1,
                             uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1,
                             float c0, float c1, float c2, float c3,
                             const EmulatorSite *site) {
  WarpProduct mine{{a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3}};
  grid().warpOperation({"mma.sync", ~0u, &mine, site}, [](WarpLanes lanes) {
    multiplyInWarp(lanes, elementA, elementB);
    return true;
  });
  std::copy(mine.sums.begin(), mine.sums.end(), result);
}

namespace {
/// What a lane brings to a product of f64 and gets from it: of each 8 rows or
/// columns and 4 places an element.
template <unsigned rowBlocks, unsigned placeBlocks> struct WideProduct {
  static constexpr unsigned places = 4;
  std::array<double, rowBlocks * placeBlocks> a;
  std::array<double, placeBlocks> b;
  std::array<double, 2 * rowBlocks> sums;

  static void multiply(WarpLanes lanes) {
    auto laneWith = [&](unsigned own, unsigned place) -> WideProduct & {
      return lanes.payload<WideProduct>(own * places + place % places);
    };
    for (unsigned lane : lanes.members())
      for (unsigned number = 0; number < 2 * rowBlocks; ++number) {
        unsigned column = 2 * (lane % places) + number % 2;
        double &sum = lanes.payload<WideProduct>(lane).sums[number];
        for (unsigned place = 0; place < places * placeBlocks; ++place) {
          unsigned block = place / places;
          sum = std::fma(
              laneWith(lane / places, place).a[block * rowBlocks + number / 2],
              laneWith(column, place).b[block], sum);
        }
      }
  }

  void run(double *result, const EmulatorSite *site) {
    grid().warpOperation({"mma.sync", ~0u, this, site}, [](WarpLanes lanes) {
      multiply(lanes);
      return true;
    });
    std::copy(sums.begin(), sums.end(), result);
  }
};
} // namespace

static void multiplyWideShim(double *result, double a, double b, double c0,
                             double c1, const EmulatorSite *site) {
  WideProduct<1, 1>{{a}, {b}, {c0, c1}}.run(result, site);
}

static void multiplyTwoWideShim(double *result, double a0, double a1, double a2,
                                double a3, double b0, double b1, double c0,
                                double c1, double c2, double c3,
                                const EmulatorSite *site) {
  WideProduct<2, 2>{{a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3}}.run(result,
                                                                      site);
}

static void multiplyShim(uint32_t *sums, const EmulatorWgmma *form,
                         const uint32_t *registers, uint64_t a, uint64_t b,
                         uint32_t addsToSums, const EmulatorSite *site) {
  grid().getWarpgroups().multiply(
      {form, sums, registers, a, b, addsToSums != 0}, site);
}

static void waitForSumsShim(uint32_t *sums, uint32_t count, uint32_t pending,
                            const EmulatorSite *site) {
  grid().getWarpgroups().wait(pending, MutableArrayRef(sums, count), site);
}

static void waitForGroupsShim(uint64_t pending, const EmulatorSite *site) {
  grid().getWarpgroups().wait(pending, {}, site);
}

static void useSumShim(uint32_t bits, const EmulatorSite *site) {
  grid().getWarpgroups().useSum(bits, site);
}

static void fenceShim(const EmulatorSite *site) {
  grid().getWarpgroups().fence(site);
}
static void commitShim(const EmulatorSite *site) {
  grid().getWarpgroups().commit(site);
}

template <bool isIncrease>
static void setRegistersShim(int32_t count, const EmulatorSite *site) {
  grid().getWarpgroups().setRegisters(count, isIncrease, site);
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

namespace {
/// { i32, i1 } in memory.
struct Elected {
  int32_t lane;
  bool isMine;
};
} // namespace

/// PTX does not say which lane, only that a mask always elects the same.
static void electShim(Elected *result, uint32_t mask,
                      const EmulatorSite *site) {
  char none;
  unsigned elected = 0;
  grid().warpOperation({"elect.sync", mask, &none, site},
                       [](WarpLanes) { return true; });
  auto lanes = WarpLanes(mask, {}).members();
  elected = lanes[grid().elect(lanes.size())];
  *result = {int32_t(elected), grid().lane() == elected};
}

static void trapShim(const EmulatorSite *site) {
  grid().refuse(
      "expected the kernel to run to its end, but got a trap; look at "
      "what it checks there",
      site);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

template <typename Function> static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

static void addBarrierShims(SmallVectorImpl<EmulatorShim> &shims) {
  auto add = [&](StringLiteral name, auto *function, bool takesSite = true) {
    shims.push_back({name, addressOf(function), takesSite});
  };
  add("llvm.nvvm.mbarrier.init.shared", initShim);
  add("llvm.nvvm.mbarrier.inval.shared", invalidateShim);
  add("llvm.nvvm.mbarrier.arrive.shared", arriveOnceShim);
#define FUSE_SCOPES(ADD)                                                       \
  ADD("scope.cta.space.cta");                                                  \
  ADD("scope.cluster.space.cta");                                              \
  ADD("scope.cta.space.cluster");                                              \
  ADD("scope.cluster.space.cluster")
#define FUSE_ARRIVALS(SUFFIX)                                                  \
  add("llvm.nvvm.mbarrier.arrive." SUFFIX, arriveShim);                        \
  add("llvm.nvvm.mbarrier.arrive.expect.tx." SUFFIX, arriveExpectShim);        \
  add("llvm.nvvm.mbarrier.expect.tx." SUFFIX, expectShim)
  FUSE_SCOPES(FUSE_ARRIVALS);
#undef FUSE_ARRIVALS
#undef FUSE_SCOPES
#define FUSE_WAITS(SUFFIX)                                                     \
  add("llvm.nvvm.mbarrier.try.wait.parity." SUFFIX, waitForParityShim);        \
  add("llvm.nvvm.mbarrier.try.wait.parity.tl." SUFFIX, waitForParitySoonShim); \
  add("llvm.nvvm.mbarrier.try.wait." SUFFIX, waitForPhaseShim)
  FUSE_WAITS("scope.cta.space.cta");
  FUSE_WAITS("scope.cluster.space.cta");
#undef FUSE_WAITS
  add("llvm.nvvm.fence.mbarrier_init.release.cluster", fenceInitsShim, false);
  add("llvm.nvvm.fence.proxy.async", fenceProxiesShim, false);
  add("llvm.nvvm.fence.proxy.async.global", fenceProxiesShim, false);
  add("llvm.nvvm.fence.proxy.async.shared_cta", fenceProxiesShim, false);
  add("llvm.nvvm.fence.proxy.async.shared_cluster", fenceProxiesShim, false);
  add("bar.arrive $0, $1;", arriveAtBarrierShim);
  add("llvm.nvvm.barrier.cta.arrive.aligned.count", arriveAtBarrierShim);
  add("llvm.nvvm.barrier.cta.arrive.count", arriveAtBarrierShim);
}

static void addBoxShims(SmallVectorImpl<EmulatorShim> &shims) {
  auto add = [&](StringLiteral name, auto *function, bool takesSite = true) {
    shims.push_back({name, addressOf(function), takesSite});
  };
#define FUSE_BOXES(RANK)                                                       \
  add("llvm.nvvm.cp.async.bulk.tensor.g2s.tile." #RANK "d",                    \
      BoxShims<std::make_index_sequence<RANK>>::load);                         \
  add("llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile." #RANK "d",                \
      BoxShims<std::make_index_sequence<RANK>>::loadToBlock);                  \
  add("llvm.nvvm.cp.async.bulk.tensor.s2g.tile." #RANK "d",                    \
      BoxShims<std::make_index_sequence<RANK>>::store);                        \
  add("llvm.nvvm.cp.async.bulk.tensor.prefetch.tile." #RANK "d",               \
      BoxShims<std::make_index_sequence<RANK>>::prefetch, false)
  FUSE_BOXES(1);
  FUSE_BOXES(2);
  FUSE_BOXES(3);
  FUSE_BOXES(4);
  FUSE_BOXES(5);
#undef FUSE_BOXES
  add("llvm.nvvm.cp.async.bulk.commit.group", commitStoresShim, false);
  add("llvm.nvvm.cp.async.bulk.wait.group", waitForStoresShim<false>);
  add("llvm.nvvm.cp.async.bulk.wait.group.read", waitForStoresShim<true>);
  add("llvm.nvvm.prefetch.tensormap.p0", prefetchMapShim, false);
}

static void addMatrixShims(SmallVectorImpl<EmulatorShim> &shims) {
  auto add = [&](StringLiteral name, auto *function) {
    shims.push_back({name, addressOf(function), /*takesSite=*/true});
  };
  using Word = uint32_t;
#define FUSE_MATRICES(SUFFIX, TRANSPOSED)                                      \
  add("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1" SUFFIX ".b16.p3",              \
      loadMatrixShim<TRANSPOSED>);                                             \
  add("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2" SUFFIX ".b16.p3",              \
      loadMatricesShim<2, TRANSPOSED>);                                        \
  add("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4" SUFFIX ".b16.p3",              \
      loadMatricesShim<4, TRANSPOSED>);                                        \
  add("llvm.nvvm.stmatrix.sync.aligned.m8n8.x1" SUFFIX ".b16.p3",              \
      storeMatricesShim<TRANSPOSED, Word>);                                    \
  add("llvm.nvvm.stmatrix.sync.aligned.m8n8.x2" SUFFIX ".b16.p3",              \
      storeMatricesShim<TRANSPOSED, Word, Word>);                              \
  add("llvm.nvvm.stmatrix.sync.aligned.m8n8.x4" SUFFIX ".b16.p3",              \
      storeMatricesShim<TRANSPOSED, Word, Word, Word, Word>)
  FUSE_MATRICES("", false);
  FUSE_MATRICES(".trans", true);
#undef FUSE_MATRICES
  using Factor = EmulatorFactor;
  add("llvm.nvvm.mma.m16n8k16.row.col.f32.f32",
      multiplySyncShim<Factor::F16, Factor::F16>);
  add("llvm.nvvm.mma.m16n8k16.row.col.bf16",
      multiplySyncShim<Factor::BF16, Factor::BF16>);
  add("llvm.nvvm.mma.m16n8k8.row.col.tf32",
      multiplySyncShim<Factor::TF32, Factor::TF32>);
  add("llvm.nvvm.mma.m8n8k4.row.col.f64", multiplyWideShim);
  add("llvm.nvvm.mma.m16n8k8.row.col.f64", multiplyTwoWideShim);
#define FUSE_MMA_BYTES(A, ELEMENT_A, B, ELEMENT_B)                             \
  add("llvm.nvvm.mma.m16n8k32.row.col.f32." A "." B ".f32",                    \
      multiplySyncShim<Factor::ELEMENT_A, Factor::ELEMENT_B>)
  FUSE_MMA_BYTES("e4m3", E4M3, "e4m3", E4M3);
  FUSE_MMA_BYTES("e4m3", E4M3, "e5m2", E5M2);
  FUSE_MMA_BYTES("e5m2", E5M2, "e4m3", E4M3);
  FUSE_MMA_BYTES("e5m2", E5M2, "e5m2", E5M2);
#undef FUSE_MMA_BYTES
  add("fuse.wgmma", multiplyShim);
  add("fuse.wgmma.wait", waitForSumsShim);
  add("fuse.wgmma.use", useSumShim);
  add("llvm.nvvm.wgmma.fence.sync.aligned", fenceShim);
  add("llvm.nvvm.wgmma.commit_group.sync.aligned", commitShim);
  add("llvm.nvvm.wgmma.wait_group.sync.aligned", waitForGroupsShim);
  add("llvm.nvvm.setmaxnreg.inc.sync.aligned.u32", setRegistersShim<true>);
  add("llvm.nvvm.setmaxnreg.dec.sync.aligned.u32", setRegistersShim<false>);
}

void fuse::runtime::addTensorShims(SmallVectorImpl<EmulatorShim> &shims) {
  addBarrierShims(shims);
  addBoxShims(shims);
  addMatrixShims(shims);
  shims.push_back({"llvm.nvvm.elect.sync", addressOf(electShim), true});
  shims.push_back({"llvm.trap", addressOf(trapShim), true});
}
