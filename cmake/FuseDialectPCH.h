// What sources that work on the ops of Fuse include; compiled once.
#ifndef FUSE_DIALECT_PCH_H
#define FUSE_DIALECT_PCH_H

#include "FusePCH.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

#endif // FUSE_DIALECT_PCH_H
