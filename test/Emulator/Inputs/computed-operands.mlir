// Contractions that compute an operand on its way to the tensor cores.

// A scale for each column of the result, and a bias.
func.func @bytes(%x: tensor<?x?xbf16> {fuse.dims = ["m", "k"]}, %w: tensor<200x?xi8> {fuse.dims = ["k"]}, %s: tensor<200x1xbf16>, %b: tensor<200xbf16>) -> tensor<?x200xbf16> {
  %f = fuse.cast %w : tensor<200x?xi8> -> tensor<200x?xbf16>
  %d = fuse.mul %f, %s : tensor<200x?xbf16>, tensor<200x1xbf16> -> tensor<200x?xbf16>
  %p = fuse.matmul %x, %d transpose_rhs : tensor<?x?xbf16>, tensor<200x?xbf16> -> tensor<?x200xbf16>
  %y = fuse.add %p, %b : tensor<?x200xbf16>, tensor<200xbf16> -> tensor<?x200xbf16>
  return %y : tensor<?x200xbf16>
}

// Two in a byte, with a zero point and a scale for 128 places of the summed axis.
func.func @halves(%x: tensor<?x640xbf16> {fuse.dims = ["m"]}, %w: tensor<72x320xi8>, %z: tensor<72x5x1xi8>, %s: tensor<72x5x1xbf16>) -> tensor<?x72xbf16> {
  %q = fuse.unpack unsigned %w : tensor<72x320xi8> -> tensor<72x640xi8>
  %g = tensor.expand_shape %q [[0], [1, 2]] output_shape [72, 5, 128] : tensor<72x640xi8> into tensor<72x5x128xi8>
  %f = fuse.cast %g : tensor<72x5x128xi8> -> tensor<72x5x128xbf16>
  %zf = fuse.cast %z : tensor<72x5x1xi8> -> tensor<72x5x1xbf16>
  %c = fuse.sub %f, %zf : tensor<72x5x128xbf16>, tensor<72x5x1xbf16> -> tensor<72x5x128xbf16>
  %d = fuse.mul %c, %s : tensor<72x5x128xbf16>, tensor<72x5x1xbf16> -> tensor<72x5x128xbf16>
  %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<72x5x128xbf16> into tensor<72x640xbf16>
  %y = fuse.matmul %x, %r transpose_rhs : tensor<?x640xbf16>, tensor<72x640xbf16> -> tensor<?x72xbf16>
  return %y : tensor<?x72xbf16>
}

// Groups of 96, the last of which has 32, so that steps of 64 end inside them.
func.func @ragged(%x: tensor<?x224xf16> {fuse.dims = ["m"]}, %w: tensor<40x112xi8>, %s: tensor<40x3x1xf32>) -> tensor<?x40xf16> {
  %q = fuse.unpack %w : tensor<40x112xi8> -> tensor<40x224xi8>
  %f = fuse.cast %q : tensor<40x224xi8> -> tensor<40x224xf32>
  %p = fuse.pad %f low = [0, 0] high = [0, 64] value = 0.0 : tensor<40x224xf32> -> tensor<40x288xf32>
  %g = tensor.expand_shape %p [[0], [1, 2]] output_shape [40, 3, 96] : tensor<40x288xf32> into tensor<40x3x96xf32>
  %d = fuse.mul %g, %s : tensor<40x3x96xf32>, tensor<40x3x1xf32> -> tensor<40x3x96xf32>
  %a = tensor.collapse_shape %d [[0], [1, 2]] : tensor<40x3x96xf32> into tensor<40x288xf32>
  %c = fuse.slice %a offsets = [0, 0] sizes = [40, 224] : tensor<40x288xf32> -> tensor<40x224xf32>
  %h = fuse.cast %c : tensor<40x224xf32> -> tensor<40x224xf16>
  %y = fuse.matmul %x, %h transpose_rhs : tensor<?x224xf16>, tensor<40x224xf16> -> tensor<?x40xf16>
  return %y : tensor<?x40xf16>
}

