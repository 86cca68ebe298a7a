//===- ReasonTest.cpp -----------------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/Reason.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

constexpr ReasonKind all[] = {
#define REASON(kind, sentence, remedy) ReasonKind::kind,
#include "fuse/Analysis/Reasons.def"
};

/// Of any kind, with more details than a sentence has.
Reason reasonOf(ReasonKind kind) {
  return Reason(kind, "first", "second", "third");
}

TEST(Reason, NothingIsFalseAndSaysNothing) {
  Reason nothing;
  EXPECT_FALSE(nothing);
  EXPECT_EQ(nothing.sentence(), "");
  EXPECT_EQ(nothing.remedy(), "");
  EXPECT_TRUE(nothing.name().empty());
}

TEST(Reason, EachHasASentenceOfItsOwn) {
  llvm::StringSet<> names;
  for (ReasonKind kind : all) {
    Reason reason = reasonOf(kind);
    EXPECT_TRUE(reason.is(kind));
    EXPECT_TRUE(names.insert(reason.name()).second);
    EXPECT_FALSE(reason.sentence().empty()) << reason.name().str();
    EXPECT_EQ(reason.sentence().find_first_of("{}"), std::string::npos)
        << reason.sentence();
    EXPECT_EQ(reason.remedy().find_first_of("{}"), std::string::npos)
        << reason.remedy();
  }
}

TEST(Reason, DetailsStandInTheSentenceAndTheRemedy) {
  Reason reason(ReasonKind::longBesideShort, 4096, 128);
  EXPECT_NE(reason.sentence().find("of 4096 elements"), std::string::npos);
  EXPECT_NE(reason.sentence().find("of 128"), std::string::npos);
  EXPECT_NE(Reason(ReasonKind::sliceInside, 64).remedy().find("64 columns"),
            std::string::npos);
}

/// Whatever has no remedy of its own has that of its cause.
TEST(Reason, ACauseGivesTheRemedy) {
  for (ReasonKind kind : all) {
    Reason cause(ReasonKind::mmaF64);
    Reason reason = Reason::because(kind, cause);
    EXPECT_FALSE(reason.remedy().empty()) << reason.name().str();
  }
  Reason reason =
      Reason::because(ReasonKind::notTogether, ReasonKind::mmaDifferentRows);
  EXPECT_EQ(reason.remedy(), Reason(ReasonKind::mmaDifferentRows).remedy());
  EXPECT_NE(
      reason.sentence().find(Reason(ReasonKind::mmaDifferentRows).sentence()),
      std::string::npos);
}

TEST(Reason, AttributesKeepAll) {
  MLIRContext context;
  for (ReasonKind kind : all) {
    Reason plain = reasonOf(kind);
    EXPECT_EQ(Reason::fromAttribute(plain.toAttribute(&context)), plain);
    Reason nested = Reason::because(kind, plain);
    Reason read = Reason::fromAttribute(nested.toAttribute(&context));
    EXPECT_EQ(read, nested);
    EXPECT_EQ(read.sentence(), nested.sentence());
    EXPECT_FALSE(read == plain);
  }
}

TEST(Reason, OtherAttributesSayNothing) {
  MLIRContext context;
  EXPECT_FALSE(Reason::fromAttribute({}));
  EXPECT_FALSE(Reason::fromAttribute(StringAttr::get(&context, "otherRows")));
  NamedAttrList fields;
  fields.set("kind", StringAttr::get(&context, "noSuchKind"));
  EXPECT_FALSE(Reason::fromAttribute(fields.getDictionary(&context)));
}

} // namespace
