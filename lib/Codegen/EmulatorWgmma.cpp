//===- EmulatorWgmma.cpp - wgmma as calls that check ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorWgmma.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Regex.h"
#include <optional>

using namespace llvm;
using mlir::fuse::EmulatorHooks;

/// fuse::runtime::undefinedSum, which this library may not include.
static constexpr uint32_t undefinedSum = 0xffffff80;
/// Of m64n256k16.
static constexpr unsigned maxSums = 128;
static constexpr unsigned registersOfA = 4;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

namespace {
/// What the text of wgmma.mma_async says. Values are operands of the call, or
/// numbers that the text has.
struct Multiplication {
  unsigned columns = 0;
  /// Numbers of fuse::runtime::EmulatorFactor.
  unsigned elementA = 0;
  unsigned elementB = 0;
  /// One descriptor, or four registers.
  SmallVector<Value *, registersOfA> a;
  Value *b = nullptr;
  Value *addsToSums = nullptr;
  bool negatesA = false;
  bool negatesB = false;
  bool transposesA = false;
  bool transposesB = false;
};

/// Inline assembly whose first `sums` operands are tied to its results.
struct TiedAssembly {
  CallBase *call = nullptr;
  StringRef text;
  unsigned sums = 0;

  /// The value of "$70", or of a number; null if it is neither.
  Value *value(StringRef operand) const;
};
} // namespace

Value *TiedAssembly::value(StringRef operand) const {
  unsigned number = 0;
  if (operand.consume_front("$")) {
    if (operand.getAsInteger(10, number) || number < sums ||
        number - sums >= call->arg_size())
      return nullptr;
    return call->getArgOperand(number - sums);
  }
  int64_t literal = 0;
  if (operand.getAsInteger(10, literal))
    return nullptr;
  return ConstantInt::getSigned(Type::getInt32Ty(call->getContext()), literal);
}

static std::optional<TiedAssembly> tiedAssembly(Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  auto *assembly =
      call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  if (!assembly || !StringRef(assembly->getAsmString()).contains("wgmma."))
    return std::nullopt;
  TiedAssembly tied;
  tied.call = call;
  tied.text = assembly->getAsmString();
  if (auto *type = dyn_cast<StructType>(call->getType()))
    tied.sums = type->getNumElements();
  return tied;
}

/// Whether the results are f32, and the first operands are tied to them in
/// order.
static bool isTied(const TiedAssembly &assembly) {
  const auto *code = cast<InlineAsm>(assembly.call->getCalledOperand());
  InlineAsm::ConstraintInfoVector constraints = code->ParseConstraints();
  if (assembly.sums == 0 || constraints.size() < 2 * assembly.sums)
    return false;
  auto *type = cast<StructType>(assembly.call->getType());
  for (unsigned i = 0; i < assembly.sums; ++i)
    if (!type->getElementType(i)->isFloatTy() ||
        constraints[i].MatchingInput != int(assembly.sums + i))
      return false;
  return true;
}

/// "{$0, $1}, $4, $5, p" as "{$0, $1}", "$4", "$5", "p".
static SmallVector<StringRef> splitOperands(StringRef text) {
  SmallVector<StringRef> operands;
  while (!text.trim().empty()) {
    text = text.ltrim(" \t,");
    size_t end = text.starts_with("{") ? text.find('}') + 1 : text.find(',');
    operands.push_back(text.substr(0, end).trim());
    text = text.substr(std::min(end, text.size()));
  }
  return operands;
}

static SmallVector<StringRef> splitList(StringRef list) {
  SmallVector<StringRef> parts;
  list.trim("{}").split(parts, ',');
  return map_to_vector(parts, [](StringRef part) { return part.trim(); });
}

/// A number that must be known now.
static std::optional<int64_t> constantOf(const TiedAssembly &assembly,
                                         StringRef operand) {
  auto *constant = dyn_cast_or_null<ConstantInt>(assembly.value(operand));
  if (!constant)
    return std::nullopt;
  return constant->getSExtValue();
}

