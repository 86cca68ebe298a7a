// RUN: fuse-opt %s -split-input-file -fuse-split-reductions | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-split-reductions=shared-by-blocks | FileCheck %s --check-prefix=SHARED
// RUN: fuse-opt %s -split-input-file -fuse-split-reductions="blocks-per-row=16 shared-row-bytes=1048576" | FileCheck %s --check-prefix=CLUSTERS

// Rows first, then their results. bf16 is not rounded in between.
// CHECK-LABEL: func.func @between_dims
// CHECK:         %[[X:.*]] = fuse.cast %{{.*}} : tensor<?x4096xbf16> -> tensor<?x4096xf32>
// CHECK:         %[[P:.*]] = fuse.reduce sum %[[X]] dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
// CHECK:         %[[K:.*]] = fuse.reduce sum %[[P]] dims = [0] keep : tensor<?x1xf32> -> tensor<1x1xf32>
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[K]] [] : tensor<1x1xf32> into tensor<f32>
// CHECK:         fuse.cast %[[C]] {fuse.implicit} : tensor<f32> -> tensor<bf16>
// SHARED-LABEL: func.func @between_dims
// SHARED-NEXT:    fuse.reduce sum %{{.*}} dims = [0, 1]
// SHARED-NEXT:    return
func.func @between_dims(%x: tensor<?x4096xbf16>) -> tensor<bf16> {
  %s = fuse.reduce sum %x dims = [0, 1] : tensor<?x4096xbf16> -> tensor<bf16>
  return %s : tensor<bf16>
}

// -----

// The largest suitable divisor of a static size: 1000 parts of 1000.
// CHECK-LABEL: func.func @inside
// CHECK:         %[[E:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [1000, 1000]
// CHECK:         %[[P:.*]] = fuse.reduce max %[[E]] dims = [1] keep : tensor<1000x1000xf32> -> tensor<1000x1xf32>
// CHECK:         %[[N:.*]] = tensor.collapse_shape %[[P]] {{\[\[}}0, 1]]
// CHECK:         fuse.reduce max %[[N]] dims = [0] keep : tensor<1000xf32> -> tensor<1xf32>
func.func @inside(%x: tensor<1000000xf32>) -> tensor<1xf32> {
  %s = fuse.reduce max %x dims = [0] keep : tensor<1000000xf32> -> tensor<1xf32>
  return %s : tensor<1xf32>
}

// -----

// Few columns of many rows.
// CHECK-LABEL: func.func @columns
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [16, 16384, 64]
// CHECK:         fuse.reduce mean %{{.*}} dims = [1] keep : tensor<16x16384x64xf32> -> tensor<16x1x64xf32>
// CHECK:         fuse.reduce mean %{{.*}} dims = [0] keep : tensor<16x64xf32> -> tensor<1x64xf32>
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<1x64xf32> into tensor<64xf32>
func.func @columns(%x: tensor<262144x64xf32>) -> tensor<64xf32> {
  %s = fuse.reduce mean %x dims = [0] : tensor<262144x64xf32> -> tensor<64xf32>
  return %s : tensor<64xf32>
}

// -----

// A softmax over rows goes on to every element: blocks cannot share its sums.
// CHECK-LABEL: func.func @softmax
// SHARED-LABEL: func.func @softmax
// SHARED-COUNT-4: fuse.reduce
func.func @softmax(%x: tensor<262144x64xf32>) -> tensor<262144x64xf32> {
  %m = fuse.reduce max %x dims = [0] keep : tensor<262144x64xf32> -> tensor<1x64xf32>
  %d = fuse.sub %x, %m : tensor<262144x64xf32>, tensor<1x64xf32> -> tensor<262144x64xf32>
  %e = fuse.exp %d : tensor<262144x64xf32>
  %s = fuse.reduce sum %e dims = [0] keep : tensor<262144x64xf32> -> tensor<1x64xf32>
  %y = fuse.div %e, %s : tensor<262144x64xf32>, tensor<1x64xf32> -> tensor<262144x64xf32>
  return %y : tensor<262144x64xf32>
}

// -----

