// RUN: fuse-opt %s -fuse-share-code | FileCheck %s

// Equal but for names: the first stays, with its globals; a launch keeps the name
// of its own kernel.
// CHECK:     gpu.module @first
// CHECK-NOT: gpu.module @second
// CHECK:     gpu.module @other
gpu.module @first {
  llvm.mlir.global external @__dynamic_first() {addr_space = 3 : i32} : !llvm.array<0 x i8>
  gpu.func @first(%x: !llvm.ptr, %y: !llvm.ptr) kernel {
    %s = llvm.mlir.addressof @__dynamic_first : !llvm.ptr<3>
    %v = llvm.load %x : !llvm.ptr -> f32
    llvm.store %v, %s : f32, !llvm.ptr<3>
    llvm.store %v, %y : f32, !llvm.ptr
    gpu.return
  }
}
gpu.module @second {
  llvm.mlir.global external @__dynamic_second() {addr_space = 3 : i32} : !llvm.array<0 x i8>
  gpu.func @second(%x: !llvm.ptr, %y: !llvm.ptr) kernel {
    %s = llvm.mlir.addressof @__dynamic_second : !llvm.ptr<3>
    %v = llvm.load %x : !llvm.ptr -> f32
    llvm.store %v, %s : f32, !llvm.ptr<3>
    llvm.store %v, %y : f32, !llvm.ptr
    gpu.return
  }
}
// Stores to the other address.
gpu.module @other {
  llvm.mlir.global external @__dynamic_other() {addr_space = 3 : i32} : !llvm.array<0 x i8>
  gpu.func @other(%x: !llvm.ptr, %y: !llvm.ptr) kernel {
    %s = llvm.mlir.addressof @__dynamic_other : !llvm.ptr<3>
    %v = llvm.load %y : !llvm.ptr -> f32
    llvm.store %v, %s : f32, !llvm.ptr<3>
    llvm.store %v, %x : f32, !llvm.ptr
    gpu.return
  }
}
// Pointers of which more is known make other code.
// CHECK: gpu.module @aligned
gpu.module @aligned {
  llvm.mlir.global external @__dynamic_aligned() {addr_space = 3 : i32} : !llvm.array<0 x i8>
  gpu.func @aligned(%x: !llvm.ptr {llvm.align = 16 : i64}, %y: !llvm.ptr) kernel {
    %s = llvm.mlir.addressof @__dynamic_aligned : !llvm.ptr<3>
    %v = llvm.load %x : !llvm.ptr -> f32
    llvm.store %v, %s : f32, !llvm.ptr<3>
    llvm.store %v, %y : f32, !llvm.ptr
    gpu.return
  }
}

// CHECK-LABEL: func.func @entry
// CHECK: fuse.launch @first::@first {{.*}} -> tensor<4xf32>{{$}}
// CHECK: fuse.launch @first::@first {{.*}}fuse.launch_name = "second"
// CHECK: fuse.launch @other::@other
// CHECK: fuse.launch @aligned::@aligned
func.func @entry(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %a = fuse.launch @first::@first blocks(%c1) threads(32) ins(%x : tensor<4xf32>) -> tensor<4xf32>
  %b = fuse.launch @second::@second blocks(%c1) threads(32) ins(%a : tensor<4xf32>) -> tensor<4xf32>
  %c = fuse.launch @other::@other blocks(%c1) threads(32) ins(%b : tensor<4xf32>) -> tensor<4xf32>
  %d = fuse.launch @aligned::@aligned blocks(%c1) threads(32) ins(%c : tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
