// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-form=chip=cpu | FileCheck %s --check-prefix=CPU

// What rows have been reduced to, and the rows themselves, are reduced over all
// rows by the same kernel, with what follows element by element. A CPU's blocks
// do not meet.
// CHECK-LABEL: func.func @sums
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:   fuse.kernel
// CPU-LABEL:   func.func @sums
// CPU-SAME:    reason = {{.*}}kind = "acrossNeedsGpu"
func.func @sums(%x: tensor<?x512xf32>, %b: tensor<512xf32>) -> (tensor<?xf32>, tensor<512xf32>, tensor<f32>) {
  %r = fuse.reduce max %x dims = [1] : tensor<?x512xf32> -> tensor<?xf32>
  %c = fuse.reduce sum %x dims = [0] : tensor<?x512xf32> -> tensor<512xf32>
  %d = fuse.add %c, %b : tensor<512xf32>
  %s = fuse.reduce sum %r dims = [0] : tensor<?xf32> -> tensor<f32>
  %e = fuse.exp %s : tensor<f32>
  return %r, %d, %e : tensor<?xf32>, tensor<512xf32>, tensor<f32>
}

// -----

// Rows of two dimensions, and columns of two.
// CHECK-LABEL: func.func @several_dims
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:   fuse.kernel
func.func @several_dims(%x: tensor<?x64x8x128xf16>) -> (tensor<?x64xf16>, tensor<8x128xf16>) {
  %r = fuse.reduce max %x dims = [2, 3] : tensor<?x64x8x128xf16> -> tensor<?x64xf16>
  %c = fuse.reduce max %x dims = [0, 1] : tensor<?x64x8x128xf16> -> tensor<8x128xf16>
  return %r, %c : tensor<?x64xf16>, tensor<8x128xf16>
}

// -----

// A part of the rows is not all of them.
// CHECK-LABEL: func.func @some_rows
// CHECK-COUNT-2: fuse.kernel
func.func @some_rows(%x: tensor<?x64x128xf32>) -> (tensor<?x64xf32>, tensor<?x128xf32>) {
  %r = fuse.reduce max %x dims = [2] : tensor<?x64x128xf32> -> tensor<?x64xf32>
  %c = fuse.reduce max %x dims = [1] : tensor<?x64x128xf32> -> tensor<?x128xf32>
  return %r, %c : tensor<?x64xf32>, tensor<?x128xf32>
}

// -----

// Every row needs what all rows have been reduced to.
// CHECK-LABEL: func.func @back_to_rows
// CHECK-COUNT-2: fuse.kernel
func.func @back_to_rows(%x: tensor<?x512xf32>) -> tensor<?x1xf32> {
  %r = fuse.reduce max %x dims = [1] keep : tensor<?x512xf32> -> tensor<?x1xf32>
  %s = fuse.reduce max %r dims = [0] keep : tensor<?x1xf32> -> tensor<1x1xf32>
  %d = fuse.sub %r, %s : tensor<?x1xf32>, tensor<1x1xf32> -> tensor<?x1xf32>
  return %d : tensor<?x1xf32>
}

// -----

// As many rows as columns: the sum of a row is no column's.
// CHECK-LABEL: func.func @square
// CHECK-COUNT-2: fuse.kernel
func.func @square(%x: tensor<1024x1024xf32>) -> tensor<1024xf32> {
  %r = fuse.reduce sum %x dims = [1] : tensor<1024x1024xf32> -> tensor<1024xf32>
  %c = fuse.reduce sum %x dims = [0] : tensor<1024x1024xf32> -> tensor<1024xf32>
  %d = fuse.sub %r, %c : tensor<1024xf32>
  return %d : tensor<1024xf32>
}

// -----

