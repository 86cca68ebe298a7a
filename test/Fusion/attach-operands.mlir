// RUN: fuse-opt %s -split-input-file -fuse-attach-operands=chip=sm_80 | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: fuse-opt %s -split-input-file -fuse-attach-operands=chip=sm_90a | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: fuse-opt %s -split-input-file -fuse-attach-operands=chip=cpu | FileCheck %s --check-prefixes=CHECK,APART
// RUN: fuse-opt %s -split-input-file "-fuse-attach-operands=chip=sm_80 aligned=false" | FileCheck %s --check-prefixes=CHECK,APART

// CHECK-LABEL: @scaled
// GPU-NOT:     fuse.missed
// GPU-SAME:    fuse.together = [{kernel = "f_1", reason = {{.*}}kind = "operandFaster"
// APART-SAME:  fuse.missed
// GPU:         fuse.kernel "f_1" ins({{.*}}tensor<4096x2048xi8>{{.*}})
// GPU:           fuse.unpack
// GPU:           tensor.collapse_shape
// GPU-NEXT:      fuse.contract
// GPU-NOT:     fuse.kernel
// APART:       fuse.kernel "f_0"
// APART:       tensor.collapse_shape
// APART:       fuse.kernel "f_1"
func.func @scaled(%x: tensor<64x4096xbf16>, %w: tensor<4096x2048xi8>, %s: tensor<4096x32x1xbf16>) -> tensor<64x4096xbf16> attributes {fuse.missed = [{consumer = "f_1", producer = "f_0", reason = {kind = "operandComputed"}}]} {
  %d = fuse.kernel "f_0" ins(%w, %s : tensor<4096x2048xi8>, tensor<4096x32x1xbf16>) -> tensor<4096x32x128xbf16> {
  ^bb0(%a: tensor<4096x2048xi8>, %b: tensor<4096x32x1xbf16>):
    %q = fuse.unpack %a : tensor<4096x2048xi8> -> tensor<4096x4096xi8>
    %g = tensor.expand_shape %q [[0], [1, 2]] output_shape [4096, 32, 128] : tensor<4096x4096xi8> into tensor<4096x32x128xi8>
    %c = fuse.cast %g : tensor<4096x32x128xi8> -> tensor<4096x32x128xbf16>
    %e = fuse.mul %c, %b : tensor<4096x32x128xbf16>, tensor<4096x32x1xbf16>
    fuse.yield %e : tensor<4096x32x128xbf16>
  }
  %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<4096x32x128xbf16> into tensor<4096x4096xbf16>
  %y = fuse.kernel "f_1" ins(%x, %r : tensor<64x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<64x4096xbf16> {
  ^bb0(%a: tensor<64x4096xbf16>, %b: tensor<4096x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x4096xbf16>, tensor<4096x4096xbf16> -> tensor<64x4096xbf16>
    fuse.yield %p : tensor<64x4096xbf16>
  }
  return %y : tensor<64x4096xbf16>
}

// -----

// What others need, too, is written.
// CHECK-LABEL: @needed
// CHECK:       fuse.kernel "f_0"
// CHECK:       fuse.kernel "f_1"
func.func @needed(%x: tensor<64x512xbf16>, %w: tensor<256x512xi8>) -> (tensor<64x256xbf16>, tensor<256x512xbf16>) {
  %d = fuse.kernel "f_0" ins(%w : tensor<256x512xi8>) -> tensor<256x512xbf16> {
  ^bb0(%a: tensor<256x512xi8>):
    %c = fuse.cast %a : tensor<256x512xi8> -> tensor<256x512xbf16>
    fuse.yield %c : tensor<256x512xbf16>
  }
  %y = fuse.kernel "f_1" ins(%x, %d : tensor<64x512xbf16>, tensor<256x512xbf16>) -> tensor<64x256xbf16> {
  ^bb0(%a: tensor<64x512xbf16>, %b: tensor<256x512xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x512xbf16>, tensor<256x512xbf16> -> tensor<64x256xbf16>
    fuse.yield %p : tensor<64x256xbf16>
  }
  return %y, %d : tensor<64x256xbf16>, tensor<256x512xbf16>
}

// -----

// Of elements that are exchanged copies do not bring the right ones.
// CHECK-LABEL: @exchanged
// CHECK:       fuse.kernel "f_0"
// CHECK:       fuse.kernel "f_1"
func.func @exchanged(%x: tensor<64x512xbf16>, %w: tensor<512x256xi8>) -> tensor<64x256xbf16> {
  %d = fuse.kernel "f_0" ins(%w : tensor<512x256xi8>) -> tensor<256x512xbf16> {
  ^bb0(%a: tensor<512x256xi8>):
    %t = fuse.transpose %a permutation = [1, 0] : tensor<512x256xi8> -> tensor<256x512xi8>
    %c = fuse.cast %t : tensor<256x512xi8> -> tensor<256x512xbf16>
    fuse.yield %c : tensor<256x512xbf16>
  }
  %y = fuse.kernel "f_1" ins(%x, %d : tensor<64x512xbf16>, tensor<256x512xbf16>) -> tensor<64x256xbf16> {
  ^bb0(%a: tensor<64x512xbf16>, %b: tensor<256x512xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<64x512xbf16>, tensor<256x512xbf16> -> tensor<64x256xbf16>
    fuse.yield %p : tensor<64x256xbf16>
  }
  return %y : tensor<64x256xbf16>
}

// -----

// For many rows two kernels are faster.
// CHECK-LABEL: @many
// GPU-SAME:    kind = "operandSlower"
// APART-SAME:  kind = "operandComputed"
// CHECK:       fuse.kernel "f_0"
// CHECK:       fuse.kernel "f_1"
func.func @many(%x: tensor<8192x4096xbf16>, %w: tensor<4096x4096xi8>) -> tensor<8192x4096xbf16> attributes {fuse.missed = [{consumer = "f_1", producer = "f_0", reason = {kind = "operandComputed"}}]} {
  %d = fuse.kernel "f_0" ins(%w : tensor<4096x4096xi8>) -> tensor<4096x4096xbf16> {
  ^bb0(%a: tensor<4096x4096xi8>):
    %c = fuse.cast %a : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
    fuse.yield %c : tensor<4096x4096xbf16>
  }
  %y = fuse.kernel "f_1" ins(%x, %d : tensor<8192x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<8192x4096xbf16> {
  ^bb0(%a: tensor<8192x4096xbf16>, %b: tensor<4096x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<8192x4096xbf16>, tensor<4096x4096xbf16> -> tensor<8192x4096xbf16>
    fuse.yield %p : tensor<8192x4096xbf16>
  }
  return %y : tensor<8192x4096xbf16>
}

// -----

// Weights that one kernel dequantises for two contractions go to each of these.
// CHECK-LABEL: @shared
// GPU-NOT:     fuse.kernel "f_0"
// GPU:         fuse.kernel "f_1" ins(%{{.*}}, %{{.*}} : tensor<4096x4096xi8>, tensor<16x4096xbf16>)
// GPU:         fuse.kernel "f_2" ins(%{{.*}}, %{{.*}} : tensor<4096x4096xi8>, tensor<16x4096xbf16>)
// APART:       fuse.kernel "f_0"
func.func @shared(%x: tensor<16x4096xbf16>, %v: tensor<4096x4096xi8>, %w: tensor<4096x4096xi8>) -> tensor<16x4096xbf16> {
  %d:2 = fuse.kernel "f_0" ins(%v, %w : tensor<4096x4096xi8>, tensor<4096x4096xi8>) -> tensor<4096x4096xbf16>, tensor<4096x4096xbf16> {
  ^bb0(%a: tensor<4096x4096xi8>, %b: tensor<4096x4096xi8>):
    %c = fuse.cast %a : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
    %e = fuse.cast %b : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
    fuse.yield %c, %e : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>
  }
  %y = fuse.kernel "f_1" ins(%x, %d#0 : tensor<16x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<16x4096xbf16> {
  ^bb0(%a: tensor<16x4096xbf16>, %b: tensor<4096x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<16x4096xbf16>, tensor<4096x4096xbf16> -> tensor<16x4096xbf16>
    fuse.yield %p : tensor<16x4096xbf16>
  }
  %z = fuse.kernel "f_2" ins(%y, %d#1 : tensor<16x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<16x4096xbf16> {
  ^bb0(%a: tensor<16x4096xbf16>, %b: tensor<4096x4096xbf16>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<16x4096xbf16>, tensor<4096x4096xbf16> -> tensor<16x4096xbf16>
    fuse.yield %p : tensor<16x4096xbf16>
  }
  return %z : tensor<16x4096xbf16>
}
