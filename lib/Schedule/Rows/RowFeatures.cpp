//===- RowFeatures.cpp - What a model of rows is asked --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/RowFeatures.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Writes the features one after the other.
class FeatureWriter {
public:
  FeatureWriter(const RowFacts &facts, RowsScheduleAttr schedule, double rows,
                const GPUTarget &gpu)
      : facts(facts), schedule(schedule), hold(schedule.getHold()),
        shared(dyn_cast<SharedHoldAttr>(hold)), rows(rows), gpu(gpu) {}

  SmallVector<float, 64> write();

private:
  void add(double value) { found.push_back(static_cast<float>(value)); }
  void writeKernel();
  void writeSchedule();
  void writeShare();
  void writeOccupancy();

  const RowFacts &facts;
  RowsScheduleAttr schedule;
  HoldAttrInterface hold;
  /// Null if rows are held elsewhere.
  SharedHoldAttr shared;
  double rows;
  const GPUTarget &gpu;
  SmallVector<float, 64> found;
  /// Of a thread: vectors, elements, and those that it keeps in registers.
  double each = 0, elements = 0, held = 0;
};
} // namespace

static constexpr StringLiteral names[] = {
    // The kernel and the call.
    "length", "bytes", "input_bytes", "inputs", "widest_bytes",
    "narrowest_bytes", "output_bytes", "outputs", "early_outputs", "weights",
    "weight_bytes", "numbers", "once", "exponentials", "deviations", "divides",
    "repeats_special", "levels", "exchanges", "components", "instructions",
    "specials", "repeated", "column_sums", "across", "line_offset", "l2_part",
    // The schedule.
    "hold", "threads", "group", "vector", "access_bytes", "groups",
    "rows_per_thread", "blocks", "unroll", "stages", "in_registers", "preload",
    "copy_groups", "bound", "persistent",
    // What follows from both.
    "each", "elements", "held", "empty", "edges", "uneven", "steps",
    "left_of_step", "bytes_of_thread", "work_of_thread", "repeated_of_thread",
    "registers", "shared_bytes", "resident", "resident_threads",
    "bytes_in_flight", "grid", "waves", "part_of_wave", "issue"};

ArrayRef<StringLiteral> mlir::fuse::rowFeatureNames() { return names; }

static double log2Of(double number) { return std::log2(std::max(1.0, number)); }

void FeatureWriter::writeKernel() {
  double bytes = facts.bytesPerRow() * rows;
  int64_t rowBytes = facts.length * facts.widestBytes;
  constexpr int64_t lineBytes = 128;
  add(log2Of(facts.length));
  add(log2Of(bytes));
  for (double value : {double(facts.inputBytes),
                       double(facts.inputs),
                       double(facts.widestBytes),
                       double(facts.narrowestBytes),
                       facts.outputBytes,
                       double(facts.outputs),
                       double(facts.earlyOutputs),
                       double(facts.weights),
                       facts.weightBytes,
                       double(facts.numbers),
                       double(facts.once),
                       double(facts.hasExp),
                       double(facts.hasDeviations),
                       double(facts.divides),
                       double(facts.repeatsSpecial),
                       double(facts.levels),
                       double(facts.exchanges),
                       double(facts.components),
                       facts.instructions,
                       facts.specials,
                       facts.repeated,
                       double(facts.columnSums),
                       double(facts.isAcross)})
    add(value);
  // The largest power of two up to a line that divides a row's bytes.
  add(rowBytes == 0 ? 0 : std::min<int64_t>(lineBytes, rowBytes & -rowBytes));
  add(bytes / gpu.l2Bytes);
}

/// A way to hold rows, as the trees have it.
static int numberOf(HoldAttrInterface hold) {
  return llvm::TypeSwitch<Attribute, int>(hold)
      .Case([](RegistersHoldAttr) { return 0; })
      .Case([](LoopHoldAttr) { return 1; })
      .Case([](CacheHoldAttr) { return 2; })
      .Case([](SharedHoldAttr) { return 3; });
}

