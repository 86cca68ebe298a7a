// RUN: fuse-opt %s -fuse-gpu-to-nvvm | FileCheck %s
// RUN: fuse-opt %s -fuse-gpu-to-nvvm=index-bits=32 | FileCheck %s --check-prefix=INDEX32

// Arguments keep their attributes; ids become special registers.
gpu.module @pointers {
  // CHECK-LABEL: llvm.func @copy
  // CHECK-SAME: (%[[IN:.*]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %[[OUT:.*]]: !llvm.ptr {llvm.noalias})
  // CHECK-SAME: attributes {{{.*}}nvvm.kernel
  gpu.func @copy(%in: !llvm.ptr {llvm.noalias, llvm.readonly, llvm.align = 16 : i64},
                 %out: !llvm.ptr {llvm.noalias}) kernel {
    // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x : i32
    // CHECK: %[[WIDE:.*]] = llvm.sext %[[TID]] : i32 to i64
    // CHECK: llvm.getelementptr %[[IN]][%[[WIDE]]]
    %i = gpu.thread_id x
    %i64 = arith.index_cast %i : index to i64
    %p = llvm.getelementptr %in[%i64] : (!llvm.ptr, i64) -> !llvm.ptr, vector<8xbf16>
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr -> vector<8xbf16>
    %q = llvm.getelementptr %out[%i64] : (!llvm.ptr, i64) -> !llvm.ptr, vector<8xbf16>
    // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<8xbf16>
    llvm.store %v, %q {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr
    // CHECK: llvm.return
    gpu.return
  }
}

// With 32 bits, index arithmetic stays narrow up to the pointer.
gpu.module @narrow {
  // INDEX32-LABEL: llvm.func @index_width
  gpu.func @index_width(%out: !llvm.ptr) kernel {
    // INDEX32: %[[B:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
    // INDEX32: %[[SUM:.*]] = llvm.add %[[B]], %[[B]] : i32
    // INDEX32: llvm.sext %[[SUM]] : i32 to i64
    %b = gpu.block_id x
    %s = arith.addi %b, %b : index
    %i = arith.index_cast %s : index to i64
    %p = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %zero = arith.constant 0 : i8
    llvm.store %zero, %p : i8, !llvm.ptr
    gpu.return
  }
}

// Workgroup memory is a global of address space 3, aligned for 128-bit access.
gpu.module @shared {
  // CHECK: llvm.mlir.global internal @{{.*}}() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x f32>
  // CHECK-LABEL: llvm.func @reduce
  gpu.func @reduce(%out: !llvm.ptr)
      workgroup(%s : memref<32xf32, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %v = arith.constant 1.0 : f32
    %offset = arith.constant 16 : i32
    %width = arith.constant 32 : i32
    // CHECK: nvvm.shfl.sync bfly
    %w, %valid = gpu.shuffle xor %v, %offset, %width : f32
    memref.store %w, %s[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    // CHECK: nvvm.barrier
    gpu.barrier
    %c0 = arith.constant 0 : index
    %t = memref.load %s[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
    llvm.store %t, %out : f32, !llvm.ptr
    gpu.return
  }
}

// Math with an instruction becomes an intrinsic, never a call.
gpu.module @math {
  // CHECK-LABEL: llvm.func @intrinsics
  gpu.func @intrinsics(%p: !llvm.ptr) kernel {
    %v = llvm.load %p : !llvm.ptr -> f32
    // CHECK: llvm.intr.fabs
    %a = math.absf %v : f32
    // CHECK: llvm.intr.floor
    %b = math.floor %a : f32
    // CHECK: llvm.intr.ceil
    %c = math.ceil %b : f32
    // CHECK: llvm.intr.roundeven
    %d = math.roundeven %c : f32
    // CHECK: llvm.intr.trunc
    %e = math.trunc %d : f32
    // CHECK: llvm.intr.copysign
    %f = math.copysign %e, %v : f32
    // CHECK: llvm.intr.sqrt
    %g = math.sqrt %f : f32
    // CHECK: llvm.intr.fma
    %h = math.fma %g, %v, %v : f32
    // CHECK-NOT: llvm.call
    llvm.store %h, %p : f32, !llvm.ptr
    gpu.return
  }
}
