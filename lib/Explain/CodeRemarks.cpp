//===- CodeRemarks.cpp - Remarks on narrow accesses and spills ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Explain/CodeRemarks.h"
#include "fuse/Analysis/Reason.h"
#include "fuse/Codegen/PTXInspect.h"
#include "fuse/Conversion/Passes.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Explain/Diagnostics.h"
#include "fuse/Explain/Passes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using mlir::fuse::KernelResources;
using mlir::fuse::PTXAccess;
using mlir::fuse::PTXKernel;
using mlir::fuse::Reason;
using mlir::fuse::ReasonKind;
using remark::RemarkOpts;

namespace fuse::jit {

static constexpr unsigned widestBits = 128;

namespace {
/// Accesses of one operand for one place of the program.
struct NarrowAccess {
  /// Null if it is not known.
  const KernelOperand *operand;
  bool isStreamed;
  bool isLoad;
  unsigned bits;
  Location place;
  unsigned count;
};
} // namespace

static Location placeOf(const PTXAccess &access, Location kernel) {
  if (access.line == 0)
    return kernel;
  return FileLineColLoc::get(kernel.getContext(), access.file, access.line,
                             access.column);
}

/// In the order in which they first occur.
static SmallVector<NarrowAccess> narrowAccesses(const KernelInfo &info,
                                                const PTXKernel &kernel,
                                                Location location) {
  SmallVector<NarrowAccess> result;
  for (const PTXAccess &access : kernel.accesses) {
    if (access.bits >= widestBits)
      continue;
    NarrowAccess narrow{accessedOperand(info, access),
                        mayBeStreamed(info, access),
                        access.kind == PTXAccess::Kind::Load,
                        access.bits,
                        placeOf(access, location),
                        1};
    auto *same = llvm::find_if(result, [&](const NarrowAccess &other) {
      return other.operand == narrow.operand && other.isLoad == narrow.isLoad &&
             other.bits == narrow.bits && other.place == narrow.place;
    });
    if (same == result.end())
      result.push_back(narrow);
    else
      ++same->count;
  }
  return result;
}

/// Of an element.
static unsigned bitsOf(const KernelOperand &operand) {
  return 8 * runtime::sizeInBytes(operand.dtype);
}

/// 16 bytes, in elements of the operand.
static std::string widest(const KernelOperand &operand) {
  unsigned elements = widestBits / bitsOf(operand);
  return llvm::formatv("{0} elements of {1}", elements,
                       runtime::name(operand.dtype));
}

/// Whether rows of a known length are no multiples of the widest access.
static bool hasOddRows(const KernelOperand &operand) {
  return operand.lastDim && *operand.lastDim *
                                    runtime::sizeInBytes(operand.dtype) %
                                    (widestBits / 8) !=
                                0;
}

/// This operand, which may be null, or else one that is walked with it; null if
/// no rows are odd.
static const KernelOperand *operandWithOddRows(const KernelOperand *operand,
                                               const KernelInfo &info) {
  if (operand && hasOddRows(*operand))
    return operand;
  auto other = llvm::find_if(info.operands, [](const KernelOperand &each) {
    return each.isStreamed && hasOddRows(each);
  });
  return other == info.operands.end() ? nullptr : &*other;
}

/// Why a streamed operand, null if it is not known, is accessed with few bits.
static Reason whyNarrow(const NarrowAccess &access, const KernelInfo &info,
                        const runtime::Facts &facts) {
  const KernelOperand *operand = access.operand;
  if (operand && operand->isTaken && access.bits == bitsOf(*operand))
    return ReasonKind::narrowTaken;
  if (!facts.aligned16)
    return ReasonKind::narrowUnaligned;
  if (const KernelOperand *odd = operandWithOddRows(operand, info))
    return Reason(odd == operand ? ReasonKind::narrowRows
                                 : ReasonKind::narrowOtherRows,
                  odd->inWords(), widest(*odd), *odd->lastDim);
  bool isDynamic = operand && !operand->lastDim;
  auto dynamic = llvm::find_if(info.operands, [&](const KernelOperand &each) {
    return isDynamic ? &each == operand : each.isStreamed && !each.lastDim;
  });
  if (!facts.divisible && dynamic != info.operands.end())
    return Reason(ReasonKind::narrowRowsOfCall, dynamic->inWords(),
                  widest(*dynamic));
  if (operand && operand->isShifted)
    return ReasonKind::narrowShifted;
  bool isWhole = operand && info.vector * bitsOf(*operand) >= widestBits;
  return isWhole ? Reason(ReasonKind::narrowTurned, widest(*operand))
                 : ReasonKind::narrowSchedule;
}

/// What would make the access wider. Nobody can lengthen the rows of three
/// channels.
static std::string remedyOf(const Reason &why, const KernelOperand *operand,
                            const KernelInfo &info) {
  if (why.is(ReasonKind::narrowRows) || why.is(ReasonKind::narrowOtherRows)) {
    const KernelOperand &odd = *operandWithOddRows(operand, info);
    if (*odd.lastDim * runtime::sizeInBytes(odd.dtype) < widestBits / 8)
      return "nothing for rows shorter than a vector: put a longer dimension "
             "last, if the order is yours to choose";
  }
  return why.remedy();
}

/// Why the width matters little.
static StringRef explainUnstreamed(const NarrowAccess &access,
                                   const KernelInfo &info) {
  if (StringRef(info.schedule).starts_with("#fuse.contraction") ||
      StringRef(info.schedule).starts_with("#fuse.tiled"))
    return "it is not streamed: a contraction computes more than it moves";
  if (!access.isLoad)
    return "it is not streamed: it is smaller than what the kernel walks";
  if (access.operand && access.operand->isGathered)
    return "it is gathered from, where other operands say";
  return "it is not streamed: its elements are read again, from the cache";
}

static void remarkOn(const NarrowAccess &access, const KernelInfo &info,
                     const runtime::Facts &facts) {
  std::string operand = access.operand ? access.operand->name : "";
  std::string quoted =
      access.operand ? access.operand->inWords() : std::string("an operand");
  auto describe = [&](remark::detail::InFlightRemark note) {
    note << remark::add("kernel '{0}' {1} {2} with {3} bits at a time",
                        info.name, access.isLoad ? "loads" : "stores", quoted,
                        access.bits)
         << remark::metric("Kernel", info.name)
         << remark::metric("Operand", operand)
         << remark::metric("Bits", access.bits)
         << remark::metric("Count", access.count);
    return note;
  };
  RemarkOpts options = RemarkOpts::name("NarrowAccess")
                           .category(mlir::fuse::kAccessCategory)
                           .function(info.name);
  if (access.isStreamed) {
    Reason why = whyNarrow(access, info, facts);
    describe(remark::missed(access.place, options))
        << remark::metric("Because", why.name())
        << remark::reason("{0}", why.sentence())
        << remark::suggest("{0}", remedyOf(why, access.operand, info));
    return;
  }
  describe(remark::analysis(access.place, options))
      << remark::reason("{0}", explainUnstreamed(access, info));
}

static void remarkOnSpills(const KernelResources &resources, Location place) {
  unsigned bytes = resources.spillStoreBytes + resources.spillLoadBytes;
  if (bytes == 0)
    return;
  remark::missed(place, RemarkOpts::name("Spill")
                            .category(mlir::fuse::kSpillCategory)
                            .function(resources.name))
      << remark::add("kernel '{0}' spills {1} bytes a thread to memory",
                     resources.name, bytes)
      << remark::metric("Kernel", resources.name)
      << remark::metric("Bytes", bytes)
      << remark::reason("its values need more than the {0} registers that a "
                        "thread has",
                        resources.registers)
      << remark::suggest("give the kernel a schedule with a smaller tile or "
                         "vector or fewer threads, or, if it reduces rows, "
                         "with hold = loop; the stage schedule shows the one "
                         "it has");
}

/// The schedule says how many blocks were to have room together.
static void remarkOnLostBound(const KernelResources &resources,
                              Location place) {
  if (!resources.losesBound)
    return;
  remark::analysis(place, RemarkOpts::name("LostBound")
                              .category(mlir::fuse::kSpillCategory)
                              .function(resources.name))
      << remark::add("kernel '{0}' has {1} registers a thread, more than leave "
                     "room for the blocks that its schedule asks for",
                     resources.name, resources.registers)
      << remark::metric("Kernel", resources.name)
      << remark::metric("Registers", resources.registers)
      << remark::reason("with so few registers as that takes, it would spill "
                        "more to memory");
}

namespace {
/// Where the kernels of a program come from.
class KernelPlaces {
public:
  explicit KernelPlaces(func::FuncOp entry) : ofProgram(entry.getLoc()) {
    for (auto launch : entry.getOps<mlir::fuse::LaunchOp>()) {
      auto own = launch->getAttrOfType<StringAttr>(mlir::fuse::kLaunchNameAttr);
      places.try_emplace(own ? own : launch.getKernel().getLeafReference(),
                         launch.getLoc());
    }
  }