// Enough rows, too little work, or no divisor: one step.
// CHECK-LABEL: func.func @one_step
// CHECK-COUNT-3: fuse.reduce
// CHECK-NOT:     fuse.reduce
func.func @one_step(%x: tensor<?x4096xf32>, %y: tensor<1024xf32>, %z: tensor<1000003xf32>)
    -> (tensor<?xf32>, tensor<f32>, tensor<f32>) {
  %a = fuse.reduce sum %x dims = [1] : tensor<?x4096xf32> -> tensor<?xf32>
  %b = fuse.reduce sum %y dims = [0] : tensor<1024xf32> -> tensor<f32>
  %c = fuse.reduce sum %z dims = [0] : tensor<1000003xf32> -> tensor<f32>
  return %a, %b, %c : tensor<?xf32>, tensor<f32>, tensor<f32>
}

// -----

// Few rows that clusters share keep the machine busy; longer ones do not.
// CHECK-LABEL: func.func @few_rows
// CHECK-COUNT-2:  tensor.expand_shape
// CHECK:         return
// CLUSTERS-LABEL: func.func @few_rows
// CLUSTERS-NOT:   tensor.expand_shape
// CLUSTERS:       fuse.reduce max %{{.*}} dims = [1] keep : tensor<8x131072xf32>
// CLUSTERS:       tensor.expand_shape %{{.*}} : tensor<8x1048576xf32>
// CLUSTERS:       return
func.func @few_rows(%x: tensor<8x131072xf32>, %l: tensor<8x1048576xf32>) -> (tensor<8x1xf32>, tensor<8x1xf32>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<8x131072xf32> -> tensor<8x1xf32>
  %s = fuse.reduce max %l dims = [1] keep : tensor<8x1048576xf32> -> tensor<8x1xf32>
  return %m, %s : tensor<8x1xf32>, tensor<8x1xf32>
}

// -----

// The rows are reduced anyway: their part of the sum is, too. What needs no rows
// reduced is left alone, and so are rows of groups.
// SHARED-LABEL: func.func @behind_rows
// SHARED:         %[[ROW:.*]] = fuse.reduce sum %{{.*}} dims = [2] keep : tensor<?x8x1024xf32> -> tensor<?x8x1xf32>
// SHARED:         fuse.reduce sum %[[ROW]] dims = [0, 1] keep : tensor<?x8x1xf32> -> tensor<1x1x1xf32>
// SHARED:         fuse.reduce sum %{{.*}} dims = [0, 1, 2] : tensor<?x8x1024xf32>
// SHARED:         fuse.reduce sum %{{.*}} dims = [1, 2] : tensor<?x8x1024xf32>
func.func @behind_rows(%x: tensor<?x8x1024xf32>, %y: tensor<?x8x1024xf32>) -> (tensor<f32>, tensor<f32>, tensor<?xf32>) {
  %m = fuse.reduce max %x dims = [2] keep : tensor<?x8x1024xf32> -> tensor<?x8x1xf32>
  %d = fuse.sub %x, %m : tensor<?x8x1024xf32>, tensor<?x8x1xf32> -> tensor<?x8x1024xf32>
  %s = fuse.reduce sum %d dims = [0, 1, 2] : tensor<?x8x1024xf32> -> tensor<f32>
  %t = fuse.reduce sum %y dims = [0, 1, 2] : tensor<?x8x1024xf32> -> tensor<f32>
  %r = fuse.reduce sum %d dims = [1, 2] : tensor<?x8x1024xf32> -> tensor<?xf32>
  return %s, %t, %r : tensor<f32>, tensor<f32>, tensor<?xf32>
}

// -----

// What others read in its own shape is computed again in parts, which reads x
// twice and writes nothing.
// CHECK-LABEL: func.func @read_twice
// CHECK:         %[[E:.*]] = fuse.exp %arg0 : tensor<262144x64xf32>
// CHECK:         %[[X:.*]] = tensor.expand_shape %arg0 {{\[\[}}0, 1], [2]] output_shape [16, 16384, 64]
// CHECK:         %[[P:.*]] = fuse.exp %[[X]] : tensor<16x16384x64xf32>
// CHECK:         fuse.reduce sum %[[P]] dims = [1] keep
// CHECK:         fuse.div %[[E]]
func.func @read_twice(%x: tensor<262144x64xf32>) -> tensor<262144x64xf32> {
  %e = fuse.exp %x : tensor<262144x64xf32>
  %s = fuse.reduce sum %e dims = [0] keep : tensor<262144x64xf32> -> tensor<1x64xf32>
  %y = fuse.div %e, %s : tensor<262144x64xf32>, tensor<1x64xf32> -> tensor<262144x64xf32>
  return %y : tensor<262144x64xf32>
}

