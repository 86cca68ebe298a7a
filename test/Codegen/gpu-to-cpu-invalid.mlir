// RUN: fuse-opt %s -fuse-gpu-to-cpu -split-input-file -verify-diagnostics

gpu.module @shuffle {
  gpu.func @k(%p: !llvm.ptr) kernel {
    %v = llvm.load %p : !llvm.ptr -> f32
    %c = arith.constant 1 : i32
    // expected-error @+1 {{expected an op that a block of one thread on a one-dimensional grid can run}}
    %w, %valid = gpu.shuffle xor %v, %c, %c : f32
    llvm.store %w, %p : f32, !llvm.ptr
    gpu.return
  }
}

// -----

gpu.module @grid {
  gpu.func @k(%p: !llvm.ptr) kernel {
    // expected-error @+1 {{choose a CPU schedule for this kernel}}
    %b = gpu.block_id y
    %i = arith.index_cast %b : index to i64
    llvm.store %i, %p : i64, !llvm.ptr
    gpu.return
  }
}
