//===- EmulatorInstrument.cpp - Calls for what a host cannot do -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works on the IR before any optimization, so that every access that the
// lowering asked for is checked, and as it asked for it.
//
//===----------------------------------------------------------------------===//

#include "EmulatorFloats.h"
#include "EmulatorWgmma.h"
#include "fuse/Codegen/Emulator.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using mlir::fuse::EmulatorShims;

/// NVPTX's number of the address space that a block shares.
static constexpr unsigned sharedSpace = 3;
/// And of that which the blocks of a cluster share.
static constexpr unsigned clusterSpace = 7;

namespace {
class Instrumenter {
public:
  Instrumenter(Module &module, const EmulatorShims &shims)
      : module(module), context(module.getContext()), shims(shims),
        pointer(PointerType::get(context, 0)),
        word(IntegerType::get(context, 64)) {}

  Error run();

private:
  Error instrument(Function &function);
  Error replaceCall(CallBase &call);
  Error refuse(StringRef what, StringRef name, StringRef remedy);
  void replaceByShim(CallBase &call, StringRef name);
  std::string hookOf(const Instruction &access);
  Value *checkedAddress(Instruction &access, Value *address, Type *type,
                        Align alignment);
  Error instrumentAccess(Instruction &access);
  Error checkCast(const AddrSpaceCastInst &cast);
  Error replaceGlobals(ArrayRef<GlobalVariable *> globals);
  Constant *describe(GlobalVariable &global);
  Constant *siteOf(const Instruction &instruction);
  Constant *text(StringRef value);
  void addEntry(Function &kernel, ArrayRef<unsigned> valuePointers);
  FunctionCallee shim(StringRef name, FunctionType *type);

  Module &module;
  LLVMContext &context;
  const EmulatorShims &shims;
  PointerType *pointer;
  IntegerType *word;
  StringMap<Constant *> texts;
};
} // namespace

FunctionCallee Instrumenter::shim(StringRef name, FunctionType *type) {
  return module.getOrInsertFunction(mlir::fuse::emulatorSymbol(name), type);
}

Error Instrumenter::refuse(StringRef what, StringRef name, StringRef remedy) {
  return createStringError("expected kernels that the emulator models, but got "
                           "the " +
                           what + " '" + name + "'; " + remedy);
}

//===----------------------------------------------------------------------===//
// Sites and globals
//===----------------------------------------------------------------------===//

static GlobalVariable *addConstant(Module &module, Constant *value) {
  return new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                            GlobalValue::PrivateLinkage, value, "emu");
}

Constant *Instrumenter::text(StringRef value) {
  Constant *&constant = texts[value];
  if (!constant)
    constant =
        addConstant(module, ConstantDataArray::getString(context, value));
  return constant;
}

/// A constant {file, line, column}. Each instruction has its own, by which
/// threads know whether they are at the same one.
Constant *Instrumenter::siteOf(const Instruction &instruction) {
  const DebugLoc &location = instruction.getDebugLoc();
  auto *number = IntegerType::get(context, 32);
  StringRef file = location ? location->getFilename() : "";
  return addConstant(
      module,
      ConstantStruct::getAnon(
          {text(file),
           ConstantInt::get(number, location ? location.getLine() : 0),
           ConstantInt::get(number, location ? location.getCol() : 0)}));
}

/// A constant {name, content, bytes, alignment}.
Constant *Instrumenter::describe(GlobalVariable &global) {
  const DataLayout &layout = module.getDataLayout();
  bool isShared = global.getAddressSpace() == sharedSpace;
  Constant *content =
      isShared
          ? ConstantPointerNull::get(pointer)
          : ConstantExpr::getPointerBitCastOrAddrSpaceCast(&global, pointer);
  uint64_t bytes = layout.getTypeAllocSize(global.getValueType());
  uint64_t alignment =
      layout
          .getValueOrABITypeAlignment(global.getAlign(), global.getValueType())
          .value();
  return addConstant(
      module, ConstantStruct::getAnon({text(global.getName()), content,
                                       ConstantInt::get(word, bytes),
                                       ConstantInt::get(word, alignment)}));
}

