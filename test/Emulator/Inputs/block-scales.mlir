// 8-bit floats with a scale for each 128 elements of the summed axis, as programs write it.

// For each row of the one operand, and each 128 columns of the other one.
func.func @blocks(%x: tensor<?x3x128xf8E4M3FN>, %w: tensor<384x3x128xf8E4M3FN>, %a: tensor<?x3xf32>, %b: tensor<3x3xf32>, %r: tensor<?x384xbf16>) -> tensor<?x384xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x3x128xf8E4M3FN>
  %p = fuse.contract "mbk,nbk->bmn" %x, %w : tensor<?x3x128xf8E4M3FN>, tensor<384x3x128xf8E4M3FN> -> tensor<3x?x384xf32>
  %at = fuse.transpose %a permutation = [1, 0] : tensor<?x3xf32> -> tensor<3x?xf32>
  %a3 = tensor.expand_shape %at [[0], [1, 2]] output_shape [3, %m, 1] : tensor<3x?xf32> into tensor<3x?x1xf32>
  %q = fuse.mul %p, %a3 : tensor<3x?x384xf32>, tensor<3x?x1xf32> -> tensor<3x?x384xf32>
  %q4 = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [3, %m, 3, 128] : tensor<3x?x384xf32> into tensor<3x?x3x128xf32>
  %bt = fuse.transpose %b permutation = [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  %b4 = tensor.expand_shape %bt [[0, 1], [2, 3]] output_shape [3, 1, 3, 1] : tensor<3x3xf32> into tensor<3x1x3x1xf32>
  %s4 = fuse.mul %q4, %b4 : tensor<3x?x3x128xf32>, tensor<3x1x3x1xf32> -> tensor<3x?x3x128xf32>
  %s = tensor.collapse_shape %s4 [[0], [1], [2, 3]] : tensor<3x?x3x128xf32> into tensor<3x?x384xf32>
  %t = fuse.reduce sum %s dims = [0] : tensor<3x?x384xf32> -> tensor<?x384xf32>
  %e = fuse.cast %r : tensor<?x384xbf16> -> tensor<?x384xf32>
  %u = fuse.add %t, %e : tensor<?x384xf32>
  %y = fuse.cast %u : tensor<?x384xf32> -> tensor<?x384xbf16>
  return %y : tensor<?x384xbf16>
}

// For each row and each column; columns that no tile divides.
func.func @columns(%x: tensor<?x5x128xf8E5M2>, %w: tensor<72x5x128xf8E4M3FN>, %a: tensor<5x?x1xf32>, %b: tensor<5x1x72xf32>) -> tensor<?x72xf32> {
  %p = fuse.contract "mbk,nbk->bmn" %x, %w : tensor<?x5x128xf8E5M2>, tensor<72x5x128xf8E4M3FN> -> tensor<5x?x72xf32>
  %q = fuse.mul %p, %a : tensor<5x?x72xf32>, tensor<5x?x1xf32> -> tensor<5x?x72xf32>
  %s = fuse.mul %q, %b : tensor<5x?x72xf32>, tensor<5x1x72xf32> -> tensor<5x?x72xf32>
  %y = fuse.reduce sum %s dims = [0] : tensor<5x?x72xf32> -> tensor<?x72xf32>
  return %y : tensor<?x72xf32>
}

// Scaled before they are multiplied.
func.func @dequantized(%x: tensor<?x384xf8E4M3FN>, %w: tensor<256x384xf8E4M3FN>, %a: tensor<?x3x1xbf16>, %b: tensor<2x1x3x1xbf16>) -> tensor<?x256xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x384xf8E4M3FN>
  %x3 = tensor.expand_shape %x [[0], [1, 2]] output_shape [%m, 3, 128] : tensor<?x384xf8E4M3FN> into tensor<?x3x128xf8E4M3FN>
  %xf = fuse.cast %x3 : tensor<?x3x128xf8E4M3FN> -> tensor<?x3x128xbf16>
  %xs = fuse.mul %xf, %a : tensor<?x3x128xbf16>, tensor<?x3x1xbf16> -> tensor<?x3x128xbf16>
  %xl = tensor.collapse_shape %xs [[0], [1, 2]] : tensor<?x3x128xbf16> into tensor<?x384xbf16>
  %w4 = tensor.expand_shape %w [[0, 1], [2, 3]] output_shape [2, 128, 3, 128] : tensor<256x384xf8E4M3FN> into tensor<2x128x3x128xf8E4M3FN>
  %wf = fuse.cast %w4 : tensor<2x128x3x128xf8E4M3FN> -> tensor<2x128x3x128xbf16>
  %ws = fuse.mul %wf, %b : tensor<2x128x3x128xbf16>, tensor<2x1x3x1xbf16> -> tensor<2x128x3x128xbf16>
  %wl = tensor.collapse_shape %ws [[0, 1], [2, 3]] : tensor<2x128x3x128xbf16> into tensor<256x384xbf16>
  %y = fuse.matmul %xl, %wl transpose_rhs : tensor<?x384xbf16>, tensor<256x384xbf16> -> tensor<?x256xbf16>
  return %y : tensor<?x256xbf16>
}

