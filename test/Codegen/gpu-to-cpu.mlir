// RUN: fuse-opt %s -fuse-gpu-to-cpu | FileCheck %s

gpu.module @m {
  // The kernel takes the block as its last argument.
  // CHECK-LABEL: llvm.func internal @fill__block
  // CHECK-SAME: (%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: f32, %[[BLOCK:.*]]: i64)
  // CHECK-SAME: attributes {always_inline
  gpu.func @fill(%out: !llvm.ptr {llvm.noalias}, %value: f32)
      workgroup(%s : memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    // CHECK: llvm.alloca {{.*}} {alignment = 64 : i64}
    // CHECK-NOT: gpu.
    // CHECK: llvm.getelementptr %{{.*}}[%[[BLOCK]]]
    %b = gpu.block_id x
    %t = gpu.thread_id x
    memref.store %value, %s[%t] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %v = memref.load %s[%t] : memref<4xf32, #gpu.address_space<workgroup>>
    %i = arith.index_cast %b : index to i64
    %p = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %v, %p : f32, !llvm.ptr
    gpu.return
  }

  // The entry loads each argument through its pointer once, then loops.
  // CHECK-LABEL: llvm.func @fill(
  // CHECK-SAME: %[[PARAMS:.*]]: !llvm.ptr, %[[FIRST:.*]]: i64, %[[END:.*]]: i64)
  // CHECK: %[[SLOT0:.*]] = llvm.getelementptr %[[PARAMS]][0]
  // CHECK: %[[ADDR0:.*]] = llvm.load %[[SLOT0]]
  // CHECK: %[[OUT:.*]] = llvm.load %[[ADDR0]] : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[SLOT1:.*]] = llvm.getelementptr %[[PARAMS]][1]
  // CHECK: %[[ADDR1:.*]] = llvm.load %[[SLOT1]]
  // CHECK: %[[VALUE:.*]] = llvm.load %[[ADDR1]] : !llvm.ptr -> f32
  // CHECK: llvm.br ^[[HEADER:.*]](%[[FIRST]] : i64)
  // CHECK: ^[[HEADER]](%[[B:.*]]: i64)
  // CHECK: llvm.icmp "slt" %[[B]], %[[END]]
  // CHECK: llvm.call @fill__block(%[[OUT]], %[[VALUE]], %[[B]])
}

// Memory that a kernel names by a global comes from the thread that runs it: the
// entry asks for it once, for all of its blocks.
gpu.module @memory {
  // CHECK: llvm.func @__fuse_scratch(i64) -> !llvm.ptr
  // CHECK-NOT: llvm.mlir.global
  // CHECK-LABEL: llvm.func internal @sum__block
  // CHECK-SAME: %[[BLOCK:.*]]: i64, %[[SCRATCH:.*]]: !llvm.ptr {llvm.noalias})
  // CHECK: llvm.load %[[SCRATCH]]
  llvm.mlir.global external @__scratch_sum() {addr_space = 0 : i32} : !llvm.array<4096 x i8>
  gpu.func @sum(%out: !llvm.ptr {llvm.noalias}) kernel {
    %s = llvm.mlir.addressof @__scratch_sum : !llvm.ptr
    %v = llvm.load %s : !llvm.ptr -> f32
    llvm.store %v, %out : f32, !llvm.ptr
    gpu.return
  }
  // CHECK-LABEL: llvm.func @sum(
  // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(4096 : i64)
  // CHECK: %[[MEMORY:.*]] = llvm.call @__fuse_scratch(%[[BYTES]])
  // CHECK: llvm.br
  // CHECK: llvm.call @sum__block(%{{.*}}, %{{.*}}, %[[MEMORY]])
}
