// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 --remarks-filter='fuse-.*' 2> %t.remarks > /dev/null
// RUN: python3 %S/Inputs/check_reasons.py %s %t.remarks

// Each function is named after the reason that it is given; not_ stands before
// one that nearly asks for it.

func.func @kernelBetween(%q: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
  %m = fuse.reduce max %q dims = [1] keep : tensor<64x128xf32> -> tensor<64x1xf32>
  %d = fuse.sub %q, %m : tensor<64x128xf32>, tensor<64x1xf32> -> tensor<64x128xf32>
  %p = fuse.matmul %d, %w : tensor<64x128xf32>, tensor<128x128xf32> -> tensor<64x128xf32>
  %e = fuse.softmax %p dims = [1] : tensor<64x128xf32>
  %y = fuse.mul %e, %d : tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}
func.func @not_kernelBetween(%q: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
  %p = fuse.matmul %q, %w : tensor<64x128xf32>, tensor<128x128xf32> -> tensor<64x128xf32>
  %e = fuse.softmax %p dims = [1] : tensor<64x128xf32>
  return %e : tensor<64x128xf32>
}

func.func @reshapeBetween(%x: tensor<?x64xf32>, %y: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %y, %c0 : tensor<?x?x64xf32>
  %b = tensor.dim %y, %c1 : tensor<?x?x64xf32>
  %e = fuse.softmax %x dims = [1] : tensor<?x64xf32>
  %r = tensor.expand_shape %e [[0, 1], [2]] output_shape [%a, %b, 64] : tensor<?x64xf32> into tensor<?x?x64xf32>
  %s = fuse.add %r, %y : tensor<?x?x64xf32>
  return %s : tensor<?x?x64xf32>
}
func.func @not_reshapeBetween(%x: tensor<?x64xf32>, %y: tensor<?x4x64xf32>) -> tensor<?x4x64xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %y, %c0 : tensor<?x4x64xf32>
  %e = fuse.softmax %x dims = [1] : tensor<?x64xf32>
  %r = tensor.expand_shape %e [[0, 1], [2]] output_shape [%a, 4, 64] : tensor<?x64xf32> into tensor<?x4x64xf32>
  %s = fuse.add %r, %y : tensor<?x4x64xf32>
  return %s : tensor<?x4x64xf32>
}

func.func @fewBlocks(%x: tensor<2x4096x32x10xf32>) -> tensor<2x4096x32x10xf32> {
  %m = fuse.reduce mean %x dims = [1, 3] keep : tensor<2x4096x32x10xf32> -> tensor<2x1x32x1xf32>
  %d = fuse.sub %x, %m : tensor<2x4096x32x10xf32>, tensor<2x1x32x1xf32> -> tensor<2x4096x32x10xf32>
  %q = fuse.mul %d, %d : tensor<2x4096x32x10xf32>
  %v = fuse.reduce mean %q dims = [1, 3] keep : tensor<2x4096x32x10xf32> -> tensor<2x1x32x1xf32>
  %r = fuse.rsqrt %v : tensor<2x1x32x1xf32>
  %y = fuse.mul %d, %r : tensor<2x4096x32x10xf32>, tensor<2x1x32x1xf32> -> tensor<2x4096x32x10xf32>
  return %y : tensor<2x4096x32x10xf32>
}
func.func @not_fewBlocks(%x: tensor<4096x64x32x10xf32>) -> tensor<4096x64x32x10xf32> {
  %m = fuse.reduce mean %x dims = [2, 3] keep : tensor<4096x64x32x10xf32> -> tensor<4096x64x1x1xf32>
  %d = fuse.sub %x, %m : tensor<4096x64x32x10xf32>, tensor<4096x64x1x1xf32> -> tensor<4096x64x32x10xf32>
  return %d : tensor<4096x64x32x10xf32>
}

func.func @differentShapes(%x: tensor<64x96xf32>) -> (tensor<64x4x1xf32>, tensor<64x3x1xf32>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<64x96xf32> -> tensor<64x1xf32>
  %d = fuse.sub %x, %m : tensor<64x96xf32>, tensor<64x1xf32> -> tensor<64x96xf32>
  %e = tensor.expand_shape %d [[0], [1, 2]] output_shape [64, 4, 24] : tensor<64x96xf32> into tensor<64x4x24xf32>
  %s = fuse.reduce max %e dims = [2] keep : tensor<64x4x24xf32> -> tensor<64x4x1xf32>
  %f = tensor.expand_shape %d [[0], [1, 2]] output_shape [64, 3, 32] : tensor<64x96xf32> into tensor<64x3x32xf32>
  %t = fuse.reduce max %f dims = [2] keep : tensor<64x3x32xf32> -> tensor<64x3x1xf32>
  return %s, %t : tensor<64x4x1xf32>, tensor<64x3x1xf32>
}
func.func @not_differentShapes(%x: tensor<64x128xf32>) -> (tensor<64x1xf32>, tensor<64x4x1xf32>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<64x128xf32> -> tensor<64x1xf32>
  %d = fuse.sub %x, %m : tensor<64x128xf32>, tensor<64x1xf32> -> tensor<64x128xf32>
  %e = tensor.expand_shape %d [[0], [1, 2]] output_shape [64, 4, 32] : tensor<64x128xf32> into tensor<64x4x32xf32>
  %s = fuse.reduce max %e dims = [2] keep : tensor<64x4x32xf32> -> tensor<64x4x1xf32>
  return %m, %s : tensor<64x1xf32>, tensor<64x4x1xf32>
}

func.func @differentDims(%x: tensor<64x128x64xf32>) -> tensor<64x128x64xf32> {
  %m = fuse.softmax %x dims = [2] : tensor<64x128x64xf32>
  %y = fuse.softmax %m dims = [1] : tensor<64x128x64xf32>
  return %y : tensor<64x128x64xf32>
}
func.func @not_differentDims(%x: tensor<64x128x64xf32>) -> tensor<64x128x64xf32> {
  %m = fuse.softmax %x dims = [2] : tensor<64x128x64xf32>
  %y = fuse.softmax %m dims = [2] : tensor<64x128x64xf32>
  return %y : tensor<64x128x64xf32>
}

func.func @groupsUnshared(%x: tensor<64x32x131xf32>) -> tensor<64x1xf32> {
  %a = fuse.reduce max %x dims = [2] : tensor<64x32x131xf32> -> tensor<64x32xf32>
  %b = fuse.reduce sum %a dims = [1] keep : tensor<64x32xf32> -> tensor<64x1xf32>
  return %b : tensor<64x1xf32>
}
func.func @not_groupsUnshared(%x: tensor<64x32x128xf32>) -> tensor<64x1xf32> {
  %a = fuse.reduce max %x dims = [2] : tensor<64x32x128xf32> -> tensor<64x32xf32>
  %b = fuse.reduce sum %a dims = [1] keep : tensor<64x32xf32> -> tensor<64x1xf32>
  return %b : tensor<64x1xf32>
}