/// Lets every function ask for the addresses of the globals that it uses.
Error Instrumenter::replaceGlobals(ArrayRef<GlobalVariable *> globals) {
  for (GlobalVariable *global : globals)
    if (!global->isConstant() && global->getAddressSpace() != sharedSpace)
      return refuse("variable", global->getName(),
                    "use shared memory or a constant");
  convertUsersOfConstantsToInstructions(
      SmallVector<Constant *>(globals.begin(), globals.end()));
  FunctionCallee hook =
      shim("fuse.global", FunctionType::get(word, {pointer}, false));
  for (GlobalVariable *global : globals) {
    DenseMap<Function *, Value *> addresses;
    SmallVector<Use *> uses;
    for (Use &use : global->uses())
      uses.push_back(&use);
    Constant *description = describe(*global);
    for (Use *use : uses) {
      auto *user = dyn_cast<Instruction>(use->getUser());
      if (!user)
        continue;
      Value *&address = addresses[user->getFunction()];
      if (!address) {
        IRBuilder<> builder(&*user->getFunction()->getEntryBlock().begin());
        address = builder.CreateIntToPtr(builder.CreateCall(hook, description),
                                         global->getType());
      }
      use->set(address);
    }
    if (global->use_empty())
      global->eraseFromParent();
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

Value *Instrumenter::checkedAddress(Instruction &access, Value *address,
                                    Type *type, Align alignment) {
  IRBuilder<> builder(&access);
  uint64_t bytes = module.getDataLayout().getTypeStoreSize(type);
  FunctionCallee callee =
      shim(hookOf(access),
           FunctionType::get(pointer, {word, word, word, pointer}, false));
  return builder.CreateCall(callee, {builder.CreatePtrToInt(address, word),
                                     ConstantInt::get(word, bytes),
                                     ConstantInt::get(word, alignment.value()),
                                     siteOf(access)});
}

/// Whether what one block does at this scope counts for others.
static bool reachesBlocks(const LLVMContext &context, SyncScope::ID scope) {
  std::optional<StringRef> name = context.getSyncScopeName(scope);
  return name && (name->empty() || *name == "device");
}

/// The hook of an atomic access, by what it orders between blocks.
static std::string atomicHook(StringRef kind, AtomicOrdering ordering,
                              bool reachesBlocks) {
  bool acquires = reachesBlocks && isAcquireOrStronger(ordering);
  bool releases = reachesBlocks && isReleaseOrStronger(ordering);
  StringRef name = acquires && releases ? "acq_rel"
                   : acquires           ? "acquire"
                   : releases           ? "release"
                                        : "relaxed";
  return ("fuse.atomic." + kind + "." + name).str();
}

std::string Instrumenter::hookOf(const Instruction &access) {
  bool isWide = access.isAtomic() &&
                reachesBlocks(context, *getAtomicSyncScopeID(&access));
  if (auto *load = dyn_cast<LoadInst>(&access)) {
    // Of seq_cst, a load is the acquire half, and a store the release half.
    auto ordering = isAcquireOrStronger(load->getOrdering())
                        ? AtomicOrdering::Acquire
                        : AtomicOrdering::Monotonic;
    return load->isAtomic() ? atomicHook("load", ordering, isWide)
                            : "fuse.load";
  }
  if (auto *store = dyn_cast<StoreInst>(&access)) {
    auto ordering = isReleaseOrStronger(store->getOrdering())
                        ? AtomicOrdering::Release
                        : AtomicOrdering::Monotonic;
    return store->isAtomic() ? atomicHook("store", ordering, isWide)
                             : "fuse.store";
  }
  if (auto *update = dyn_cast<AtomicRMWInst>(&access))
    return atomicHook("update", update->getOrdering(), isWide);
  // The hook does not know whether it succeeds, so it counts as failed.
  auto &exchange = cast<AtomicCmpXchgInst>(access);
  bool acquires = isAcquireOrStronger(exchange.getSuccessOrdering()) &&
                  isAcquireOrStronger(exchange.getFailureOrdering());
  return atomicHook(
      "exchange",
      acquires ? AtomicOrdering::Acquire : AtomicOrdering::Monotonic, isWide);
}

Error Instrumenter::instrumentAccess(Instruction &access) {
  if (auto *load = dyn_cast<LoadInst>(&access)) {
    Value *address = checkedAddress(access, load->getPointerOperand(),
                                    load->getType(), load->getAlign());
    load->setOperand(load->getPointerOperandIndex(), address);
    if (!load->isAtomic())
      load->setAlignment(Align(1));
  } else if (auto *store = dyn_cast<StoreInst>(&access)) {
    Value *address =
        checkedAddress(access, store->getPointerOperand(),
                       store->getValueOperand()->getType(), store->getAlign());
    store->setOperand(store->getPointerOperandIndex(), address);
    if (!store->isAtomic())
      store->setAlignment(Align(1));
  } else if (auto *update = dyn_cast<AtomicRMWInst>(&access)) {
    update->setOperand(update->getPointerOperandIndex(),
                       checkedAddress(access, update->getPointerOperand(),
                                      update->getType(), update->getAlign()));
  } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&access)) {
    exchange->setOperand(exchange->getPointerOperandIndex(),
                         checkedAddress(access, exchange->getPointerOperand(),
                                        exchange->getNewValOperand()->getType(),
                                        exchange->getAlign()));
  } else {
    return refuse("instruction", access.getOpcodeName(),
                  "lower it to loads and stores");
  }
  return Error::success();
}

