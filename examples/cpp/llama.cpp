//===- llama.cpp - A model generates tokens from a safetensors file -------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   examples/python/llama_program.py CONFIG.json --cache 128 > model.mlir
//   llama model.mlir model.safetensors 64 1,5,9,14,3
//
// prints 64 tokens that follow 1, 5, 9, 14, 3, on the CPU. The program says
// what it needs: its caches, its tables of angles, and weights, which are used
// where the file has them in memory.
//
//===----------------------------------------------------------------------===//

#include "fuse/Execution/JIT.h"
#include "fuse/Runtime/Buffer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace fuse;
using namespace llvm;
using runtime::DType;
using runtime::TensorView;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// The tensors of a safetensors file by name: 8 bytes with the length of a
/// header in JSON, the header, and the elements.
class Weights {
public:
  static Expected<Weights> read(StringRef path);

  const TensorView *find(StringRef name) const {
    auto found = tensors.find(name);
    return found == tensors.end() ? nullptr : &found->second;
  }

private:
  Error add(StringRef name, const json::Object &entry, StringRef elements);

  std::unique_ptr<MemoryBuffer> file;
  /// Of what no program can read where it is.
  std::vector<std::unique_ptr<runtime::HostBuffer>> copies;
  StringMap<TensorView> tensors;
};

/// As llama_program.py calls the argument for a weight.
static std::string argumentName(StringRef weight) {
  weight.consume_back(".weight");
  return join(split(weight, '.'), "_");
}

Error Weights::add(StringRef name, const json::Object &entry,
                   StringRef elements) {
  auto dtype =
      StringSwitch<std::optional<DType>>(entry.getString("dtype").value_or(""))
          .Case("F32", DType::F32)
          .Case("BF16", DType::BF16)
          .Case("F16", DType::F16)
          .Default(std::nullopt);
  const json::Array *shape = entry.getArray("shape");
  const json::Array *offsets = entry.getArray("data_offsets");
  // What the program has no use for may be of any type.
  if (!dtype || !shape || !offsets || offsets->size() != 2)
    return Error::success();
  TensorView view;
  view.dtype = *dtype;
  for (const json::Value &size : *shape)
    view.shape.push_back(size.getAsInteger().value_or(-1));
  Expected<int64_t> bytes = runtime::byteSize(view.shape, view.dtype);
  if (!bytes)
    return bytes.takeError();
  int64_t begin = (*offsets)[0].getAsInteger().value_or(-1);
  int64_t end = (*offsets)[1].getAsInteger().value_or(-1);
  if (begin < 0 || end - begin != *bytes || uint64_t(end) > elements.size())
    return makeError(formatv("expected {0} bytes for '{1}' in the file, but "
                             "got other offsets; write it again",
                             *bytes, name));
  view.data = const_cast<char *>(elements.data()) + begin;
  // Writers begin the elements at a multiple of 8 bytes; nobody has to.
  if (reinterpret_cast<uintptr_t>(view.data) % runtime::sizeInBytes(*dtype)) {
    auto copy = runtime::HostBuffer::create(*bytes);
    if (!copy)
      return copy.takeError();
    std::memcpy((*copy)->data(), view.data, *bytes);
    view.data = (*copy)->data();
    copies.push_back(std::move(*copy));
  }
  tensors[argumentName(name)] = std::move(view);
  return Error::success();
}

Expected<Weights> Weights::read(StringRef path) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return createFileError(path, file.getError());
  StringRef data = (*file)->getBuffer();
  uint64_t length =
      data.size() < 8 ? UINT64_MAX : support::endian::read64le(data.data());
  if (data.size() < 8 || length > data.size() - 8)
    return createFileError(path,
                           makeError("expected a safetensors file, but got "
                                     "another; check the path"));
  Expected<json::Value> header = json::parse(data.substr(8, length));
  if (!header)
    return createFileError(path, header.takeError());
  Weights weights;
  weights.file = std::move(*file);
  if (const json::Object *entries = header->getAsObject())
    for (const auto &[name, entry] : *entries)
      if (const json::Object *object = entry.getAsObject())
        if (Error error = weights.add(name, *object, data.substr(8 + length)))
          return std::move(error);
  return std::move(weights);
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// A program of llama_program.py with its weights and caches.
class Model {
public:
  static Expected<Model> create(StringRef program, StringRef weights,
                                double theta);