func.func @groupsBeside(%x: tensor<64x8x128xf32>, %z: tensor<64x1024xf32>) -> (tensor<64x1xf32>, tensor<64x1xf32>) {
  %a = fuse.reduce max %x dims = [2] : tensor<64x8x128xf32> -> tensor<64x8xf32>
  %b = fuse.reduce sum %a dims = [1] keep : tensor<64x8xf32> -> tensor<64x1xf32>
  %c = fuse.reduce sum %z dims = [1] keep : tensor<64x1024xf32> -> tensor<64x1xf32>
  return %b, %c : tensor<64x1xf32>, tensor<64x1xf32>
}
func.func @not_groupsBeside(%x: tensor<64x8x128xf32>, %z: tensor<64x1024xf32>) -> (tensor<64x1x1xf32>, tensor<64x1xf32>) {
  %a = fuse.reduce max %x dims = [1, 2] keep : tensor<64x8x128xf32> -> tensor<64x1x1xf32>
  %c = fuse.reduce sum %z dims = [1] keep : tensor<64x1024xf32> -> tensor<64x1xf32>
  return %a, %c : tensor<64x1x1xf32>, tensor<64x1xf32>
}

func.func @otherRows(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %s = fuse.softmax %x dims = [1] : tensor<64x128xf32>
  %r = fuse.reverse %s dims = [0] : tensor<64x128xf32>
  %y = fuse.add %s, %r : tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}
func.func @not_otherRows(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %r = fuse.reverse %x dims = [0] : tensor<64x128xf32>
  %s = fuse.softmax %r dims = [1] : tensor<64x128xf32>
  %y = fuse.add %s, %x : tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}

func.func @otherPlaces(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %s = fuse.softmax %x dims = [0] : tensor<64x4096xf32>
  %r = fuse.reverse %s dims = [0] : tensor<64x4096xf32>
  %y = fuse.add %s, %r : tensor<64x4096xf32>
  return %y : tensor<64x4096xf32>
}
func.func @not_otherPlaces(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %s = fuse.softmax %x dims = [1] : tensor<64x128xf32>
  %r = fuse.reverse %s dims = [1] : tensor<64x128xf32>
  %y = fuse.add %s, %r : tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}


func.func @rotaryColumns(%x: tensor<512x32x128xf32>) -> tensor<512x32x128xf32> {
  %m = fuse.reduce mean %x dims = [0] keep : tensor<512x32x128xf32> -> tensor<1x32x128xf32>
  %d = fuse.sub %x, %m : tensor<512x32x128xf32>, tensor<1x32x128xf32> -> tensor<512x32x128xf32>
  %y = fuse.rotary half tokens_heads %d base = 1.0e4 : tensor<512x32x128xf32>
  return %y : tensor<512x32x128xf32>
}
func.func @not_rotaryColumns(%x: tensor<512x32x128xf32>, %w: tensor<128xf32>) -> tensor<512x32x128xf32> {
  %d = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<512x32x128xf32>, tensor<128xf32>
  %y = fuse.rotary half tokens_heads %d base = 1.0e4 : tensor<512x32x128xf32>
  return %y : tensor<512x32x128xf32>
}

func.func @paddedNoRow(%x: tensor<64x16x16xf32>) -> tensor<64x16x24xf32> {
  %s = fuse.softmax %x dims = [1, 2] : tensor<64x16x16xf32>
  %y = fuse.pad %s low = [0, 0, 0] high = [0, 0, 8] value = 0.0 : tensor<64x16x16xf32> -> tensor<64x16x24xf32>
  return %y : tensor<64x16x24xf32>
}
func.func @not_paddedNoRow(%x: tensor<64x256xf32>) -> tensor<64x264xf32> {
  %s = fuse.softmax %x dims = [1] : tensor<64x256xf32>
  %y = fuse.pad %s low = [0, 0] high = [0, 8] value = 0.0 : tensor<64x256xf32> -> tensor<64x264xf32>
  return %y : tensor<64x264xf32>
}

func.func @columnsMoved(%x: tensor<4096x512xf32>) -> tensor<1x520xf32> {
  %s = fuse.reduce sum %x dims = [0] keep : tensor<4096x512xf32> -> tensor<1x512xf32>
  %y = fuse.pad %s low = [0, 0] high = [0, 8] value = 0.0 : tensor<1x512xf32> -> tensor<1x520xf32>
  return %y : tensor<1x520xf32>
}
func.func @not_columnsMoved(%x: tensor<4096x512xf32>, %z: tensor<1x512xf32>) -> tensor<2x512xf32> {
  %s = fuse.reduce sum %x dims = [0] keep : tensor<4096x512xf32> -> tensor<1x512xf32>
  %y = fuse.concat %s, %z dim = 0 : tensor<1x512xf32>, tensor<1x512xf32> -> tensor<2x512xf32>
  return %y : tensor<2x512xf32>
}

func.func @acrossRegisters(%x: tensor<4096x?xf32>) -> (tensor<4096xf32>, tensor<?xf32>) {
  %m = fuse.reduce max %x dims = [1] : tensor<4096x?xf32> -> tensor<4096xf32>
  %s = fuse.reduce sum %x dims = [0] : tensor<4096x?xf32> -> tensor<?xf32>
  return %m, %s : tensor<4096xf32>, tensor<?xf32>
}
func.func @not_acrossRegisters(%x: tensor<4096x512xf32>) -> (tensor<4096xf32>, tensor<512xf32>) {
  %m = fuse.reduce max %x dims = [1] : tensor<4096x512xf32> -> tensor<4096xf32>
  %s = fuse.reduce sum %x dims = [0] : tensor<4096x512xf32> -> tensor<512xf32>
  return %m, %s : tensor<4096xf32>, tensor<512xf32>
}

func.func @acrossNarrow(%x: tensor<4096x513xf32>) -> (tensor<4096xf32>, tensor<513xf32>) {
  %m = fuse.reduce max %x dims = [1] : tensor<4096x513xf32> -> tensor<4096xf32>
  %s = fuse.reduce sum %x dims = [0] : tensor<4096x513xf32> -> tensor<513xf32>
  return %m, %s : tensor<4096xf32>, tensor<513xf32>
}
func.func @not_acrossNarrow(%x: tensor<4096x512xf32>) -> (tensor<4096xf32>, tensor<512xf32>) {
  %m = fuse.reduce max %x dims = [1] : tensor<4096x512xf32> -> tensor<4096xf32>
  %s = fuse.reduce sum %x dims = [0] : tensor<4096x512xf32> -> tensor<512xf32>
  return %m, %s : tensor<4096xf32>, tensor<512xf32>
}

