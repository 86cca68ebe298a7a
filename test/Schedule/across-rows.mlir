// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_80 -fuse-schedule=chip=sm_80 | FileCheck %s --check-prefix=SM80

// Whole vectors of a block of 256, of which a multiprocessor has registers for four,
// as ptxas is told, and the next row's loads under way; where the block would have
// more than 512 threads for that, more sums, and rows in shared memory.
// CHECK-LABEL: func.func @columns
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
func.func @columns(%x: tensor<?x4096xbf16>) -> (tensor<?x1xbf16>, tensor<4096xbf16>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x4096xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %x dims = [0] : tensor<?x4096xbf16> -> tensor<4096xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<4096xbf16>
}

// -----

// CHECK-LABEL: func.func @many_columns
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
func.func @many_columns(%x: tensor<?x16384xbf16>) -> (tensor<?x1xbf16>, tensor<16384xbf16>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x16384xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %x dims = [0] : tensor<?x16384xbf16> -> tensor<16384xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<16384xbf16>
}

// -----

// So have shorter rows of two 16-bit inputs, in two blocks with room for two rows
// each; those of f32 have not.
// CHECK-LABEL: func.func @two_inputs
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
func.func @two_inputs(%x: tensor<?x4096xbf16>, %g: tensor<?x4096xbf16>) -> (tensor<?x1xbf16>, tensor<4096xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x4096xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x4096xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x4096xbf16> -> tensor<4096xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<4096xbf16>
}

// -----

// CHECK-LABEL: func.func @two_wide_inputs
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
func.func @two_wide_inputs(%x: tensor<?x4096xf32>, %g: tensor<?x4096xf32>) -> (tensor<?x1xf32>, tensor<4096xf32>) {
  %p = fuse.mul %x, %g : tensor<?x4096xf32>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x4096xf32> -> tensor<4096xf32>
  return %m, %s : tensor<?x1xf32>, tensor<4096xf32>
}

// -----

// What threads of shared memory's rows do not divide stays in registers.
// CHECK-LABEL: func.func @undivided
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
func.func @undivided(%x: tensor<?x10008xbf16>) -> (tensor<?x1xbf16>, tensor<10008xbf16>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x10008xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %x dims = [0] : tensor<?x10008xbf16> -> tensor<10008xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<10008xbf16>
}

// -----

// Two sums of each column: half as many columns at most.
// CHECK-LABEL: func.func @two_sums
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
func.func @two_sums(%x: tensor<?x4096xf32>) -> (tensor<?x1xf32>, tensor<4096xf32>, tensor<4096xf32>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %x dims = [0] : tensor<?x4096xf32> -> tensor<4096xf32>
  %t = fuse.reduce max %x dims = [0] : tensor<?x4096xf32> -> tensor<4096xf32>
  return %m, %s, %t : tensor<?x1xf32>, tensor<4096xf32>, tensor<4096xf32>
}

// -----

// Two inputs and a number of each row, by length: short rows have others beside
// them, in blocks of 256 where each thread has few elements; those of 16 bits are in
// shared memory from 5 KiB of both inputs on, four blocks of which have room for
// three rows each, or two; then three blocks, and two, with three rows again where
// these are at least 28 KiB; and one. Of 32-bit elements shared memory has those that leave
// registers to few threads.
// CHECK-LABEL: func.func @bf16_512(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_768(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_1024(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_1536(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_2048(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_2560(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_3072(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_6144(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_8192(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_10240(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_12288(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_16384(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @f32_768(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @f32_1024(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @f32_2560(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @f32_3584(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @f32_4608(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @f32_5120(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @f32_8192(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @f32_10240(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @f32_16384(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}

