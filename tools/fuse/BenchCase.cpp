//===- BenchCase.cpp - What fuse bench measures ---------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchCase.h"
#include "Array.h"
#include "fuse/Compiler/Source.h"
#include "fuse/Runtime/DType.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace fuse::driver {

namespace {
/// A dim and the sizes that it takes.
struct Dim {
  std::string name;
  std::vector<int64_t> sizes;
};

/// An entry of "families".
struct Family {
  std::string name;
  std::string file;
  std::string text;
  std::string entry;
  std::vector<std::string> dtypes;
  std::vector<Dim> dims;
};

struct Grid {
  std::vector<Family> families;
};
} // namespace

static bool readSize(const json::Value &value, int64_t &size, json::Path path) {
  std::optional<int64_t> number = value.getAsInteger();
  if (!number || *number < 0) {
    path.report("expected a size of 0 or more");
    return false;
  }
  size = *number;
  return true;
}

/// One size, or an array of them.
static bool readSizes(const json::Value &value, std::vector<int64_t> &sizes,
                      json::Path path) {
  const json::Array *array = value.getAsArray();
  if (!array)
    return readSize(value, sizes.emplace_back(), path);
  for (auto [index, element] : enumerate(*array))
    if (!readSize(element, sizes.emplace_back(), path.index(index)))
      return false;
  if (sizes.empty())
    path.report("expected a size or more");
  return !sizes.empty();
}

static bool readDims(const json::Value *value, std::vector<Dim> &dims,
                     json::Path path) {
  if (!value)
    return true;
  const json::Object *object = value->getAsObject();
  if (!object) {
    path.report("expected an object of a size or an array of sizes for each "
                "dim");
    return false;
  }
  for (const auto &[name, sizes] : *object) {
    Dim &dim = dims.emplace_back();
    dim.name = name.str();
    if (!readSizes(sizes, dim.sizes, path.field(name)))
      return false;
  }
  // An object has no order of its own.
  llvm::sort(
      dims, [](const Dim &lhs, const Dim &rhs) { return lhs.name < rhs.name; });
  return true;
}

static bool checkFields(const json::Object &object, json::Path path) {
  for (const auto &[name, value] : object)
    if (!is_contained({"name", "file", "text", "entry", "dtypes", "dims"},
                      StringRef(name))) {
      path.field(name).report("expected one of name, file, text, entry, dtypes "
                              "and dims");
      return false;
    }
  return true;
}

static bool checkFamily(const Family &family, json::Path path) {
  if (family.file.empty() == family.text.empty()) {
    path.report("expected either \"file\" or \"text\"");
    return false;
  }
  for (auto [index, dtype] : enumerate(family.dtypes))
    if (!runtime::parseDType(dtype)) {
      path.field("dtypes").index(index).report(
          "expected an element type, such as f32, f16, bf16 or f8E4M3FN");
      return false;
    }
  return true;
}

namespace {
// Found by the mapper as neighbours of their types.
bool fromJSON(const json::Value &value, Family &family, json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !checkFields(*value.getAsObject(), path))
    return false;
  return mapper.map("name", family.name) &&
         mapper.mapOptional("file", family.file) &&
         mapper.mapOptional("text", family.text) &&
         mapper.mapOptional("entry", family.entry) &&
         mapper.mapOptional("dtypes", family.dtypes) &&
         readDims(value.getAsObject()->get("dims"), family.dims,
                  path.field("dims")) &&
         checkFamily(family, path);
}

bool fromJSON(const json::Value &value, Grid &grid, json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("families", grid.families);
}
} // namespace

/// Every combination of one size for each dim, the last dim changing fastest.
static std::vector<std::vector<int64_t>> combinations(ArrayRef<Dim> dims) {
  std::vector<std::vector<int64_t>> result = {{}};
  for (const Dim &dim : dims) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t> &start : result)
      for (int64_t size : dim.sizes) {
        longer.push_back(start);
        longer.back().push_back(size);
      }
    result = std::move(longer);
  }
  return result;
}