  /// The token that follows `ids`, before which the caches have `first`.
  Expected<int64_t> next(ArrayRef<int64_t> ids, int32_t first);
  int64_t cacheSize() const { return cache; }

private:
  explicit Model(Weights weights) : weights(std::move(weights)) {}

  Error prepare(double theta);
  Error addInput(const runtime::TensorSpec &spec, double theta);
  Expected<void *> allocate(DType dtype, ArrayRef<int64_t> shape);
  void fillTable(float *table, int64_t pairs, double theta, bool isCos);

  Weights weights;
  std::unique_ptr<jit::CompiledProgram> program;
  int64_t cache = 0;
  /// Those of every call; what a call brings has no address here.
  StringMap<TensorView> inputs;
  std::vector<std::unique_ptr<runtime::HostBuffer>> buffers;
};

Expected<void *> Model::allocate(DType dtype, ArrayRef<int64_t> shape) {
  Expected<int64_t> bytes = runtime::byteSize(shape, dtype);
  if (!bytes)
    return bytes.takeError();
  auto buffer = runtime::HostBuffer::create(*bytes);
  if (!buffer)
    return buffer.takeError();
  std::memset((*buffer)->data(), 0, *bytes);
  buffers.push_back(std::move(*buffer));
  return buffers.back()->data();
}

/// A row for each place of the cache, a column for each pair of a head.
void Model::fillTable(float *table, int64_t pairs, double theta, bool isCos) {
  for (int64_t place = 0; place < cache; ++place)
    for (int64_t pair = 0; pair < pairs; ++pair) {
      double angle = place * std::pow(theta, -double(pair) / pairs);
      table[place * pairs + pair] = isCos ? std::cos(angle) : std::sin(angle);
    }
}

Error Model::addInput(const runtime::TensorSpec &spec, double theta) {
  StringRef name = spec.name;
  if (const TensorView *weight = weights.find(name)) {
    inputs[name] = *weight;
    return Error::success();
  }
  bool isTable = name == "cos" || name == "sin";
  bool isCache = name.starts_with("keys") || name.starts_with("values");
  if (!isTable && !isCache)
    return makeError(formatv("expected a weight for '{0}' in the file, but got "
                             "none; take that of the program's model",
                             name));
  TensorView view;
  view.dtype = spec.dtype;
  for (const runtime::SizeExpr &size : spec.shape)
    view.shape.push_back(size.isConstant() ? size.constantValue() : cache);
  Expected<void *> data = allocate(view.dtype, view.shape);
  if (!data)
    return data.takeError();
  view.data = *data;
  inputs[name] = view;
  if (isTable)
    fillTable(static_cast<float *>(*data), view.shape.back(), theta,
              name == "cos");
  return Error::success();
}

Error Model::prepare(double theta) {
  ArrayRef<runtime::TensorSpec> specs = program->spec().inputs;
  for (const runtime::TensorSpec &spec : specs)
    if (spec.name == "keys0" && spec.shape[0].isConstant() &&
        spec.shape[0].constantValue() == 1 && spec.shape[1].isConstant())
      cache = spec.shape[1].constantValue();
  if (!cache)
    return makeError("expected a program of one sequence with caches of a "
                     "known size, but got another; write it with "
                     "llama_program.py --cache");
  for (const runtime::TensorSpec &spec : specs)
    if (!is_contained({"ids", "first", "slots", "wanted"}, spec.name))
      if (Error error = addInput(spec, theta))
        return error;
  return Error::success();
}

