//===- HtmlReport.cpp - What a program became, as a page ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtmlReport.h"
#include "Version.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Compiler/Report.h"
#include "fuse/Explain/Passes.h"
#include "fuse/Target/GPUTarget.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Mustache.h"

#include "HtmlTexts.inc"

using namespace llvm;
using namespace fuse::runtime;
using mlir::fuse::PTXAccess;

namespace fuse::driver {

/// Of the page, for the PTX of all kernels.
static constexpr size_t mostBytesOfPTX = 400 << 10;
/// Characters of a box's line, and of the name of a tensor beside it.
static constexpr size_t mostInBox = 46, mostInName = 16;

static std::string shortened(StringRef text, size_t most) {
  return text.size() <= most ? text.str()
                             : (text.take_front(most - 3) + "...").str();
}

/// "33.6 MB".
static std::string formatBytes(double bytes) {
  if (bytes < 1e4)
    return formatv("{0} bytes", int64_t(bytes));
  if (bytes < 1e6)
    return formatv("{0:F1} KB", bytes * 1e-3);
  return bytes < 1e9 ? formatv("{0:F1} MB", bytes * 1e-6)
                     : formatv("{0:F2} GB", bytes * 1e-9);
}

/// "12.3 us".
static std::string formatTime(double seconds) {
  return seconds < 1e-3 ? formatv("{0:F1} us", seconds * 1e6)
                        : formatv("{0:F2} ms", seconds * 1e3);
}

/// Sets what the template asks for; to it an empty text is there, too.
static void setText(json::Object &object, StringRef key, std::string text) {
  if (!text.empty())
    object[key] = std::move(text);
}

static std::string plural(size_t count, StringRef what) {
  return formatv("{0} {1}{2}", count, what, count == 1 ? "" : "s");
}

namespace {
/// Makes the data of one page.
class PageWriter {
public:
  explicit PageWriter(const HtmlSubject &subject)
      : subject(subject), spec(subject.code.plan.spec) {
    if (auto target = mlir::fuse::lookupGPUTarget(subject.chip))
      gpu = *target;
    else
      consumeError(target.takeError());
    text.assign(1, "");
    for (StringRef line : split(subject.text, '\n'))
      text.push_back(line.rtrim('\r'));
  }

  json::Object write();

private:
  struct Times {
    std::optional<double> seconds, floor;
    StringRef word = "predicted", limit;
  };

  double valueOf(const SizeExpr &size) const;
  double bytesOf(const jit::KernelOperand &operand) const;
  double bytesMoved(const jit::KernelInfo &kernel) const;
  Times timesOf(const jit::KernelInfo &kernel) const;
  json::Array linesOf(const jit::Remark &remark) const;
  json::Array operandsOf(const KernelReport &kernel) const;
  json::Array notesOn(StringRef kernel) const;
  std::string codeOf(const jit::KernelInfo &info) const;
  json::Object kernel(const KernelReport &kernel);
  void addTimes(const jit::KernelInfo &kernel, json::Object &object) const;
  json::Object graph() const;
  std::string assumedSizes() const;

