//===- EmulatorWarpgroups.cpp - Multiplications of four warps -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorWarpgroups.h"
#include "EmulatorBulkCopies.h"
#include "EmulatorGrid.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace fuse::runtime;

static constexpr unsigned warpSize = 32;
static constexpr unsigned groupWarps = 4;
static constexpr unsigned allWarps = (1u << groupWarps) - 1;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static constexpr uint32_t tokenTag = 0xffc00000;
/// Chains are numbered from 1; the last number is left to undefinedSum.
static constexpr uint32_t undefinedChain = undefinedSum >> 7 & 0x7fff;
/// Of numbers, which must not look like a token.
static constexpr uint32_t plainNaN = 0x7fc00000;
/// Of those that a warp remembers.
static constexpr uint32_t maxChains = 64;

static bool isToken(uint32_t bits) {
  return (bits & tokenTag) == tokenTag && (bits >> 7 & 0x7fff) != 0;
}
static uint32_t chainOf(uint32_t token) { return token >> 7 & 0x7fff; }
static uint32_t registerOf(uint32_t token) { return token & 0x7f; }
static uint32_t makeToken(uint32_t chain, uint32_t number) {
  return tokenTag | chain << 7 | number;
}

//===----------------------------------------------------------------------===//
// Who
//===----------------------------------------------------------------------===//

/// NaNs of other origin may look like tokens.
bool Warpgroups::isTokenOf(const Warp &warp, uint32_t bits) {
  return isToken(bits) && warp.chains.count(chainOf(bits));
}

void Warpgroups::reset() { groups.clear(); }

unsigned Warpgroups::warpNumber() const {
  return grid.thread() / warpSize % groupWarps;
}

Warpgroups::Warpgroup &Warpgroups::warpgroup(const EmulatorSite *site) {
  grid.requireClocks("warpgroups", site);
  unsigned first = grid.thread() / (warpSize * groupWarps);
  auto [found, isNew] = groups.try_emplace(grid.id() - grid.thread() +
                                           first * warpSize * groupWarps);
  if (isNew)
    found->second.engine = grid.getClocks().addEngine(
        {formatv("wgmma of warpgroup {0}", first),
         "wgmma.wait_group, or a barrier behind one,"});
  return found->second;
}

static std::string where(const EmulatorSite *site) {
  if (!site || !site->line)
    return "";
  return formatv(" at {0}:{1}", site->file, site->line);
}