func.func @acrossFewRows(%x: tensor<64x512xf32>) -> (tensor<64xf32>, tensor<512xf32>) {
  %m = fuse.reduce max %x dims = [1] : tensor<64x512xf32> -> tensor<64xf32>
  %s = fuse.reduce sum %x dims = [0] : tensor<64x512xf32> -> tensor<512xf32>
  return %m, %s : tensor<64xf32>, tensor<512xf32>
}
func.func @not_acrossFewRows(%x: tensor<4096x512xf32>) -> (tensor<4096xf32>, tensor<512xf32>) {
  %m = fuse.reduce max %x dims = [1] : tensor<4096x512xf32> -> tensor<4096xf32>
  %s = fuse.reduce sum %x dims = [0] : tensor<4096x512xf32> -> tensor<512xf32>
  return %m, %s : tensor<4096xf32>, tensor<512xf32>
}

func.func @tooManyShapes(%a: tensor<64x64xf32>, %b: tensor<64x96xf32>, %c: tensor<64x128xf32>, %d: tensor<64x160xf32>, %e: tensor<64x192xf32>) -> (tensor<64x64xf32>, tensor<64x96xf32>, tensor<64x128xf32>, tensor<64x160xf32>, tensor<64x192xf32>) {
  %0 = fuse.softmax %a dims = [1] : tensor<64x64xf32>
  %1 = fuse.softmax %b dims = [1] : tensor<64x96xf32>
  %2 = fuse.softmax %c dims = [1] : tensor<64x128xf32>
  %3 = fuse.softmax %d dims = [1] : tensor<64x160xf32>
  %4 = fuse.softmax %e dims = [1] : tensor<64x192xf32>
  return %0, %1, %2, %3, %4 : tensor<64x64xf32>, tensor<64x96xf32>, tensor<64x128xf32>, tensor<64x160xf32>, tensor<64x192xf32>
}
func.func @not_tooManyShapes(%a: tensor<64x64xf32>, %b: tensor<64x96xf32>) -> (tensor<64x64xf32>, tensor<64x96xf32>) {
  %0 = fuse.softmax %a dims = [1] : tensor<64x64xf32>
  %1 = fuse.softmax %b dims = [1] : tensor<64x96xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x96xf32>
}

func.func @knownAndUnknownLength(%a: tensor<64x128xf32>, %b: tensor<64x?xf32>) -> (tensor<64x128xf32>, tensor<64x?xf32>) {
  %0 = fuse.softmax %a dims = [1] : tensor<64x128xf32>
  %1 = fuse.softmax %b dims = [1] : tensor<64x?xf32>
  return %0, %1 : tensor<64x128xf32>, tensor<64x?xf32>
}
func.func @not_knownAndUnknownLength(%a: tensor<64x?xf32>, %b: tensor<64x?xf32>) -> (tensor<64x?xf32>, tensor<64x?xf32>) {
  %0 = fuse.softmax %a dims = [1] : tensor<64x?xf32>
  %1 = fuse.softmax %b dims = [1] : tensor<64x?xf32>
  return %0, %1 : tensor<64x?xf32>, tensor<64x?xf32>
}

func.func @differentVectors(%a: tensor<64x128xf32>, %b: tensor<64x256xbf16>) -> (tensor<64x128xf32>, tensor<64x256xbf16>) {
  %0 = fuse.softmax %a dims = [1] : tensor<64x128xf32>
  %1 = fuse.softmax %b dims = [1] : tensor<64x256xbf16>
  return %0, %1 : tensor<64x128xf32>, tensor<64x256xbf16>
}
func.func @not_differentVectors(%a: tensor<64x128xbf16>, %b: tensor<64x256xbf16>) -> (tensor<64x128xbf16>, tensor<64x256xbf16>) {
  %0 = fuse.softmax %a dims = [1] : tensor<64x128xbf16>
  %1 = fuse.softmax %b dims = [1] : tensor<64x256xbf16>
  return %0, %1 : tensor<64x128xbf16>, tensor<64x256xbf16>
}

func.func @tooManyScans(%x0: tensor<64x128xf32>, %x1: tensor<64x128xf32>, %x2: tensor<64x128xf32>, %x3: tensor<64x128xf32>, %x4: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) {
  %0 = fuse.scan sum %x0 : tensor<64x128xf32>
  %1 = fuse.scan sum %x1 : tensor<64x128xf32>
  %2 = fuse.scan sum %x2 : tensor<64x128xf32>
  %3 = fuse.scan sum %x3 : tensor<64x128xf32>
  %4 = fuse.scan sum %x4 : tensor<64x128xf32>
  return %0, %1, %2, %3, %4 : tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>
}
func.func @not_tooManyScans(%x0: tensor<64x128xf32>, %x1: tensor<64x128xf32>, %x2: tensor<64x128xf32>, %x3: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) {
  %0 = fuse.scan sum %x0 : tensor<64x128xf32>
  %1 = fuse.scan sum %x1 : tensor<64x128xf32>
  %2 = fuse.scan sum %x2 : tensor<64x128xf32>
  %3 = fuse.scan sum %x3 : tensor<64x128xf32>
  return %0, %1, %2, %3 : tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>
}

// Nothing is in the way of two that read nothing in common, if they order rows of one shape.
func.func @orderedOtherShape_2(%x: tensor<64x512xf32>, %z: tensor<64x256xf32>) -> (tensor<64x4xf32>, tensor<64x4xf32>) {
  %a, %i = fuse.top_k %x k = 4 : tensor<64x512xf32> -> tensor<64x4xf32>, tensor<64x4xi32>
  %b, %j = fuse.top_k %z k = 4 : tensor<64x256xf32> -> tensor<64x4xf32>, tensor<64x4xi32>
  return %a, %b : tensor<64x4xf32>, tensor<64x4xf32>
}
func.func @not_orderedOtherShape_2(%x: tensor<64x512xf32>, %z: tensor<64x512xf32>) -> (tensor<64x4xf32>, tensor<64x4xf32>) {
  %a, %i = fuse.top_k %x k = 4 : tensor<64x512xf32> -> tensor<64x4xf32>, tensor<64x4xi32>
  %b, %j = fuse.top_k %z k = 4 : tensor<64x512xf32> -> tensor<64x4xf32>, tensor<64x4xi32>
  return %a, %b : tensor<64x4xf32>, tensor<64x4xf32>
}