// Two sums of each column: few threads with many elements each.
// CHECK-LABEL: func.func @bf16_1536_two(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_3072_two(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_4096_two(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_6144_two(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @bf16_8192_two(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @f32_4096_two(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
// CHECK-LABEL: func.func @f32_7168_two(
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
func.func @bf16_512(%x: tensor<?x512xbf16>, %g: tensor<?x512xbf16>) -> (tensor<?x1xbf16>, tensor<512xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x512xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x512xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x512xbf16> -> tensor<512xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<512xbf16>
}
func.func @bf16_768(%x: tensor<?x768xbf16>, %g: tensor<?x768xbf16>) -> (tensor<?x1xbf16>, tensor<768xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x768xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x768xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x768xbf16> -> tensor<768xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<768xbf16>
}
func.func @bf16_1024(%x: tensor<?x1024xbf16>, %g: tensor<?x1024xbf16>) -> (tensor<?x1xbf16>, tensor<1024xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x1024xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x1024xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x1024xbf16> -> tensor<1024xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<1024xbf16>
}
func.func @bf16_1536(%x: tensor<?x1536xbf16>, %g: tensor<?x1536xbf16>) -> (tensor<?x1xbf16>, tensor<1536xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x1536xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x1536xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x1536xbf16> -> tensor<1536xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<1536xbf16>
}
func.func @bf16_2048(%x: tensor<?x2048xbf16>, %g: tensor<?x2048xbf16>) -> (tensor<?x1xbf16>, tensor<2048xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x2048xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x2048xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x2048xbf16> -> tensor<2048xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<2048xbf16>
}
func.func @bf16_2560(%x: tensor<?x2560xbf16>, %g: tensor<?x2560xbf16>) -> (tensor<?x1xbf16>, tensor<2560xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x2560xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x2560xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x2560xbf16> -> tensor<2560xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<2560xbf16>
}
func.func @bf16_3072(%x: tensor<?x3072xbf16>, %g: tensor<?x3072xbf16>) -> (tensor<?x1xbf16>, tensor<3072xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x3072xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x3072xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x3072xbf16> -> tensor<3072xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<3072xbf16>
}
func.func @bf16_6144(%x: tensor<?x6144xbf16>, %g: tensor<?x6144xbf16>) -> (tensor<?x1xbf16>, tensor<6144xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x6144xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x6144xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x6144xbf16> -> tensor<6144xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<6144xbf16>
}
func.func @bf16_8192(%x: tensor<?x8192xbf16>, %g: tensor<?x8192xbf16>) -> (tensor<?x1xbf16>, tensor<8192xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x8192xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x8192xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x8192xbf16> -> tensor<8192xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<8192xbf16>
}
func.func @bf16_10240(%x: tensor<?x10240xbf16>, %g: tensor<?x10240xbf16>) -> (tensor<?x1xbf16>, tensor<10240xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x10240xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x10240xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x10240xbf16> -> tensor<10240xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<10240xbf16>
}
func.func @bf16_12288(%x: tensor<?x12288xbf16>, %g: tensor<?x12288xbf16>) -> (tensor<?x1xbf16>, tensor<12288xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x12288xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x12288xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x12288xbf16> -> tensor<12288xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<12288xbf16>
}
func.func @bf16_16384(%x: tensor<?x16384xbf16>, %g: tensor<?x16384xbf16>) -> (tensor<?x1xbf16>, tensor<16384xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x16384xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x16384xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x16384xbf16> -> tensor<16384xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<16384xbf16>
}
func.func @f32_768(%x: tensor<?x768xf32>, %g: tensor<?x768xf32>) -> (tensor<?x1xf32>, tensor<768xf32>) {
  %p = fuse.mul %x, %g : tensor<?x768xf32>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x768xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x768xf32> -> tensor<768xf32>
  return %m, %s : tensor<?x1xf32>, tensor<768xf32>
}
func.func @f32_1024(%x: tensor<?x1024xf32>, %g: tensor<?x1024xf32>) -> (tensor<?x1xf32>, tensor<1024xf32>) {
  %p = fuse.mul %x, %g : tensor<?x1024xf32>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
  return %m, %s : tensor<?x1xf32>, tensor<1024xf32>
}
func.func @f32_2560(%x: tensor<?x2560xf32>, %g: tensor<?x2560xf32>) -> (tensor<?x1xf32>, tensor<2560xf32>) {
  %p = fuse.mul %x, %g : tensor<?x2560xf32>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x2560xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x2560xf32> -> tensor<2560xf32>
  return %m, %s : tensor<?x1xf32>, tensor<2560xf32>
}
func.func @f32_3584(%x: tensor<?x3584xf32>, %g: tensor<?x3584xf32>) -> (tensor<?x1xf32>, tensor<3584xf32>) {
  %p = fuse.mul %x, %g : tensor<?x3584xf32>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x3584xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x3584xf32> -> tensor<3584xf32>
  return %m, %s : tensor<?x1xf32>, tensor<3584xf32>
}
func.func @f32_4608(%x: tensor<?x4608xf32>, %g: tensor<?x4608xf32>) -> (tensor<?x1xf32>, tensor<4608xf32>) {
  %p = fuse.mul %x, %g : tensor<?x4608xf32>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x4608xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x4608xf32> -> tensor<4608xf32>
  return %m, %s : tensor<?x1xf32>, tensor<4608xf32>
}
func.func @f32_5120(%x: tensor<?x5120xf32>, %g: tensor<?x5120xf32>) -> (tensor<?x1xf32>, tensor<5120xf32>) {
  %p = fuse.mul %x, %g : tensor<?x5120xf32>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x5120xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x5120xf32> -> tensor<5120xf32>
  return %m, %s : tensor<?x1xf32>, tensor<5120xf32>
}
func.func @f32_8192(%x: tensor<?x8192xf32>, %g: tensor<?x8192xf32>) -> (tensor<?x1xf32>, tensor<8192xf32>) {
  %p = fuse.mul %x, %g : tensor<?x8192xf32>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x8192xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x8192xf32> -> tensor<8192xf32>
  return %m, %s : tensor<?x1xf32>, tensor<8192xf32>
}
func.func @f32_10240(%x: tensor<?x10240xf32>, %g: tensor<?x10240xf32>) -> (tensor<?x1xf32>, tensor<10240xf32>) {
  %p = fuse.mul %x, %g : tensor<?x10240xf32>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x10240xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x10240xf32> -> tensor<10240xf32>
  return %m, %s : tensor<?x1xf32>, tensor<10240xf32>
}
func.func @f32_16384(%x: tensor<?x16384xf32>, %g: tensor<?x16384xf32>) -> (tensor<?x1xf32>, tensor<16384xf32>) {
  %p = fuse.mul %x, %g : tensor<?x16384xf32>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x16384xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x16384xf32> -> tensor<16384xf32>
  return %m, %s : tensor<?x1xf32>, tensor<16384xf32>
}
func.func @bf16_1536_two(%x: tensor<?x1536xbf16>, %g: tensor<?x1536xbf16>) -> (tensor<?x1xbf16>, tensor<1536xbf16>, tensor<1536xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x1536xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x1536xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x1536xbf16> -> tensor<1536xbf16>
  %t = fuse.reduce sum %g dims = [0] : tensor<?x1536xbf16> -> tensor<1536xbf16>
  return %m, %s, %t : tensor<?x1xbf16>, tensor<1536xbf16>, tensor<1536xbf16>
}
func.func @bf16_3072_two(%x: tensor<?x3072xbf16>, %g: tensor<?x3072xbf16>) -> (tensor<?x1xbf16>, tensor<3072xbf16>, tensor<3072xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x3072xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x3072xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x3072xbf16> -> tensor<3072xbf16>
  %t = fuse.reduce sum %g dims = [0] : tensor<?x3072xbf16> -> tensor<3072xbf16>
  return %m, %s, %t : tensor<?x1xbf16>, tensor<3072xbf16>, tensor<3072xbf16>
}
func.func @bf16_4096_two(%x: tensor<?x4096xbf16>, %g: tensor<?x4096xbf16>) -> (tensor<?x1xbf16>, tensor<4096xbf16>, tensor<4096xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x4096xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x4096xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x4096xbf16> -> tensor<4096xbf16>
  %t = fuse.reduce sum %g dims = [0] : tensor<?x4096xbf16> -> tensor<4096xbf16>
  return %m, %s, %t : tensor<?x1xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
}
func.func @bf16_6144_two(%x: tensor<?x6144xbf16>, %g: tensor<?x6144xbf16>) -> (tensor<?x1xbf16>, tensor<6144xbf16>, tensor<6144xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x6144xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x6144xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x6144xbf16> -> tensor<6144xbf16>
  %t = fuse.reduce sum %g dims = [0] : tensor<?x6144xbf16> -> tensor<6144xbf16>
  return %m, %s, %t : tensor<?x1xbf16>, tensor<6144xbf16>, tensor<6144xbf16>
}
func.func @bf16_8192_two(%x: tensor<?x8192xbf16>, %g: tensor<?x8192xbf16>) -> (tensor<?x1xbf16>, tensor<8192xbf16>, tensor<8192xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x8192xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x8192xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x8192xbf16> -> tensor<8192xbf16>
  %t = fuse.reduce sum %g dims = [0] : tensor<?x8192xbf16> -> tensor<8192xbf16>
  return %m, %s, %t : tensor<?x1xbf16>, tensor<8192xbf16>, tensor<8192xbf16>
}
func.func @f32_4096_two(%x: tensor<?x4096xf32>, %g: tensor<?x4096xf32>) -> (tensor<?x1xf32>, tensor<4096xf32>, tensor<4096xf32>) {
  %p = fuse.mul %x, %g : tensor<?x4096xf32>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x4096xf32> -> tensor<4096xf32>
  %t = fuse.reduce sum %g dims = [0] : tensor<?x4096xf32> -> tensor<4096xf32>
  return %m, %s, %t : tensor<?x1xf32>, tensor<4096xf32>, tensor<4096xf32>
}
func.func @f32_7168_two(%x: tensor<?x7168xf32>, %g: tensor<?x7168xf32>) -> (tensor<?x1xf32>, tensor<7168xf32>, tensor<7168xf32>) {
  %p = fuse.mul %x, %g : tensor<?x7168xf32>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x7168xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x7168xf32> -> tensor<7168xf32>
  %t = fuse.reduce sum %g dims = [0] : tensor<?x7168xf32> -> tensor<7168xf32>
  return %m, %s, %t : tensor<?x1xf32>, tensor<7168xf32>, tensor<7168xf32>
}

