// RUN: fuse-opt %s -split-input-file -fuse-split-rotaries | FileCheck %s

// The pass description's example: a row's sums and those of its partner.
// CHECK-LABEL: func.func @half
// CHECK-SAME:    %[[X:[^:]*]]: tensor<1x64xf32>, %[[W:[^:]*]]: tensor<32x64xf32>
// CHECK:         %[[UNIT:.*]] = fuse.concat %{{.*}}, %{{.*}} dim = 1 : tensor<1x16xf32>, tensor<1x16xf32>
// CHECK:         %[[ANGLES:.*]] = fuse.rotary half heads_tokens %[[UNIT]]
// CHECK:         %[[COS:.*]] = fuse.slice %[[ANGLES]] offsets = [0, 0]
// CHECK:         %[[SIN:.*]] = fuse.slice %[[ANGLES]] offsets = [0, 16]
// CHECK:         %[[FIRSTS:.*]] = fuse.slice %[[W]] offsets = [0, 0]
// CHECK:         %[[A:.*]] = fuse.contract "bd,nd->bn" %[[X]], %[[FIRSTS]]
// CHECK:         %[[SECONDS:.*]] = fuse.slice %[[W]] offsets = [16, 0]
// CHECK:         %[[B:.*]] = fuse.contract "bd,nd->bn" %[[X]], %[[SECONDS]]
// CHECK-DAG:     %[[AC:.*]] = fuse.mul %[[A]], %[[COS]]
// CHECK-DAG:     %[[BS:.*]] = fuse.mul %[[B]], %[[SIN]]
// CHECK:         %[[Y:.*]] = fuse.sub %[[AC]], %[[BS]]
// CHECK-DAG:     %[[BC:.*]] = fuse.mul %[[B]], %[[COS]]
// CHECK-DAG:     %[[AS:.*]] = fuse.mul %[[A]], %[[SIN]]
// CHECK:         %[[Z:.*]] = fuse.add %[[BC]], %[[AS]]
// CHECK:         %[[R:.*]] = fuse.concat %[[Y]], %[[Z]] dim = 1
// CHECK-NEXT:    return %[[R]]
func.func @half(%x: tensor<1x64xf32>, %w: tensor<32x64xf32>) -> tensor<1x32xf32> {
  %y = fuse.contract "bd,nd->bn" %x, %w : tensor<1x64xf32>, tensor<32x64xf32> -> tensor<1x32xf32>
  %r = fuse.rotary half heads_tokens %y base = 1.0e4 : tensor<1x32xf32>
  return %r : tensor<1x32xf32>
}

// -----

// Heads become an axis of the product; a bias is cut as the matrix is, and what
// all features share is not.
// CHECK-LABEL: func.func @heads
// CHECK:         fuse.slice %{{.*}} offsets = [0, 0, 0, 0] {{.*}}tensor<4x2x8x64xf16> -> tensor<4x1x8x64xf16>
// CHECK:         fuse.contract "bd,ahd->bah" {{.*}} -> tensor<1x4x8xf16>
// CHECK:         fuse.slice %{{.*}} offsets = [0, 0, 0] {{.*}}tensor<4x2x8xf16> -> tensor<4x1x8xf16>
// CHECK:         fuse.add {{.*}}tensor<1x4x8xf16>, tensor<4x8xf16>
// CHECK:         fuse.mul {{.*}}tensor<1x4x8xf16>, tensor<1x1x1xf16>
// CHECK:         fuse.slice %{{.*}} offsets = [0, 1, 0, 0] {{.*}}tensor<4x2x8x64xf16> -> tensor<4x1x8x64xf16>
// CHECK:         fuse.contract "bd,ahd->bah" {{.*}} -> tensor<1x4x8xf16>
// CHECK:         fuse.concat {{.*}} dim = 2 : tensor<1x4x8xf16>, tensor<1x4x8xf16> -> tensor<1x4x16xf16>
// CHECK-NOT:     fuse.rotary
func.func @heads(%x: tensor<1x64xf16>, %w: tensor<64x64xf16>, %b: tensor<64xf16>, %s: tensor<1x1xf16>) -> tensor<1x4x16xf16> {
  %y = fuse.contract "bd,hd->bh" %x, %w : tensor<1x64xf16>, tensor<64x64xf16> -> tensor<1x64xf16>
  %z = fuse.add %y, %b : tensor<1x64xf16>, tensor<64xf16>
  %m = fuse.mul %z, %s : tensor<1x64xf16>, tensor<1x1xf16>
  %h = tensor.expand_shape %m [[0], [1, 2]] output_shape [1, 4, 16] : tensor<1x64xf16> into tensor<1x4x16xf16>
  %r = fuse.rotary half tokens_heads %h base = 1.0e4 : tensor<1x4x16xf16>
  return %r : tensor<1x4x16xf16>
}

