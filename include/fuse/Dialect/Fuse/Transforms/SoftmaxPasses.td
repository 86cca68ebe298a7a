//===- SoftmaxPasses.td - Passes on softmaxes --------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_TRANSFORMS_SOFTMAXPASSES_TD
#define FUSE_DIALECT_FUSE_TRANSFORMS_SOFTMAXPASSES_TD

include "mlir/Pass/PassBase.td"

def FuseFormSoftmax : Pass<"fuse-form-softmax", "::mlir::func::FuncOp"> {
  let summary = "Write weights between contractions as a softmax";
  let description = [{
    One kernel streams two contractions if what lies between them is exponentials below
    the maximum of their row. Exponentials of base 2, without a maximum, below another
    number of the row, or times a mask of ones and zeros become such; a division of the
    second contraction's result by their sum becomes one of the weights.

    A factor of the row that this takes out of exponentials goes where they are divided by
    their sum, and is multiplied into what else reads them. As it may replace a maximum, sums
    do not overflow that did. What a mask hides counts as not there: NaN in its exponent
    does not reach the sum.

    Before, with `%c` a contraction and `%y` the operand of another:

    ```mlir
    %e = fuse.exp %c : tensor<8x64xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
    %y = fuse.div %e, %s : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
    ```

    After, with `%g` the maximum `%m` or 0 where that is infinite:

    ```mlir
    %m = fuse.reduce max %c dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
    %d = fuse.sub %c, %g : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
    %e = fuse.exp %d : tensor<8x64xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
    %y = fuse.div %e, %s : tensor<8x64xf32>, tensor<8x1xf32> -> tensor<8x64xf32>
    ```
  }];
  let dependentDialects = ["FuseDialect"];
}

def FuseShareExponentials
    : Pass<"fuse-share-exponentials", "::mlir::func::FuncOp"> {
  let summary = "Sum the exponentials of a softmax and of a logsumexp once";
  let description = [{
    A logsumexp takes an infinite maximum for 0, a softmax does not. Where a program has
    both of the same rows, the exponentials are those of the softmax, and the sum
    differs only where the maximum is infinite: there it is exp of the maximum.

    Before, with `%g` the maximum `%m` or 0 where that is infinite:

    ```mlir
    %e = fuse.exp %x_minus_m : tensor<8x64xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
    %f = fuse.exp %x_minus_g : tensor<8x64xf32>
    %t = fuse.reduce sum %f dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
    ```

    After:

    ```mlir
    %s = fuse.reduce sum %e dims = [1] keep : tensor<8x64xf32> -> tensor<8x1xf32>
    %f = fuse.exp %m : tensor<8x1xf32>
    %t = fuse.select %is_infinite, %f, %s : tensor<8x1xi1>, tensor<8x1xf32>
    ```
  }];
  let dependentDialects = ["FuseDialect"];
}

def FuseOnlineSoftmax
    : Pass<"fuse-online-softmax", "::mlir::func::FuncOp"> {
  let summary = "Take a maximum and a sum of exp(x - maximum) in one walk";
  let description = [{
    In kernels that walk their rows in a loop, a maximum and the sum of
    exp(x - maximum) over the same dimensions become one `fuse.softmax_stats`:
    the row is read once less. So they do in calls that move few bytes
    (`preload`) where a cluster's blocks would wait for each other once more, or
    where exponentials would crowd the registers of a large block. What is subtracted may be the maximum guarded
    against infinities, as in `fuse.logsumexp`; without the guard the sum is NaN
    where the maximum is infinite, which m - m adds.

    Before, in a kernel with `hold = loop`:

    ```mlir
    %m = fuse.reduce max %x dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    %d = fuse.sub %x, %m : tensor<?x?xf32>, tensor<?x1xf32> -> tensor<?x?xf32>
    %e = fuse.exp %d : tensor<?x?xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    ```

    After:

    ```mlir
    %m, %t = fuse.softmax_stats %x dims = [1] : tensor<?x?xf32> -> tensor<?x1xf32>, tensor<?x1xf32>
    %z = fuse.sub %m, %m : tensor<?x1xf32>
    %s = fuse.add %t, %z : tensor<?x1xf32>
    ```

    With `columns-only` so do those of columns before kernels are formed: blocks
    can then share a column. They are two again in a kernel whose registers hold
    the column and exponentials that others need.
  }];
  let options = [
    Option<"columnsOnly", "columns-only", "bool", "false",
           "Only over other dimensions than the last, whatever the schedule">
  ];
}

#endif // FUSE_DIALECT_FUSE_TRANSFORMS_SOFTMAXPASSES_TD
