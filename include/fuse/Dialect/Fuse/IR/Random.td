//===- Random.td - Random numbers --------------------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_RANDOM
#define FUSE_DIALECT_FUSE_IR_RANDOM

include "fuse/Dialect/Fuse/IR/FuseBase.td"

def SeedTensor : RankedTensorOf<[I64], [HasAnyRankOfPred<[0]>], "rank 0 tensor">;

def RandomOp : Fuse_Op<"random", [Pointwise]> {
  let summary = "uniform random numbers in [0, 1), a function of seed and place";
  let description = [{
    Philox4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3,
    SC 2011). The key is the seed, its lower 32 bits first. The element of
    row-major number p takes word p mod 4 of the block whose counter is p / 4
    (two words, the lower first) followed by `stream` (two words, the lower
    first). The value is (word >> 8) * 2^-24. Equal seeds, streams and places
    give equal numbers on every target. `like` gives the sizes of dynamic
    dimensions.

    1. The result is of f32.
    2. The result is static, or `like` is given and has the result's shape.

    ```mlir
    %u = fuse.random %seed stream = 0 : tensor<i64> -> tensor<4x8xf32>
    %v = fuse.random %seed stream = 1 like %x
         : tensor<i64>, tensor<?x8xbf16> -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins SeedTensor:$seed, I64Attr:$stream,
                       Optional<AnyFuseTensor>:$like);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $seed `stream` `=` $stream (`like` $like^)? attr-dict `:`
    type($seed) (`,` type($like)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def DropoutOp : Fuse_Op<"dropout", [Composite,
                                    AllTypesMatch<["input", "result"]>]> {
  let summary = "zeros in random places, the rest scaled up";
  let description = [{
    select(u >= p, x * (1 / (1 - p)), 0), u being fuse.random of the seed and
    the stream in the operand's shape, and p rounded to f32 for the comparison. Srivastava et al., JMLR 15 (2014).

    1. `p` is at least 0 and less than 1.

    ```mlir
    %y = fuse.dropout %x, %seed p = 0.1 stream = 0 : tensor<?x4096xbf16>, tensor<i64>
    ```
  }];
  let arguments = (ins FloatTensor:$input, SeedTensor:$seed, F64Attr:$p,
                       I64Attr:$stream);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $seed `p` `=` $p `stream` `=` $stream attr-dict `:`
    type($input) `,` type($seed)
  }];
  let hasVerifier = 1;
}

#endif // FUSE_DIALECT_FUSE_IR_RANDOM