/// The predicate `p` of the text is "operand != 0".
static Value *predicateOf(const TiedAssembly &assembly, StringRef operand) {
  static Regex setp("setp\\.ne\\.b32[ \t]+p,[ \t]*([^,]+),[ \t]*0;");
  SmallVector<StringRef> parts;
  if (operand == "p")
    return setp.match(assembly.text, &parts) ? assembly.value(parts[1].trim())
                                             : nullptr;
  return assembly.value(operand);
}

static bool readFlags(const TiedAssembly &assembly,
                      ArrayRef<StringRef> operands, Multiplication &result) {
  auto readSign = [&](StringRef operand, bool &isNegative) {
    std::optional<int64_t> sign = constantOf(assembly, operand);
    isNegative = sign == -1;
    return sign == 1 || sign == -1;
  };
  auto readBit = [&](StringRef operand, bool &isSet) {
    std::optional<int64_t> bit = constantOf(assembly, operand);
    isSet = bit == 1;
    return bit == 0 || bit == 1;
  };
  // A in registers has no order in memory, and only 16-bit elements have two.
  bool hasOrderOfA = operands.size() == 4, hasOrders = operands.size() > 2;
  return readSign(operands[0], result.negatesA) &&
         readSign(operands[1], result.negatesB) &&
         (!hasOrderOfA || readBit(operands[2], result.transposesA)) &&
         (!hasOrders || readBit(operands.back(), result.transposesB));
}

/// In the order of fuse::runtime::EmulatorFactor, which this library may not
/// include.
static constexpr StringLiteral elementNames[] = {"f16", "bf16", "e4m3", "e5m2",
                                                 "tf32"};
static constexpr unsigned elementBits[] = {16, 16, 8, 8, 32};
/// Of each row and column of an instruction.
static constexpr unsigned instructionBits = 256;

static std::optional<Multiplication>
parseMultiplication(const TiedAssembly &assembly) {
  static Regex form(
      "wgmma\\.mma_async\\.sync\\.aligned\\.m64n([0-9]+)k(8|16|32)\\.f32"
      "\\.(bf16|f16|e4m3|e5m2|tf32)\\.(bf16|f16|e4m3|e5m2|tf32)[ \t]+([^;]*);");
  SmallVector<StringRef> parts;
  Multiplication result;
  if (!form.match(assembly.text, &parts) ||
      parts[1].getAsInteger(10, result.columns) || !isTied(assembly) ||
      result.columns != 2 * assembly.sums || result.columns % 8 != 0 ||
      assembly.sums > maxSums)
    return std::nullopt;
  result.elementA = find(elementNames, parts[3]) - elementNames;
  result.elementB = find(elementNames, parts[4]) - elementNames;
  unsigned bits = elementBits[result.elementA];
  bool areHalves = bits == 16;
  if (bits != elementBits[result.elementB] ||
      parts[2] != std::to_string(instructionBits / bits) ||
      (bits != 8 && parts[3] != parts[4]))
    return std::nullopt;
  SmallVector<StringRef> operands = splitOperands(parts[5]);
  if (operands.size() < 2)
    return std::nullopt;
  for (auto [number, sum] : enumerate(splitList(operands[0])))
    if (sum != "$" + std::to_string(number))
      return std::nullopt;
  bool isInRegisters = operands[1].starts_with("{");
  for (StringRef operand : splitList(operands[1]))
    result.a.push_back(assembly.value(operand));
  if (result.a.size() != (isInRegisters ? registersOfA : 1) ||
      operands.size() != (!areHalves      ? 6
                          : isInRegisters ? 7
                                          : 8) ||
      (!areHalves && isInRegisters))
    return std::nullopt;
  result.b = assembly.value(operands[2]);
  result.addsToSums = predicateOf(assembly, operands[3]);
  if (!result.b || !result.addsToSums || is_contained(result.a, nullptr) ||
      !readFlags(assembly, ArrayRef(operands).drop_front(4), result))
    return std::nullopt;
  return result;
}

static std::optional<unsigned> parseWait(const TiedAssembly &assembly) {
  static Regex form(
      "^[ \t\n]*wgmma\\.wait_group\\.sync\\.aligned[ \t]+([0-9]+);[ \t\n]*$");
  SmallVector<StringRef> parts;
  unsigned pending = 0;
  if (!form.match(assembly.text, &parts) ||
      parts[1].getAsInteger(10, pending) || !isTied(assembly) ||
      assembly.sums > maxSums)
    return std::nullopt;
  return pending;
}