// -----

// Neighbours are pairs: every second row.
// CHECK-LABEL: func.func @interleaved
// CHECK:         fuse.slice %{{.*}} offsets = [0, 0] sizes = [32, 64] steps = [2, 1]
// CHECK:         fuse.contract {{.*}} -> tensor<1x32xf32>
// CHECK:         tensor.expand_shape {{.*}} into tensor<1x4x8xf32>
// CHECK:         fuse.slice %{{.*}} offsets = [1, 0] sizes = [32, 64] steps = [2, 1]
// CHECK:         %[[BOTH:.*]] = fuse.concat {{.*}} dim = 3 : tensor<1x4x8x1xf32>, tensor<1x4x8x1xf32>
// CHECK:         tensor.collapse_shape %[[BOTH]] {{.*}} into tensor<1x4x16xf32>
func.func @interleaved(%x: tensor<1x64xf32>, %w: tensor<64x64xf32>) -> tensor<1x4x16xf32> {
  %y = fuse.contract "bd,nd->bn" %x, %w : tensor<1x64xf32>, tensor<64x64xf32> -> tensor<1x64xf32>
  %h = tensor.expand_shape %y [[0], [1, 2]] output_shape [1, 4, 16] : tensor<1x64xf32> into tensor<1x4x16xf32>
  %r = fuse.rotary interleaved tokens_heads %h base = 1.0e4 : tensor<1x4x16xf32>
  return %r : tensor<1x4x16xf32>
}

// -----

// Several rows are multiplied as a matrix, the sums are read elsewhere, too, and
// heads are rotated in part.
// CHECK-LABEL: func.func @stays
// CHECK-NOT:     fuse.slice
func.func @stays(%x: tensor<2x64xf32>, %o: tensor<1x64xf32>, %w: tensor<32x64xf32>) -> (tensor<2x32xf32>, tensor<1x32xf32>, tensor<1x32xf32>, tensor<1x32xf32>) {
  %y = fuse.contract "bd,nd->bn" %x, %w : tensor<2x64xf32>, tensor<32x64xf32> -> tensor<2x32xf32>
  %r = fuse.rotary half heads_tokens %y base = 1.0e4 : tensor<2x32xf32>
  %z = fuse.contract "bd,nd->bn" %o, %w : tensor<1x64xf32>, tensor<32x64xf32> -> tensor<1x32xf32>
  %s = fuse.rotary half heads_tokens %z base = 1.0e4 : tensor<1x32xf32>
  %p = fuse.contract "bd,nd->bn" %o, %w : tensor<1x64xf32>, tensor<32x64xf32> -> tensor<1x32xf32>
  %t = fuse.rotary half heads_tokens %p base = 1.0e4 dims = 16 : tensor<1x32xf32>
  return %r, %z, %s, %t : tensor<2x32xf32>, tensor<1x32xf32>, tensor<1x32xf32>, tensor<1x32xf32>
}

// -----

// Tables of 16 bits are widened, since the input is f32 here.
// CHECK-LABEL: func.func @tables
// CHECK-SAME:    %[[COS:[^:]*]]: tensor<1x12xbf16>, %[[SIN:[^:]*]]: tensor<1x12xbf16>
// CHECK-DAG:     %[[C:.*]] = fuse.cast %[[COS]] : tensor<1x12xbf16> -> tensor<1x12xf32>
// CHECK-DAG:     %[[S:.*]] = fuse.cast %[[SIN]] : tensor<1x12xbf16> -> tensor<1x12xf32>
// CHECK:         fuse.rotary half heads_tokens %{{.*}} tables(%[[C]], %[[S]])
func.func @tables(%cos: tensor<1x12xbf16>, %sin: tensor<1x12xbf16>, %x: tensor<1x64xbf16>, %w: tensor<24x64xbf16>) -> tensor<1x24xbf16> {
  %y = fuse.contract "bd,nd->bn" %x, %w : tensor<1x64xbf16>, tensor<24x64xbf16> -> tensor<1x24xbf16>
  %r = fuse.rotary half heads_tokens %y tables(%cos, %sin) : tensor<1x24xbf16>, tensor<1x12xbf16>
  return %r : tensor<1x24xbf16>
}
