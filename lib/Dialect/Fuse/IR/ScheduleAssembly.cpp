//===- ScheduleAssembly.cpp - Schedules with parts as text ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `<name = value, ...>` in any order, where the value of `hold` and `share` is
// a part without its `#fuse.`. Schedules had the fields of their parts
// themselves; text with these gets told where they are now.
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// A field that is now a part's; {0} stands for its value.
struct MovedField {
  StringLiteral name;
  const char *now;
};

/// Reads one field; none if there is no such field.
using ParseField = function_ref<OptionalParseResult(StringRef name)>;
} // namespace

static constexpr MovedField movedOfRows[] = {
    {"unroll", "hold = shared<unroll = {0}> or hold = loop<unroll = {0}>"},
    {"in_registers", "hold = shared<in_registers = {0}>"},
    {"preload",
     "hold = registers<preload = {0}> or hold = shared<preload = {0}>"},
    {"copy_groups", "hold = shared<copy_groups = {0}>"},
    {"stages", "hold = shared<stages = {0}> or hold = loop<stages = {0}>"},
    {"rows_per_thread", "hold = registers<rows_per_thread = {0}>"},
    {"blocks_per_row",
     "share = cluster<{0}>, or share = grid<{0}> for whole_grid = true"},
    {"whole_grid", "share = grid<BLOCKS>"}};
static constexpr MovedField movedOfColumns[] = {
    {"unroll", "hold = loop<unroll = {0}>"},
    {"stages", "hold = loop<stages = {0}>"},
    {"parts", "share = parts<{0}>"},
    {"blocks_per_column", "share = cluster<{0}>"}};

/// Says where the field is now, or which there are.
static ParseResult refuse(AsmParser &parser, SMLoc loc, StringRef name,
                          ArrayRef<MovedField> moved, StringRef fields) {
  const MovedField *found = llvm::find_if(
      moved, [&](const MovedField &field) { return field.name == name; });
  if (found == moved.end())
    return parser.emitError(loc) << "expected one of " << fields
                                 << ", but got '" << name << "'; remove it";
  std::string value;
  int64_t number = 0;
  StringRef keyword;
  // To the parser of integers, true is -1.
  if (succeeded(parser.parseOptionalKeyword(&keyword)))
    value = keyword.str();
  else if (OptionalParseResult parsed = parser.parseOptionalInteger(number);
           parsed.has_value() && succeeded(*parsed))
    value = std::to_string(number);
  return parser.emitError(loc)
         << "expected '" << name << "' within hold or share, but got it beside "
         << "them; write " << llvm::formatv(found->now, value).str();
}

static ParseResult parseFields(AsmParser &parser, ParseField parseField,
                               ArrayRef<StringRef> needed,
                               ArrayRef<MovedField> moved, StringRef fields) {
  SmallVector<StringRef> seen;
  SMLoc start = parser.getCurrentLocation();
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (llvm::is_contained(seen, name))
      return parser.emitError(loc)
             << "expected '" << name << "' once, but got it again; remove one";
    seen.push_back(name);
    OptionalParseResult parsed = parseField(name);
    return parsed.has_value() ? *parsed
                              : refuse(parser, loc, name, moved, fields);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseOne))
    return failure();
  for (StringRef name : needed)
    if (!llvm::is_contained(seen, name))
      return parser.emitError(start)
             << "expected '" << name << "', but got none; add it";
  return success();
}

/// Reads what follows the keyword of a part.
template <typename Part> static Attribute parseParameters(AsmParser &parser) {
  if constexpr (std::is_same_v<Part, CacheHoldAttr>) {
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalLess()))
      return Part::get(parser.getContext());
    parser.emitError(loc) << "expected cache without parameters, but got some; "
                             "write hold = cache";
    return {};
  } else {
    return Part::parse(parser, Type());
  }
}

/// Reads a part by its keyword, or with `#fuse.`.
template <typename... Parts, typename Interface>
static ParseResult parsePart(AsmParser &parser, Interface &result) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute found;
  auto byKeyword = [&](Attribute &attr, Type) -> ParseResult {
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    bool isKnown = false;
    auto parseAs = [&](auto part) {
      isKnown = true;
      attr = parseParameters<decltype(part)>(parser);
    };
    ((keyword == Parts::getMnemonic() ? parseAs(Parts()) : void()), ...);
    if (isKnown)
      return success(bool(attr));
    StringRef names[] = {Parts::getMnemonic()...};
    return parser.emitError(loc)
           << "expected one of " << llvm::join(ArrayRef(names), ", ")
           << ", but got '" << keyword << "'; choose one of these";
  };
  if (parser.parseCustomAttributeWithFallback(found, Type(), byKeyword))
    return failure();
  result = dyn_cast<Interface>(found);
  return result ? ParseResult(success())
                : parser.emitError(loc) << "expected a part of this kind, but "
                                           "got "
                                        << found << "; write its keyword";
}