func.func @longBesideShort(%a: tensor<64x64xf32>, %b: tensor<64x4096xf32>) -> (tensor<64x64xf32>, tensor<64x4096xf32>) {
  %0 = fuse.softmax %a dims = [1] : tensor<64x64xf32>
  %1 = fuse.softmax %b dims = [1] : tensor<64x4096xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x4096xf32>
}
func.func @not_longBesideShort(%a: tensor<64x1024xf32>, %b: tensor<64x4096xf32>) -> (tensor<64x1024xf32>, tensor<64x4096xf32>) {
  %0 = fuse.softmax %a dims = [1] : tensor<64x1024xf32>
  %1 = fuse.softmax %b dims = [1] : tensor<64x4096xf32>
  return %0, %1 : tensor<64x1024xf32>, tensor<64x4096xf32>
}

// Columns beside columns of the same tensor, and rows that are sorted beside
// rows that are reduced.
func.func @differentDims_2(%x: tensor<512x64x512xf32>) -> (tensor<64x512xf32>, tensor<512x512xf32>) {
  %a = fuse.reduce max %x dims = [0] : tensor<512x64x512xf32> -> tensor<64x512xf32>
  %b = fuse.reduce sum %x dims = [1] : tensor<512x64x512xf32> -> tensor<512x512xf32>
  return %a, %b : tensor<64x512xf32>, tensor<512x512xf32>
}
func.func @differentWalks(%x: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<512xf32>) {
  %c = fuse.scan sum %x : tensor<64x512xf32>
  %s = fuse.reduce sum %x dims = [0] : tensor<64x512xf32> -> tensor<512xf32>
  return %c, %s : tensor<64x512xf32>, tensor<512xf32>
}
func.func @not_differentWalks(%x: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<64xf32>) {
  %c = fuse.scan sum %x : tensor<64x512xf32>
  %s = fuse.reduce max %c dims = [1] : tensor<64x512xf32> -> tensor<64xf32>
  return %c, %s : tensor<64x512xf32>, tensor<64xf32>
}

