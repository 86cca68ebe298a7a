//===- EmulatorFiber.cpp - Functions on stacks of their own ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorFiber.h"
#include "FormatError.h"
#include <cstdint>
#include <sys/mman.h>

using namespace llvm;
using namespace fuse::runtime;

static constexpr size_t stackBytes = 256 * 1024;
/// A multiple of every page size in use.
static constexpr size_t guardBytes = 64 * 1024;

FiberStacks::~FiberStacks() {
  if (memory)
    munmap(memory, count * (guardBytes + stackBytes));
}

Error FiberStacks::reserve(size_t wanted) {
  if (wanted <= count)
    return Error::success();
  size_t each = guardBytes + stackBytes;
  void *fresh = mmap(nullptr, wanted * each, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fresh == MAP_FAILED)
    return formatError("expected {0} bytes of address space for the stacks of "
                       "{1} emulated threads, but got none; choose a schedule "
                       "with fewer threads",
                       wanted * each, wanted);
  if (memory)
    munmap(memory, count * each);
  memory = static_cast<char *>(fresh);
  count = wanted;
  for (size_t i = 0; i < count; ++i)
    if (mprotect(memory + i * each, guardBytes, PROT_NONE) != 0)
      return formatError("expected a guard page below the stack of emulated "
                         "thread {0}, but got none; choose a schedule with "
                         "fewer threads",
                         i);
  return Error::success();
}

FiberStack FiberStacks::operator[](size_t index) const {
  return {memory + index * (guardBytes + stackBytes) + guardBytes, stackBytes};
}

void Fiber::enter(Fiber *fiber) {
  fiber->function(fiber->data);
  fiber->pause();
}

#if defined(__x86_64__)

/// Saves what the System V ABI lets a callee keep, and the stack pointer in
/// *save, and continues where `restore` was saved.
extern "C" void fuseEmulatorSwitch(void **save, void *restore)
    __attribute__((visibility("hidden")));

// swapcontext() would make a system call for the signal mask at every switch.
__asm__(R"(
    .text
    .p2align 4
    .globl fuseEmulatorSwitch
    .hidden fuseEmulatorSwitch
    .type fuseEmulatorSwitch, @function
fuseEmulatorSwitch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    retq
    .size fuseEmulatorSwitch, . - fuseEmulatorSwitch
)");

/// The fiber that resume() switches to for the first time.
static thread_local Fiber *starting;

namespace fuse::runtime {
void enterOnFiber() { Fiber::enter(starting); }
} // namespace fuse::runtime

void Fiber::start(FiberStack stack, Function newFunction, void *newData) {
  memory = stack;
  function = newFunction;
  data = newData;
  // As fuseEmulatorSwitch leaves a stack: six registers, then the address to
  // return to. A function starts 8 bytes below a multiple of 16.
  auto *top = reinterpret_cast<uintptr_t *>(stack.low + stack.bytes) - 2;
  *top = reinterpret_cast<uintptr_t>(&enterOnFiber);
  for (int i = 1; i <= 6; ++i)
    top[-i] = 0;
  inside = top - 6;
}

void Fiber::resume() {
  starting = this;
  fuseEmulatorSwitch(&outside, inside);
}

void Fiber::pause() { fuseEmulatorSwitch(&inside, outside); }

#else

void Fiber::enterContext(unsigned high, unsigned low) {
  // makecontext() passes ints only.
  enter(reinterpret_cast<Fiber *>(uintptr_t(uint64_t(high) << 32 | low)));
}

void Fiber::start(FiberStack stack, Function newFunction, void *newData) {
  memory = stack;
  function = newFunction;
  data = newData;
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack.low;
  inside.uc_stack.ss_size = stack.bytes;
  inside.uc_link = &outside;
  auto self = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(this));
  makecontext(&inside, reinterpret_cast<void (*)()>(&enterContext), 2,
              unsigned(self >> 32), unsigned(self));
}

void Fiber::resume() { swapcontext(&outside, &inside); }

void Fiber::pause() { swapcontext(&inside, &outside); }

#endif
