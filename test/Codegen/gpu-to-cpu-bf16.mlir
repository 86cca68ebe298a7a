// RUN: fuse-opt %s -fuse-gpu-to-cpu | FileCheck %s

// A conversion to bf16 is integer arithmetic: LLVM's own would be a library
// call on some hosts, and would flush denormals on others.
gpu.module @m {
  // CHECK-LABEL: llvm.func internal @round__block
  // CHECK-NOT: llvm.fptrunc
  // CHECK: llvm.bitcast %{{.*}} : vector<16xi16> to vector<16xbf16>
  // CHECK: llvm.return
  gpu.func @round(%p: !llvm.ptr, %q: !llvm.ptr) kernel {
    %v = llvm.load %p : !llvm.ptr -> vector<16xf32>
    %r = arith.truncf %v : vector<16xf32> to vector<16xbf16>
    llvm.store %r, %q : vector<16xbf16>, !llvm.ptr
    gpu.return
  }
}