func.func @orderedOtherDims(%x: tensor<64x512xf32>) -> tensor<512xf32> {
  %c = fuse.scan sum %x : tensor<64x512xf32>
  %s = fuse.reduce max %c dims = [0] : tensor<64x512xf32> -> tensor<512xf32>
  return %s : tensor<512xf32>
}
func.func @not_orderedOtherDims(%x: tensor<64x512xf32>) -> tensor<64xf32> {
  %c = fuse.scan sum %x : tensor<64x512xf32>
  %s = fuse.reduce max %c dims = [1] : tensor<64x512xf32> -> tensor<64xf32>
  return %s : tensor<64xf32>
}
func.func @orderedOtherRows(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %c = fuse.scan sum %x : tensor<64x512xf32>
  %r = fuse.reverse %c dims = [0] : tensor<64x512xf32>
  %y = fuse.add %c, %r : tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
func.func @not_orderedOtherRows(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %c = fuse.scan sum %x : tensor<64x512xf32>
  %y = fuse.add %c, %x : tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
func.func @orderedMoved(%x: tensor<64x128xf32>, %z: tensor<64x8xf32>) -> tensor<64x16xf32> {
  %v, %i = fuse.top_k %x k = 8 : tensor<64x128xf32> -> tensor<64x8xf32>, tensor<64x8xi64>
  %y = fuse.concat %v, %z dim = 1 : tensor<64x8xf32>, tensor<64x8xf32> -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}
func.func @not_orderedMoved(%x: tensor<64x128xf32>) -> tensor<64x8xf32> {
  %v, %i = fuse.top_k %x k = 8 : tensor<64x128xf32> -> tensor<64x8xf32>, tensor<64x8xi64>
  %y = fuse.exp %v : tensor<64x8xf32>
  return %y : tensor<64x8xf32>
}
func.func @scanOtherPlaces(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %c = fuse.scan sum %x : tensor<64x512xf32>
  %r = fuse.reverse %c dims = [1] : tensor<64x512xf32>
  %y = fuse.add %c, %r : tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
func.func @not_scanOtherPlaces(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %c = fuse.scan sum %x : tensor<64x512xf32>
  %y = fuse.mul %c, %c : tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
func.func @orderedAcross(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %a = fuse.scan sum %x : tensor<64x512xf32>
  %b = fuse.scan sum %x dim = 0 : tensor<64x512xf32>
  %y = fuse.add %a, %b : tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
func.func @not_orderedAcross(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %a = fuse.scan sum %x dim = 0 : tensor<64x512xf32>
  %b = fuse.scan max %x dim = 0 : tensor<64x512xf32>
  %y = fuse.add %a, %b : tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}

func.func @oppositeScans(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %a = fuse.scan sum %x : tensor<64x512xf32>
  %b = fuse.scan sum %x reverse : tensor<64x512xf32>
  %y = fuse.add %a, %b : tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
func.func @not_oppositeScans(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %a = fuse.scan sum %x : tensor<64x512xf32>
  %b = fuse.scan max %x : tensor<64x512xf32>
  %y = fuse.add %a, %b : tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}

func.func @scatterNotInRegisters(%c: tensor<64x128xf32>, %i: tensor<8xi32>, %u: tensor<8x128xf32>) -> tensor<64x128xf32> {
  %s = fuse.scatter %c, %i, %u dim = 0 : tensor<64x128xf32>, tensor<8xi32>, tensor<8x128xf32> -> tensor<64x128xf32>
  %y = fuse.exp %s : tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}
func.func @not_scatterNotInRegisters(%c: tensor<64x128xf32>, %i: tensor<8xi32>, %u: tensor<8x128xf32>) -> tensor<64x128xf32> {
  %e = fuse.exp %u : tensor<8x128xf32>
  %s = fuse.scatter %c, %i, %e dim = 0 : tensor<64x128xf32>, tensor<8xi32>, tensor<8x128xf32> -> tensor<64x128xf32>
  return %s : tensor<64x128xf32>
}
func.func @scatterNeedsMemory(%c: tensor<64x128xf32>, %i: tensor<8xi32>, %u: tensor<8x128xf32>) -> tensor<64x128xf32> {
  %e = fuse.exp %c : tensor<64x128xf32>
  %s = fuse.scatter %e, %i, %u dim = 0 : tensor<64x128xf32>, tensor<8xi32>, tensor<8x128xf32> -> tensor<64x128xf32>
  return %s : tensor<64x128xf32>
}
func.func @not_scatterNeedsMemory(%c: tensor<64x128xf32>, %i: tensor<8xi32>, %u: tensor<8x128xf32>) -> tensor<64x128xf32> {
  %s = fuse.scatter %c, %i, %u dim = 0 : tensor<64x128xf32>, tensor<8xi32>, tensor<8x128xf32> -> tensor<64x128xf32>
  return %s : tensor<64x128xf32>
}

func.func @scatterRead(%c: tensor<64x128xf32>, %i: tensor<8xi32>) -> tensor<64x128xf32> {
  %u = fuse.slice %c offsets = [0, 0] sizes = [8, 128] : tensor<64x128xf32> -> tensor<8x128xf32>
  %e = fuse.exp %u : tensor<8x128xf32>
  %s = fuse.scatter %c, %i, %e dim = 0 : tensor<64x128xf32>, tensor<8xi32>, tensor<8x128xf32> -> tensor<64x128xf32>
  return %s : tensor<64x128xf32>
}
func.func @not_scatterRead(%c: tensor<64x128xf32>, %d: tensor<64x128xf32>, %i: tensor<8xi32>) -> tensor<64x128xf32> {
  %u = fuse.slice %d offsets = [0, 0] sizes = [8, 128] : tensor<64x128xf32> -> tensor<8x128xf32>
  %e = fuse.exp %u : tensor<8x128xf32>
  %s = fuse.scatter %c, %i, %e dim = 0 : tensor<64x128xf32>, tensor<8xi32>, tensor<8x128xf32> -> tensor<64x128xf32>
  return %s : tensor<64x128xf32>
}
func.func @scatterBesideColumns(%c: tensor<64x512xf32>, %i: tensor<1xi32>, %x: tensor<4096x512xf32>) -> tensor<64x512xf32> {
  %s = fuse.reduce sum %x dims = [0] keep : tensor<4096x512xf32> -> tensor<1x512xf32>
  %y = fuse.scatter %c, %i, %s dim = 0 : tensor<64x512xf32>, tensor<1xi32>, tensor<1x512xf32> -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
func.func @not_scatterBesideColumns(%c: tensor<64x512xf32>, %i: tensor<8xi32>, %x: tensor<8x512xf32>) -> tensor<64x512xf32> {
  %s = fuse.softmax %x dims = [1] : tensor<8x512xf32>
  %y = fuse.scatter %c, %i, %s dim = 0 : tensor<64x512xf32>, tensor<8xi32>, tensor<8x512xf32> -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
func.func @scatterPartOfRows(%c: tensor<8x4096xf32>, %i: tensor<512xi32>, %x: tensor<8x512xf32>) -> tensor<8x4096xf32> {
  %s = fuse.softmax %x dims = [1] : tensor<8x512xf32>
  %y = fuse.scatter %c, %i, %s dim = 1 : tensor<8x4096xf32>, tensor<512xi32>, tensor<8x512xf32> -> tensor<8x4096xf32>
  return %y : tensor<8x4096xf32>
}
func.func @not_scatterPartOfRows(%c: tensor<64x512xf32>, %i: tensor<8xi32>, %x: tensor<8x512xf32>) -> tensor<64x512xf32> {
  %s = fuse.softmax %x dims = [1] : tensor<8x512xf32>
  %y = fuse.scatter %c, %i, %s dim = 0 : tensor<64x512xf32>, tensor<8xi32>, tensor<8x512xf32> -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
func.func @sharedLongRows(%a: tensor<8x65536xf32>, %b: tensor<8x32768xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = fuse.reduce max %a dims = [1] : tensor<8x65536xf32> -> tensor<8xf32>
  %1 = fuse.reduce max %b dims = [1] : tensor<8x32768xf32> -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
func.func @not_sharedLongRows(%a: tensor<4096x1024xf32>, %b: tensor<4096x2048xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %0 = fuse.reduce max %a dims = [1] : tensor<4096x1024xf32> -> tensor<4096xf32>
  %1 = fuse.reduce max %b dims = [1] : tensor<4096x2048xf32> -> tensor<4096xf32>
  return %0, %1 : tensor<4096xf32>, tensor<4096xf32>
}
func.func @transposedNeighbours(%x: tensor<512x128xf32>) -> tensor<128x512xf32> {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<512x128xf32> -> tensor<128x512xf32>
  %s = fuse.softmax %t dims = [1] : tensor<128x512xf32>
  return %s : tensor<128x512xf32>
}
func.func @not_transposedNeighbours(%x: tensor<512x128xf32>) -> tensor<128x512xf32> {
  %e = fuse.exp %x : tensor<512x128xf32>
  %t = fuse.transpose %e permutation = [1, 0] : tensor<512x128xf32> -> tensor<128x512xf32>
  return %t : tensor<128x512xf32>
}
func.func @orderedOtherShape(%x: tensor<64x512xf32>, %z: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %c = fuse.scan sum %x : tensor<64x512xf32>
  %m = fuse.reduce max %c dims = [1] keep : tensor<64x512xf32> -> tensor<64x1xf32>
  %a = fuse.add %z, %m : tensor<64x256xf32>, tensor<64x1xf32> -> tensor<64x256xf32>
  %d = fuse.scan sum %a : tensor<64x256xf32>
  return %d : tensor<64x256xf32>
}
func.func @not_orderedOtherShape(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %c = fuse.scan sum %x : tensor<64x512xf32>
  %m = fuse.reduce max %c dims = [1] keep : tensor<64x512xf32> -> tensor<64x1xf32>
  %a = fuse.add %x, %m : tensor<64x512xf32>, tensor<64x1xf32> -> tensor<64x512xf32>
  %d = fuse.scan sum %a : tensor<64x512xf32>
  return %d : tensor<64x512xf32>
}
func.func @orderedOtherRows_2(%x: tensor<64x512xf32>, %z: tensor<32x64x512xf32>) -> tensor<32x64x512xf32> {
  %c = fuse.scan sum %x : tensor<64x512xf32>
  %y = fuse.add %c, %z : tensor<64x512xf32>, tensor<32x64x512xf32> -> tensor<32x64x512xf32>
  return %y : tensor<32x64x512xf32>
}
func.func @not_orderedOtherRows_2(%x: tensor<64x512xf32>, %z: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %c = fuse.scan sum %x : tensor<64x512xf32>
  %y = fuse.add %c, %z : tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}

func.func @acrossMoved(%x: tensor<4096x512xf32>, %z: tensor<512xf32>) -> (tensor<4096xf32>, tensor<1024xf32>) {
  %m = fuse.reduce max %x dims = [1] : tensor<4096x512xf32> -> tensor<4096xf32>
  %s = fuse.reduce sum %x dims = [0] : tensor<4096x512xf32> -> tensor<512xf32>
  %y = fuse.concat %s, %z dim = 0 : tensor<512xf32>, tensor<512xf32> -> tensor<1024xf32>
  return %m, %y : tensor<4096xf32>, tensor<1024xf32>
}
func.func @not_acrossMoved(%x: tensor<4096x512xf32>) -> (tensor<4096xf32>, tensor<512xf32>) {
  %m = fuse.reduce max %x dims = [1] : tensor<4096x512xf32> -> tensor<4096xf32>
  %s = fuse.reduce sum %x dims = [0] : tensor<4096x512xf32> -> tensor<512xf32>
  return %m, %s : tensor<4096xf32>, tensor<512xf32>
}
func.func @notRowShape(%x: tensor<64x128xf32>, %z: tensor<32x64x128xf32>) -> tensor<32x64x128xf32> {
  %s = fuse.softmax %x dims = [1] : tensor<64x128xf32>
  %y = fuse.add %s, %z : tensor<64x128xf32>, tensor<32x64x128xf32> -> tensor<32x64x128xf32>
  return %y : tensor<32x64x128xf32>
}
func.func @not_notRowShape(%x: tensor<64x128xf32>, %z: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %s = fuse.softmax %x dims = [1] : tensor<64x128xf32>
  %y = fuse.add %s, %z : tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}
func.func @exchangedDims(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = fuse.reduce sum %x dims = [1] : tensor<64x64xf32> -> tensor<64xf32>
  %d = fuse.div %x, %s : tensor<64x64xf32>, tensor<64xf32> -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
func.func @not_exchangedDims(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<64x64xf32> -> tensor<64x1xf32>
  %d = fuse.div %x, %s : tensor<64x64xf32>, tensor<64x1xf32> -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
func.func @tooManyPlaces(%z: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %x = fuse.exp %z : tensor<64x64xf32>
  %t0 = fuse.transpose %x permutation = [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %a0 = fuse.add %x, %t0 : tensor<64x64xf32>
  %r1 = fuse.reverse %a0 dims = [0] : tensor<64x64xf32>
  %a1 = fuse.add %a0, %r1 : tensor<64x64xf32>
  %r2 = fuse.reverse %a1 dims = [1] : tensor<64x64xf32>
  %a2 = fuse.add %a1, %r2 : tensor<64x64xf32>
  %r3 = fuse.reverse %a2 dims = [0] : tensor<64x64xf32>
  %a3 = fuse.add %a2, %r3 : tensor<64x64xf32>
  return %a3 : tensor<64x64xf32>
}
func.func @not_tooManyPlaces(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %t0 = fuse.transpose %x permutation = [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %a0 = fuse.add %x, %t0 : tensor<64x64xf32>
  %r1 = fuse.reverse %a0 dims = [0] : tensor<64x64xf32>
  %a1 = fuse.add %a0, %r1 : tensor<64x64xf32>
  return %a1 : tensor<64x64xf32>
}

func.func @notOrdered(%x: tensor<64x512xf32>, %c: tensor<100x512xf32>, %ids: tensor<64xi32>) -> (tensor<100x512xf32>) {
  %s = fuse.scan sum %x : tensor<64x512xf32>
  %y = fuse.scatter %c, %ids, %s dim = 0 : tensor<100x512xf32>, tensor<64xi32>, tensor<64x512xf32> -> tensor<100x512xf32>
  return %y : tensor<100x512xf32>
}
func.func @not_notOrdered(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %s = fuse.scan sum %x : tensor<64x512xf32>
  %y = fuse.exp %s : tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}

func.func @resultNotOrdered(%x: tensor<64x512xf32>, %w: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %v, %i = fuse.top_k %x k = 1 : tensor<64x512xf32> -> tensor<64x1xf32>, tensor<64x1xi32>
  %y = fuse.add %v, %w : tensor<64x1xf32>, tensor<64x100xf32> -> tensor<64x100xf32>
  return %y : tensor<64x100xf32>
}
// Each id is compared with all places of its own row, which are many.
func.func @resultNotOrdered_2(%x: tensor<64x128xf32>) -> tensor<64x8x128xi1> {
  %v, %i = fuse.top_k %x k = 8 : tensor<64x128xf32> -> tensor<64x8xf32>, tensor<64x8xi64>
  %c = fuse.iota dim = 0 : tensor<128xi64>
  %e = tensor.expand_shape %i [[0], [1, 2]] output_shape [64, 8, 1] : tensor<64x8xi64> into tensor<64x8x1xi64>
  %y = fuse.compare eq %e, %c : tensor<64x8x1xi64>, tensor<128xi64> -> tensor<64x8x128xi1>
  return %y : tensor<64x8x128xi1>
}
func.func @not_resultNotOrdered(%x: tensor<64x512xf32>, %w: tensor<64x1xf32>) -> tensor<64x1xf32> {
  %v, %i = fuse.top_k %x k = 1 : tensor<64x512xf32> -> tensor<64x1xf32>, tensor<64x1xi32>
  %y = fuse.add %v, %w : tensor<64x1xf32>
  return %y : tensor<64x1xf32>
}

func.func @tooManyTensors(%a0: tensor<?x?x?x?xf32>, %a1: tensor<?x?x?x?xf32>, %a2: tensor<?x?x?x?xf32>, %a3: tensor<?x?x?x?xf32>, %a4: tensor<?x?x?x?xf32>, %a5: tensor<?x?x?x?xf32>, %a6: tensor<?x?x?x?xf32>, %a7: tensor<?x?x?x?xf32>, %a8: tensor<?x?x?x?xf32>, %a9: tensor<?x?x?x?xf32>, %a10: tensor<?x?x?x?xf32>, %a11: tensor<?x?x?x?xf32>, %a12: tensor<?x?x?x?xf32>, %a13: tensor<?x?x?x?xf32>, %a14: tensor<?x?x?x?xf32>, %a15: tensor<?x?x?x?xf32>, %a16: tensor<?x?x?x?xf32>, %a17: tensor<?x?x?x?xf32>, %a18: tensor<?x?x?x?xf32>, %a19: tensor<?x?x?x?xf32>, %a20: tensor<?x?x?x?xf32>, %a21: tensor<?x?x?x?xf32>, %a22: tensor<?x?x?x?xf32>, %a23: tensor<?x?x?x?xf32>, %a24: tensor<?x?x?x?xf32>, %a25: tensor<?x?x?x?xf32>, %a26: tensor<?x?x?x?xf32>, %a27: tensor<?x?x?x?xf32>, %a28: tensor<?x?x?x?xf32>, %a29: tensor<?x?x?x?xf32>, %a30: tensor<?x?x?x?xf32>, %a31: tensor<?x?x?x?xf32>, %a32: tensor<?x?x?x?xf32>, %a33: tensor<?x?x?x?xf32>, %a34: tensor<?x?x?x?xf32>, %a35: tensor<?x?x?x?xf32>, %a36: tensor<?x?x?x?xf32>, %a37: tensor<?x?x?x?xf32>, %a38: tensor<?x?x?x?xf32>, %a39: tensor<?x?x?x?xf32>, %a40: tensor<?x?x?x?xf32>, %a41: tensor<?x?x?x?xf32>, %a42: tensor<?x?x?x?xf32>, %a43: tensor<?x?x?x?xf32>, %a44: tensor<?x?x?x?xf32>, %a45: tensor<?x?x?x?xf32>, %a46: tensor<?x?x?x?xf32>, %a47: tensor<?x?x?x?xf32>, %a48: tensor<?x?x?x?xf32>, %a49: tensor<?x?x?x?xf32>, %a50: tensor<?x?x?x?xf32>, %a51: tensor<?x?x?x?xf32>, %a52: tensor<?x?x?x?xf32>, %a53: tensor<?x?x?x?xf32>, %a54: tensor<?x?x?x?xf32>, %a55: tensor<?x?x?x?xf32>, %a56: tensor<?x?x?x?xf32>, %a57: tensor<?x?x?x?xf32>, %a58: tensor<?x?x?x?xf32>, %a59: tensor<?x?x?x?xf32>, %a60: tensor<?x?x?x?xf32>, %a61: tensor<?x?x?x?xf32>, %a62: tensor<?x?x?x?xf32>, %a63: tensor<?x?x?x?xf32>, %a64: tensor<?x?x?x?xf32>, %a65: tensor<?x?x?x?xf32>, %a66: tensor<?x?x?x?xf32>, %a67: tensor<?x?x?x?xf32>, %a68: tensor<?x?x?x?xf32>, %a69: tensor<?x?x?x?xf32>, %a70: tensor<?x?x?x?xf32>, %a71: tensor<?x?x?x?xf32>, %a72: tensor<?x?x?x?xf32>, %a73: tensor<?x?x?x?xf32>, %a74: tensor<?x?x?x?xf32>, %a75: tensor<?x?x?x?xf32>, %a76: tensor<?x?x?x?xf32>, %a77: tensor<?x?x?x?xf32>, %a78: tensor<?x?x?x?xf32>, %a79: tensor<?x?x?x?xf32>, %a80: tensor<?x?x?x?xf32>, %a81: tensor<?x?x?x?xf32>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) {
  %b0 = fuse.exp %a0 : tensor<?x?x?x?xf32>
  %b1 = fuse.exp %a1 : tensor<?x?x?x?xf32>
  %b2 = fuse.exp %a2 : tensor<?x?x?x?xf32>
  %b3 = fuse.exp %a3 : tensor<?x?x?x?xf32>
  %b4 = fuse.exp %a4 : tensor<?x?x?x?xf32>
  %b5 = fuse.exp %a5 : tensor<?x?x?x?xf32>
  %b6 = fuse.exp %a6 : tensor<?x?x?x?xf32>
  %b7 = fuse.exp %a7 : tensor<?x?x?x?xf32>
  %b8 = fuse.exp %a8 : tensor<?x?x?x?xf32>
  %b9 = fuse.exp %a9 : tensor<?x?x?x?xf32>
  %b10 = fuse.exp %a10 : tensor<?x?x?x?xf32>
  %b11 = fuse.exp %a11 : tensor<?x?x?x?xf32>
  %b12 = fuse.exp %a12 : tensor<?x?x?x?xf32>
  %b13 = fuse.exp %a13 : tensor<?x?x?x?xf32>
  %b14 = fuse.exp %a14 : tensor<?x?x?x?xf32>
  %b15 = fuse.exp %a15 : tensor<?x?x?x?xf32>
  %b16 = fuse.exp %a16 : tensor<?x?x?x?xf32>
  %b17 = fuse.exp %a17 : tensor<?x?x?x?xf32>
  %b18 = fuse.exp %a18 : tensor<?x?x?x?xf32>
  %b19 = fuse.exp %a19 : tensor<?x?x?x?xf32>
  %b20 = fuse.exp %a20 : tensor<?x?x?x?xf32>
  %b21 = fuse.exp %a21 : tensor<?x?x?x?xf32>
  %b22 = fuse.exp %a22 : tensor<?x?x?x?xf32>
  %b23 = fuse.exp %a23 : tensor<?x?x?x?xf32>
  %b24 = fuse.exp %a24 : tensor<?x?x?x?xf32>
  %b25 = fuse.exp %a25 : tensor<?x?x?x?xf32>
  %b26 = fuse.exp %a26 : tensor<?x?x?x?xf32>
  %b27 = fuse.exp %a27 : tensor<?x?x?x?xf32>
  %b28 = fuse.exp %a28 : tensor<?x?x?x?xf32>
  %b29 = fuse.exp %a29 : tensor<?x?x?x?xf32>
  %b30 = fuse.exp %a30 : tensor<?x?x?x?xf32>
  %b31 = fuse.exp %a31 : tensor<?x?x?x?xf32>
  %b32 = fuse.exp %a32 : tensor<?x?x?x?xf32>
  %b33 = fuse.exp %a33 : tensor<?x?x?x?xf32>
  %b34 = fuse.exp %a34 : tensor<?x?x?x?xf32>
  %b35 = fuse.exp %a35 : tensor<?x?x?x?xf32>
  %b36 = fuse.exp %a36 : tensor<?x?x?x?xf32>
  %b37 = fuse.exp %a37 : tensor<?x?x?x?xf32>
  %b38 = fuse.exp %a38 : tensor<?x?x?x?xf32>
  %b39 = fuse.exp %a39 : tensor<?x?x?x?xf32>
  %b40 = fuse.exp %a40 : tensor<?x?x?x?xf32>
  %b41 = fuse.exp %a41 : tensor<?x?x?x?xf32>
  %b42 = fuse.exp %a42 : tensor<?x?x?x?xf32>
  %b43 = fuse.exp %a43 : tensor<?x?x?x?xf32>
  %b44 = fuse.exp %a44 : tensor<?x?x?x?xf32>
  %b45 = fuse.exp %a45 : tensor<?x?x?x?xf32>
  %b46 = fuse.exp %a46 : tensor<?x?x?x?xf32>
  %b47 = fuse.exp %a47 : tensor<?x?x?x?xf32>
  %b48 = fuse.exp %a48 : tensor<?x?x?x?xf32>
  %b49 = fuse.exp %a49 : tensor<?x?x?x?xf32>
  %b50 = fuse.exp %a50 : tensor<?x?x?x?xf32>
  %b51 = fuse.exp %a51 : tensor<?x?x?x?xf32>
  %b52 = fuse.exp %a52 : tensor<?x?x?x?xf32>
  %b53 = fuse.exp %a53 : tensor<?x?x?x?xf32>
  %b54 = fuse.exp %a54 : tensor<?x?x?x?xf32>
  %b55 = fuse.exp %a55 : tensor<?x?x?x?xf32>
  %b56 = fuse.exp %a56 : tensor<?x?x?x?xf32>
  %b57 = fuse.exp %a57 : tensor<?x?x?x?xf32>
  %b58 = fuse.exp %a58 : tensor<?x?x?x?xf32>
  %b59 = fuse.exp %a59 : tensor<?x?x?x?xf32>
  %b60 = fuse.exp %a60 : tensor<?x?x?x?xf32>
  %b61 = fuse.exp %a61 : tensor<?x?x?x?xf32>
  %b62 = fuse.exp %a62 : tensor<?x?x?x?xf32>
  %b63 = fuse.exp %a63 : tensor<?x?x?x?xf32>
  %b64 = fuse.exp %a64 : tensor<?x?x?x?xf32>
  %b65 = fuse.exp %a65 : tensor<?x?x?x?xf32>
  %b66 = fuse.exp %a66 : tensor<?x?x?x?xf32>
  %b67 = fuse.exp %a67 : tensor<?x?x?x?xf32>
  %b68 = fuse.exp %a68 : tensor<?x?x?x?xf32>
  %b69 = fuse.exp %a69 : tensor<?x?x?x?xf32>
  %b70 = fuse.exp %a70 : tensor<?x?x?x?xf32>
  %b71 = fuse.exp %a71 : tensor<?x?x?x?xf32>
  %b72 = fuse.exp %a72 : tensor<?x?x?x?xf32>
  %b73 = fuse.exp %a73 : tensor<?x?x?x?xf32>
  %b74 = fuse.exp %a74 : tensor<?x?x?x?xf32>
  %b75 = fuse.exp %a75 : tensor<?x?x?x?xf32>
  %b76 = fuse.exp %a76 : tensor<?x?x?x?xf32>
  %b77 = fuse.exp %a77 : tensor<?x?x?x?xf32>
  %b78 = fuse.exp %a78 : tensor<?x?x?x?xf32>
  %b79 = fuse.exp %a79 : tensor<?x?x?x?xf32>
  %b80 = fuse.exp %a80 : tensor<?x?x?x?xf32>
  %b81 = fuse.exp %a81 : tensor<?x?x?x?xf32>
  return %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7, %b8, %b9, %b10, %b11, %b12, %b13, %b14, %b15, %b16, %b17, %b18, %b19, %b20, %b21, %b22, %b23, %b24, %b25, %b26, %b27, %b28, %b29, %b30, %b31, %b32, %b33, %b34, %b35, %b36, %b37, %b38, %b39, %b40, %b41, %b42, %b43, %b44, %b45, %b46, %b47, %b48, %b49, %b50, %b51, %b52, %b53, %b54, %b55, %b56, %b57, %b58, %b59, %b60, %b61, %b62, %b63, %b64, %b65, %b66, %b67, %b68, %b69, %b70, %b71, %b72, %b73, %b74, %b75, %b76, %b77, %b78, %b79, %b80, %b81 : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>
}
func.func @not_tooManyTensors(%a0: tensor<64xf32>, %b0: tensor<64xf32>, %a1: tensor<64xf32>, %b1: tensor<64xf32>, %a2: tensor<64xf32>, %b2: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %c0 = fuse.add %a0, %b0 : tensor<64xf32>
  %c1 = fuse.add %a1, %b1 : tensor<64xf32>
  %c2 = fuse.add %a2, %b2 : tensor<64xf32>
  return %c0, %c1, %c2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

func.func @partsMeet(%x: tensor<2048x64xf32>) -> tensor<2048x64xf32> {
  %m = fuse.reduce max %x dims = [0] keep : tensor<2048x64xf32> -> tensor<1x64xf32>
  %y = fuse.sub %x, %m : tensor<2048x64xf32>, tensor<1x64xf32> -> tensor<2048x64xf32>
  return %y : tensor<2048x64xf32>
}
func.func @not_partsMeet(%x: tensor<64x8192xf32>) -> tensor<64x8192xf32> {
  %y = fuse.softmax %x dims = [0] : tensor<64x8192xf32>
  return %y : tensor<64x8192xf32>
}

func.func @resultNotRow(%x: tensor<64x16x32xf32>, %w: tensor<1x16x1xf32>) -> tensor<64x16x1xf32> {
  %y = fuse.mul %x, %w : tensor<64x16x32xf32>, tensor<1x16x1xf32> -> tensor<64x16x32xf32>
  %s = fuse.reduce sum %y dims = [1, 2] keep : tensor<64x16x32xf32> -> tensor<64x1x1xf32>
  %r = fuse.add %s, %w : tensor<64x1x1xf32>, tensor<1x16x1xf32> -> tensor<64x16x1xf32>
  return %r : tensor<64x16x1xf32>
}
func.func @not_resultNotRow(%x: tensor<64x16x32xf32>, %w: tensor<1x16x1xf32>) -> tensor<64x16x32xf32> {
  %y = fuse.mul %x, %w : tensor<64x16x32xf32>, tensor<1x16x1xf32> -> tensor<64x16x32xf32>
  %s = fuse.reduce sum %y dims = [1, 2] keep : tensor<64x16x32xf32> -> tensor<64x1x1xf32>
  %r = fuse.add %y, %s : tensor<64x16x32xf32>, tensor<64x1x1xf32> -> tensor<64x16x32xf32>
  return %r : tensor<64x16x32xf32>
}

func.func @notOrderedShape(%x: tensor<1x512xf32>, %w: tensor<7x1xf32>) -> tensor<7x1xf32> {
  %v, %i = fuse.top_k %x k = 1 : tensor<1x512xf32> -> tensor<1x1xf32>, tensor<1x1xi32>
  %y = fuse.add %v, %w : tensor<1x1xf32>, tensor<7x1xf32> -> tensor<7x1xf32>
  return %y : tensor<7x1xf32>
}
func.func @not_notOrderedShape(%x: tensor<7x512xf32>, %w: tensor<7x1xf32>) -> tensor<7x1xf32> {
  %v, %i = fuse.top_k %x k = 1 : tensor<7x512xf32> -> tensor<7x1xf32>, tensor<7x1xi32>
  %y = fuse.add %v, %w : tensor<7x1xf32>
  return %y : tensor<7x1xf32>
}
