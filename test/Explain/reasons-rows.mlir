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

func.func @differentShapes(%x: tensor<64x128xf32>) -> (tensor<64x1xf32>, tensor<64x4x1xf32>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<64x128xf32> -> tensor<64x1xf32>
  %d = fuse.sub %x, %m : tensor<64x128xf32>, tensor<64x1xf32> -> tensor<64x128xf32>
  %e = tensor.expand_shape %d [[0], [1, 2]] output_shape [64, 4, 32] : tensor<64x128xf32> into tensor<64x4x32xf32>
  %s = fuse.reduce max %e dims = [2] keep : tensor<64x4x32xf32> -> tensor<64x4x1xf32>
  return %m, %s : tensor<64x1xf32>, tensor<64x4x1xf32>
}
func.func @not_differentShapes(%x: tensor<64x128xf32>) -> (tensor<64x1xf32>, tensor<64x1xf32>) {
  %m = fuse.reduce max %x dims = [1] keep : tensor<64x128xf32> -> tensor<64x1xf32>
  %s = fuse.reduce sum %x dims = [1] keep : tensor<64x128xf32> -> tensor<64x1xf32>
  return %m, %s : tensor<64x1xf32>, tensor<64x1xf32>
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

func.func @otherPlaces(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %s = fuse.softmax %x dims = [1] : tensor<64x128xf32>
  %r = fuse.reverse %s dims = [1] : tensor<64x128xf32>
  %y = fuse.add %s, %r : tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}
func.func @not_otherPlaces(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %r = fuse.reverse %x dims = [1] : tensor<64x128xf32>
  %s = fuse.softmax %r dims = [1] : tensor<64x128xf32>
  %y = fuse.add %s, %x : tensor<64x128xf32>
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

func.func @columnsMoved(%x: tensor<4096x512xf32>, %z: tensor<1x512xf32>) -> tensor<2x512xf32> {
  %s = fuse.reduce sum %x dims = [0] keep : tensor<4096x512xf32> -> tensor<1x512xf32>
  %y = fuse.concat %s, %z dim = 0 : tensor<1x512xf32>, tensor<1x512xf32> -> tensor<2x512xf32>
  return %y : tensor<2x512xf32>
}
func.func @not_columnsMoved(%x: tensor<4096x512xf32>) -> tensor<1x512xf32> {
  %s = fuse.reduce sum %x dims = [0] keep : tensor<4096x512xf32> -> tensor<1x512xf32>
  return %s : tensor<1x512xf32>
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
func.func @tooManyPlaces(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
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
func.func @not_resultNotOrdered(%x: tensor<64x512xf32>, %w: tensor<64x1xf32>) -> tensor<64x1xf32> {
  %v, %i = fuse.top_k %x k = 1 : tensor<64x512xf32> -> tensor<64x1xf32>, tensor<64x1xi32>
  %y = fuse.add %v, %w : tensor<64x1xf32>
  return %y : tensor<64x1xf32>
}

func.func @tooManyTensors(%a0: tensor<64xf32>, %b0: tensor<64xf32>, %a1: tensor<64xf32>, %b1: tensor<64xf32>, %a2: tensor<64xf32>, %b2: tensor<64xf32>, %a3: tensor<64xf32>, %b3: tensor<64xf32>, %a4: tensor<64xf32>, %b4: tensor<64xf32>, %a5: tensor<64xf32>, %b5: tensor<64xf32>, %a6: tensor<64xf32>, %b6: tensor<64xf32>, %a7: tensor<64xf32>, %b7: tensor<64xf32>, %a8: tensor<64xf32>, %b8: tensor<64xf32>, %a9: tensor<64xf32>, %b9: tensor<64xf32>, %a10: tensor<64xf32>, %b10: tensor<64xf32>, %a11: tensor<64xf32>, %b11: tensor<64xf32>, %a12: tensor<64xf32>, %b12: tensor<64xf32>, %a13: tensor<64xf32>, %b13: tensor<64xf32>, %a14: tensor<64xf32>, %b14: tensor<64xf32>, %a15: tensor<64xf32>, %b15: tensor<64xf32>, %a16: tensor<64xf32>, %b16: tensor<64xf32>, %a17: tensor<64xf32>, %b17: tensor<64xf32>, %a18: tensor<64xf32>, %b18: tensor<64xf32>, %a19: tensor<64xf32>, %b19: tensor<64xf32>, %a20: tensor<64xf32>, %b20: tensor<64xf32>, %a21: tensor<64xf32>, %b21: tensor<64xf32>, %a22: tensor<64xf32>, %b22: tensor<64xf32>, %a23: tensor<64xf32>, %b23: tensor<64xf32>, %a24: tensor<64xf32>, %b24: tensor<64xf32>, %a25: tensor<64xf32>, %b25: tensor<64xf32>, %a26: tensor<64xf32>, %b26: tensor<64xf32>, %a27: tensor<64xf32>, %b27: tensor<64xf32>, %a28: tensor<64xf32>, %b28: tensor<64xf32>, %a29: tensor<64xf32>, %b29: tensor<64xf32>, %a30: tensor<64xf32>, %b30: tensor<64xf32>, %a31: tensor<64xf32>, %b31: tensor<64xf32>, %a32: tensor<64xf32>, %b32: tensor<64xf32>, %a33: tensor<64xf32>, %b33: tensor<64xf32>, %a34: tensor<64xf32>, %b34: tensor<64xf32>, %a35: tensor<64xf32>, %b35: tensor<64xf32>, %a36: tensor<64xf32>, %b36: tensor<64xf32>, %a37: tensor<64xf32>, %b37: tensor<64xf32>, %a38: tensor<64xf32>, %b38: tensor<64xf32>, %a39: tensor<64xf32>, %b39: tensor<64xf32>, %a40: tensor<64xf32>, %b40: tensor<64xf32>, %a41: tensor<64xf32>, %b41: tensor<64xf32>, %a42: tensor<64xf32>, %b42: tensor<64xf32>, %a43: tensor<64xf32>, %b43: tensor<64xf32>, %a44: tensor<64xf32>, %b44: tensor<64xf32>, %a45: tensor<64xf32>, %b45: tensor<64xf32>, %a46: tensor<64xf32>, %b46: tensor<64xf32>, %a47: tensor<64xf32>, %b47: tensor<64xf32>, %a48: tensor<64xf32>, %b48: tensor<64xf32>, %a49: tensor<64xf32>, %b49: tensor<64xf32>, %a50: tensor<64xf32>, %b50: tensor<64xf32>, %a51: tensor<64xf32>, %b51: tensor<64xf32>, %a52: tensor<64xf32>, %b52: tensor<64xf32>, %a53: tensor<64xf32>, %b53: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %c0 = fuse.add %a0, %b0 : tensor<64xf32>
  %c1 = fuse.add %a1, %b1 : tensor<64xf32>
  %c2 = fuse.add %a2, %b2 : tensor<64xf32>
  %c3 = fuse.add %a3, %b3 : tensor<64xf32>
  %c4 = fuse.add %a4, %b4 : tensor<64xf32>
  %c5 = fuse.add %a5, %b5 : tensor<64xf32>
  %c6 = fuse.add %a6, %b6 : tensor<64xf32>
  %c7 = fuse.add %a7, %b7 : tensor<64xf32>
  %c8 = fuse.add %a8, %b8 : tensor<64xf32>
  %c9 = fuse.add %a9, %b9 : tensor<64xf32>
  %c10 = fuse.add %a10, %b10 : tensor<64xf32>
  %c11 = fuse.add %a11, %b11 : tensor<64xf32>
  %c12 = fuse.add %a12, %b12 : tensor<64xf32>
  %c13 = fuse.add %a13, %b13 : tensor<64xf32>
  %c14 = fuse.add %a14, %b14 : tensor<64xf32>
  %c15 = fuse.add %a15, %b15 : tensor<64xf32>
  %c16 = fuse.add %a16, %b16 : tensor<64xf32>
  %c17 = fuse.add %a17, %b17 : tensor<64xf32>
  %c18 = fuse.add %a18, %b18 : tensor<64xf32>
  %c19 = fuse.add %a19, %b19 : tensor<64xf32>
  %c20 = fuse.add %a20, %b20 : tensor<64xf32>
  %c21 = fuse.add %a21, %b21 : tensor<64xf32>
  %c22 = fuse.add %a22, %b22 : tensor<64xf32>
  %c23 = fuse.add %a23, %b23 : tensor<64xf32>
  %c24 = fuse.add %a24, %b24 : tensor<64xf32>
  %c25 = fuse.add %a25, %b25 : tensor<64xf32>
  %c26 = fuse.add %a26, %b26 : tensor<64xf32>
  %c27 = fuse.add %a27, %b27 : tensor<64xf32>
  %c28 = fuse.add %a28, %b28 : tensor<64xf32>
  %c29 = fuse.add %a29, %b29 : tensor<64xf32>
  %c30 = fuse.add %a30, %b30 : tensor<64xf32>
  %c31 = fuse.add %a31, %b31 : tensor<64xf32>
  %c32 = fuse.add %a32, %b32 : tensor<64xf32>
  %c33 = fuse.add %a33, %b33 : tensor<64xf32>
  %c34 = fuse.add %a34, %b34 : tensor<64xf32>
  %c35 = fuse.add %a35, %b35 : tensor<64xf32>
  %c36 = fuse.add %a36, %b36 : tensor<64xf32>
  %c37 = fuse.add %a37, %b37 : tensor<64xf32>
  %c38 = fuse.add %a38, %b38 : tensor<64xf32>
  %c39 = fuse.add %a39, %b39 : tensor<64xf32>
  %c40 = fuse.add %a40, %b40 : tensor<64xf32>
  %c41 = fuse.add %a41, %b41 : tensor<64xf32>
  %c42 = fuse.add %a42, %b42 : tensor<64xf32>
  %c43 = fuse.add %a43, %b43 : tensor<64xf32>
  %c44 = fuse.add %a44, %b44 : tensor<64xf32>
  %c45 = fuse.add %a45, %b45 : tensor<64xf32>
  %c46 = fuse.add %a46, %b46 : tensor<64xf32>
  %c47 = fuse.add %a47, %b47 : tensor<64xf32>
  %c48 = fuse.add %a48, %b48 : tensor<64xf32>
  %c49 = fuse.add %a49, %b49 : tensor<64xf32>
  %c50 = fuse.add %a50, %b50 : tensor<64xf32>
  %c51 = fuse.add %a51, %b51 : tensor<64xf32>
  %c52 = fuse.add %a52, %b52 : tensor<64xf32>
  %c53 = fuse.add %a53, %b53 : tensor<64xf32>
  return %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11, %c12, %c13, %c14, %c15, %c16, %c17, %c18, %c19, %c20, %c21, %c22, %c23, %c24, %c25, %c26, %c27, %c28, %c29, %c30, %c31, %c32, %c33, %c34, %c35, %c36, %c37, %c38, %c39, %c40, %c41, %c42, %c43, %c44, %c45, %c46, %c47, %c48, %c49, %c50, %c51, %c52, %c53 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
func.func @not_tooManyTensors(%a0: tensor<64xf32>, %b0: tensor<64xf32>, %a1: tensor<64xf32>, %b1: tensor<64xf32>, %a2: tensor<64xf32>, %b2: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %c0 = fuse.add %a0, %b0 : tensor<64xf32>
  %c1 = fuse.add %a1, %b1 : tensor<64xf32>
  %c2 = fuse.add %a2, %b2 : tensor<64xf32>
  return %c0, %c1, %c2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
