// RUN: fuse-opt %s -fuse-reduce-matrix-vector | FileCheck %s
// RUN: fuse-opt %s -fuse-form=chip=sm_90a | FileCheck %s --check-prefix=FORM
// RUN: fuse-opt %s -fuse-decompose -fuse-reduce-matrix-vector=streams=true | FileCheck %s --check-prefix=STREAMS

// The result's dimension of size 1 is the matrix's, so that no reshape follows.
// CHECK-LABEL: func.func @row
// CHECK:         %[[X:.*]] = fuse.cast %arg0 : tensor<1x64xbf16> -> tensor<1x64xf32>
// CHECK:         fuse.mul {{.*}} : tensor<1x32x64xf32>, tensor<1x1x64xf32>
// CHECK:         %[[S:.*]] = fuse.reduce sum {{.*}} dims = [2] : tensor<1x32x64xf32> -> tensor<1x32xf32>
// CHECK:         %[[Y:.*]] = fuse.cast %[[S]] {fuse.implicit}
// CHECK:         return %[[Y]]
func.func @row(%x: tensor<1x64xbf16>, %w: tensor<32x64xbf16>) -> tensor<1x32xbf16> {
  %y = fuse.contract "mk,nk->mn" %x, %w : tensor<1x64xbf16>, tensor<32x64xbf16> -> tensor<1x32xbf16>
  return %y : tensor<1x32xbf16>
}

// CHECK-LABEL: func.func @across
// CHECK:         fuse.reduce sum {{.*}} dims = [1] : tensor<1x64x32xf32> -> tensor<1x32xf32>
func.func @across(%x: tensor<1x64xf32>, %w: tensor<64x32xf32>) -> tensor<1x32xf32> {
  %y = fuse.contract "mk,kn->mn" %x, %w : tensor<1x64xf32>, tensor<64x32xf32> -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}

// The matrix is on the left, the sizes are not known, and two axes are summed.
// CHECK-LABEL: func.func @column
// CHECK:         fuse.reduce sum {{.*}} dims = [2, 3] : tensor<?x1x?x8xf64> -> tensor<?x1xf64>
func.func @column(%w: tensor<?x?x8xf64>, %x: tensor<?x8x1xf64>) -> tensor<?x1xf64> {
  %y = fuse.contract "mkj,kjn->mn" %w, %x : tensor<?x?x8xf64>, tensor<?x8x1xf64> -> tensor<?x1xf64>
  return %y : tensor<?x1xf64>
}

