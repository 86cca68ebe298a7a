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

  // Of small blocks the last ones ask for the next launch.
  // CHECK-LABEL: gpu.func @small
  // CHECK-NEXT:    nvvm.griddepcontrol wait
  // CHECK:         %[[BLOCKS:.*]] = gpu.grid_dim
  // CHECK:         %[[BLOCK:.*]] = gpu.block_id
  // CHECK:         %[[LEFT:.*]] = arith.subi %[[BLOCKS]], %[[BLOCK]]
  // CHECK:         %[[LATE:.*]] = arith.cmpi ule, %[[LEFT]], %{{.*}} : index
  // CHECK-NEXT:    scf.if %[[LATE]] {
  // CHECK-NEXT:      nvvm.griddepcontrol launch_dependents
  gpu.func @small(%x: !llvm.ptr, %y: !llvm.ptr) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %v = llvm.load %x : !llvm.ptr -> f32
    llvm.store %v, %y : f32, !llvm.ptr
    gpu.return
  }

  // Nothing moves the label's load after the permission, nor the row's over it.
  // CHECK-LABEL: gpu.func @label
  // CHECK-NEXT:    nvvm.griddepcontrol wait
  // CHECK-NEXT:    %[[ROW:.*]] = llvm.load
  // CHECK-NEXT:    %[[LABEL:.*]] = llvm.load
  // CHECK-NEXT:    gpu.grid_dim
  // CHECK:           nvvm.griddepcontrol launch_dependents
  // CHECK:         llvm.getelementptr %{{.*}}[%[[LABEL]]]
  // CHECK:         scf.if
  // CHECK:           llvm.load
  gpu.func @label(%x: !llvm.ptr, %labels: !llvm.ptr, %all: !llvm.ptr, %y: !llvm.ptr) kernel {
    %row = llvm.load %x : !llvm.ptr -> f32
    %label = llvm.load %labels : !llvm.ptr -> i64
    %at = llvm.getelementptr %all[%label] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %zero = arith.constant 0 : i64
    %exists = arith.cmpi sge, %label, %zero : i64
    %none = arith.constant 0.0 : f32
    %own = scf.if %exists -> f32 {
      %v = llvm.load %at : !llvm.ptr -> f32
      scf.yield %v : f32
    } else {
      scf.yield %none : f32
    }
    %d = arith.subf %row, %own : f32
    llvm.store %d, %y : f32, !llvm.ptr
    gpu.return
  }

  // A load in a branch is none to wait for.
  // CHECK-LABEL: gpu.func @rare_label
  // CHECK-NEXT:    nvvm.griddepcontrol wait
  // CHECK-NEXT:    gpu.grid_dim
  // CHECK:           nvvm.griddepcontrol launch_dependents
  // CHECK:           llvm.load
  // CHECK:           llvm.load
  gpu.func @rare_label(%labels: !llvm.ptr, %all: !llvm.ptr, %y: !llvm.ptr, %wanted: i1) kernel {
    scf.if %wanted {
      %label = llvm.load %labels : !llvm.ptr -> i64
      %at = llvm.getelementptr %all[%label] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %at : !llvm.ptr -> f32
      llvm.store %v, %y : f32, !llvm.ptr
    }
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

  // A lowering that copies early inputs before the wait leaves the permission to
  // the pass.
  // CHECK-LABEL: gpu.func @early
  // CHECK-NOT:     early_inputs
  // CHECK-NOT:     griddepcontrol
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    nvvm.griddepcontrol wait
  // CHECK-NEXT:    gpu.grid_dim
  // CHECK:           nvvm.griddepcontrol launch_dependents
  // CHECK:         llvm.load
  gpu.func @early(%x: !llvm.ptr, %y: !llvm.ptr) kernel attributes {fuse.early_inputs = array<i64: 0>} {
    gpu.barrier
    nvvm.griddepcontrol wait
    %v = llvm.load %x : !llvm.ptr -> f32
    llvm.store %v, %y : f32, !llvm.ptr
    gpu.return
  }

  // Not launched, so that there is nothing to wait for.
  // CHECK-LABEL: gpu.func @helper
  // CHECK-NEXT:    gpu.return
  gpu.func @helper() {
    gpu.return
  }
}
