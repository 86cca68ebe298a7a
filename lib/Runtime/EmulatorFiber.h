//===- EmulatorFiber.h - Functions on stacks of their own -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fiber runs until it gives control back, and continues from there when it
// is resumed:
//
//   FiberStacks stacks;                       // kept from block to block
//   Error error = stacks.reserve(1);
//   Fiber fiber;
//   fiber.start(stacks[0], [](void *data) { ...; fiber.pause(); ... }, data);
//   fiber.resume();   // runs up to pause()
//   fiber.resume();   // runs to the end
//
// A fiber that is not resumed any more is simply dropped: nothing is unwound.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATORFIBER_H
#define FUSE_LIB_RUNTIME_EMULATORFIBER_H

#include "llvm/Support/Error.h"
#include <cstddef>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace fuse::runtime {

/// The memory of one fiber's stack, without its guard page.
struct FiberStack {
  char *low = nullptr;
  size_t bytes = 0;

  bool contains(const void *address) const {
    auto *at = static_cast<const char *>(address);
    return at >= low && at < low + bytes;
  }
};

/// Stacks of 256 KiB, each above a guard page, that take up memory only where
/// they were written to.
class FiberStacks {
public:
  FiberStacks() = default;
  FiberStacks(const FiberStacks &) = delete;
  FiberStacks &operator=(const FiberStacks &) = delete;
  ~FiberStacks();

  /// Provides stacks 0 to count - 1.
  llvm::Error reserve(size_t count);

  FiberStack operator[](size_t index) const;

private:
  char *memory = nullptr;
  size_t count = 0;
};

class Fiber {
public:
  using Function = void (*)(void *data);

  /// Prepares a call of `function(data)`; what ran on the stack is forgotten.
  void start(FiberStack stack, Function function, void *data);

  /// Continues the fiber until it pauses or its function returns. Must not be
  /// called after that.
  void resume();

  /// Gives control back to resume(). Called on the fiber.
  void pause();

  const FiberStack &stack() const { return memory; }

private:
  static void enter(Fiber *fiber);

  FiberStack memory;
  Function function = nullptr;
  void *data = nullptr;
#if defined(__x86_64__)
  friend void enterOnFiber();
  void *inside = nullptr;
  void *outside = nullptr;
#else
  static void enterContext(unsigned high, unsigned low);
  ucontext_t inside;
  ucontext_t outside;
#endif
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_EMULATORFIBER_H