// A dot product for each row.
// CHECK-LABEL: func.func @dots
// CHECK:         fuse.reduce sum {{.*}} dims = [1] : tensor<?x64xf32> -> tensor<?xf32>
func.func @dots(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> tensor<?xf32> {
  %z = fuse.contract "bk,bk->b" %x, %y : tensor<?x64xf32>, tensor<?x64xf32> -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// Several rows, a result in another order, an outer product, and a number that scales.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-4: fuse.contract
func.func @stays(%a: tensor<?x64xf32>, %b: tensor<32x64xf32>, %c: tensor<8x32x64xf32>,
                 %d: tensor<8x64xf32>, %e: tensor<?x1xf32>, %f: tensor<1x32xf32>, %g: tensor<1x1xf32>)
    -> (tensor<?x32xf32>, tensor<32x8xf32>, tensor<?x32xf32>, tensor<1x32xf32>) {
  %0 = fuse.contract "mk,nk->mn" %a, %b : tensor<?x64xf32>, tensor<32x64xf32> -> tensor<?x32xf32>
  %1 = fuse.contract "bnk,bk->nb" %c, %d : tensor<8x32x64xf32>, tensor<8x64xf32> -> tensor<32x8xf32>
  %2 = fuse.contract "mk,kn->mn" %e, %f : tensor<?x1xf32>, tensor<1x32xf32> -> tensor<?x32xf32>
  %3 = fuse.contract "mk,kn->mn" %g, %f : tensor<1x1xf32>, tensor<1x32xf32> -> tensor<1x32xf32>
  return %0, %1, %2, %3 : tensor<?x32xf32>, tensor<32x8xf32>, tensor<?x32xf32>, tensor<1x32xf32>
}

// One token: gate and up with SwiGLU, each row of which finds the norm's factor;
// down with the residual.
// FORM-LABEL: func.func @mlp
// FORM-COUNT-2: fuse.kernel
// FORM-NOT:     fuse.kernel
func.func @mlp(%h: tensor<1x512xbf16>, %n: tensor<512xbf16>, %wg: tensor<1024x512xbf16>,
               %wu: tensor<1024x512xbf16>, %wd: tensor<512x1024xbf16>) -> tensor<1x512xbf16> {
  %x = fuse.rms_norm %h, %n eps = 1.0e-5 : tensor<1x512xbf16>, tensor<512xbf16>
  %g = fuse.matmul %x, %wg transpose_rhs : tensor<1x512xbf16>, tensor<1024x512xbf16> -> tensor<1x1024xbf16>
  %u = fuse.matmul %x, %wu transpose_rhs : tensor<1x512xbf16>, tensor<1024x512xbf16> -> tensor<1x1024xbf16>
  %m = fuse.swiglu %g, %u : tensor<1x1024xbf16>
  %d = fuse.matmul %m, %wd transpose_rhs : tensor<1x1024xbf16>, tensor<512x1024xbf16> -> tensor<1x512xbf16>
  %y = fuse.add %h, %d : tensor<1x512xbf16>
  return %y : tensor<1x512xbf16>
}

// One query of attention: its contractions stay where one kernel runs both.
// CHECK-LABEL:   func.func @attention
// CHECK-NOT:     fuse.contract
// STREAMS-LABEL: func.func @attention
// STREAMS-COUNT-2: fuse.contract
// FORM-LABEL:    func.func @attention
// FORM-COUNT-1:  fuse.kernel
// FORM-NOT:      fuse.kernel
func.func @attention(%q: tensor<4x1x64xbf16>, %k: tensor<4x500x64xbf16>, %v: tensor<4x500x64xbf16>) -> tensor<4x1x64xbf16> {
  %s = fuse.contract "hmd,hnd->hmn" %q, %k : tensor<4x1x64xbf16>, tensor<4x500x64xbf16> -> tensor<4x1x500xbf16>
  %p = fuse.softmax %s dims = [2] : tensor<4x1x500xbf16>
  %o = fuse.contract "hmn,hnd->hmd" %p, %v : tensor<4x1x500xbf16>, tensor<4x500x64xbf16> -> tensor<4x1x64xbf16>
  return %o : tensor<4x1x64xbf16>
}
// Without a softmax of rows, or in other types, they are reductions.
// FORM-LABEL:    func.func @unlike
// STREAMS-LABEL: func.func @unlike
// STREAMS-NOT:   fuse.contract
// STREAMS:       return
func.func @unlike(%q: tensor<4x1x64xf32>, %k: tensor<4x500x64xf32>, %v: tensor<4x500x64xf32>, %w: tensor<4x500x64xbf16>, %r: tensor<4x1x64xbf16>) -> (tensor<4x1x64xf32>, tensor<4x1x64xbf16>) {
  %s = fuse.contract "hmd,hnd->hmn" %q, %k : tensor<4x1x64xf32>, tensor<4x500x64xf32> -> tensor<4x1x500xf32>
  %p = fuse.softmax %s dims = [2] : tensor<4x1x500xf32>
  %o = fuse.contract "hmn,hnd->hmd" %p, %v : tensor<4x1x500xf32>, tensor<4x500x64xf32> -> tensor<4x1x64xf32>
  %t = fuse.contract "hmd,hnd->hmn" %r, %w : tensor<4x1x64xbf16>, tensor<4x500x64xbf16> -> tensor<4x1x500xbf16>
  %e = fuse.exp %t : tensor<4x1x500xbf16>
  %u = fuse.contract "hmn,hnd->hmd" %e, %w : tensor<4x1x500xbf16>, tensor<4x500x64xbf16> -> tensor<4x1x64xbf16>
  return %o, %u : tensor<4x1x64xf32>, tensor<4x1x64xbf16>
}

// Up to eight rows, one by one, where the matrix is made of bytes and no tensor cores compute it.
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT:     fuse.contract
// CHECK-COUNT-3: fuse.reduce sum {{.*}} dims = [2] : tensor<1x32x64xf32> -> tensor<1x32xf32>
// CHECK:         fuse.concat {{.*}} dim = 0 : {{.*}} -> tensor<3x32xf32>
// FORM-LABEL: func.func @few_rows
// FORM:         fuse.kernel
// FORM-NOT:     fuse.kernel
// FORM:         return
func.func @few_rows(%x: tensor<3x64xf32>, %w: tensor<32x64xi8>, %s: tensor<32x1xf32>) -> tensor<3x32xf32> {
  %f = fuse.cast %w : tensor<32x64xi8> -> tensor<32x64xf32>
  %d = fuse.mul %f, %s : tensor<32x64xf32>, tensor<32x1xf32> -> tensor<32x64xf32>
  %y = fuse.contract "mk,nk->mn" %x, %d : tensor<3x64xf32>, tensor<32x64xf32> -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// Tensor cores compute it by eight neighbours of the summed axis.
// CHECK-LABEL: func.func @for_tensor_cores
// CHECK:         fuse.contract
func.func @for_tensor_cores(%x: tensor<3x64xbf16>, %w: tensor<32x32xi8>, %s: tensor<32x8x1xbf16>) -> tensor<3x32xbf16> {
  %q = fuse.unpack %w : tensor<32x32xi8> -> tensor<32x64xi8>
  %g = tensor.expand_shape %q [[0], [1, 2]] output_shape [32, 8, 8] : tensor<32x64xi8> into tensor<32x8x8xi8>
  %f = fuse.cast %g : tensor<32x8x8xi8> -> tensor<32x8x8xbf16>
  %d = fuse.mul %f, %s : tensor<32x8x8xbf16>, tensor<32x8x1xbf16> -> tensor<32x8x8xbf16>
  %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<32x8x8xbf16> into tensor<32x64xbf16>
  %y = fuse.contract "mk,nk->mn" %x, %r : tensor<3x64xbf16>, tensor<32x64xbf16> -> tensor<3x32xbf16>
  return %y : tensor<3x32xbf16>
}

// They do not across it, nor by four.
// CHECK-LABEL: func.func @not_for_them
// CHECK-NOT:     fuse.contract
// CHECK:         return
func.func @not_for_them(%x: tensor<3x64xbf16>, %v: tensor<64x32xi8>, %w: tensor<32x64xi8>, %s: tensor<32x16x1xbf16>) -> (tensor<3x32xbf16>, tensor<3x32xbf16>) {
  %c = fuse.cast %v : tensor<64x32xi8> -> tensor<64x32xbf16>
  %a = fuse.contract "mk,kn->mn" %x, %c : tensor<3x64xbf16>, tensor<64x32xbf16> -> tensor<3x32xbf16>
  %g = tensor.expand_shape %w [[0], [1, 2]] output_shape [32, 16, 4] : tensor<32x64xi8> into tensor<32x16x4xi8>
  %f = fuse.cast %g : tensor<32x16x4xi8> -> tensor<32x16x4xbf16>
  %d = fuse.mul %f, %s : tensor<32x16x4xbf16>, tensor<32x16x1xbf16> -> tensor<32x16x4xbf16>
  %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<32x16x4xbf16> into tensor<32x64xbf16>
  %y = fuse.contract "mk,nk->mn" %x, %r : tensor<3x64xbf16>, tensor<32x64xbf16> -> tensor<3x32xbf16>
  return %a, %y : tensor<3x32xbf16>, tensor<3x32xbf16>
}

// The matrix on the left, its rows across.
// CHECK-LABEL: func.func @few_columns
// CHECK-NOT:     fuse.contract
// CHECK:         fuse.concat {{.*}} dim = 1 : tensor<32x1xf32>, tensor<32x1xf32> -> tensor<32x2xf32>
func.func @few_columns(%w: tensor<64x32xf8E4M3FN>, %x: tensor<64x2xf32>) -> tensor<32x2xf32> {
  %f = fuse.cast %w : tensor<64x32xf8E4M3FN> -> tensor<64x32xf32>
  %y = fuse.contract "km,kn->mn" %f, %x : tensor<64x32xf32>, tensor<64x2xf32> -> tensor<32x2xf32>
  return %y : tensor<32x2xf32>
}

// More rows, rows of unknown number, and a matrix whose scale alone is a byte stay.
// CHECK-LABEL: func.func @many
// CHECK-COUNT-3: fuse.contract
func.func @many(%x: tensor<9x64xbf16>, %z: tensor<?x64xbf16>, %v: tensor<2x64xbf16>, %w: tensor<32x64xi8>, %u: tensor<32x64xbf16>, %s: tensor<32x1xf8E4M3FN>) -> (tensor<9x32xbf16>, tensor<?x32xbf16>, tensor<2x32xbf16>) {
  %f = fuse.cast %w : tensor<32x64xi8> -> tensor<32x64xbf16>
  %0 = fuse.contract "mk,nk->mn" %x, %f : tensor<9x64xbf16>, tensor<32x64xbf16> -> tensor<9x32xbf16>
  %1 = fuse.contract "mk,nk->mn" %z, %f : tensor<?x64xbf16>, tensor<32x64xbf16> -> tensor<?x32xbf16>
  %t = fuse.cast %s : tensor<32x1xf8E4M3FN> -> tensor<32x1xbf16>
  %d = fuse.mul %u, %t : tensor<32x64xbf16>, tensor<32x1xbf16> -> tensor<32x64xbf16>
  %2 = fuse.contract "mk,nk->mn" %v, %d : tensor<2x64xbf16>, tensor<32x64xbf16> -> tensor<2x32xbf16>
  return %0, %1, %2 : tensor<9x32xbf16>, tensor<?x32xbf16>, tensor<2x32xbf16>
}

// 8-bit floats, which nothing computes with, in f32.
// CHECK-LABEL: func.func @bytes
// CHECK:         %[[W:.*]] = fuse.cast %{{.*}} : tensor<32x64xf8E4M3FN> -> tensor<32x64xf32>
// CHECK:         %[[X:.*]] = fuse.cast %{{.*}} : tensor<1x64xf8E5M2> -> tensor<1x64xf32>
// CHECK:         %[[P:.*]] = fuse.mul
// CHECK:         fuse.reduce sum %[[P]]
func.func @bytes(%x: tensor<1x64xf8E5M2>, %w: tensor<32x64xf8E4M3FN>) -> tensor<1x32xf32> {
  %y = fuse.contract "mk,nk->mn" %x, %w : tensor<1x64xf8E5M2>, tensor<32x64xf8E4M3FN> -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}
