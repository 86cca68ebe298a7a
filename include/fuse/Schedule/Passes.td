//===- Passes.td - The schedule passes ---------------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_PASSES_TD
#define FUSE_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignSchedules : Pass<"fuse-assign-schedules", "::mlir::func::FuncOp"> {
  let summary = "Give every kernel a schedule";
  let description = [{
    Asks the schedulers in turn (contractions on tensor cores, other
    contractions, rows, columns, transpose, pointwise); the first that applies to the kernel proposes its schedule. On a
    GPU rows get the winner among what was measured on the board, or what trees fitted
    to its times predict to be the fastest. What stands in the tuning file goes before
    both. A kernel that has a schedule keeps it.

    Where calls that move few bytes would get other schedules, `fuse.small_bytes`
    on the function says how many bytes are few; so do `fuse.brief_bytes` of calls
    that take as long as one block, and `fuse.few_bytes` of those that leave
    multiprocessors idle, unless several blocks share a row.
    `fuse.lengths` names the dynamic dims that rows have the length of: of a known
    length a GPU's schedules are others. `fuse.size_ranges` has the sizes of dynamic
    dims, or products of these, for which contractions would get others, such as
    {rows = [64, 256]}: one for up to 64, one for up to 256; larger ones have that
    for any size. `fuse.assumed_sizes` says what a size is taken for, such as
    {rows = 64}.

    Before:
    ```mlir
    fuse.kernel "f" ins(%x : tensor<?x4096xf32>) -> tensor<?x4096xf32> {
    ```
    After, for a GPU:
    ```mlir
    fuse.kernel "f" ins(%x : tensor<?x4096xf32>) -> tensor<?x4096xf32>
        schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "The GPU to schedule for, or cpu for the host">,
    Option<"aligned", "aligned", "bool", "true",
           "Tensors start at multiples of 16 bytes">,
    Option<"divisible", "divisible", "bool", "false",
           "Dynamic last dimensions are multiples of 16 bytes">,
    Option<"size", "size", "::mlir::fuse::CallSize", "::mlir::fuse::CallSize::large",
           "How much calls move", "::mlir::fuse::callSizeValues()">,
    Option<"strict", "strict", "bool", "false",
           "Round after every op to its element type">,
    Option<"candidate", "candidate", "unsigned", "0",
           "Which of the schedules, from the choice on and then from fast to "
           "slow, kernels get; the choice where there are not as many">,
    Option<"tuning", "tuning", "std::string", "\"\"",
           "A tuning file, see docs/tuning.md; none if empty">,
    Option<"model", "model", "bool", "true",
           "What was measured on the board counts; without, rows get what they "
           "would on one that nobody measured">
  ];
}

def ListSchedules : Pass<"fuse-list-schedules", "::mlir::func::FuncOp"> {
  let summary = "Print which schedules each kernel could have";
  let description = [{
    A line of JSON for each kernel: what is chosen for large calls, small, brief
    and few ones (`chosen`), and every legal schedule with the microseconds that
    the model of time predicts (`legal`) for so many `registers`. With `features` it prints what a model
    of rows is asked about the lines of a file, each a number of rows and a
    schedule. Sweeps and fits of schedules (tools/tuning) start from it.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "The GPU to schedule for">,
    Option<"features", "features", "std::string", "\"\"",
           "A file with lines such as: 4096 #fuse.rows<...>">
  ];
}

def DetachContractions
    : Pass<"fuse-detach-contractions", "::mlir::func::FuncOp"> {
  let summary = "Take apart a contraction and what only tensor cores do behind";
  let description = [{
    A kernel whose contraction's elements are moved, scattered or rotated can be
    run in the tiles of tensor cores only. Where these cannot run it, or two
    kernels are faster by the model of time, the contraction gets a kernel of its
    own, and the function's attribute `fuse.detached` says why. Of kernels that
    stay one `fuse.together` has both times.

    Before, for a chip without such tensor cores:
    ```mlir
    %q = fuse.kernel "q" ins(%x, %w : tensor<?x64xbf16>, tensor<256x64xbf16>) -> tensor<?x2x128xbf16> {
    ^bb0(%a: tensor<?x64xbf16>, %b: tensor<256x64xbf16>):
      %p = fuse.contract "mk,nk->mn" %a, %b : tensor<?x64xbf16>, tensor<256x64xbf16> -> tensor<?x256xbf16>
      %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [%n, 2, 128] : tensor<?x256xbf16> into tensor<?x2x128xbf16>
      %r = fuse.rotary half tokens_heads %h base = 1.0e4 : tensor<?x2x128xbf16>
      fuse.yield %r : tensor<?x2x128xbf16>
    }
    ```
    After:
    ```mlir
    %p = fuse.kernel "q_contract" ins(%x, %w : tensor<?x64xbf16>, tensor<256x64xbf16>) -> tensor<?x256xbf16> {
    ^bb0(%a: tensor<?x64xbf16>, %b: tensor<256x64xbf16>):
      %c = fuse.contract "mk,nk->mn" %a, %b : tensor<?x64xbf16>, tensor<256x64xbf16> -> tensor<?x256xbf16>
      fuse.yield %c : tensor<?x256xbf16>
    }
    %q = fuse.kernel "q" ins(%p : tensor<?x256xbf16>) -> tensor<?x2x128xbf16> {
    ^bb0(%c: tensor<?x256xbf16>):
      %h = tensor.expand_shape %c [[0], [1, 2]] output_shape [%n, 2, 128] : tensor<?x256xbf16> into tensor<?x2x128xbf16>
      %r = fuse.rotary half tokens_heads %h base = 1.0e4 : tensor<?x2x128xbf16>
      fuse.yield %r : tensor<?x2x128xbf16>
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "The GPU to schedule for, or cpu for the host">,
    Option<"aligned", "aligned", "bool", "true",
           "Tensors start at multiples of 16 bytes">,
    Option<"divisible", "divisible", "bool", "false",
           "Dynamic last dimensions are multiples of 16 bytes">,
    Option<"strict", "strict", "bool", "false",
           "Tensor cores, which round no product of f64, multiply none">
  ];
}

#endif // FUSE_SCHEDULE_PASSES_TD
