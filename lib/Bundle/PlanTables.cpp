//===- PlanTables.cpp - A plan as tables in C -----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C has no nested tables of different lengths, so each is an array with a name
// of its own, in front of what refers to it:
//
//   static const FuseNode t7[] = {{FUSE_SYMBOL, 0}, {FUSE_CONST, 4}, ...};
//   static const FuseStep t9[] = {{"norm", NULL, t8, 3, {t7, 3}, ...}};
//
//===----------------------------------------------------------------------===//

#include "PlanTables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace fuse;
using namespace fuse::runtime;

namespace {
class TableWriter {
public:
  explicit TableWriter(raw_ostream &os) : os(os) {}

  void bundle(StringRef name, ArrayRef<bundle::VariantCode> variants);

private:
  std::string table(StringRef type, ArrayRef<std::string> rows);
  std::string size(const SizeExpr &expr);
  std::string tensor(const TensorSpec &spec);
  std::string map(const TensorMapSpec &spec);
  std::string argument(const KernelArg &arg);
  std::string kernel(const KernelSpec &spec, bool isForHost);
  std::string copy(const CopySpec &spec);
  std::string variant(const bundle::VariantCode &code);
  std::string constant(const ConstantSpec &spec);

  raw_ostream &os;
  unsigned next = 0;
  /// The name of a table by its text: equal ones are one.
  StringMap<std::string> known;
  /// What kernels of the host are called, by their symbols.
  StringMap<std::string> host;
};
} // namespace

static std::string quoted(StringRef text) {
  std::string result = "\"";
  raw_string_ostream stream(result);
  // Octal, of three digits: what follows cannot become a part of it.
  for (unsigned char c : text)
    if (c == '"' || c == '\\')
      stream << '\\' << c;
    else if (c < 0x20 || c > 0x7e || c == '?')
      stream << formatv("\\{0}{1}{2}", c >> 6, c >> 3 & 7, c & 7);
    else
      stream << c;
  return result + "\"";
}

/// The name of a table, which is written unless there is an equal one; NULL of
/// an empty one.
std::string TableWriter::table(StringRef type, ArrayRef<std::string> rows) {
  if (rows.empty())
    return "NULL";
  std::string text = formatv("static const {0} @[] = {{\n    {1}};\n", type,
                             join(rows, ",\n    "));
  std::string &name = known[text];
  if (name.empty()) {
    name = formatv("t{0}", next++);
    auto [before, after] = StringRef(text).split('@');
    os << before << name << after;
  }
  return name;
}

static StringRef opName(SizeExpr::Op op) {
  switch (op) {
  case SizeExpr::Op::Const:
    return "FUSE_CONST";
  case SizeExpr::Op::Symbol:
    return "FUSE_SYMBOL";
  case SizeExpr::Op::Add:
    return "FUSE_ADD";
  case SizeExpr::Op::Sub:
    return "FUSE_SUB";
  case SizeExpr::Op::Mul:
    return "FUSE_MUL";
  case SizeExpr::Op::CeilDiv:
    return "FUSE_CEILDIV";
  case SizeExpr::Op::FloorDiv:
    return "FUSE_FLOORDIV";
  case SizeExpr::Op::Mod:
    return "FUSE_MOD";
  case SizeExpr::Op::Min:
    return "FUSE_MIN";
  case SizeExpr::Op::Max:
    return "FUSE_MAX";
  }
  llvm_unreachable("covered switch");
}

std::string TableWriter::size(const SizeExpr &expr) {
  SmallVector<std::string> rows;
  for (const SizeExpr::Node &node : expr.postfix())
    rows.push_back(formatv("{{{0}, INT64_C({1})}", opName(node.op),
                           node.op == SizeExpr::Op::Const ||
                                   node.op == SizeExpr::Op::Symbol
                               ? node.value
                               : 0));
  std::string name = table("FuseNode", rows);
  return formatv("{{{0}, {1}}", name, rows.size());
}

/// A DLDataType's code and bits.
static std::pair<StringRef, unsigned> dlpackType(DType dtype) {
  switch (dtype) {
  case DType::I1:
    return {"kDLBool", 8};
  case DType::I8:
    return {"kDLInt", 8};
  case DType::I16:
    return {"kDLInt", 16};
  case DType::UI8:
    return {"kDLUInt", 8};
  case DType::I32:
    return {"kDLInt", 32};
  case DType::I64:
    return {"kDLInt", 64};
  case DType::F8E4M3FN:
    return {"kDLFloat8_e4m3fn", 8};
  case DType::F8E5M2:
    return {"kDLFloat8_e5m2", 8};
  case DType::BF16:
    return {"kDLBfloat", 16};
  case DType::F16:
    return {"kDLFloat", 16};
  case DType::F32:
    return {"kDLFloat", 32};
  case DType::F64:
    return {"kDLFloat", 64};
  }
  llvm_unreachable("covered switch");
}