  Location of(StringRef kernel) const {
    auto found = places.find(kernel);
    return found == places.end() ? ofProgram : found->second;
  }

private:
  Location ofProgram;
  llvm::StringMap<Location> places;
};
} // namespace

llvm::Error checkTensorCores(func::FuncOp entry,
                             const mlir::fuse::AssembledModule &assembled) {
  KernelPlaces places(entry);
  llvm::Error error = llvm::Error::success();
  for (const mlir::fuse::SerializedMma &mma : assembled.serialized)
    error = llvm::joinErrors(
        std::move(error),
        makeError(
            places.of(mma.kernel),
            llvm::formatv(
                "expected kernel '{0}' to multiply on tensor cores without "
                "waiting, but got from {1}: {2}; give the kernel a schedule "
                "with smaller tiles (--emit=schedule shows the one it has), or "
                "report it with --dump-stages",
                mma.kernel, assembled.assemblerName, mma.message)
                .str()));
  return error;
}

llvm::Error remarkOnCode(func::FuncOp entry, ArrayRef<KernelInfo> kernels,
                         StringRef ptx,
                         const mlir::fuse::AssembledModule &assembled,
                         const runtime::Facts &facts) {
  KernelPlaces places(entry);
  if (!ptx.empty()) {
    auto module = mlir::fuse::parsePTX(ptx);
    if (!module)
      return module.takeError();
    for (const KernelInfo &info : kernels)
      for (const PTXKernel &kernel : module->kernels)
        if (kernel.name == info.symbol)
          for (const NarrowAccess &access :
               narrowAccesses(info, kernel, places.of(info.name)))
            remarkOn(access, info, facts);
  }
  for (const KernelResources &resources : assembled.kernels) {
    remarkOnSpills(resources, places.of(resources.name));
    remarkOnLostBound(resources, places.of(resources.name));
  }
  return llvm::Error::success();
}

} // namespace fuse::jit
