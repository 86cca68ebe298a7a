//===- _handler.cpp - Calls of programs from XLA --------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled where it is first used, with the headers of the jaxlib that is
// there: XLA checks that the two fit. It finds Fuse by the addresses of its
// functions.
//
//===----------------------------------------------------------------------===//

#include "xla/ffi/api/ffi.h"
#include <string>
#include <vector>

namespace ffi = xla::ffi;

namespace {
// As in fuse-c/DLPack.h.
struct Device {
  int32_t type, id;
};
struct Type {
  uint8_t code, bits;
  uint16_t lanes;
};
struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  Type type;
  const int64_t *shape;
  const int64_t *strides;
  uint64_t offset;
};

struct Library {
  void *(*run)(void *program, const Tensor *const *inputs, int32_t numInputs,
               const Tensor *const *outputs, int32_t numOutputs, void *stream);
  const char *(*message)(const void *status);
  void (*free)(void *status);
} library;

constexpr int32_t onCPU = 1, onCUDA = 2;
} // namespace

extern "C" void fuse_jax_bind(void *run, void *message, void *free) {
  library.run = reinterpret_cast<decltype(library.run)>(run);
  library.message = reinterpret_cast<decltype(library.message)>(message);
  library.free = reinterpret_cast<decltype(library.free)>(free);
}

/// Bits of 0 for types that Fuse does not have.
static Type typeOf(ffi::DataType type) {
  switch (type) {
  case ffi::DataType::PRED:
    return {6, 8, 1};
  case ffi::DataType::S8:
    return {0, 8, 1};
  case ffi::DataType::S32:
    return {0, 32, 1};
  case ffi::DataType::S64:
    return {0, 64, 1};
  case ffi::DataType::F16:
    return {2, 16, 1};
  case ffi::DataType::BF16:
    return {4, 16, 1};
  case ffi::DataType::F32:
    return {2, 32, 1};
  case ffi::DataType::F64:
    return {2, 64, 1};
  case ffi::DataType::F8E4M3FN:
    return {10, 8, 1};
  case ffi::DataType::F8E5M2:
    return {12, 8, 1};
  default:
    return {0, 0, 1};
  }
}

static Tensor tensorOf(const ffi::AnyBuffer &buffer, Device device) {
  ffi::AnyBuffer::Dimensions shape = buffer.dimensions();
  return {buffer.untyped_data(),
          device,
          int32_t(shape.size()),
          typeOf(buffer.element_type()),
          shape.begin(),
          nullptr,
          0};
}

static ffi::Error call(ffi::RemainingArgs args, ffi::RemainingRets results,
                       int64_t program, Device device, void *stream) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < args.size(); ++i) {
    auto buffer = args.get<ffi::AnyBuffer>(i);
    if (!buffer.has_value())
      return buffer.error();
    tensors.push_back(tensorOf(*buffer, device));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    auto buffer = results.get<ffi::AnyBuffer>(i);
    if (!buffer.has_value())
      return buffer.error();
    tensors.push_back(tensorOf(**buffer, device));
  }
  std::vector<const Tensor *> pointers;
  for (const Tensor &tensor : tensors)
    pointers.push_back(&tensor);
  void *status = library.run(reinterpret_cast<void *>(program), pointers.data(),
                             args.size(), pointers.data() + args.size(),
                             results.size(), stream);
  if (!status)
    return ffi::Error::Success();
  std::string message = library.message(status);
  library.free(status);
  return ffi::Error(ffi::ErrorCode::kInvalidArgument, message);
}

static ffi::Error callOnCPU(ffi::RemainingArgs args, ffi::RemainingRets results,
                            int64_t program, int64_t device) {
  return call(args, results, program, {onCPU, 0}, nullptr);
}

static ffi::Error callOnCUDA(void *stream, ffi::RemainingArgs args,
                             ffi::RemainingRets results, int64_t program,
                             int64_t device) {
  return call(args, results, program, {onCUDA, int32_t(device)}, stream);
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(fuse_jax_cpu, callOnCPU,
                              ffi::Ffi::Bind()
                                  .RemainingArgs()
                                  .RemainingRets()
                                  .Attr<int64_t>("program")
                                  .Attr<int64_t>("device"));

XLA_FFI_DEFINE_HANDLER_SYMBOL(fuse_jax_cuda, callOnCUDA,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::PlatformStream<void *>>()
                                  .RemainingArgs()
                                  .RemainingRets()
                                  .Attr<int64_t>("program")
                                  .Attr<int64_t>("device"));
