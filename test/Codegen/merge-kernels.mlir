// RUN: fuse-opt %s -fuse-merge-kernels -split-input-file -verify-diagnostics | FileCheck %s

// The first module takes the kernels of the others, and launches follow.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  // CHECK: fuse.launch @a::@a
  // CHECK: fuse.launch @a::@b
  %h = fuse.launch @a::@a blocks(%c1) threads(32) ins(%x : tensor<4xf32>) -> tensor<4xf32>
  %y = fuse.launch @b::@b blocks(%c1) threads(32) ins(%h : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
// CHECK: gpu.module @a
gpu.module @a {
  // CHECK: gpu.func @a
  // CHECK: gpu.func @b
  gpu.func @a(%in: !llvm.ptr, %out: !llvm.ptr) kernel {
    gpu.return
  }
}
// CHECK-NOT: gpu.module
gpu.module @b {
  gpu.func @b(%in: !llvm.ptr, %out: !llvm.ptr) kernel {
    gpu.return
  }
}

// -----

gpu.module @a {
  gpu.func @k() kernel {
    gpu.return
  }
}
gpu.module @b {
  // expected-error@+1 {{expected the symbols of all gpu.modules to differ, but got 'k' in @a and @b; rename one}}
  gpu.func @k() kernel {
    gpu.return
  }
}
