//===- Passes.td - Passes from gpu.module to LLVM ----------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_PASSES
#define FUSE_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

def FuseMergeKernels : Pass<"fuse-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Move all kernels into one gpu.module";
  let description = [{
    So that they are compiled, assembled and loaded at once. The first module
    takes what the others hold, and their uses name it. It is an error if two
    kernels have one name.

    Before:

    ```mlir
    gpu.module @a { gpu.func @a() kernel { gpu.return } }
    gpu.module @b { gpu.func @b() kernel { gpu.return } }
    ```

    After:

    ```mlir
    gpu.module @a {
      gpu.func @a() kernel { gpu.return }
      gpu.func @b() kernel { gpu.return }
    }
    ```
  }];
}

def FuseGPUToNVVM : Pass<"fuse-gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower the kernels of a gpu.module to the NVVM dialect";
  let description = [{
    Lowers arith, math, vector, scf, cf, memref and gpu ops inside a gpu.module
    to the LLVM and NVVM dialects. Kernel arguments are bare `!llvm.ptr` and
    integers; their `llvm.noalias`, `llvm.readonly` and `llvm.align` attributes
    stay.

    No op is lowered to a call of libdevice. A math op that LLVM has no
    instruction for is an error: `fuse-expand-math` must run first. Workgroup
    memory is aligned to 16 bytes, so that 128-bit accesses to it are possible.

    Before:

    ```mlir
    gpu.module @m {
      gpu.func @copy(%in: !llvm.ptr {llvm.noalias, llvm.readonly},
                     %out: !llvm.ptr {llvm.noalias}) kernel {
        %i = gpu.thread_id x
        %i64 = arith.index_cast %i : index to i64
        %p = llvm.getelementptr %in[%i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        ...
        gpu.return
      }
    }
    ```

    After:

    ```mlir
    gpu.module @m {
      llvm.func @copy(%in: !llvm.ptr {llvm.noalias, llvm.readonly},
                      %out: !llvm.ptr {llvm.noalias})
          attributes {gpu.kernel, nvvm.kernel} {
        %i = nvvm.read.ptx.sreg.tid.x : i32
        %i64 = llvm.sext %i : i32 to i64
        %p = llvm.getelementptr %in[%i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        ...
        llvm.return
      }
    }
    ```
  }];
  let options = [
    Option<"indexBits", "index-bits", "unsigned", /*default=*/"64",
           "Width of index inside the kernel: 32 or 64">
  ];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

def FuseGPUToCPU : Pass<"fuse-gpu-to-cpu", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower the kernels of a gpu.module to functions of the host";
  let description = [{
    Lowers kernels that were scheduled with one thread a block. Each kernel
    becomes an internal function that takes the block id as one more argument,
    and an exported function over a range of blocks:

        void NAME(void **params, int64_t firstBlock, int64_t endBlock)

    `params[i]` points to the value of argument i, as in cuLaunchKernel. The
    thread id is 0, a barrier is nothing, workgroup and private memory are on
    the stack. Ops that need more than one thread, such as shuffles, and grids
    of more than one dimension are errors. Conversions between f32 and bf16 are
    expanded to integer ops, since LLVM would call a library function on hosts
    that have no instruction for them, and since the instruction of those that
    have one flushes denormals.

    Before:

    ```mlir
    gpu.module @m {
      gpu.func @copy(%in: !llvm.ptr, %out: !llvm.ptr) kernel {
        %b = gpu.block_id x
        ...
        gpu.return
      }
    }
    ```

    After:

    ```mlir
    gpu.module @m {
      llvm.func internal @copy__block(%in: !llvm.ptr, %out: !llvm.ptr, %b: i64)
          attributes {always_inline} { ... }
      llvm.func @copy(%params: !llvm.ptr, %first: i64, %end: i64) {
        %in = llvm.load ...
        %out = llvm.load ...
        // for %b in [%first, %end)
        llvm.call @copy__block(%in, %out, %b)
        llvm.return
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

#endif // FUSE_CODEGEN_PASSES
