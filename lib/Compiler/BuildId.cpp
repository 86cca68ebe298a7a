//===- BuildId.cpp - What the linker calls this build ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SerializeCode.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <link.h>

using namespace llvm;

namespace fuse::jit {

namespace {
/// The library or executable that an address belongs to, and its note.
struct Search {
  uintptr_t address;
  std::optional<std::string> id;
};
} // namespace

static bool contains(const dl_phdr_info &object, uintptr_t address) {
  return any_of(ArrayRef(object.dlpi_phdr, object.dlpi_phnum),
                [&](const ElfW(Phdr) & header) {
                  uintptr_t start = object.dlpi_addr + header.p_vaddr;
                  return header.p_type == PT_LOAD && address >= start &&
                         address < start + header.p_memsz;
                });
}

/// The id among the notes in `bytes`.
static std::optional<std::string> findId(StringRef bytes) {
  ElfW(Nhdr) note;
  while (bytes.size() >= sizeof(note)) {
    std::memcpy(&note, bytes.data(), sizeof(note));
    bytes = bytes.drop_front(sizeof(note));
    size_t nameSize = alignTo(note.n_namesz, 4);
    size_t size = nameSize + alignTo(note.n_descsz, 4);
    if (size > bytes.size())
      break;
    if (note.n_type == NT_GNU_BUILD_ID &&
        bytes.take_front(note.n_namesz) == StringRef("GNU", 4))
      return toHex(bytes.substr(nameSize, note.n_descsz));
    bytes = bytes.drop_front(size);
  }
  return std::nullopt;
}

static int visitObject(dl_phdr_info *object, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  if (!contains(*object, search.address))
    return 0;
  for (const ElfW(Phdr) &header :
       ArrayRef(object->dlpi_phdr, object->dlpi_phnum))
    if (header.p_type == PT_NOTE && !search.id)
      search.id = findId(StringRef(
          reinterpret_cast<const char *>(object->dlpi_addr + header.p_vaddr),
          header.p_memsz));
  return 1;
}

std::optional<std::string> buildId() {
  static const std::optional<std::string> id = [] {
    Search search{reinterpret_cast<uintptr_t>(&visitObject), std::nullopt};
    dl_iterate_phdr(visitObject, &search);
    return search.id;
  }();
  return id;
}

} // namespace fuse::jit
