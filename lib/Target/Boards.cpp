//===- Boards.cpp - Boards, as files of data ------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boards.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <vector>

using namespace llvm;
using namespace mlir::fuse;

namespace {
/// A number of a board, and its key in files.
struct Field {
  StringLiteral key, unit;
  bool isWhole;
  void (*set)(GPUTarget &, double);
  double (*get)(const GPUTarget &);
};

struct Board {
  std::string name, title, chip;
  bool isMeasured = false;
  std::vector<std::string> defaultFor, deviceNames;
  /// By the number of the field.
  std::vector<std::pair<size_t, double>> numbers;
};
} // namespace

#define FUSE_FIELD(key, member, unit)                                          \
  {key, unit, std::is_integral_v<decltype(std::declval<GPUTarget>().member)>,  \
   [](GPUTarget &target, double value) {                                       \
     target.member = static_cast<decltype(target.member)>(value);              \
   },                                                                          \
   [](const GPUTarget &target) {                                               \
     return static_cast<double>(target.member);                                \
   }},
#define FUSE_NUMBER(model, name, value, unit, text)                            \
  FUSE_FIELD(#model "." #name, model.name, unit)

static const Field fields[] = {
    FUSE_FIELD("multiprocessors", multiprocessors, "")                 //
    FUSE_FIELD("memory_bytes_per_second", memoryBytesPerSecond, "")    //
    FUSE_FIELD("l2_bytes", l2Bytes, "")                                //
    FUSE_FIELD("l2_bytes_per_clock", l2BytesPerClock, "")              //
    FUSE_FIELD("l2_port_bytes_per_clock", l2PortBytesPerClock, "")     //
    FUSE_FIELD("clock_hertz", clockHertz, "")                          //
    FUSE_FIELD("tensor_clock_hertz", tensorClockHertz, "")             //
    FUSE_FIELD("sustained_clock_hertz", sustainedClockHertz, "")       //
    FUSE_FIELD("cluster_group", clusterGroup, "")                      //
    FUSE_FIELD("launch_seconds", launchSeconds, "")                    //
    FUSE_FIELD("mma_per_clock", mmaPerClock, "")                       //
    FUSE_FIELD("mma_sync_per_clock", mmaSyncPerClock, "")              //
    FUSE_FIELD("mma_sync_float8_per_clock", mmaSyncFloat8PerClock, "") //
#include "fuse/Target/Numbers/Choice.inc"
#include "fuse/Target/Numbers/Columns.inc"
#include "fuse/Target/Numbers/Fusion.inc"
#include "fuse/Target/Numbers/MmaSync.inc"
#include "fuse/Target/Numbers/Ordered.inc"
#include "fuse/Target/Numbers/Pointwise.inc"
#include "fuse/Target/Numbers/Rows.inc"
#include "fuse/Target/Numbers/Streamed.inc"
#include "fuse/Target/Numbers/Tiled.inc"
#include "fuse/Target/Numbers/Time.inc"
#include "fuse/Target/Numbers/Transpose.inc"
#include "fuse/Target/Numbers/Wgmma.inc"
#include "fuse/Target/Numbers/Work.inc"
};
#undef FUSE_NUMBER
#undef FUSE_FIELD

static const Field *findField(StringRef key) {
  return find_if(fields, [&](const Field &field) { return field.key == key; });
}

std::vector<double> mlir::fuse::boardNumbers(const GPUTarget &target) {
  std::vector<double> numbers;
  for (const Field &field : fields)
    numbers.push_back(field.get(target));
  return numbers;
}

/// Of the models' numbers one stands for all.
static std::string fieldNames() {
  SmallVector<StringRef> names;
  for (const Field &field : fields)
    if (!field.key.contains('.'))
      names.push_back(field.key);
  return join(names, ", ") +
         ", or a number of a model, such as time.edgeSeconds";
}

/// What the schedules take that a field's count goes into: whole warps of one
/// block.
static std::pair<double, double> rangeOf(const Field &field) {
  constexpr double warp = 32, mostThreads = 1024;
  if (!field.isWhole)
    return {0, 1e18};
  if (field.unit.ends_with("threads"))
    return {warp, mostThreads};
  return {0, UINT32_MAX};
}

/// What a field can have.
static std::string expectedOf(const Field &field) {
  std::string text = !field.isWhole ? "a positive number"
                     : field.unit.starts_with("2^n")
                         ? "a power of two"
                         : "a positive whole number";
  auto [least, most] = rangeOf(field);
  return least == 0 ? text
                    : formatv("{0} from {1} to {2}", text, int64_t(least),
                              int64_t(most));
}

/// Counts are whole numbers.
static bool isValid(const Field &field, double value) {
  auto [least, most] = rangeOf(field);
  if (!(value > 0 && value >= least && value <= most))
    return false;
  return !field.isWhole || (value == std::floor(value) &&
                            (!field.unit.starts_with("2^n") ||
                             isPowerOf2_64(static_cast<uint64_t>(value))));
}

/// Targets refer to names as long as the process lives.
static StringRef keep(StringRef name) {
  static std::mutex mutex;
  static StringSet<> names;
  std::lock_guard<std::mutex> lock(mutex);
  return names.insert(name).first->getKey();
}

/// Replaces the numbers that the board has. What was fitted to the default
/// board is scaled to this one where it is not given.
static GPUTarget mount(GPUTarget target, const Board &board) {
  const GPUTarget base = target;
  target.board = keep(board.title);
  target.isMeasured = board.isMeasured;
  auto has = [&](StringRef key) {
    return any_of(board.numbers, [&](const auto &number) {
      return fields[number.first].key == key;
    });
  };
  for (auto [field, value] : board.numbers)
    fields[field].set(target, value);
  // A default board starts from nothing.
  double clock =
      base.clockHertz > 0 ? target.clockHertz / base.clockHertz : 1.0;
  for (auto [key, member] :
       {std::pair("tensor_clock_hertz", &GPUTarget::tensorClockHertz),
        std::pair("sustained_clock_hertz", &GPUTarget::sustainedClockHertz)})
    if (!has(key))
      target.*member =
          base.clockHertz > 0 ? base.*member * clock : target.clockHertz;
  if (base.memoryBytesPerSecond > 0) {
    double memory = target.memoryBytesPerSecond / base.memoryBytesPerSecond;
    for (auto [key, number, factor] :
         {std::tuple("wgmma.clockHertz", &target.wgmma.clockHertz, clock),
          std::tuple("wgmma.sustainedClockHertz",
                     &target.wgmma.sustainedClockHertz, clock),
          std::tuple("wgmma.memoryBytesPerSecond",
                     &target.wgmma.memoryBytesPerSecond, memory)})
      if (!has(key))
        *number *= factor;
  }
  return target;
}

static Error wrongKey(StringRef where, StringRef key) {
  return createStringError(
      formatv("{0}: expected a key of a board, but got '{1}'; choose one of "
              "name, title, chip, measured, source, device_names, {2}",
              where, key, fieldNames()));
}

static Error wrongValue(StringRef where, StringRef key, StringRef expected,
                        const json::Value &found) {
  return createStringError(
      formatv("{0}: expected {1} for '{2}', but got {3}; correct it, or leave "
              "the key out for what the chip's default board has",
              where, expected, key, found));
}

static Error takeText(const json::Value &value, StringRef where, StringRef key,
                      std::string &text) {
  std::optional<StringRef> found = value.getAsString();
  if (!found || found->empty())
    return wrongValue(where, key, "a text", value);
  text = found->str();
  return Error::success();
}

static Error takeTexts(const json::Value &value, StringRef where, StringRef key,
                       std::vector<std::string> &texts) {
  const json::Array *array = value.getAsArray();
  if (!array)
    return wrongValue(where, key, "a list of texts", value);
  for (const json::Value &each : *array)
    if (Error error = takeText(each, where, key, texts.emplace_back()))
      return error;
  return Error::success();
}

static Error takeEntry(StringRef key, const json::Value &value, StringRef where,
                       Board &board) {
  if (key == "name")
    return takeText(value, where, key, board.name);
  if (key == "title")
    return takeText(value, where, key, board.title);
  if (key == "chip")
    return takeText(value, where, key, board.chip);
  if (key == "default_for")
    return takeTexts(value, where, key, board.defaultFor);
  if (key == "device_names")
    return takeTexts(value, where, key, board.deviceNames);
  if (key == "source") {
    std::string source;
    return takeText(value, where, key, source);
  }
  if (key == "measured") {
    std::optional<bool> measured = value.getAsBoolean();
    board.isMeasured = measured.value_or(false);
    return measured ? Error::success()
                    : wrongValue(where, key, "true or false", value);
  }
  const Field *field = findField(key);
  if (field == std::end(fields))
    return wrongKey(where, key);
  std::optional<double> number = value.getAsNumber();
  if (!number || !isValid(*field, *number))
    return wrongValue(where, key, expectedOf(*field), value);
  board.numbers.emplace_back(field - std::begin(fields), *number);
  return Error::success();
}

static Expected<Board> parseBoard(StringRef text, StringRef where) {
  Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return createStringError(formatv("{0}: expected JSON, but got: {1}", where,
                                     toString(parsed.takeError())));
  const json::Object *object = parsed->getAsObject();
  if (!object)
    return createStringError(
        formatv("{0}: expected an object that describes a board, but got {1}; "
                "write one such as {{\"chip\": \"sm_90a\", "
                "\"multiprocessors\": 78}",
                where, *parsed));
  Board board;
  for (const auto &[key, value] : *object)
    if (Error error = takeEntry(key, value, where, board))
      return std::move(error);
  if (board.chip.empty())
    return createStringError(formatv("{0}: expected the board's chip, but got "
                                     "none; add \"chip\": \"sm_90a\"",
                                     where));
  if (board.title.empty())
    board.title = board.name.empty() ? where.str() : board.name;
  return board;
}

/// Those that Fuse comes with.
static ArrayRef<Board> boards() {
  static const std::vector<Board> known = [] {
    static constexpr StringLiteral texts[] = {
#include "Boards.inc"
    };
    std::vector<Board> result;
    for (StringRef text : texts)
      result.push_back(cantFail(parseBoard(text, "lib/Target/Boards")));
    return result;
  }();
  return known;
}

static const Board *findBoard(function_ref<bool(const Board &)> isIt) {
  const Board *found = find_if(boards(), isIt);
  return found == boards().end() ? nullptr : found;
}

static const Board *named(StringRef name) {
  return findBoard([&](const Board &board) { return board.name == name; });
}

GPUTarget mlir::fuse::onDefaultBoard(GPUTarget chip) {
  const Board *board = findBoard([&](const Board &each) {
    return is_contained(each.defaultFor, chip.chip);
  });
  assert(board && "every chip has a default board");
  return mount(chip, *board);
}

bool mlir::fuse::isBoard(StringRef name) { return named(name); }

SmallVector<StringRef> mlir::fuse::boardNames() {
  SmallVector<StringRef> names;
  for (const Board &board : boards())
    names.push_back(board.name);
  return names;
}

Expected<GPUTarget> mlir::fuse::onBoard(StringRef name, ChipLookup ofChip) {
  const Board *board = named(name);
  Expected<GPUTarget> chip = ofChip(board->chip);
  if (!chip)
    return chip.takeError();
  return mount(*chip, *board);
}

Expected<GPUTarget> mlir::fuse::onBoardOfFile(StringRef path,
                                              ChipLookup ofChip) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return createStringError(
        formatv("{0}: expected a file that describes a board, but it cannot be "
                "read: {1}",
                path, file.getError().message()));
  Expected<Board> board = parseBoard((*file)->getBuffer(), path);
  if (!board)
    return board.takeError();
  Expected<GPUTarget> chip = ofChip(board->chip);
  if (!chip)
    return createStringError(path + ": " + toString(chip.takeError()));
  return mount(*chip, *board);
}