//===----------------------------------------------------------------------===//
// Values that may be tokens
//===----------------------------------------------------------------------===//

/// f32, or a struct of them.
static bool mayBeSums(Type *type) {
  auto *structType = dyn_cast<StructType>(type);
  return type->isFloatTy() ||
         (structType && all_of(structType->elements(),
                               [](Type *each) { return each->isFloatTy(); }));
}

static bool isPassedOn(const Instruction &user) {
  return isa<PHINode, SelectInst, ExtractValueInst, InsertValueInst,
             FreezeInst>(user) &&
         mayBeSums(user.getType());
}

using Web = SmallSetVector<Instruction *, 32>;

static Web webOf(ArrayRef<TiedAssembly> assemblies) {
  Web web;
  for (const TiedAssembly &assembly : assemblies)
    web.insert(assembly.call);
  for (size_t i = 0; i < web.size(); ++i)
    for (User *user : web[i]->users())
      if (auto *instruction = dyn_cast<Instruction>(user);
          instruction && isPassedOn(*instruction))
        web.insert(instruction);
  return web;
}

static Constant *undefinedSums(Type *type) {
  if (auto *structType = dyn_cast<StructType>(type))
    return ConstantStruct::get(
        structType, map_to_vector(structType->elements(), undefinedSums));
  return ConstantFP::get(
      type, APFloat(APFloat::IEEEsingle(), APInt(32, undefinedSum)));
}

/// Makes what nothing has computed known as such.
static void markUndefined(const Web &web) {
  for (Instruction *instruction : web)
    for (Use &use : instruction->operands())
      if (isa<UndefValue>(use) && mayBeSums(use->getType()))
        use.set(undefinedSums(use->getType()));
}

static Error checkUses(const Web &web, const EmulatorHooks &hooks) {
  LLVMContext &context = web.front()->getContext();
  auto *pointer = PointerType::get(context, 0);
  auto *number = IntegerType::get(context, 32);
  FunctionCallee hook =
      hooks.shim("fuse.wgmma.use", FunctionType::get(Type::getVoidTy(context),
                                                     {number, pointer}, false));
  for (Instruction *value : web) {
    SmallVector<Instruction *> users;
    for (User *user : value->users())
      if (auto *instruction = cast<Instruction>(user);
          !web.contains(instruction) && !is_contained(users, instruction))
        users.push_back(instruction);
    for (Instruction *user : users) {
      if (!value->getType()->isFloatTy())
        return createStringError(
            "expected sums of wgmma to be used one by one, but got a " +
            Twine(user->getOpcodeName()) +
            " of all of them; extract them first");
      IRBuilder<> builder(user);
      builder.CreateCall(
          hook, {builder.CreateBitCast(value, number), hooks.siteOf(*user)});
    }
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// Replaces the assembly of one function.
class Replacer {
public:
  Replacer(Function &function, const EmulatorHooks &hooks)
      : hooks(hooks), context(function.getContext()),
        pointer(PointerType::get(context, 0)),
        number(IntegerType::get(context, 32)),
        word(IntegerType::get(context, 64)) {
    IRBuilder<> entry(&*function.getEntryBlock().begin());
    auto *sum = Type::getFloatTy(context);
    sums = entry.CreateAlloca(ArrayType::get(sum, maxSums));
    registers = entry.CreateAlloca(ArrayType::get(number, registersOfA));
  }

  void replace(const TiedAssembly &assembly, const Multiplication &form);
  void replaceWait(const TiedAssembly &assembly, unsigned pending);

private:
  void putSums(IRBuilder<> &builder, const TiedAssembly &assembly);
  void takeSums(IRBuilder<> &builder, const TiedAssembly &assembly);
  Constant *describe(const Multiplication &form, Module &module);

  const EmulatorHooks &hooks;
  LLVMContext &context;
  PointerType *pointer;
  IntegerType *number;
  IntegerType *word;
  AllocaInst *sums;
  AllocaInst *registers;
};
} // namespace

void Replacer::putSums(IRBuilder<> &builder, const TiedAssembly &assembly) {
  for (unsigned i = 0; i < assembly.sums; ++i)
    builder.CreateStore(
        assembly.call->getArgOperand(i),
        builder.CreateConstGEP1_32(builder.getFloatTy(), sums, i));
}

void Replacer::takeSums(IRBuilder<> &builder, const TiedAssembly &assembly) {
  Value *result = PoisonValue::get(assembly.call->getType());
  for (unsigned i = 0; i < assembly.sums; ++i)
    result = builder.CreateInsertValue(
        result,
        builder.CreateLoad(
            builder.getFloatTy(),
            builder.CreateConstGEP1_32(builder.getFloatTy(), sums, i)),
        i);
  assembly.call->replaceAllUsesWith(result);
  assembly.call->eraseFromParent();
}

/// A constant fuse::runtime::EmulatorWgmma.
Constant *Replacer::describe(const Multiplication &form, Module &module) {
  SmallVector<Constant *> fields;
  for (unsigned field :
       {form.columns, form.elementA, form.elementB, unsigned(form.negatesA),
        unsigned(form.negatesB), unsigned(form.transposesA),
        unsigned(form.transposesB)})
    fields.push_back(ConstantInt::get(number, field));
  Constant *value = ConstantStruct::getAnon(fields);
  return new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                            GlobalValue::PrivateLinkage, value, "wgmma");
}