void FeatureWriter::writeSchedule() {
  double group = schedule.getThreads() / double(schedule.groupsPerBlock());
  add(numberOf(hold));
  add(schedule.getThreads());
  add(group);
  add(schedule.getVector());
  add(schedule.getVector() * facts.widestBytes);
  add(schedule.groupsPerBlock());
  add(schedule.rowsPerThread());
  add(schedule.blocksPerRow());
  add(hold.getUnroll());
  add(hold.getStages());
  add(shared ? shared.getInRegisters() : 0);
  add(hold.getPreload());
  add(shared ? shared.getCopyGroups() : HoldAttrInterface::kUsualCopyGroups);
  add(schedule.getLeastBlocks() * schedule.getThreads());
  add(schedule.getPersistent() * schedule.getThreads() /
      double(gpu.multiprocessors));
}

void FeatureWriter::writeShare() {
  double sharing = schedule.threadsPerRow(), vector = schedule.getVector();
  each = std::ceil(facts.length / (sharing * vector));
  elements = each * vector * schedule.rowsPerThread();
  held = isa<RegistersHoldAttr>(hold) ? elements
         : shared                     ? shared.getInRegisters() * vector
                                      : 0;
  double places = each * vector * sharing;
  double step =
      isa<LoopHoldAttr, SharedHoldAttr>(hold) ? hold.getUnroll() : each;
  double vectors = facts.length / (sharing * vector);
  add(each);
  add(elements);
  add(held);
  add(places / std::max<int64_t>(1, facts.length));
  add(facts.length % schedule.getVector());
  add(std::fmod(facts.length, sharing * vector) > 0);
  add(std::ceil(each / step));
  add(vectors / step - std::floor(vectors / step));
  add(elements * facts.inputBytes);
  add(elements * facts.instructions);
  add(elements * facts.repeated);
}

void FeatureWriter::writeOccupancy() {
  double threads = schedule.getThreads();
  double words = std::max(1.0, facts.widestBytes / 4.0);
  constexpr double otherRegisters = 20;
  double weights = hold.getPreload() ? facts.weights : 0;
  double registers = otherRegisters + held * (words + weights);
  if (isa<CacheHoldAttr, LoopHoldAttr>(hold))
    registers += std::min<double>(each, hold.getUnroll()) *
                 schedule.getVector() * facts.inputBytes / 4.0;
  if (schedule.getLeastBlocks() > 0)
    registers = std::min<double>(
        registers, gpu.registersPerSM / (threads * schedule.getLeastBlocks()));
  registers = std::min<double>(registers, gpu.maxRegistersPerThread);
  double slots = 0;
  if (shared)
    slots = (each - shared.getInRegisters()) * shared.getStages();
  else if (hold.getStages() > 1)
    slots = hold.getUnroll() * hold.getStages();
  double sharedBytes =
      slots * threads * schedule.getVector() * facts.inputBytes;
  double resident = std::min(
      {double(gpu.maxBlocksPerSM), std::floor(gpu.maxThreadsPerSM / threads),
       std::floor(gpu.registersPerSM / (threads * registers)),
       std::floor(gpu.sharedBytesPerSM /
                  (sharedBytes + gpu.reservedSharedBytesPerBlock))});
  resident = std::max(1.0, resident);
  double grid =
      std::ceil(rows / schedule.getRowsPerBlock()) * schedule.blocksPerRow();
  double waves = grid / (gpu.multiprocessors * resident);
  double flight = elements;
  if (isa<LoopHoldAttr>(hold))
    flight =
        std::min(elements, double(schedule.getVector() * hold.getUnroll() *
                                  std::max<int64_t>(1, hold.getStages() - 1)));
  add(registers);
  add(sharedBytes);
  add(resident);
  add(resident * threads);
  add(resident * threads * flight * facts.inputBytes);
  add(log2Of(grid));
  add(std::log2(std::max(waves, 1.0 / 1024)));
  add(waves / std::ceil(waves));
  // Of the time that the bandwidth takes, the part that issuing takes.
  double moved = facts.bytesPerRow() * rows / gpu.memoryBytesPerSecond;
  double issued = rows * facts.length * facts.instructions /
                  (gpu.multiprocessors * 128.0 * gpu.clockHertz);
  add(issued / moved);
}

SmallVector<float, 64> FeatureWriter::write() {
  writeKernel();
  writeSchedule();
  writeShare();
  writeOccupancy();
  assert(found.size() == std::size(names) && "each feature has a name");
  return found;
}

SmallVector<float, 64> mlir::fuse::rowFeatures(const RowFacts &facts,
                                               RowsScheduleAttr schedule,
                                               double rows,
                                               const GPUTarget &gpu) {
  return FeatureWriter(facts, schedule, rows, gpu).write();
}
