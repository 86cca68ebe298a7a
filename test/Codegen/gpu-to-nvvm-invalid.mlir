// RUN: fuse-opt %s -fuse-gpu-to-nvvm -split-input-file -verify-diagnostics

gpu.module @library_call {
  gpu.func @k(%p: !llvm.ptr) kernel {
    %v = llvm.load %p : !llvm.ptr -> f32
    // expected-error @+1 {{expected math that is expanded, but got an op that would become a library call; run fuse-expand-math first}}
    %e = math.exp %v : f32
    llvm.store %e, %p : f32, !llvm.ptr
    gpu.return
  }
}

// -----

gpu.module @remainder {
  gpu.func @k(%p: !llvm.ptr) kernel {
    %v = llvm.load %p : !llvm.ptr -> f32
    // expected-error @+1 {{expected math that is expanded}}
    %e = arith.remf %v, %v : f32
    llvm.store %e, %p : f32, !llvm.ptr
    gpu.return
  }
}