std::string TableWriter::tensor(const TensorSpec &spec) {
  SmallVector<std::string> dims;
  for (const SizeExpr &dim : spec.shape)
    dims.push_back(size(dim));
  auto [code, bits] = dlpackType(spec.dtype);
  std::string shape = table("FuseSize", dims);
  return formatv("{{{0}, {1}, {2}, {3}, {4}, {5}, {6}}", quoted(spec.name),
                 code, bits, dims.size(), shape, spec.requiredAlignment,
                 int(spec.isScalar));
}

static std::string bufferText(BufferRef ref) {
  static constexpr StringLiteral kinds[] = {"FUSE_INPUT",   "FUSE_OUTPUT",
                                            "FUSE_TEMP",    "FUSE_CONSTANT",
                                            "FUSE_COUNTER", "FUSE_NUMBER"};
  return formatv("{{{0}, {1}}", kinds[static_cast<unsigned>(ref.kind)],
                 ref.index);
}

std::string TableWriter::map(const TensorMapSpec &spec) {
  auto sizes = [&](ArrayRef<SizeExpr> exprs) {
    SmallVector<std::string> texts;
    for (const SizeExpr &expr : exprs)
      texts.push_back(size(expr));
    // C has no empty initializer.
    return texts.empty() ? std::string("{NULL, 0}") : join(texts, ", ");
  };
  SmallVector<std::string> box;
  for (unsigned elements : spec.box)
    box.push_back(std::to_string(elements));
  std::string extents = sizes(spec.sizes), strides = sizes(spec.strides);
  std::string row =
      formatv("{{{0}, {1}, {2}, {{{3}}, {{{4}}, {{{5}}}",
              bufferText(spec.buffer), sizeInBytes(spec.dtype),
              spec.sizes.size(), extents, strides, join(box, ", "));
  return table("FuseTensorMap", {row});
}

std::string TableWriter::argument(const KernelArg &arg) {
  if (const auto *ref = std::get_if<BufferRef>(&arg))
    return formatv("{{FUSE_ARG_BUFFER, {0}, {{NULL, 0}, NULL}",
                   bufferText(*ref));
  if (const auto *expr = std::get_if<SizeExpr>(&arg))
    return formatv("{{FUSE_ARG_SIZE, {{0, 0}, {0}, NULL}", size(*expr));
  std::string name = map(std::get<TensorMapSpec>(arg));
  return formatv("{{FUSE_ARG_MAP, {{0, 0}, {{NULL, 0}, {0}}", name);
}

std::string TableWriter::kernel(const KernelSpec &spec, bool isForHost) {
  SmallVector<std::string> arguments;
  for (const KernelArg &arg : spec.args)
    arguments.push_back(argument(arg));
  std::string args = table("FuseArg", arguments), grid = size(spec.grid);
  return formatv("{{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {{0, 0}, "
                 "{{0, 0}, {{NULL, 0}}",
                 quoted(spec.symbol), isForHost ? host[spec.symbol] : "NULL",
                 args, arguments.size(), grid, spec.threads, spec.sharedBytes,
                 spec.cluster, int(spec.cooperative), int(spec.waits));
}

std::string TableWriter::copy(const CopySpec &spec) {
  return formatv("{{NULL, NULL, NULL, 0, {{NULL, 0}, 0, 0, 0, 0, 0, {0}, {1}, "
                 "{2}}",
                 bufferText(spec.from), bufferText(spec.to), size(spec.bytes));
}

std::string TableWriter::constant(const ConstantSpec &spec) {
  SmallVector<std::string> bytes;
  for (uint8_t byte : spec.bytes)
    bytes.push_back(std::to_string(byte));
  std::string name = table("unsigned char", bytes);
  return formatv("{{{0}, {1}}", name, spec.bytes.size());
}

static std::string factsText(const Facts &facts) {
  SmallVector<StringRef> names;
  if (facts.aligned16)
    names.push_back("FUSE_ALIGNED");
  if (facts.divisible)
    names.push_back("FUSE_DIVISIBLE");
  if (facts.index32)
    names.push_back("FUSE_INDEX32");
  if (facts.separate)
    names.push_back("FUSE_SEPARATE");
  return names.empty() ? "0" : join(names, " | ");
}