// -----

// Short rows share a block.
// CHECK-LABEL: func.func @short
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
func.func @short(%x: tensor<?x64xf32>) -> (tensor<?x1xf32>, tensor<64xf32>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %x dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
  return %m, %s : tensor<?x1xf32>, tensor<64xf32>
}

// -----

// One number a row: rows are held, or walked, as ever, in as many threads as there
// are, with registers for all loads of a row.
// CHECK-LABEL: func.func @numbers
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
func.func @numbers(%x: tensor<?x4096xbf16>) -> tensor<f32> {
  %f = fuse.cast %x : tensor<?x4096xbf16> -> tensor<?x4096xf32>
  %m = fuse.logsumexp %f dims = [1] : tensor<?x4096xf32> -> tensor<?xf32>
  %s = fuse.reduce mean %m dims = [0] : tensor<?xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @numbers_of_long_rows
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
func.func @numbers_of_long_rows(%x: tensor<?x131072xbf16>) -> tensor<f32> {
  %f = fuse.cast %x : tensor<?x131072xbf16> -> tensor<?x131072xf32>
  %m = fuse.logsumexp %f dims = [1] : tensor<?x131072xf32> -> tensor<?xf32>
  %s = fuse.reduce mean %m dims = [0] : tensor<?xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// 32-bit elements are in no cluster's registers here, whose blocks are not persistent.
// CHECK-LABEL: func.func @numbers_of_long_words
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
func.func @numbers_of_long_words(%x: tensor<?x131072xf32>) -> tensor<f32> {
  %m = fuse.logsumexp %x dims = [1] : tensor<?x131072xf32> -> tensor<?xf32>
  %s = fuse.reduce mean %m dims = [0] : tensor<?xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// In calls of few bytes they come from the caches, of which half as many threads are
// enough, and long ones have the largest blocks.
// CHECK-LABEL: func.func @numbers_of_few_rows
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
func.func @numbers_of_few_rows(%x: tensor<4096x4096xbf16>) -> tensor<f32> {
  %f = fuse.cast %x : tensor<4096x4096xbf16> -> tensor<4096x4096xf32>
  %m = fuse.logsumexp %f dims = [1] : tensor<4096x4096xf32> -> tensor<4096xf32>
  %s = fuse.reduce mean %m dims = [0] : tensor<4096xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @numbers_of_few_long_rows
// CHECK:       schedule = #fuse.rows<{{.*}}persistent = {{[1-9]}}
func.func @numbers_of_few_long_rows(%x: tensor<64x128256xbf16>) -> tensor<f32> {
  %f = fuse.cast %x : tensor<64x128256xbf16> -> tensor<64x128256xf32>
  %m = fuse.logsumexp %f dims = [1] : tensor<64x128256xf32> -> tensor<64xf32>
  %s = fuse.reduce mean %m dims = [0] : tensor<64xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// What is needed twice, and its blocks would share, keeps its clusters.
// CHECK-LABEL: func.func @no_clusters
// CHECK-SAME:  reason = {{.*}}kind = "acrossClusters"
// CHECK:       schedule = #fuse.rows<
// CHECK-NOT:   persistent
// A chip without clusters has nothing to lose.
// SM80-LABEL:  func.func @no_clusters
// SM80-COUNT-1: persistent
// SM80-NOT:    fuse.kernel
func.func @no_clusters(%x: tensor<?x131072xbf16>) -> (tensor<?x131072xbf16>, tensor<bf16>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x131072xbf16> -> tensor<?x1xbf16>
  %y = fuse.sub %x, %m : tensor<?x131072xbf16>, tensor<?x1xbf16> -> tensor<?x131072xbf16>
  %s = fuse.reduce max %m dims = [0, 1] : tensor<?x1xbf16> -> tensor<bf16>
  return %y, %s : tensor<?x131072xbf16>, tensor<bf16>
}