/// The emulator has one kind of address, but an access to a block's own shared
/// memory does not reach another's.
Error Instrumenter::checkCast(const AddrSpaceCastInst &cast) {
  if (cast.getSrcAddressSpace() != clusterSpace ||
      cast.getDestAddressSpace() != sharedSpace)
    return Error::success();
  return refuse("cast of", "shared::cluster to shared::cta",
                "access it in its own address space");
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The type of an argument or result in a shim's C signature.
static Type *abiType(Type *type, const DataLayout &layout) {
  LLVMContext &context = type->getContext();
  if (type->isIntegerTy(1))
    return IntegerType::get(context, 8);
  bool isSmall = !type->isVoidTy() && !type->isStructTy() &&
                 layout.getTypeSizeInBits(type) <= 64;
  if (type->isHalfTy() || type->isBFloatTy() || (type->isVectorTy() && isSmall))
    return IntegerType::get(context, layout.getTypeSizeInBits(type));
  return type;
}

static Value *toAbi(IRBuilder<> &builder, Value *value, Type *type) {
  if (value->getType()->isIntegerTy(1))
    return builder.CreateZExt(value, type);
  return builder.CreateBitCast(value, type);
}

static Value *fromAbi(IRBuilder<> &builder, Value *value, Type *type) {
  if (type->isIntegerTy(1))
    return builder.CreateTrunc(value, type);
  return type->isVoidTy() ? value : builder.CreateBitCast(value, type);
}

void Instrumenter::replaceByShim(CallBase &call, StringRef name) {
  const DataLayout &layout = module.getDataLayout();
  IRBuilder<> builder(&call);
  SmallVector<Value *> arguments;
  Type *result = call.getType();
  AllocaInst *slot = nullptr;
  if (result->isStructTy()) {
    IRBuilder<> entry(&*call.getFunction()->getEntryBlock().begin());
    slot = entry.CreateAlloca(result);
    arguments.push_back(slot);
  }
  for (Value *argument : call.args())
    arguments.push_back(
        toAbi(builder, argument, abiType(argument->getType(), layout)));
  if (shims.lookup(name).takesSite)
    arguments.push_back(siteOf(call));
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  Type *abiResult = slot ? Type::getVoidTy(context) : abiType(result, layout);
  CallInst *replaced = builder.CreateCall(
      shim(name, FunctionType::get(abiResult, types, false)), arguments);
  // C functions expect small integers extended.
  for (auto [index, type] : enumerate(types))
    if (type->isIntegerTy() && type->getIntegerBitWidth() < 32)
      replaced->addParamAttr(index, Attribute::ZExt);
  Value *value = slot ? builder.CreateLoad(result, slot)
                      : fromAbi(builder, replaced, result);
  if (!result->isVoidTy())
    call.replaceAllUsesWith(value);
  call.eraseFromParent();
}

/// Facts for an optimizer, of no use here.
static bool isHint(const CallBase &call) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  return intrinsic && (intrinsic->isLifetimeStartOrEnd() ||
                       intrinsic->isAssumeLikeIntrinsic());
}