/// All lanes of the warp run the same; without a payload.
static void alignWarp(EmulatorGrid &grid, StringRef name,
                      const EmulatorSite *site) {
  char none;
  grid.warpOperation({name, ~0u, &none, site}, [](WarpLanes) { return true; });
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

/// Which chain the lanes' sums belong to: that of their tokens, or a new one.
bool Warpgroups::takeSums(WarpLanes lanes, Warp &warp, uint64_t number,
                          uint32_t &chain, const EmulatorSite *site) {
  auto &first = lanes.payload<Multiplication>(lanes.members().front());
  unsigned count = first.form->columns / 2;
  uint32_t known = isToken(first.sums[0]) ? chainOf(first.sums[0]) : 0;
  bool isUndefined = false, isWhole = known != 0 && known != undefinedChain;
  for (unsigned lane : lanes.members())
    for (unsigned i = 0; i < count; ++i) {
      uint32_t bits = lanes.payload<Multiplication>(lane).sums[i];
      isUndefined |= bits == undefinedSum;
      isWhole &= bits == makeToken(known, i);
    }
  auto found = warp.chains.find(known);
  isWhole &= found != warp.chains.end() && found->second.columns == 2 * count;
  if (first.addsToSums && !isWhole) {
    std::string got;
    if (isUndefined)
      got = "sums that nothing has computed; let the first multiplication "
            "overwrite them, or start with zeros";
    for (unsigned lane : lanes.members())
      for (unsigned i = 0; i < count && got.empty(); ++i)
        if (isTokenOf(warp, lanes.payload<Multiplication>(lane).sums[i]))
          got =
              "sums of another multiplication, or in another order, without a "
              "wait between; wait for them first";
    if (!got.empty()) {
      grid.complain("expected wgmma.mma_async to add to its own sums or to "
                    "numbers, but got " +
                        got,
                    site);
      return false;
    }
  }
  bool isOld = isWhole && first.addsToSums;
  bool writesRegisters = !isWhole || first.registers;
  if (writesRegisters && !warp.isFenced) {
    grid.complain("expected wgmma.fence between the last use of registers and "
                  "the wgmma.mma_async that takes them, but got none since the "
                  "last wgmma.commit_group; put one before the first "
                  "multiplication of each group",
                  site);
    return false;
  }
  if (!isOld) {
    static constexpr uint32_t numbers = undefinedChain - 1;
    known = warp.lastChain = warp.lastChain % numbers + 1;
    warp.chains.erase((known + numbers - 1 - maxChains) % numbers + 1);
    Chain &added = warp.chains[known];
    added.columns = 2 * count;
    added.sums.assign(warpSize * count, 0);
    for (unsigned lane : lanes.members())
      for (unsigned i = 0; i < count && first.addsToSums; ++i)
        added.sums[lane * count + i] =
            bit_cast<float>(lanes.payload<Multiplication>(lane).sums[i]);
  }
  chain = known;
  Chain &mine = warp.chains[known];
  mine.last = number;
  mine.site = site;
  for (unsigned lane : lanes.members())
    for (unsigned i = 0; i < count; ++i)
      lanes.payload<Multiplication>(lane).sums[i] = makeToken(known, i);
  return true;
}

/// The warpgroup's multiplication that the warp issues now; null after a
/// complaint.
Warpgroups::Operation *Warpgroups::operationOf(WarpLanes lanes,
                                               Warpgroup &group, Warp &warp,
                                               const EmulatorSite *site) {
  auto &first = lanes.payload<Multiplication>(lanes.members().front());
  for (unsigned lane : lanes.members()) {
    auto &mine = lanes.payload<Multiplication>(lane);
    if (mine.a == first.a && mine.b == first.b &&
        mine.addsToSums == first.addsToSums)
      continue;
    grid.complainOfLane(
        lane,
        "expected all lanes of the warp to run wgmma.mma_async with the same "
        "descriptors and scale, but got others; compute them from what the "
        "warpgroup has in common",
        site);
    return nullptr;
  }
  uint64_t index = warp.issued - group.first;
  if (index == group.operations.size()) {
    Operation &added = group.operations.emplace_back();
    added.form = *first.form;
    added.a = first.a;
    added.b = first.b;
    added.addsToSums = first.addsToSums;
    added.site = site;
    added.fragments.resize(first.registers ? matrixRows * matrixDepth : 0);
    return &added;
  }
  Operation &known = group.operations[index];
  if (std::memcmp(&known.form, first.form, sizeof(known.form)) == 0 &&
      known.a == first.a && known.b == first.b &&
      known.addsToSums == first.addsToSums)
    return &known;
  grid.complain(
      formatv("expected the four warps of a warpgroup to run the same "
              "wgmma.mma_async, but got another by another warp{0}; "
              "compute descriptors from what the warpgroup has in "
              "common",
              where(known.site)),
      site);
  return nullptr;
}

bool Warpgroups::join(WarpLanes lanes, const EmulatorSite *site) {
  Warpgroup &group = warpgroup(site);
  unsigned number = warpNumber();
  Warp &warp = group.warps[number];
  Operation *operation = operationOf(lanes, group, warp, site);
  if (!operation ||
      !takeSums(lanes, warp, warp.issued, operation->chains[number], site))
    return false;
  ++warp.issued;
  warp.site = site;
  EmulatorClocks &clocks = grid.getClocks();
  unsigned firstThread = grid.id() - grid.lane();
  for (unsigned lane : lanes.members()) {
    const Past &past = clocks.past(firstThread + lane);
    if (operation->issued == 0 && lane == lanes.members().front())
      operation->common = past;
    operation->common.all.keepCommon(past.all);
    operation->common.fenced.keepCommon(past.fenced);
    const uint32_t *registers = lanes.payload<Multiplication>(lane).registers;
    for (unsigned i = 0; i < 4 && registers; ++i) {
      SumPlace place = placeOfA(number, lane, i);
      for (unsigned half = 0; half < 2; ++half)
        operation->fragments[place.row * matrixDepth + place.column + half] =
            factorToFloat(registers[i] >> (16 * half),
                          operation->form.elementA);
    }
  }
  operation->issued |= 1u << number;
  if (operation->issued != allWarps)
    return true;
  if (!readOperands(group, *operation, warp.committed))
    return false;
  if (grid.happensNow())
    execute(group, warp.issued);
  return true;
}

void Warpgroups::multiply(const Multiplication &mine,
                          const EmulatorSite *site) {
  if (grid.getLaunch().threads % (warpSize * groupWarps) != 0 &&
      grid.thread() / (warpSize * groupWarps) ==
          grid.getLaunch().threads / (warpSize * groupWarps))
    grid.refuse("expected wgmma.mma_async by four whole warps, the first of "
                "which is a multiple of four, but got fewer; let whole "
                "warpgroups multiply",
                site);
  Multiplication payload = mine;
  warpgroup(site);
  grid.warpOperation({"wgmma.mma_async", ~0u, &payload, site},
                     [&](WarpLanes lanes) { return join(lanes, site); });
  grid.stopIfRefused();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Checks the operand, and marks it as read until the group has ended.
bool Warpgroups::readOperand(Operation &operation, bool isA, unsigned engine,
                             uint32_t step) {
  MatrixDescriptor descriptor =
      MatrixDescriptor::decode(isA ? operation.a : operation.b);
  StringRef name = isA ? "A" : "B";
  bool isTransposed =
      isA ? operation.form.transposesA : operation.form.transposesB;
  auto chunks =
      chunksOf(descriptor, isA ? matrixRows : unsigned(operation.form.columns),
               isTransposed, bytesOf(operation.form.elementA));
  if (!chunks) {
    grid.complain(formatv("expected {0} with M or N contiguous to have a "
                          "swizzle, but got none; swizzle it by 128 bytes",
                          name),
                  operation.site);
    return false;
  }
  PlacedChunks &placed = isA ? operation.chunksA : operation.chunksB;
  for (const MatrixChunk &chunk : *chunks) {
    uint64_t address = grid.sharedAt(chunk.address);
    if (placed.empty() && address) {
      auto loaded = copies.swizzleAt(address);
      auto writer = grid.getMemory().writerOf(address);
      if (loaded && *loaded != descriptor.swizzle && writer &&
          grid.getClocks().isEngine(*writer)) {
        grid.complain(
            formatv(
                "expected the descriptor of {0} to have {1}, as the copy "
                "that brought it, but got {2}; change the descriptor or the "
                "tensor map",
                name, nameOf(*loaded), nameOf(descriptor.swizzle)),
            operation.site);
        return false;
      }
    }
    Past &common = operation.common;
    const void *host = grid.tryAccessBy(
        engine, step, common,
        {address ? address : chunk.address, 16, 16, AccessKind::Load},
        operation.site);
    if (!host)
      return false;
    placed.emplace_back(chunk, static_cast<const char *>(host));
  }
  return true;
}

bool Warpgroups::readOperands(Warpgroup &group, Operation &operation,
                              uint32_t step) {
  bool isRead = (!operation.fragments.empty() ||
                 readOperand(operation, /*isA=*/true, group.engine, step)) &&
                readOperand(operation, /*isA=*/false, group.engine, step);
  operation.common = Past();
  return isRead;
}

//===----------------------------------------------------------------------===//
// What happens
//===----------------------------------------------------------------------===//

static std::vector<float>
gather(ArrayRef<std::pair<MatrixChunk, const char *>> chunks, unsigned rows,
       EmulatorFactor element, bool isTransposed) {
  constexpr unsigned chunkBytes = 16;
  unsigned depth = depthOf(element), bytes = bytesOf(element);
  std::vector<float> matrix(rows * depth);
  for (const auto &[chunk, host] : chunks)
    for (unsigned i = 0; i < chunkBytes / bytes; ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, host + bytes * i, bytes);
      unsigned row = chunk.row + (isTransposed ? i : 0);
      unsigned k = chunk.k + (isTransposed ? 0 : i);
      matrix[row * depth + k] = factorToFloat(bits, element);
    }
  return matrix;
}

/// Multiplications before number `end`, which all four warps have issued.
void Warpgroups::execute(Warpgroup &group, uint64_t end) {
  for (; group.first < end; ++group.first, group.operations.pop_front()) {
    Operation &operation = group.operations.front();
    const EmulatorWgmma &form = operation.form;
    unsigned columns = form.columns, count = columns / 2;
    std::vector<float> a = operation.fragments.empty()
                               ? gather(operation.chunksA, matrixRows,
                                        form.elementA, form.transposesA)
                               : std::move(operation.fragments);
    std::vector<float> b =
        gather(operation.chunksB, columns, form.elementB, form.transposesB);
    if (form.negatesA != form.negatesB)
      for (float &element : a)
        element = -element;
    std::vector<float> sums(matrixRows * columns);
    auto forEachSum = [&](auto function) {
      for (unsigned warp = 0; warp < groupWarps; ++warp) {
        Chain &chain = group.warps[warp].chains[operation.chains[warp]];
        for (unsigned i = 0; i < warpSize * count; ++i) {
          SumPlace place = placeOfSum(warp, i / count, i % count);
          function(chain.sums[i], sums[place.row * columns + place.column]);
        }
      }
    };
    if (operation.addsToSums)
      forEachSum([](float &mine, float &sum) { sum = mine; });
    if (bytesOf(form.elementA) == 1)
      multiplyAddShort(a, b, sums);
    else
      multiplyAdd(a, b, sums);
    forEachSum([](float &mine, float &sum) { mine = sum; });
  }
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

void Warpgroups::fence(const EmulatorSite *site) {
  warpgroup(site);
  alignWarp(grid, "wgmma.fence", site);
  warp(site).isFenced = true;
}

void Warpgroups::commit(const EmulatorSite *site) {
  Warpgroup &group = warpgroup(site);
  char none;
  grid.warpOperation({"wgmma.commit_group", ~0u, &none, site},
                     [&](WarpLanes lanes) {
                       Warp &mine = warp(site);
                       mine.isFenced = false;
                       mine.site = site;
                       mine.groupEnds.push_back(mine.issued);
                       if (group.released.size() <= mine.committed)
                         group.released.resize(mine.committed + 1);
                       unsigned first = grid.id() - grid.lane();
                       for (unsigned lane : lanes.members())
                         grid.getClocks().release(
                             first + lane, group.released[mine.committed]);
                       ++mine.committed;
                       return true;
                     });
}

/// Why not all warps have committed so many groups.
std::string Warpgroups::lagging(const Warpgroup &group, uint64_t groups) const {
  for (auto [number, warp] : enumerate(group.warps))
    if (warp.committed < groups)
      return formatv("expected all four warps of the warpgroup to commit group "
                     "{0} of their multiplications, but got warp {1} that has "
                     "committed {2}; let all four run the same",
                     groups - 1, number, warp.committed);
  return "";
}

void Warpgroups::wait(unsigned pending, MutableArrayRef<uint32_t> sums,
                      const EmulatorSite *site) {
  Warpgroup &group = warpgroup(site);
  alignWarp(grid, "wgmma.wait_group", site);
  Warp &mine = warp(site);
  uint64_t done = mine.committed - std::min<uint64_t>(pending, mine.committed);
  grid.waitUntil({"wgmma.wait_group",
                  [&] {
                    return all_of(group.warps, [&](const Warp &other) {
                      return other.committed >= done;
                    });
                  },
                  [&, done] { return lagging(group, done); }},
                 site);
  if (done == 0)
    return;
  mine.waited = std::max(mine.waited, done);
  execute(group, mine.groupEnds[done - 1]);
  EmulatorClocks &clocks = grid.getClocks();
  clocks.acquire(grid.id(), group.engine, done);
  clocks.acquire(grid.id(), group.released[done - 1]);
  for (uint32_t &sum : sums) {
    auto found =
        isToken(sum) ? mine.chains.find(chainOf(sum)) : mine.chains.end();
    if (found == mine.chains.end() ||
        found->second.last >= mine.groupEnds[done - 1])
      continue;
    unsigned count = found->second.columns / 2;
    float value = found->second.sums[grid.lane() * count + registerOf(sum)];
    sum = std::isnan(value) ? plainNaN : bit_cast<uint32_t>(value);
  }
}

void Warpgroups::useSum(uint32_t bits, const EmulatorSite *site) {
  if (bits == undefinedSum)
    grid.refuse(
        "expected a sum that a multiplication has computed, but got one "
        "that none has; start with zeros, or let the first "
        "multiplication overwrite what was there",
        site);
  Warp &mine = warp(site);
  if (isTokenOf(mine, bits))
    grid.refuse(formatv("expected the sums of wgmma.mma_async{0} behind a wait "
                        "that names them, but got a use before; wait for their "
                        "group, and use what the wait returns",
                        where(mine.chains.at(chainOf(bits)).site)),
                site);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void Warpgroups::setRegisters(unsigned count, bool isIncrease,
                              const EmulatorSite *site) {
  StringRef name = isIncrease ? "setmaxnreg.inc" : "setmaxnreg.dec";
  warpgroup(site);
  alignWarp(grid, name, site);
  Warp &mine = warp(site);
  if (grid.lane() != 0)
    return;
  // How many a kernel starts with is up to ptxas.
  unsigned now = mine.registers ? mine.registers : count;
  if (count % 8 != 0 || count < 24 || count > 256 ||
      (isIncrease ? count < now : count > now))
    grid.refuse(
        formatv("expected {0} to a multiple of 8 from 24 to 256 that is "
                "{1} than the {2} registers that the warp has, but got "
                "{3}; share out the registers of the block anew",
                name, isIncrease ? "no fewer" : "no more", now, count),
        site);
  mine.registers = count;
  mine.registerSite = site;
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

void Warpgroups::checkEnd() {
  unsigned threads = grid.getLaunch().threads, start = grid.startRegisters();
  std::map<unsigned, std::pair<int, const EmulatorSite *>> blocks;
  for (auto &[first, group] : groups) {
    const Warp &some = group.warps.front();
    auto isBehind = [&](const Warp &warp) {
      return warp.committed != some.committed || warp.issued != some.issued ||
             warp.isDone() != some.isDone();
    };
    if (any_of(group.warps, isBehind))
      return grid.complainOf(
          first,
          formatv(
              "expected the four warps of a warpgroup to run the same "
              "multiplications, but got {0} by one warp and {1} by another; "
              "branch for whole warpgroups only",
              some.issued, find_if(group.warps, isBehind)->issued),
          some.site);
    if (!some.isDone())
      return grid.complainOf(
          first,
          "expected wgmma.commit_group and wgmma.wait_group behind every "
          "wgmma.mma_async before the kernel ends, but got multiplications "
          "that nobody has waited for; wait for all groups",
          some.site);
    auto &[used, site] = blocks[first / threads];
    for (const Warp &warp : group.warps)
      if (warp.registers) {
        // On top of what every warp starts with.
        used += int(warpSize) * (int(warp.registers) - int(start));
        site = warp.registerSite;
      }
  }
  for (auto &[block, use] : blocks)
    if (use.first > 0)
      return grid.complainOf(
          block * threads,
          formatv("expected setmaxnreg to leave the block {0} registers or "
                  "fewer, as it may start with, but got {1}; let other warps "
                  "give more back",
                  start * threads, start * threads + use.first),
          use.second);
}