Expected<Model> Model::create(StringRef program, StringRef weights,
                              double theta) {
  Expected<Weights> read = Weights::read(weights);
  if (!read)
    return read.takeError();
  Model model(std::move(*read));
  jit::CompileOptions options;
  options.target = jit::Target::CPU;
  auto compiled = jit::compileFile(program, options);
  if (!compiled)
    return compiled.takeError();
  model.program = std::move(*compiled);
  if (Error error = model.prepare(theta))
    return std::move(error);
  return std::move(model);
}

Expected<int64_t> Model::next(ArrayRef<int64_t> ids, int32_t first) {
  int64_t count = ids.size();
  std::vector<int32_t> slots(count);
  for (int64_t i = 0; i < count; ++i)
    slots[i] = first + i;
  int32_t wanted = count - 1;
  auto view = [](const void *data, DType dtype, ArrayRef<int64_t> shape) {
    TensorView made;
    made.data = const_cast<void *>(data);
    made.dtype = dtype;
    made.shape.assign(shape.begin(), shape.end());
    return made;
  };
  inputs["ids"] = view(ids.data(), DType::I64, {1, count});
  inputs["first"] = view(&first, DType::I32, {});
  inputs["slots"] = view(slots.data(), DType::I32, {count});
  inputs["wanted"] = view(&wanted, DType::I32, {1});
  std::vector<TensorView> arguments, results;
  for (const runtime::TensorSpec &spec : program->spec().inputs)
    arguments.push_back(inputs[spec.name]);
  auto shapes = program->inferOutputShapes(arguments);
  if (!shapes)
    return shapes.takeError();
  // The caches are written where they are. The last results are the logits and
  // the token.
  size_t kept = buffers.size();
  for (auto [number, shape] : enumerate(*shapes)) {
    if (std::optional<unsigned> input = program->inPlace()[number]) {
      results.push_back(arguments[*input]);
      continue;
    }
    DType dtype = program->spec().outputs[number].dtype;
    Expected<void *> data = allocate(dtype, shape);
    if (!data)
      return data.takeError();
    results.push_back(view(*data, dtype, shape));
  }
  if (Error error = program->run(arguments, results))
    return std::move(error);
  int64_t token = *static_cast<int64_t *>(results.back().data);
  buffers.resize(kept);
  return token;
}

//===----------------------------------------------------------------------===//
// Command line
//===----------------------------------------------------------------------===//

static Error generate(ArrayRef<StringRef> arguments) {
  int64_t count;
  double theta = 1e4;
  if (arguments.size() < 4 || arguments[2].getAsInteger(10, count) ||
      (arguments.size() > 4 && arguments[4].getAsDouble(theta)))
    return makeError("expected PROGRAM.mlir WEIGHTS.safetensors COUNT ID,ID,.. "
                     "[ROPE_THETA]");
  std::vector<int64_t> ids;
  for (StringRef text : split(arguments[3], ','))
    if (text.getAsInteger(10, ids.emplace_back()))
      return makeError("expected numbers of tokens, but got '" + text + "'");
  Expected<Model> model = Model::create(arguments[0], arguments[1], theta);
  if (!model)
    return model.takeError();
  int64_t most = model->cacheSize() + 1 - int64_t(ids.size());
  if (count > most)
    return makeError(formatv("expected at most {0} tokens for the caches, but "
                             "got {1}; write the program with larger ones",
                             most, count));
  int32_t first = 0;
  for (int64_t i = 0; i < count; ++i) {
    Expected<int64_t> token = model->next(ids, first);
    if (!token)
      return token.takeError();
    outs() << *token << (i + 1 < count ? " " : "\n");
    first += ids.size();
    ids = {*token};
  }
  return Error::success();
}

int main(int argc, char **argv) {
  SmallVector<StringRef> arguments(argv + 1, argv + argc);
  if (Error error = generate(arguments)) {
    errs() << "error: " << toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