static ParseResult parseHold(AsmParser &parser, HoldAttrInterface &hold) {
  return parsePart<RegistersHoldAttr, CacheHoldAttr, SharedHoldAttr,
                   LoopHoldAttr>(parser, hold);
}

static ParseResult parseShare(AsmParser &parser, ShareAttrInterface &share) {
  return parsePart<ClusterShareAttr, GridShareAttr, PartsShareAttr>(parser,
                                                                    share);
}

static void printHold(AsmPrinter &printer, HoldAttrInterface hold) {
  printer << ", hold = " << hold.getKeyword();
  llvm::TypeSwitch<Attribute>(hold)
      .Case<RegistersHoldAttr, SharedHoldAttr, LoopHoldAttr>(
          [&](auto part) { part.print(printer); });
}

static void printShare(AsmPrinter &printer, ShareAttrInterface share) {
  if (share)
    printer << ", share = " << share.getKeyword() << "<" << share.getBlocks()
            << ">";
}

Attribute RowsScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t threads = 0, vector = 0, rowsPerBlock = 0, persistent = 0,
          leastBlocks = 0;
  HoldAttrInterface hold;
  ShareAttrInterface share;
  auto parseField = [&](StringRef name) -> OptionalParseResult {
    if (name == "hold")
      return parseHold(parser, hold);
    if (name == "share")
      return parseShare(parser, share);
    auto *number = llvm::StringSwitch<int64_t *>(name)
                       .Case("threads", &threads)
                       .Case("vector", &vector)
                       .Case("rows_per_block", &rowsPerBlock)
                       .Case("persistent", &persistent)
                       .Case("least_blocks", &leastBlocks)
                       .Default(nullptr);
    return number ? OptionalParseResult(parser.parseInteger(*number))
                  : std::nullopt;
  };
  if (parseFields(parser, parseField,
                  {"threads", "vector", "rows_per_block", "hold"}, movedOfRows,
                  "threads, vector, rows_per_block, hold, share, persistent, "
                  "least_blocks"))
    return {};
  return parser.getChecked<RowsScheduleAttr>(loc, parser.getContext(), threads,
                                             vector, rowsPerBlock, hold, share,
                                             persistent, leastBlocks);
}

void RowsScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<threads = " << getThreads() << ", vector = " << getVector()
          << ", rows_per_block = " << getRowsPerBlock();
  printHold(printer, getHold());
  printShare(printer, getShare());
  if (getPersistent() != 0)
    printer << ", persistent = " << getPersistent();
  if (getLeastBlocks() != 0)
    printer << ", least_blocks = " << getLeastBlocks();
  printer << ">";
}

Attribute ColumnsScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t threads = 0, vector = 0, splits = 0, fold = 1;
  HoldAttrInterface hold = LoopHoldAttr::get(parser.getContext());
  ShareAttrInterface share;
  FailureOr<bool> evictFirst = false;
  auto parseField = [&](StringRef name) -> OptionalParseResult {
    if (name == "hold")
      return parseHold(parser, hold);
    if (name == "share")
      return parseShare(parser, share);
    if (name == "evict_first")
      return ParseResult(evictFirst = FieldParser<bool>::parse(parser));
    auto *number = llvm::StringSwitch<int64_t *>(name)
                       .Case("threads", &threads)
                       .Case("vector", &vector)
                       .Case("splits", &splits)
                       .Case("fold", &fold)
                       .Default(nullptr);
    return number ? OptionalParseResult(parser.parseInteger(*number))
                  : std::nullopt;
  };
  if (parseFields(parser, parseField, {"threads", "vector", "splits"},
                  movedOfColumns,
                  "threads, vector, splits, hold, share, fold, evict_first"))
    return {};
  return parser.getChecked<ColumnsScheduleAttr>(loc, parser.getContext(),
                                                threads, vector, splits, hold,
                                                share, fold, *evictFirst);
}

void ColumnsScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<threads = " << getThreads() << ", vector = " << getVector()
          << ", splits = " << getSplits();
  if (getHold() != LoopHoldAttr::get(getContext()))
    printHold(printer, getHold());
  printShare(printer, getShare());
  if (getFold() != 1)
    printer << ", fold = " << getFold();
  if (getEvictFirst())
    printer << ", evict_first = true";
  printer << ">";
}