static std::string replaceAll(std::string text, StringRef from, StringRef to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

static BenchCase makeCase(const Family &family, StringRef fileName,
                          StringRef text, StringRef dtype,
                          ArrayRef<int64_t> sizes) {
  BenchCase result;
  result.family = family.name;
  result.dtype = dtype;
  result.fileName = fileName;
  result.entry = family.entry;
  result.text = replaceAll(text.str(), "${dtype}", dtype);
  result.name = family.name;
  if (!dtype.empty())
    result.name += (" " + dtype).str();
  for (auto [dim, size] : zip_equal(family.dims, sizes)) {
    std::string sized = formatv("{0}={1}", dim.name, size);
    std::string placeholder = "${" + dim.name + "}";
    result.name += " " + sized;
    result.sizes.push_back(sized);
    if (!StringRef(result.text).contains(placeholder))
      result.dims.push_back(sized);
    result.text = replaceAll(result.text, placeholder, std::to_string(size));
  }
  return result;
}

static std::vector<BenchCase> casesOf(const Family &family, StringRef fileName,
                                      StringRef text) {
  std::vector<std::string> dtypes = family.dtypes;
  if (dtypes.empty())
    dtypes.push_back("");
  std::vector<BenchCase> cases;
  for (StringRef dtype : dtypes)
    for (ArrayRef<int64_t> sizes : combinations(family.dims))
      cases.push_back(makeCase(family, fileName, text, dtype, sizes));
  return cases;
}

/// NAME=SIZE,SIZE,...
static Expected<Dim> parseDim(StringRef argument) {
  auto [name, sizes] = argument.split('=');
  Dim dim{name.str(), {}};
  SmallVector<StringRef> parts;
  sizes.split(parts, ',');
  for (StringRef part : parts)
    if (part.getAsInteger(10, dim.sizes.emplace_back()) || dim.sizes.back() < 0)
      return createStringError(
          inconvertibleErrorCode(),
          formatv("expected --dim NAME=SIZE,SIZE,..., but got '{0}'; give "
                  "sizes of 0 or more",
                  argument));
  return dim;
}

Expected<std::vector<BenchCase>> readBenchFile(StringRef path, StringRef entry,
                                               ArrayRef<std::string> dims) {
  Family family;
  family.name = sys::path::stem(path);
  family.entry = entry;
  for (StringRef argument : dims) {
    Expected<Dim> dim = parseDim(argument);
    if (!dim)
      return dim.takeError();
    family.dims.push_back(std::move(*dim));
  }
  auto source = jit::readSource(path);
  if (!source)
    return source.takeError();
  return casesOf(family, path, (*source)->getBuffer());
}

/// The program of a family, and what stands for it in errors.
static Expected<std::pair<std::string, std::string>>
readProgram(const Family &family, StringRef gridPath) {
  if (family.file.empty())
    return std::make_pair(formatv("{0}:{1}", gridPath, family.name).str(),
                          family.text);
  SmallString<128> path(family.file);
  if (sys::path::is_relative(path)) {
    path = sys::path::parent_path(gridPath);
    sys::path::append(path, family.file);
  }
  auto source = jit::readSource(path);
  if (!source)
    return source.takeError();
  return std::make_pair(path.str().str(), (*source)->getBuffer().str());
}

Expected<std::vector<BenchCase>> readBenchGrid(StringRef path) {
  auto buffer = jit::readSource(path);
  if (!buffer)
    return buffer.takeError();
  Expected<json::Value> value = json::parse((*buffer)->getBuffer());
  if (!value)
    return fileError(path,
                     "expected JSON, but got: " + toString(value.takeError()) +
                         "; see docs/bench.md for the form of a grid");
  Grid grid;
  json::Path::Root root("grid");
  if (!fromJSON(*value, grid, root))
    return fileError(path, toString(root.getError()) +
                               "; see docs/bench.md for the form of a grid");
  std::vector<BenchCase> cases;
  for (const Family &family : grid.families) {
    auto program = readProgram(family, path);
    if (!program)
      return program.takeError();
    append_range(cases, casesOf(family, program->first, program->second));
  }
  return std::move(cases);
}

} // namespace fuse::driver
