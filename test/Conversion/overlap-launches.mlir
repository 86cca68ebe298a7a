// RUN: fuse-opt %s -pass-pipeline='builtin.module(gpu.module(fuse-overlap-launches))' | FileCheck %s
// RUN: fuse-opt %s -fuse-lower | FileCheck %s
// RUN: fuse-opt %s -fuse-lower=chip=sm_120 | FileCheck %s
// RUN: fuse-opt %s -fuse-lower=chip=sm_89 | FileCheck %s --check-prefix=NONE
// RUN: fuse-opt %s -fuse-lower=chip=cpu | FileCheck %s --check-prefix=NONE
// RUN: fuse-opt %s -fuse-lower=launch-overlap=false | FileCheck %s --check-prefix=NONE

// NONE-LABEL: gpu.func @copy
// NONE-NOT:     griddepcontrol
// NONE-LABEL: gpu.func @decided

gpu.module @kernels {
  // The pass description's example: before everything else.
  // CHECK-LABEL: gpu.func @copy
  // CHECK-NEXT:    nvvm.griddepcontrol wait
  // CHECK:         %[[BLOCKS:.*]] = gpu.grid_dim
  // CHECK:         %[[FEW:.*]] = arith.cmpi ule, %[[BLOCKS]], %{{.*}} : index
  // CHECK-NEXT:    scf.if %[[FEW]] {
  // CHECK-NEXT:      nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT:    }
  // CHECK-NEXT:    llvm.load
  gpu.func @copy(%x: !llvm.ptr, %y: !llvm.ptr) kernel {
    %v = llvm.load %x : !llvm.ptr -> f32
    llvm.store %v, %y : f32, !llvm.ptr
    gpu.return
  }

  // Whoever has written one knows where it belongs.
  // CHECK-LABEL: gpu.func @decided
  // CHECK-NEXT:    nvvm.griddepcontrol wait
  // CHECK-NEXT:    llvm.load
  // CHECK-NEXT:    llvm.store
  // CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT:    gpu.return
  gpu.func @decided(%x: !llvm.ptr, %y: !llvm.ptr) kernel {
    nvvm.griddepcontrol wait
    %v = llvm.load %x : !llvm.ptr -> f32
    llvm.store %v, %y : f32, !llvm.ptr
    nvvm.griddepcontrol launch_dependents
    gpu.return
  }

  // Not launched, so that there is nothing to wait for.
  // CHECK-LABEL: gpu.func @helper
  // CHECK-NEXT:    gpu.return
  gpu.func @helper() {
    gpu.return
  }
}