Expected<GPUTarget> mlir::fuse::withSettings(GPUTarget target,
                                             StringRef settings) {
  Board board;
  SmallVector<StringRef> each;
  settings.split(each, '+');
  for (StringRef setting : each) {
    auto [key, text] = setting.split('=');
    const Field *field = findField(key);
    if (field == std::end(fields))
      return createStringError(formatv("expected a number of the board, but "
                                       "got '{0}'; choose one of {1}",
                                       setting, fieldNames()));
    double value;
    if (text.getAsDouble(value) || !isValid(*field, value))
      return createStringError(formatv(
          "expected {0} for the board's {1}, but got '{2}'; correct it, or "
          "leave it out",
          expectedOf(*field), key, text));
    board.numbers.emplace_back(field - std::begin(fields), value);
  }
  board.title = target.board.str();
  return mount(std::move(target), board);
}

std::string mlir::fuse::chipOfDevice(StringRef chip,
                                     const DeviceNumbers &device) {
  const Board *board = findBoard([&](const Board &each) {
    return is_contained(each.deviceNames, device.name);
  });
  GPUTarget target = cantFail(lookupGPUTarget(chip));
  std::string spec = chip.str();
  if (board && !is_contained(board->defaultFor, chip)) {
    spec = board->name;
    target = cantFail(lookupGPUTarget(spec));
  }
  auto set = [&](StringRef key, double value) {
    spec += formatv("+{0}={1}", key, static_cast<uint64_t>(value));
  };
  // A part of a GPU has its name, too.
  if (device.multiprocessors > 0 &&
      device.multiprocessors != target.multiprocessors)
    set("multiprocessors", device.multiprocessors);
  if (board)
    return spec;
  if (device.l2Bytes > 0)
    set("l2_bytes", device.l2Bytes);
  if (device.memoryBytesPerSecond > 0)
    set("memory_bytes_per_second", device.memoryBytesPerSecond);
  if (device.clockHertz > 0)
    set("clock_hertz", device.clockHertz);
  return spec;
}