// -----

// Three tensors of its size are more than writing and reading the value.
// CHECK-LABEL: func.func @of_many
// CHECK:         %[[C:.*]] = fuse.mul %{{.*}}, %arg2
// CHECK:         tensor.expand_shape %[[C]] {{\[\[}}0, 1], [2]] output_shape [16, 16384, 64]
func.func @of_many(%x: tensor<262144x64xf32>, %y: tensor<262144x64xf32>, %z: tensor<262144x64xf32>) -> tensor<262144x64xf32> {
  %a = fuse.mul %x, %y : tensor<262144x64xf32>
  %b = fuse.mul %a, %z : tensor<262144x64xf32>
  %s = fuse.reduce sum %b dims = [0] keep : tensor<262144x64xf32> -> tensor<1x64xf32>
  %d = fuse.div %b, %s : tensor<262144x64xf32>, tensor<1x64xf32> -> tensor<262144x64xf32>
  return %d : tensor<262144x64xf32>
}

// -----

// What is reduced of all elements goes by way of the rows that others reduce of
// the same tensor, or of the columns; not what is of another tensor.
// SHARED-LABEL: func.func @beside
// SHARED:         %[[P:.*]] = fuse.reduce mean %{{.*}} dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
// SHARED:         fuse.reduce mean %[[P]] dims = [0] keep
// SHARED:         %[[Q:.*]] = fuse.reduce min %{{.*}} dims = [0] keep : tensor<?x512xf32> -> tensor<1x512xf32>
// SHARED:         fuse.reduce min %[[Q]] dims = [1] keep
// SHARED:         fuse.reduce sum %arg2 dims = [0, 1]
func.func @beside(%x: tensor<?x1024xf32>, %y: tensor<?x512xf32>, %z: tensor<?x1024xf32>)
    -> (tensor<1024xf32>, tensor<?xf32>, tensor<f32>, tensor<512xf32>, tensor<f32>, tensor<f32>) {
  %c = fuse.reduce sum %x dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
  %r = fuse.reduce sum %x dims = [1] : tensor<?x1024xf32> -> tensor<?xf32>
  %e = fuse.exp %x : tensor<?x1024xf32>
  %m = fuse.reduce mean %e dims = [0, 1] : tensor<?x1024xf32> -> tensor<f32>
  %d = fuse.reduce sum %y dims = [0] : tensor<?x512xf32> -> tensor<512xf32>
  %a = fuse.abs %y : tensor<?x512xf32>
  %n = fuse.reduce min %a dims = [0, 1] : tensor<?x512xf32> -> tensor<f32>
  %s = fuse.reduce sum %z dims = [0, 1] : tensor<?x1024xf32> -> tensor<f32>
  return %c, %r, %m, %d, %n, %s : tensor<1024xf32>, tensor<?xf32>, tensor<f32>, tensor<512xf32>, tensor<f32>, tensor<f32>
}

// -----

// Rows of another tensor have one of each element: these rows take in all.
// SHARED-LABEL: func.func @numbers_of_rows
// SHARED:         fuse.reduce sum %{{.*}} dims = [0, 1] : tensor<?x64xf32> -> tensor<f32>
func.func @numbers_of_rows(%x: tensor<?x64x1024xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %m = fuse.reduce max %x dims = [2] : tensor<?x64x1024xf32> -> tensor<?x64xf32>
  %r = fuse.reduce min %m dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
  %e = fuse.exp %m : tensor<?x64xf32>
  %s = fuse.reduce sum %e dims = [0, 1] : tensor<?x64xf32> -> tensor<f32>
  return %r, %s : tensor<?xf32>, tensor<f32>
}