// A last block that is not whole, of scales that have room for another one, which is
// not read.
func.func @ragged(%x: tensor<?x304xf8E4M3FN>, %w: tensor<128x304xf8E4M3FN>, %a: tensor<?x3xf32>, %b: tensor<4x128xf32>) -> tensor<?x128xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x304xf8E4M3FN>
  %xp = fuse.pad %x low = [0, 0] high = [0, 80] value = 0.0 : tensor<?x304xf8E4M3FN> -> tensor<?x384xf8E4M3FN>
  %wp = fuse.pad %w low = [0, 0] high = [0, 80] value = 0.0 : tensor<128x304xf8E4M3FN> -> tensor<128x384xf8E4M3FN>
  %x3 = tensor.expand_shape %xp [[0], [1, 2]] output_shape [%m, 3, 128] : tensor<?x384xf8E4M3FN> into tensor<?x3x128xf8E4M3FN>
  %w3 = tensor.expand_shape %wp [[0], [1, 2]] output_shape [128, 3, 128] : tensor<128x384xf8E4M3FN> into tensor<128x3x128xf8E4M3FN>
  %p = fuse.contract "mbk,nbk->bmn" %x3, %w3 : tensor<?x3x128xf8E4M3FN>, tensor<128x3x128xf8E4M3FN> -> tensor<3x?x128xf32>
  %an = fuse.pad %a low = [0, 0] high = [0, 1] value = nan : tensor<?x3xf32> -> tensor<?x4xf32>
  %as = fuse.slice %an offsets = [0, 0] sizes = [-1, 3] : tensor<?x4xf32> -> tensor<?x3xf32>
  %at = fuse.transpose %as permutation = [1, 0] : tensor<?x3xf32> -> tensor<3x?xf32>
  %a3 = tensor.expand_shape %at [[0], [1, 2]] output_shape [3, %m, 1] : tensor<3x?xf32> into tensor<3x?x1xf32>
  %bs = fuse.slice %b offsets = [0, 0] sizes = [3, 128] : tensor<4x128xf32> -> tensor<3x128xf32>
  %b3 = tensor.expand_shape %bs [[0], [1, 2]] output_shape [3, 1, 128] : tensor<3x128xf32> into tensor<3x1x128xf32>
  %q = fuse.mul %p, %a3 : tensor<3x?x128xf32>, tensor<3x?x1xf32> -> tensor<3x?x128xf32>
  %s = fuse.mul %q, %b3 : tensor<3x?x128xf32>, tensor<3x1x128xf32> -> tensor<3x?x128xf32>
  %t = fuse.reduce sum %s dims = [0] : tensor<3x?x128xf32> -> tensor<?x128xf32>
  %y = fuse.cast %t : tensor<?x128xf32> -> tensor<?x128xbf16>
  return %y : tensor<?x128xbf16>
}

// No products with a scale: any function of a block's sums, and a batch.
func.func @clamped(%x: tensor<2x?x2x128xf8E4M3FN>, %w: tensor<2x64x2x128xf8E4M3FN>) -> tensor<2x?x64xf32> {
  %p = fuse.contract "zmbk,znbk->zbmn" %x, %w : tensor<2x?x2x128xf8E4M3FN>, tensor<2x64x2x128xf8E4M3FN> -> tensor<2x2x?x64xf32>
  %q = fuse.relu %p : tensor<2x2x?x64xf32>
  %y = fuse.reduce sum %q dims = [1] : tensor<2x2x?x64xf32> -> tensor<2x?x64xf32>
  return %y : tensor<2x?x64xf32>
}

// Blocks of 64 are no step of the tensor cores: two kernels.
func.func @narrow(%x: tensor<?x4x64xf8E4M3FN>, %w: tensor<64x4x64xf8E4M3FN>, %a: tensor<4x?x1xf32>) -> tensor<?x64xf32> {
  %p = fuse.contract "mbk,nbk->bmn" %x, %w : tensor<?x4x64xf8E4M3FN>, tensor<64x4x64xf8E4M3FN> -> tensor<4x?x64xf32>
  %q = fuse.mul %p, %a : tensor<4x?x64xf32>, tensor<4x?x1xf32> -> tensor<4x?x64xf32>
  %y = fuse.reduce sum %q dims = [0] : tensor<4x?x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