void Replacer::replace(const TiedAssembly &assembly,
                       const Multiplication &form) {
  IRBuilder<> builder(assembly.call);
  putSums(builder, assembly);
  bool isInRegisters = form.a.size() > 1;
  Value *place = ConstantPointerNull::get(pointer);
  if (isInRegisters) {
    place = registers;
    for (auto [i, value] : enumerate(form.a))
      builder.CreateStore(value,
                          builder.CreateConstGEP1_32(number, registers, i));
  }
  auto *type = FunctionType::get(
      builder.getVoidTy(),
      {pointer, pointer, pointer, word, word, number, pointer}, false);
  builder.CreateCall(hooks.shim("fuse.wgmma", type),
                     {sums, describe(form, *assembly.call->getModule()), place,
                      isInRegisters ? ConstantInt::get(word, 0)
                                    : builder.CreateZExt(form.a.front(), word),
                      builder.CreateZExt(form.b, word),
                      builder.CreateZExtOrTrunc(form.addsToSums, number),
                      hooks.siteOf(*assembly.call)});
  takeSums(builder, assembly);
}

void Replacer::replaceWait(const TiedAssembly &assembly, unsigned pending) {
  IRBuilder<> builder(assembly.call);
  putSums(builder, assembly);
  auto *type = FunctionType::get(builder.getVoidTy(),
                                 {pointer, number, number, pointer}, false);
  builder.CreateCall(hooks.shim("fuse.wgmma.wait", type),
                     {sums, ConstantInt::get(number, assembly.sums),
                      ConstantInt::get(number, pending),
                      hooks.siteOf(*assembly.call)});
  takeSums(builder, assembly);
}

Error mlir::fuse::replaceWgmma(Function &function, const EmulatorHooks &hooks) {
  SmallVector<TiedAssembly> assemblies;
  for (Instruction &instruction : instructions(function))
    if (std::optional<TiedAssembly> assembly = tiedAssembly(instruction))
      assemblies.push_back(*assembly);
  if (assemblies.empty())
    return Error::success();
  Web web = webOf(assemblies);
  markUndefined(web);
  if (Error error = checkUses(web, hooks))
    return error;
  Replacer replacer(function, hooks);
  for (const TiedAssembly &assembly : assemblies) {
    if (auto form = parseMultiplication(assembly))
      replacer.replace(assembly, *form);
    else if (auto pending = parseWait(assembly))
      replacer.replaceWait(assembly, *pending);
    else
      return createStringError(
          "expected wgmma.mma_async.sync.aligned.m64nNk16.f32 of two bf16 or "
          "two f16 or m64nNk32.f32 of 8-bit floats or m64nNk8.f32 of TF32 by "
          "descriptors, or "
          "wgmma.wait_group, each with its sums tied to its results, "
          "but "
          "got the inline PTX '" +
          assembly.text +
          "'; write it so, or teach lib/Codegen/EmulatorWgmma.cpp this form");
  }
  return Error::success();
}