// CHECK-LABEL: func.func @unknown_length
// CHECK-SAME:    reason = {{.*}}kind = "acrossRegisters"
// CHECK-COUNT-2: fuse.kernel
func.func @unknown_length(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %y = fuse.softmax %x dims = [1] : tensor<?x?xf32>
  %c = fuse.reduce sum %y dims = [0] : tensor<?x?xf32> -> tensor<?xf32>
  return %y, %c : tensor<?x?xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @long
// CHECK-SAME:    reason = {{.*}}kind = "acrossRegisters"
// CHECK-COUNT-2: fuse.kernel
func.func @long(%x: tensor<?x32768xf32>) -> (tensor<?x1xf32>, tensor<32768xf32>) {
  %y = fuse.reduce max %x dims = [1] keep : tensor<?x32768xf32> -> tensor<?x1xf32>
  %z = fuse.sub %x, %y : tensor<?x32768xf32>, tensor<?x1xf32> -> tensor<?x32768xf32>
  %c = fuse.reduce sum %z dims = [0] : tensor<?x32768xf32> -> tensor<32768xf32>
  return %y, %c : tensor<?x1xf32>, tensor<32768xf32>
}

// -----

// Of a row of any length its result is one number.
// CHECK-LABEL: func.func @long_rows
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:   fuse.kernel
func.func @long_rows(%x: tensor<?x?xf32>) -> tensor<f32> {
  %y = fuse.logsumexp %x dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
  %s = fuse.reduce mean %y dims = [0] : tensor<?xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @unaligned
// CHECK-SAME:    reason = {{.*}}kind = "acrossNarrow"
// CHECK-COUNT-2: fuse.kernel
func.func @unaligned(%x: tensor<?x1001xf32>) -> (tensor<?x1xf32>, tensor<1001xf32>) {
  %y = fuse.reduce max %x dims = [1] keep : tensor<?x1001xf32> -> tensor<?x1xf32>
  %z = fuse.sub %x, %y : tensor<?x1001xf32>, tensor<?x1xf32> -> tensor<?x1001xf32>
  %c = fuse.reduce sum %z dims = [0] : tensor<?x1001xf32> -> tensor<1001xf32>
  return %y, %c : tensor<?x1xf32>, tensor<1001xf32>
}

// -----

// CHECK-LABEL: func.func @few_rows
// CHECK-SAME:    reason = {{.*}}kind = "acrossFewRows"
// CHECK-COUNT-2: fuse.kernel
func.func @few_rows(%x: tensor<256x1024xf32>) -> (tensor<256x1xf32>, tensor<1024xf32>) {
  %y = fuse.reduce max %x dims = [1] keep : tensor<256x1024xf32> -> tensor<256x1xf32>
  %z = fuse.sub %x, %y : tensor<256x1024xf32>, tensor<256x1xf32> -> tensor<256x1024xf32>
  %c = fuse.reduce sum %z dims = [0] : tensor<256x1024xf32> -> tensor<1024xf32>
  return %y, %c : tensor<256x1xf32>, tensor<1024xf32>
}

// -----

// Two f64 are 16 bytes.
// CHECK-LABEL: func.func @wide
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:   fuse.kernel
func.func @wide(%x: tensor<?x96xf64>) -> (tensor<?x1xf64>, tensor<96xf64>) {
  %y = fuse.reduce max %x dims = [1] keep : tensor<?x96xf64> -> tensor<?x1xf64>
  %c = fuse.reduce sum %x dims = [0] : tensor<?x96xf64> -> tensor<96xf64>
  return %y, %c : tensor<?x1xf64>, tensor<96xf64>
}

// -----

// What the sums of all columns are needed for at every row is another kernel.
// CHECK-LABEL: func.func @columns_back
// CHECK-COUNT-2: fuse.kernel
func.func @columns_back(%x: tensor<?x512xf32>) -> (tensor<?x1xf32>, tensor<?x512xf32>) {
  %r = fuse.reduce max %x dims = [1] keep : tensor<?x512xf32> -> tensor<?x1xf32>
  %c = fuse.reduce sum %x dims = [0] : tensor<?x512xf32> -> tensor<512xf32>
  %y = fuse.sub %x, %c : tensor<?x512xf32>, tensor<512xf32> -> tensor<?x512xf32>
  return %r, %y : tensor<?x1xf32>, tensor<?x512xf32>
}

// -----

// The sum %s and the parts of %l read nothing of each other, but the kernel of %r and
// %y gives to the one early and needs the others late.
// CPU-LABEL:   func.func @comes_back
// CPU-COUNT-2: fuse.kernel
func.func @comes_back(%x: tensor<?x33xf32>, %b: tensor<?x1xi1>) -> (tensor<1xf32>, tensor<?x1xf32>) {
  %r = fuse.reduce max %x dims = [1] keep : tensor<?x33xf32> -> tensor<?x1xf32>
  %s = fuse.reduce sum %r dims = [0] : tensor<?x1xf32> -> tensor<1xf32>
  %l = fuse.logsumexp %x dims = [0, 1] : tensor<?x33xf32> -> tensor<f32>
  %y = fuse.select %b, %l, %r : tensor<?x1xi1>, tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  return %s, %y : tensor<1xf32>, tensor<?x1xf32>
}