Error Instrumenter::replaceCall(CallBase &call) {
  static constexpr StringLiteral remedy =
      "add it to the table in lib/Runtime/EmulatorShims.cpp";
  if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand())) {
    StringRef ptx = assembly->getAsmString();
    // Has sums that replaceWgmma() follows.
    if (ptx.contains("wgmma."))
      return Error::success();
    if (!shims.contains(ptx))
      return refuse("inline PTX", ptx, remedy);
    replaceByShim(call, ptx);
    return Error::success();
  }
  Function *callee = call.getCalledFunction();
  if (callee && !callee->isDeclaration()) {
    call.setAttributes({});
    return Error::success();
  }
  StringRef name = callee ? callee->getName() : "indirect call";
  if (shims.contains(name)) {
    replaceByShim(call, name);
    return Error::success();
  }
  if (isHint(call)) {
    call.eraseFromParent();
    return Error::success();
  }
  bool isOfHost = callee && callee->isIntrinsic() &&
                  !name.starts_with("llvm.nvvm.") &&
                  !call.mayReadOrWriteMemory();
  return isOfHost ? Error::success() : refuse("call of", name, remedy);
}

Error Instrumenter::instrument(Function &function) {
  function.setAttributes({});
  function.setCallingConv(CallingConv::C);
  function.setDSOLocal(true);
  SmallVector<Instruction *> work;
  for (Instruction &instruction : instructions(function))
    work.push_back(&instruction);
  for (Instruction *instruction : work) {
    if (auto *call = dyn_cast<CallBase>(instruction)) {
      if (Error error = replaceCall(*call))
        return error;
    } else if (isa<FenceInst>(instruction)) {
      continue;
    } else if (auto *cast = dyn_cast<AddrSpaceCastInst>(instruction)) {
      if (Error error = checkCast(*cast))
        return error;
    } else if (instruction->mayReadOrWriteMemory()) {
      if (Error error = instrumentAccess(*instruction))
        return error;
    } else {
      mlir::fuse::expandFloatConversion(*instruction);
    }
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// The arguments that are passed by value, and arrive as pointers to the
/// values.
static SmallVector<unsigned> valuePointersOf(const Function &kernel) {
  SmallVector<unsigned> numbers;
  for (const Argument &argument : kernel.args())
    if (argument.hasByValAttr())
      numbers.push_back(argument.getArgNo());
  return numbers;
}

/// void NAME(void **params), which loads the arguments and calls the kernel.
void Instrumenter::addEntry(Function &kernel,
                            ArrayRef<unsigned> valuePointers) {
  std::string name = kernel.getName().str();
  kernel.setName(name + ".thread");
  kernel.setLinkage(GlobalValue::InternalLinkage);
  auto *type = FunctionType::get(Type::getVoidTy(context), {pointer}, false);
  auto *entry =
      Function::Create(type, GlobalValue::ExternalLinkage, name, module);
  IRBuilder<> builder(BasicBlock::Create(context, "", entry));
  SmallVector<Value *> arguments;
  for (Argument &argument : kernel.args()) {
    Value *slot = builder.CreateConstGEP1_64(pointer, entry->getArg(0),
                                             argument.getArgNo());
    Value *place = builder.CreateLoad(pointer, slot);
    bool isValuePointer = is_contained(valuePointers, argument.getArgNo());
    arguments.push_back(
        isValuePointer ? place : builder.CreateLoad(argument.getType(), place));
  }
  builder.CreateCall(&kernel, arguments);
  builder.CreateRetVoid();
}

Error Instrumenter::run() {
  SmallVector<Function *> functions;
  SmallVector<std::pair<Function *, SmallVector<unsigned>>> kernels;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    functions.push_back(&function);
    if (function.getCallingConv() == CallingConv::PTX_Kernel)
      kernels.emplace_back(&function, valuePointersOf(function));
  }
  // Before there are sites.
  SmallVector<GlobalVariable *> globals;
  for (GlobalVariable &global : module.globals())
    globals.push_back(&global);
  auto place = [this](const Instruction &at) { return siteOf(at); };
  auto callee = [this](StringRef name, FunctionType *type) {
    return shim(name, type);
  };
  for (Function *function : functions) {
    if (Error error = instrument(*function))
      return error;
    if (Error error = mlir::fuse::replaceWgmma(*function, {place, callee}))
      return error;
  }
  if (Error error = replaceGlobals(globals))
    return error;
  for (auto &[kernel, valuePointers] : kernels)
    addEntry(*kernel, valuePointers);
  StripDebugInfo(module);
  return Error::success();
}

Error mlir::fuse::instrumentForEmulator(Module &module,
                                        const EmulatorShims &shims) {
  return Instrumenter(module, shims).run();
}
