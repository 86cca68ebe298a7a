// What unit tests of sources with MLIR include; compiled once.
#ifndef FUSE_TEST_PCH_H
#define FUSE_TEST_PCH_H

#include "FuseDialectPCH.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#endif // FUSE_TEST_PCH_H
