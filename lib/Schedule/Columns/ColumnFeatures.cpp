//===- ColumnFeatures.cpp - What a model of columns is asked --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/ColumnFeatures.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Writes the features one after the other.
class FeatureWriter {
public:
  FeatureWriter(const ColumnFacts &facts, ColumnsScheduleAttr schedule,
                const ColumnFacts::Call &call, const GPUTarget &gpu)
      : facts(facts), schedule(schedule), call(call), gpu(gpu),
        threads(schedule.getThreads()), vector(schedule.getVector()),
        splits(schedule.getSplits()), fold(schedule.getFold()),
        parts(schedule.parts()), cluster(schedule.clusterSize()),
        unroll(schedule.getHold().getUnroll()),
        stages(schedule.getHold().getStages()) {}

  SmallVector<float, 64> write();

private:
  void add(double value) { found.push_back(static_cast<float>(value)); }
  void writeKernel();
  void writeSchedule();
  void writeWalk();
  void writeOccupancy();
  bool isHeld() const { return isa<RegistersHoldAttr>(schedule.getHold()); }
  /// Whether vectors of columns are cut out of aligned ones.
  bool isCut() const {
    return !facts.alongPlaces && fold == 1 && vector > facts.dividing;
  }

  const ColumnFacts &facts;
  ColumnsScheduleAttr schedule;
  ColumnFacts::Call call;
  const GPUTarget &gpu;
  double threads, vector, splits, fold, parts, cluster, unroll, stages;
  SmallVector<float, 64> found;
  /// Bytes of the call; blocks; places of a column that a thread walks, those
  /// that it loads at a time, and how often.
  double bytes = 0, grid = 0, places = 0, loaded = 0, steps = 0;
  /// Registers for what is loaded, and for partial results.
  double words = 0, states = 0;
};
} // namespace

static constexpr StringLiteral names[] = {
    // The kernel and the call.
    "columns", "places", "bytes", "l2_part", "input_bytes", "inputs", "outputs",
    "state_bytes", "components", "instructions", "specials", "element_bytes",
    "place_bytes", "along", "line_offset", "issue",
    // The schedule.
    "threads", "vector", "splits", "row", "fold", "held", "unroll", "stages",
    "parts", "cluster", "evict_first", "cut", "edges", "access_bytes",
    "row_bytes",
    // What follows from both.
    "past_end", "places_of_thread", "steps", "past_places", "loaded_words",
    "state_words", "bytes_of_thread", "bytes_of_block", "exchanged",
    "left_bytes", "left_part", "combined", "parts_of_splits",
    // How they fill the board.
    "registers", "shared_bytes", "resident", "resident_threads", "waves",
    "part_of_wave", "blocks", "uneven", "busy", "active_threads",
    "bytes_in_flight", "all_threads", "idle", "latency"};

ArrayRef<StringLiteral> mlir::fuse::columnFeatureNames() { return names; }

static double log2Of(double number) { return std::log2(std::max(1.0, number)); }

void FeatureWriter::writeKernel() {
  bytes = std::max(1.0, facts.bytesOf(call));
  add(log2Of(call.columns));
  add(log2Of(call.places));
  add(log2Of(bytes));
  add(bytes / gpu.l2Bytes);
  for (double value :
       {double(facts.inputBytes), double(facts.inputs), double(facts.outputs),
        double(facts.stateBytes), double(facts.components), facts.instructions,
        facts.specials, double(facts.widestBytes), facts.placeBytes,
        double(facts.alongPlaces)})
    add(value);
  // The largest power of two up to a line that divides a row's bytes. Vectors
  // that leave edges start where a line does, as does a row of any length.
  constexpr int64_t lineBytes = 128;
  int64_t rowBytes =
      (facts.innermost ? facts.innermost : facts.dividing) * facts.widestBytes;
  bool areLines =
      facts.mayLeaveEdges || (facts.alongPlaces && facts.innermost == 0);
  add(areLines ? lineBytes
               : std::min<int64_t>(lineBytes, rowBytes & -rowBytes));
  // Of the time that the bandwidth takes, the part that issuing takes.
  constexpr double lanesOfMultiprocessor = 128;
  double issued =
      call.columns * call.places * facts.instructions /
      (gpu.multiprocessors * lanesOfMultiprocessor * gpu.clockHertz);
  add(issued / (bytes / gpu.memoryBytesPerSecond));
}

