//===- Passes.td - The conversion passes -------------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_CONVERSION_PASSES_TD
#define FUSE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"fuse-expand-math"> {
  let summary = "Expand math functions, so that no math library is needed";
  let description = [{
    Rewrites the functions of the math dialect that docs/math.md lists, each with
    its error, on f32 and f64 scalars and fixed 1-D vectors, into arith ops and
    the math ops that every target has as instructions (fma, floor, absf,
    copysign, sqrt). On CUDA it also uses the approximate instructions where
    their error is small enough.

    An op with the fast-math flag `afn` has to be good to one f16 ULP only, and
    to one bf16 ULP if it also has the unit attribute `fuse.bf16`. On CUDA, f32
    divisions with `afn` or `arcp` become `div.full`.

    Before:
    ```mlir
    %y = math.exp %x fastmath<afn> : f32
    ```
    After, with `target=cuda`:
    ```mlir
    %log2e = arith.constant 1.44269502 : f32
    %t = arith.mulf %x, %log2e : f32
    %y = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%t) : (f32) -> f32
    ```
  }];
  let options = [
    Option<"target", "target", "::mlir::fuse::MathTarget",
           "::mlir::fuse::MathTarget::Cpu", "The machine that runs the result",
           [{llvm::cl::values(
              clEnumValN(::mlir::fuse::MathTarget::Cpu, "cpu", "The host"),
              clEnumValN(::mlir::fuse::MathTarget::Cuda, "cuda",
                         "An NVIDIA GPU, through NVVM"))}]>
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LowerKernels : Pass<"fuse-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "Lower scheduled kernels to gpu functions and launches";
  let description = [{
    Each `fuse.kernel` becomes a `gpu.func` that does exactly what its schedule
    says, and a `fuse.launch` in the host function. The gpu.func takes a bare
    pointer for each input and each result, then an i64 for each dynamic size,
    then the tensor maps that its copies need.
    Booleans take one byte in memory. Pointers that no other pointer of the
    kernel may overlap are `noalias`.

    Before:
    ```mlir
    %y = fuse.kernel "double" ins(%x : tensor<?xf32>) -> tensor<?xf32>
        schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
    ^bb0(%a: tensor<?xf32>):
      %s = fuse.add %a, %a : tensor<?xf32>
      fuse.yield %s : tensor<?xf32>
    }
    ```
    After:
    ```mlir
    %y = fuse.launch @double::@double blocks(%g) threads(128)
         ins(%x : tensor<?xf32>) sizes(%n) result_dims(%n) -> tensor<?xf32>
    gpu.module @double {
      gpu.func @double(%x: !llvm.ptr, %y: !llvm.ptr, %n: i64) kernel { ... }
    }
    ```
  }];
  let options = [
    Option<"strict", "strict", "bool", "false",
           "Round after every op to its element type">,
    Option<"aligned", "aligned", "bool", "true",
           "Tensors start at multiples of 16 bytes">,
    Option<"divisible", "divisible", "bool", "false",
           "Dynamic last dimensions are multiples of 16 bytes">,
    Option<"inPlace", "in-place", "bool", "true",
           "Results may lie where inputs do, if that is proven right">,
    Option<"float8", "float8", "bool", "false",
           "The chip has instructions that convert 8-bit floats">,
    Option<"packedExtremes", "packed-extremes", "bool", "false",
           "The chip has maxima and minima of two 16-bit floats">,
    Option<"cluster", "cluster", "int64_t", "1",
           "Blocks that a cluster of the chip may have; 1 for no clusters">,
    Option<"wgmma", "wgmma", "bool", "false",
           "The chip multiplies matrices by warpgroup">,
    Option<"sharedBytes", "shared-bytes", "int64_t", "0",
           "Shared memory that a block of the chip may have; 0 for no GPU">,
    Option<"float64Places", "float64-places", "int64_t", "0",
           "Summed places of a product of f64 on tensor cores; 0 for none">,
    Option<"overlap", "overlap", "bool", "false",
           "Launches may start before those before them have ended">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def OverlapLaunches : Pass<"fuse-overlap-launches", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Let kernels be launched before what precedes them has ended";
  let description = [{
    For chips from sm_90 on. Each kernel first waits until all that precedes it
    in the stream has ended and what that wrote can be read. Then, if its blocks
    are few, it allows what follows to be launched as soon as all of them are
    running, and else when they have ended; so the time of a launch passes while
    the kernel before still runs. This has an effect only where the kernel is
    launched with the attribute for it, which the runtime sets on kernels that
    wait.

    Every thread waits before it touches memory. A kernel thus ends after all
    that precedes it has, and whoever waits for the kernel has waited for that
    too. A kernel that has such an op already is left as it is; where its
    lowering has put the wait behind copies of early inputs, as weights are,
    only the permission is added.

    Where the address of a load depends on another, such as a logit's on its
    label, the permission follows the first such load: ptxas moves no load over
    it, and would move that one behind all that the kernel streams.

    Before:
    ```mlir
    gpu.func @double(%x: !llvm.ptr, %y: !llvm.ptr, %n: i64) kernel {
      ...
    }
    ```
    After:
    ```mlir
    gpu.func @double(%x: !llvm.ptr, %y: !llvm.ptr, %n: i64) kernel {
      nvvm.griddepcontrol wait
      %blocks = gpu.grid_dim x
      %few = arith.cmpi ule, %blocks, %most : index
      scf.if %few {
        nvvm.griddepcontrol launch_dependents
      }
      ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def ShareCode : Pass<"fuse-share-code", "::mlir::ModuleOp"> {
  let summary = "Let launches of equal kernels run the same code";
  let description = [{
    The layers of a model are kernels that differ in their names only. The first
    of equal ones stays, is compiled once, and is launched for all; a launch
    keeps the name of its own in `fuse.launch_name`.

    Before:
    ```mlir
    gpu.module @layers_0 { gpu.func @layers_0(...) kernel { ... } }
    gpu.module @layers_1 { gpu.func @layers_1(...) kernel { ... } }
    ...
    %h = fuse.launch @layers_0::@layers_0 ...
    %y = fuse.launch @layers_1::@layers_1 ...
    ```
    After:
    ```mlir
    gpu.module @layers_0 { gpu.func @layers_0(...) kernel { ... } }
    ...
    %h = fuse.launch @layers_0::@layers_0 ...
    %y = fuse.launch @layers_0::@layers_0 ... {fuse.launch_name = "layers_1"}
    ```
  }];
}

#endif // FUSE_CONVERSION_PASSES_TD
