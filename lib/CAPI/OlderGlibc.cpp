//===- OlderGlibc.cpp - Functions that glibc 2.34 does not have -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM and the static libraries of the compiler call two functions that glibc
// has from 2.35 and 2.36 on. Defined here, hidden, they are not asked of the
// system, and a wheel that was built on Debian 12 runs on RHEL 9 and on Ubuntu
// 22.04, too.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#define HIDDEN extern "C" __attribute__((visibility("hidden"), used))

// glibc prescribes the names.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)

#if __GLIBC_PREREQ(2, 36)
/// A random number, by which LLVM names temporary files.
HIDDEN uint32_t arc4random() noexcept {
  uint32_t number = 0;
  if (getentropy(&number, sizeof(number)))
    abort();
  return number;
}
#endif

#if __GLIBC_PREREQ(2, 35)
namespace {
struct Search {
  uintptr_t address;
  dl_find_object *found;
};
} // namespace

/// Fills in the object if the address is in it; 1 ends the search.
static int searchObject(dl_phdr_info *object, size_t, void *data) {
  auto *search = static_cast<Search *>(data);
  bool isInside = false;
  void *unwindTable = nullptr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = object->dlpi_phdr[i];
    uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_GNU_EH_FRAME)
      unwindTable = reinterpret_cast<void *>(begin);
    if (header.p_type != PT_LOAD || search->address < begin ||
        search->address - begin >= header.p_memsz)
      continue;
    isInside = true;
    search->found->dlfo_map_start = reinterpret_cast<void *>(begin);
    search->found->dlfo_map_end =
        reinterpret_cast<void *>(begin + header.p_memsz);
  }
  if (!isInside || !unwindTable)
    return 0;
  search->found->dlfo_eh_frame = unwindTable;
  return 1;
}

/// Where the object of an address has its table for unwinding, which libgcc
/// asks for when an exception is thrown.
HIDDEN int _dl_find_object(void *address, dl_find_object *found) noexcept {
  Search search = {reinterpret_cast<uintptr_t>(address), found};
  return dl_iterate_phdr(searchObject, &search) == 1 ? 0 : -1;
}
#endif

// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