  const HtmlSubject &subject;
  const ProgramSpec &spec;
  std::optional<mlir::fuse::GPUTarget> gpu;
  /// The lines of the program, from 1.
  std::vector<StringRef> text;
};
} // namespace

/// Dynamic sizes are taken for what the compiler takes them for.
double PageWriter::valueOf(const SizeExpr &size) const {
  std::vector<int64_t> sizes(spec.symbols.size(), mlir::fuse::kAssumedSize);
  Expected<int64_t> value = size.evaluate(sizes);
  if (value)
    return *value;
  consumeError(value.takeError());
  return 0;
}

double PageWriter::bytesOf(const jit::KernelOperand &operand) const {
  return valueOf(operand.elements) * sizeInBytes(operand.dtype);
}

double PageWriter::bytesMoved(const jit::KernelInfo &kernel) const {
  return valueOf(kernel.bytesRead) + valueOf(kernel.bytesWritten);
}

static const jit::ScheduleCandidate *
choiceFor(StringRef kernel, ArrayRef<jit::KernelCandidates> all) {
  for (const jit::KernelCandidates &each : all)
    if (each.kernel == kernel && !each.schedules.empty())
      return &each.schedules.front();
  return nullptr;
}

PageWriter::Times PageWriter::timesOf(const jit::KernelInfo &kernel) const {
  Times times;
  if (!gpu)
    return times;
  times.floor =
      gpu->launchSeconds + bytesMoved(kernel) / gpu->memoryBytesPerSecond;
  auto measured = subject.measured.find(kernel.name);
  const auto *choice = choiceFor(kernel.name, subject.candidates);
  if (measured != subject.measured.end()) {
    times.seconds = measured->second;
    times.word = "measured";
  } else if (choice && choice->estimate) {
    times.seconds = choice->estimate->seconds;
    times.limit = name(choice->estimate->limit);
  }
  return times;
}

void PageWriter::addTimes(const jit::KernelInfo &kernel,
                          json::Object &object) const {
  Times times = timesOf(kernel);
  object["hasTime"] = times.seconds.has_value();
  if (!times.seconds)
    return;
  double longest = std::max(*times.seconds, *times.floor);
  object["time"] = formatTime(*times.seconds);
  object["timeWord"] = times.word;
  setText(object, "limit", times.limit.str());
  object["floor"] = formatTime(*times.floor);
  object["share"] =
      formatv("{0:F0}% of a copy's speed", 100 * *times.floor / *times.seconds)
          .str();
  object["timeWidth"] = int64_t(100 * *times.seconds / longest);
  object["floorLeft"] = std::min<int64_t>(99, 100 * *times.floor / longest);
}

/// The fact of a remark; "" if it has none.
static StringRef factOf(const jit::Remark &remark, StringRef name) {
  for (const auto &[key, value] : remark.facts)
    if (key == name)
      return value;
  return "";
}

json::Array PageWriter::linesOf(const jit::Remark &remark) const {
  json::Array lines;
  for (StringRef number : split(factOf(remark, "Lines"), ',')) {
    unsigned line = 0;
    if (!number.trim().getAsInteger(10, line) && line < text.size())
      lines.push_back(json::Object{{"number", int64_t(line)},
                                   {"text", text[line].trim().str()}});
  }
  return lines;
}

json::Array PageWriter::operandsOf(const KernelReport &kernel) const {
  json::Array operands;
  for (auto [index, operand] : enumerate(kernel.info->operands)) {
    StringRef how = operand.isStreamed   ? "streamed"
                    : operand.isGathered ? "gathered from"
                    : operand.isResult   ? ""
                                         : "read again";
    json::Object row{{"direction", operand.isResult ? "writes" : "reads"},
                     {"name", operand.name},
                     {"dtype", name(operand.dtype)},
                     {"bytes", formatBytes(bytesOf(operand))},
                     {"how", how}};
    auto kind =
        operand.isResult ? PTXAccess::Kind::Store : PTXAccess::Kind::Load;
    std::optional<unsigned> bits =
        kernel.ptx ? kernel.ptx->minBits(kind, index) : std::nullopt;
    if (bits) {
      row["accessBits"] = int64_t(*bits);
      row["accessClass"] = !operand.isStreamed ? "plain"
                           : *bits >= 128      ? "good"
                                               : "bad";
    }
    operands.push_back(std::move(row));
  }
  return operands;
}

/// What the remarks say of a kernel that was not done. Quiet are those that
/// matter little.
json::Array PageWriter::notesOn(StringRef kernel) const {
  json::Array notes;
  for (const jit::Remark &remark : subject.code.remarks) {
    bool isAbout = factOf(remark, "Consumer") == kernel ||
                   factOf(remark, "Kernel") == kernel;
    if (!isAbout || remark.category == mlir::fuse::kKernelCategory)
      continue;
    json::Object note{{"message", remark.message},
                      {"reason", remark.reason},
                      {"quiet", remark.kind != jit::Remark::Kind::Missed}};
    setText(note, "suggestion", remark.suggestion);
    StringRef cost = factOf(remark, "BytesCost");
    if (!cost.empty() && cost != "0")
      note["cost"] = cost;
    notes.push_back(std::move(note));
  }
  return notes;
}

json::Object PageWriter::kernel(const KernelReport &kernel) {
  const jit::KernelInfo &info = *kernel.info;
  json::Object object{{"id", "kernel-" + info.name},
                      {"name", info.name},
                      {"ops", join(info.ops, ", ")},
                      {"schedule", info.schedule},
                      {"operands", operandsOf(kernel)},
                      {"moved", formatBytes(bytesMoved(info))}};
  addTimes(info, object);
  for (const jit::Remark &remark : subject.code.remarks)
    if (remark.category == mlir::fuse::kKernelCategory &&
        factOf(remark, "Kernel") == info.name) {
      object["lines"] = linesOf(remark);
      setText(object, "why", remark.reason);
      setText(object, "runnerUp", factOf(remark, "RunnerUp").str());
      StringRef saved = factOf(remark, "BytesSaved");
      if (!saved.empty() && saved != "0")
        object["saved"] = (saved + " bytes").str();
    }
  if (const auto &resources = kernel.resources)
    object["resources"] =
        formatv("{0} registers a thread, {1} bytes of static shared memory, "
                "{2} bytes spilled",
                resources->registers, resources->sharedBytes,
                resources->spillStoreBytes + resources->spillLoadBytes)
            .str();
  json::Array notes = notesOn(info.name);
  object["hasNotes"] = !notes.empty();
  object["notes"] = std::move(notes);
  object["hasPtx"] = kernel.ptx.has_value();
  if (kernel.ptx) {
    json::Object ptx = markPTX(subject.code.ptx, kernel,
                               mostBytesOfPTX / subject.kernels.size());
    object["ptxLines"] = std::move(ptx["lines"]);
    if (std::string other = codeOf(info); !other.empty())
      object["codeOf"] = std::move(other);
    object["ptxCut"] = std::move(ptx["cut"]);
    object["ptx"] = std::move(ptx["segments"]);
  }
  return object;
}

/// The kernel before, with other operands, whose code this one runs; empty
/// where it has its own.
std::string PageWriter::codeOf(const jit::KernelInfo &info) const {
  for (const KernelReport &other : subject.kernels) {
    if (other.info->name == info.name)
      break;
    if (other.info->symbol == info.symbol)
      return other.info->name;
  }
  return "";
}

/// The buffer as a key.
static std::pair<int, unsigned> keyOf(const BufferRef &ref) {
  return {int(ref.kind), ref.index};
}

json::Object PageWriter::graph() const {
  std::vector<GraphBox> boxes;
  std::map<std::pair<int, unsigned>, unsigned> writers;
  /// Bytes and names of what goes from one launch to another.
  std::map<std::pair<unsigned, unsigned>, std::pair<double, std::string>> found;
  for (const StepSpec &step : spec.steps) {
    const auto *launch = std::get_if<KernelSpec>(&step);
    unsigned number = boxes.size();
    if (!launch || number >= subject.kernels.size())
      continue;
    const jit::KernelInfo &info = *subject.kernels[number].info;
    Times times = timesOf(info);
    GraphBox box{"kernel-" + info.name,
                 info.name,
                 shortened(join(info.ops, ", "), mostInBox),
                 formatBytes(bytesMoved(info)),
                 info.name,
                 {}};
    if (times.seconds)
      box.summary +=
          formatv(", {0} {1}, a copy {2}", formatTime(*times.seconds),
                  times.word, formatTime(*times.floor));
    for (const jit::Remark &remark : subject.code.remarks)
      if (remark.category == mlir::fuse::kKernelCategory &&
          factOf(remark, "Kernel") == info.name)
        for (const json::Value &line : linesOf(remark))
          box.title +=
              formatv("\n{0}: {1}", *line.getAsObject()->getInteger("number"),
                      *line.getAsObject()->getString("text"));
    size_t operand = 0;
    for (const KernelArg &arg : launch->args) {
      const auto *ref = std::get_if<BufferRef>(&arg);
      // Numbers that are passed by value are no operands.
      if (!ref || ref->kind == BufferRef::Kind::Scalar)
        continue;
      const jit::KernelOperand &its = info.operands[operand++];
      double bytes = bytesOf(its);
      std::string label = formatv("{0} {1}", shortened(its.name, mostInName),
                                  formatBytes(bytes));
      std::string title =
          formatv("{0}: {1} of {2} elements", its.name, name(its.dtype),
                  its.elements.str(spec.symbols));
      if (its.isResult) {
        writers[keyOf(*ref)] = number;
        if (ref->kind == BufferRef::Kind::Output)
          box.ports.push_back({true, label, title});
        continue;
      }
      auto writer = writers.find(keyOf(*ref));
      if (writer != writers.end() && writer->second != number) {
        auto &[sum, names] = found[{writer->second, number}];
        sum += bytes;
        names += (names.empty() ? "" : "\n") + title;
      } else if (ref->kind == BufferRef::Kind::Input) {
        box.ports.push_back({false, label, title});
      }
    }
    boxes.push_back(std::move(box));
  }
  std::vector<GraphEdge> edges;
  for (const auto &[ends, what] : found)
    edges.push_back(
        {ends.first, ends.second, formatBytes(what.first), what.second});
  return layOutGraph(boxes, edges);
}

std::string PageWriter::assumedSizes() const {
  if (spec.symbols.empty())
    return "";
  return formatv("{0} = {1}", join(spec.symbols, " = "),
                 mlir::fuse::kAssumedSize);
}

json::Object PageWriter::write() {
  json::Object data = graph();
  double moved = 0, seconds = 0, floor = 0;
  bool haveTimes = !subject.kernels.empty(), areMeasured = true;
  json::Array kernels;
  for (const KernelReport &report : subject.kernels) {
    Times times = timesOf(*report.info);
    moved += bytesMoved(*report.info);
    haveTimes &= times.seconds.has_value();
    areMeasured &= times.word == "measured";
    seconds += times.seconds.value_or(0);
    floor += times.floor.value_or(0);
    kernels.push_back(kernel(report));
  }
  json::Array source;
  for (unsigned line = 1; line < text.size(); ++line)
    if (line + 1 < text.size() || !text[line].empty())
      source.push_back(
          json::Object{{"number", int64_t(line)}, {"text", text[line].str()}});
  data["program"] = spec.name;
  data["file"] = subject.fileName;
  data["chip"] = subject.chip;
  data["version"] = versionText();
  setText(data, "assumed", assumedSizes());
  data["count"] = plural(subject.kernels.size(), "kernel");
  data["kernelCount"] = int64_t(subject.kernels.size());
  data["moved"] = formatBytes(moved);
  data["hasTimes"] = haveTimes;
  if (haveTimes) {
    data["timeWord"] = areMeasured ? "measured" : "predicted";
    data["time"] = formatTime(seconds);
    data["floor"] = formatTime(floor);
  }
  data["kernels"] = std::move(kernels);
  data["source"] = std::move(source);
  return data;
}

json::Object htmlData(const HtmlSubject &subject) {
  return PageWriter(subject).write();
}

/// The data without code, for other programs to read. No text in it ends the
/// element that holds it.
static std::string dataForReaders(const json::Object &data) {
  json::Object copy = data;
  if (json::Array *kernels = copy.getArray("kernels"))
    for (json::Value &kernel : *kernels)
      kernel.getAsObject()->erase("ptx");
  for (StringRef drawn : {"boxes", "edges", "width", "height", "source"})
    copy.erase(drawn);
  std::string text = formatv("{0}", json::Value(std::move(copy))), safe;
  for (char c : text)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

std::string htmlReport(const HtmlSubject &subject) {
  json::Object data = htmlData(subject);
  data["data"] = dataForReaders(data);
  data["css"] = report_css;
  data["js"] = report_js;
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  mustache::MustacheContext context(allocator, saver);
  mustache::Template page(report_mustache, context);
  std::string text;
  raw_string_ostream os(text);
  page.render(json::Value(std::move(data)), os);
  return text;
}

} // namespace fuse::driver