void FeatureWriter::writeSchedule() {
  double row = threads / splits;
  for (double value :
       {threads, vector, splits, row, fold, double(isHeld()), unroll, stages,
        log2Of(parts), cluster, double(schedule.getEvictFirst()),
        double(isCut()), double(facts.alongPlaces && vector > facts.dividing),
        vector * facts.widestBytes})
    add(value);
  add(log2Of((facts.alongPlaces ? threads : row) * vector * facts.widestBytes));
}

void FeatureWriter::writeWalk() {
  double across = facts.alongPlaces ? 1 : vector, along = vector / across;
  double columns = call.columns * fold;
  double rows = std::max(1.0, call.places / fold);
  double width = threads / splits * across;
  double beside = std::ceil(columns / width), shared = parts * cluster;
  grid = beside * shared;
  places = std::ceil(rows / (splits * along * shared));
  loaded = isHeld() ? places : std::min(unroll, places);
  steps = std::ceil(places / loaded);
  words = loaded * vector * facts.inputBytes / 4 * (isCut() ? 2 : 1);
  states = across * facts.stateBytes / 4;
  double left = parts > 1 ? parts * call.columns * facts.stateBytes : 0;
  add(beside * width / columns);
  add(log2Of(places));
  add(log2Of(steps));
  add(splits * along * shared * places / rows);
  add(words);
  add(states);
  add(log2Of(places * vector * facts.inputBytes));
  add(log2Of(places * threads * vector * facts.inputBytes));
  add(exchangedStates(schedule.getThreads(), schedule.getSplits(),
                      schedule.clusterSize()) *
      across * facts.stateBytes);
  add(log2Of(left));
  add(left / bytes);
  add(log2Of(splits) + log2Of(cluster));
  add(parts > 1 ? parts / splits : 0);
}

void FeatureWriter::writeOccupancy() {
  constexpr double otherRegisters = 24;
  double registers = std::min<double>(otherRegisters + words + states,
                                      gpu.maxRegistersPerThread);
  double staged =
      stages > 1 ? threads * vector * facts.inputBytes * unroll * stages : 0;
  double across = facts.alongPlaces ? 1 : vector;
  double sharedBytes =
      staged + exchangedStates(schedule.getThreads(), schedule.getSplits(),
                               schedule.clusterSize()) *
                   across * facts.stateBytes;
  double resident = std::max(
      1.0,
      std::min({double(gpu.maxBlocksPerSM),
                std::floor(gpu.maxThreadsPerSM / threads),
                std::floor(gpu.registersPerSM / (threads * registers)),
                std::floor(gpu.sharedBytesPerSM /
                           (sharedBytes + gpu.reservedSharedBytesPerBlock))}));
  double each = grid / gpu.multiprocessors, waves = each / resident;
  double flight =
      loaded * vector * facts.inputBytes * (stages > 1 ? stages - 1 : 1);
  add(registers);
  add(sharedBytes);
  add(resident);
  add(resident * threads);
  add(std::log2(std::max(waves, 1.0 / 1024)));
  add(waves / std::ceil(waves));
  add(std::log2(std::max(each, 1.0 / 1024)));
  add(std::ceil(each) / each);
  // Blocks of the busiest multiprocessor.
  add(waves >= 1 ? std::ceil(waves) * resident : each);
  add(std::min(resident, each) * threads);
  add(log2Of(std::min(resident, each) * threads * flight));
  add(log2Of(grid * threads));
  add(grid * threads / (double(gpu.multiprocessors) * gpu.maxThreadsPerSM));
  // Loads that wait for each other.
  add(log2Of(steps * std::max(1.0, waves)));
}

SmallVector<float, 64> FeatureWriter::write() {
  writeKernel();
  writeSchedule();
  writeWalk();
  writeOccupancy();
  assert(found.size() == std::size(names) && "each feature has a name");
  return found;
}

SmallVector<float, 64> mlir::fuse::columnFeatures(const ColumnFacts &facts,
                                                  ColumnsScheduleAttr schedule,
                                                  const ColumnFacts::Call &call,
                                                  const GPUTarget &gpu) {
  return FeatureWriter(facts, schedule, call, gpu).write();
}