// 8-bit floats across the summed axis, whose 32 places share a scale of each column.
func.func @across(%x: tensor<?x160xbf16> {fuse.dims = ["m"]}, %w: tensor<160x96xf8E5M2>, %s: tensor<5x1x96xf32>) -> tensor<?x96xbf16> {
  %g = tensor.expand_shape %w [[0, 1], [2]] output_shape [5, 32, 96] : tensor<160x96xf8E5M2> into tensor<5x32x96xf8E5M2>
  %f = fuse.cast %g : tensor<5x32x96xf8E5M2> -> tensor<5x32x96xf32>
  %d = fuse.mul %f, %s : tensor<5x32x96xf32>, tensor<5x1x96xf32> -> tensor<5x32x96xf32>
  %h = fuse.cast %d : tensor<5x32x96xf32> -> tensor<5x32x96xbf16>
  %r = tensor.collapse_shape %h [[0, 1], [2]] : tensor<5x32x96xbf16> into tensor<160x96xbf16>
  %y = fuse.matmul %x, %r : tensor<?x160xbf16>, tensor<160x96xbf16> -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// Two products that meet, and what their tiles add to.
func.func @gated(%x: tensor<?x256xbf16> {fuse.dims = ["m"]}, %g: tensor<96x128xi8>, %u: tensor<96x128xi8>, %sg: tensor<96x2x1xbf16>, %su: tensor<96x2x1xbf16>, %r: tensor<?x96xbf16> {fuse.dims = ["m"]}) -> tensor<?x96xbf16> {
  %g0 = fuse.unpack %g : tensor<96x128xi8> -> tensor<96x256xi8>
  %g1 = tensor.expand_shape %g0 [[0], [1, 2]] output_shape [96, 2, 128] : tensor<96x256xi8> into tensor<96x2x128xi8>
  %g2 = fuse.cast %g1 : tensor<96x2x128xi8> -> tensor<96x2x128xbf16>
  %g3 = fuse.mul %g2, %sg : tensor<96x2x128xbf16>, tensor<96x2x1xbf16> -> tensor<96x2x128xbf16>
  %g4 = tensor.collapse_shape %g3 [[0], [1, 2]] : tensor<96x2x128xbf16> into tensor<96x256xbf16>
  %u0 = fuse.unpack %u : tensor<96x128xi8> -> tensor<96x256xi8>
  %u1 = tensor.expand_shape %u0 [[0], [1, 2]] output_shape [96, 2, 128] : tensor<96x256xi8> into tensor<96x2x128xi8>
  %u2 = fuse.cast %u1 : tensor<96x2x128xi8> -> tensor<96x2x128xbf16>
  %u3 = fuse.mul %u2, %su : tensor<96x2x128xbf16>, tensor<96x2x1xbf16> -> tensor<96x2x128xbf16>
  %u4 = tensor.collapse_shape %u3 [[0], [1, 2]] : tensor<96x2x128xbf16> into tensor<96x256xbf16>
  %a = fuse.matmul %x, %g4 transpose_rhs : tensor<?x256xbf16>, tensor<96x256xbf16> -> tensor<?x96xbf16>
  %b = fuse.matmul %x, %u4 transpose_rhs : tensor<?x256xbf16>, tensor<96x256xbf16> -> tensor<?x96xbf16>
  %s = fuse.silu %a : tensor<?x96xbf16>
  %p = fuse.mul %s, %b : tensor<?x96xbf16>
  %y = fuse.add %p, %r : tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// Rows of 8-bit floats, in batches, each with its own weights.
func.func @rows(%x: tensor<3x?x144xf8E4M3FN> {fuse.dims = ["m"]}, %s: tensor<3x?x1xbf16> {fuse.dims = ["m"]}, %w: tensor<3x56x144xbf16>) -> tensor<3x?x56xbf16> {
  %f = fuse.cast %x : tensor<3x?x144xf8E4M3FN> -> tensor<3x?x144xbf16>
  %d = fuse.mul %f, %s : tensor<3x?x144xbf16>, tensor<3x?x1xbf16> -> tensor<3x?x144xbf16>
  %y = fuse.matmul %d, %w transpose_rhs : tensor<3x?x144xbf16>, tensor<3x56x144xbf16> -> tensor<3x?x56xbf16>
  return %y : tensor<3x?x56xbf16>
}

// Both operands, and rows that are made of two axes.
func.func @both(%x: tensor<2x?x96xf8E4M3FN> {fuse.dims = ["m"]}, %w: tensor<64x96xi8>) -> tensor<2x?x64xbf16> {
  %f = fuse.cast %x : tensor<2x?x96xf8E4M3FN> -> tensor<2x?x96xbf16>
  %d = fuse.cast %w : tensor<64x96xi8> -> tensor<64x96xbf16>
  %y = fuse.contract "bmk,nk->bmn" %f, %d : tensor<2x?x96xbf16>, tensor<64x96xbf16> -> tensor<2x?x64xbf16>
  return %y : tensor<2x?x64xbf16>
}