std::string TableWriter::variant(const bundle::VariantCode &code) {
  const ProgramSpec &spec = code.spec;
  SmallVector<std::string> steps, temps, constants, checks, innermost, aliases;
  for (const StepSpec &step : spec.steps) {
    const auto *its = std::get_if<KernelSpec>(&step);
    steps.push_back(its ? kernel(*its, code.file.empty())
                        : copy(std::get<CopySpec>(step)));
  }
  for (const TempSpec &temp : spec.temps) {
    std::string bytes = size(temp.numElements * sizeInBytes(temp.dtype));
    temps.push_back(
        formatv("{{{0}, {1}, {2}}", bytes, temp.firstStep, temp.lastStep));
  }
  for (const ConstantSpec &each : spec.constants)
    constants.push_back(constant(each));
  for (const CheckSpec &check : spec.checks) {
    std::string lhs = size(check.lhs), rhs = size(check.rhs);
    checks.push_back(formatv("{{{0}, {1}, {2}, {3}}", lhs, rhs,
                             int(check.kind == CheckSpec::Kind::Equal),
                             quoted(check.message)));
  }
  for (const InnermostSpec &each : spec.innermost)
    innermost.push_back(
        formatv("{{{0}, {1}}", size(each.size), sizeInBytes(each.dtype)));
  for (auto [number, output] : enumerate(spec.outputs))
    for (unsigned input : output.mayAlias)
      aliases.push_back(formatv("{{{0}, {1}}", number, input));
  std::string result =
      formatv("{{{0}, {1}, {2}", quoted(code.chip), factsText(code.facts),
              code.file.empty() ? "NULL" : quoted(code.file));
  auto add = [&](StringRef type, ArrayRef<std::string> rows) {
    result += formatv(", {0}, {1}", table(type, rows), rows.size());
  };
  add("FuseStep", steps);
  add("FuseTemp", temps);
  add("FuseConstant", constants);
  result += formatv(", {0}", spec.numCounters);
  add("FuseCheck", checks);
  add("FuseInnermost", innermost);
  add("FuseAlias", aliases);
  return result + "}";
}

void TableWriter::bundle(StringRef name,
                         ArrayRef<bundle::VariantCode> variants) {
  const ProgramSpec &spec = variants.front().spec;
  // Kernels may have any names.
  for (const bundle::VariantCode &code : variants)
    for (const StepSpec &step : code.spec.steps)
      if (const auto *kernel = std::get_if<KernelSpec>(&step);
          kernel && code.file.empty() && !host.count(kernel->symbol)) {
        std::string function = formatv("kernel{0}", host.size());
        os << formatv("extern void {0}(void **, int64_t, int64_t) "
                      "__asm__({1});\n",
                      function, quoted(kernel->symbol));
        host[kernel->symbol] = function;
      }
  SmallVector<std::string> symbols, inputs, outputs, rows;
  for (const std::string &symbol : spec.symbols)
    symbols.push_back(quoted(symbol));
  for (const TensorSpec &input : spec.inputs)
    inputs.push_back(tensor(input));
  for (const OutputSpec &output : spec.outputs)
    outputs.push_back(tensor(output));
  for (const bundle::VariantCode &code : variants)
    rows.push_back(variant(code));
  std::string symbolTable = table("char *const", symbols),
              inputTable = table("FuseTensor", inputs),
              outputTable = table("FuseTensor", outputs),
              variantTable = table("FuseVariant", rows);
  os << formatv("\nconst FuseBundle {0}_bundle = {{FUSE_BUNDLE_ABI, {1}, {2}, "
                "{3}, {4}, {5}, {6}, {7}, {8}, {9}};\n",
                name, quoted(spec.name), symbolTable, symbols.size(),
                inputTable, inputs.size(), outputTable, outputs.size(),
                variantTable, rows.size());
}

void fuse::bundle::writeTables(raw_ostream &os, StringRef name,
                               ArrayRef<VariantCode> variants) {
  TableWriter(os).bundle(name, variants);
}

std::string fuse::bundle::describeTensor(const TensorSpec &tensor,
                                         ArrayRef<std::string> symbols) {
  SmallVector<std::string> dims;
  for (const SizeExpr &dim : tensor.shape)
    dims.push_back(dim.str(symbols));
  if (tensor.isScalar)
    return formatv("{0}: {1}, a number by value: fuse_bundle_number()",
                   tensor.name, runtime::name(tensor.dtype));
  return formatv("{0}: {1}[{2}]", tensor.name, runtime::name(tensor.dtype),
                 join(dims, ", "));
}
