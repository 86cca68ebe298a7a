// One row times weights of 8 and 4 bits, with scales.

// A scale for each column of the result.
func.func @bytes(%x: tensor<1x1024xbf16>, %w: tensor<64x1024xi8>, %s: tensor<64xbf16>) -> tensor<1x64xbf16> {
  %f = fuse.cast %w : tensor<64x1024xi8> -> tensor<64x1024xbf16>
  %c = tensor.expand_shape %s [[0, 1]] output_shape [64, 1] : tensor<64xbf16> into tensor<64x1xbf16>
  %d = fuse.mul %f, %c : tensor<64x1024xbf16>, tensor<64x1xbf16> -> tensor<64x1024xbf16>
  %y = fuse.matmul %x, %d transpose_rhs : tensor<1x1024xbf16>, tensor<64x1024xbf16> -> tensor<1x64xbf16>
  return %y : tensor<1x64xbf16>
}

// 8-bit floats, and a scale for 128 elements of the summed axis.
func.func @floats(%x: tensor<1x1024xf16>, %w: tensor<64x8x128xf8E4M3FN>, %s: tensor<64x8x1xf32>) -> tensor<1x64xf16> {
  %f = fuse.cast %w : tensor<64x8x128xf8E4M3FN> -> tensor<64x8x128xf32>
  %d = fuse.mul %f, %s : tensor<64x8x128xf32>, tensor<64x8x1xf32> -> tensor<64x8x128xf32>
  %h = fuse.cast %d : tensor<64x8x128xf32> -> tensor<64x8x128xf16>
  %r = tensor.collapse_shape %h [[0], [1, 2]] : tensor<64x8x128xf16> into tensor<64x1024xf16>
  %y = fuse.matmul %x, %r transpose_rhs : tensor<1x1024xf16>, tensor<64x1024xf16> -> tensor<1x64xf16>
  return %y : tensor<1x64xf16>
}

// Two in a byte.
func.func @halves(%x: tensor<1x1024xbf16>, %w: tensor<64x512xi8>, %s: tensor<64x8x1xbf16>) -> tensor<1x64xbf16> {
  %q = fuse.unpack %w : tensor<64x512xi8> -> tensor<64x1024xi8>
  %g = tensor.expand_shape %q [[0], [1, 2]] output_shape [64, 8, 128] : tensor<64x1024xi8> into tensor<64x8x128xi8>
  %f = fuse.cast %g : tensor<64x8x128xi8> -> tensor<64x8x128xbf16>
  %d = fuse.mul %f, %s : tensor<64x8x128xbf16>, tensor<64x8x1xbf16> -> tensor<64x8x128xbf16>
  %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<64x8x128xbf16> into tensor<64x1024xbf16>
  %y = fuse.matmul %x, %r transpose_rhs : tensor<1x1024xbf16>, tensor<64x1024xbf16> -> tensor<1x64xbf16>
  return %y : tensor<1x64xbf16>
}

// The same with zero points, and a last group that is not whole.
func.func @ragged(%x: tensor<1x200xf32>, %w: tensor<33x100xi8>, %s: tensor<33x2xf32>, %z: tensor<33x2xf32>) -> tensor<1x33xf32> {
  %q = fuse.unpack unsigned %w : tensor<33x100xi8> -> tensor<33x200xi8>
  %f = fuse.cast %q : tensor<33x200xi8> -> tensor<33x200xf32>
  %p = fuse.pad %f low = [0, 0] high = [0, 56] value = 0.0 : tensor<33x200xf32> -> tensor<33x256xf32>
  %g = tensor.expand_shape %p [[0], [1, 2]] output_shape [33, 2, 128] : tensor<33x256xf32> into tensor<33x2x128xf32>
  %z3 = tensor.expand_shape %z [[0], [1, 2]] output_shape [33, 2, 1] : tensor<33x2xf32> into tensor<33x2x1xf32>
  %s3 = tensor.expand_shape %s [[0], [1, 2]] output_shape [33, 2, 1] : tensor<33x2xf32> into tensor<33x2x1xf32>
  %c = fuse.sub %g, %z3 : tensor<33x2x128xf32>, tensor<33x2x1xf32> -> tensor<33x2x128xf32>
  %d = fuse.mul %c, %s3 : tensor<33x2x128xf32>, tensor<33x2x1xf32> -> tensor<33x2x128xf32>
  %a = tensor.collapse_shape %d [[0], [1, 2]] : tensor<33x2x128xf32> into tensor<33x256xf32>
  %r = fuse.slice %a offsets = [0, 0] sizes = [33, 200] : tensor<33x256xf32> -> tensor<33x200xf32>
  %y = fuse.matmul %x, %r transpose_rhs : tensor<1x200xf32>, tensor<33x200xf32> -> tensor<1x33xf32>
  return %y : tensor<1x33xf32>
}

// Bytes that vectors do not start at: from an odd address on, backwards, across.
func.func @moved(%w: tensor<?x?xi8>) -> (tensor<?x?xi8>, tensor<?x?xi8>, tensor<?x?xi8>, tensor<?x?xf16>) {
  %q = fuse.unpack %w : tensor<?x?xi8> -> tensor<?x?xi8>
  %a = fuse.slice %q offsets = [0, 3] sizes = [-1, -1] : tensor<?x?xi8> -> tensor<?x?xi8>
  %b = fuse.reverse %q dims = [1] : tensor<?x?xi8>
  %c = fuse.transpose %q permutation = [1, 0] : tensor<?x?xi8> -> tensor<?x?xi8>
  %d = fuse.cast %q : tensor<?x?xi8> -> tensor<?x?xf16>
  return %a, %b, %c, %d : tensor<?x?xi8>, tensor<?x?xi8>, tensor<?x?xi8>, tensor<?x?xf16>
}

// A few rows, and what follows.
func.func @few(%x: tensor<3x1024xbf16>, %w: tensor<64x512xi8>, %s: tensor<64x8x1xbf16>, %r: tensor<3x64xbf16>) -> tensor<3x64xbf16> {
  %q = fuse.unpack unsigned %w : tensor<64x512xi8> -> tensor<64x1024xi8>
  %g = tensor.expand_shape %q [[0], [1, 2]] output_shape [64, 8, 128] : tensor<64x1024xi8> into tensor<64x8x128xi8>
  %f = fuse.cast %g : tensor<64x8x128xi8> -> tensor<64x8x128xbf16>
  %d = fuse.mul %f, %s : tensor<64x8x128xbf16>, tensor<64x8x1xbf16> -> tensor<64x8x128xbf16>
  %a = tensor.collapse_shape %d [[0], [1, 2]] : tensor<64x8x128xbf16> into tensor<64x1024xbf16>
  %p = fuse.matmul %x, %a transpose_rhs : tensor<3x1024xbf16>, tensor<64x1024xbf16> -> tensor<3x64xbf16>
  %y = fuse.add %p, %r : tensor<3x64xbf16>
  return %y : tensor<3x64xbf16>
}

// Of a number of rows that only the call knows a kernel of its own writes the weights as 16-bit floats.
func.func @rows(%x: tensor<?x1024xbf16>, %w: tensor<64x512xi8>) -> tensor<?x64xbf16> {
  %q = fuse.unpack %w : tensor<64x512xi8> -> tensor<64x1024xi8>
  %f = fuse.cast %q : tensor<64x1024xi8> -> tensor<64x1024xbf16>
  %y = fuse.matmul %x, %f transpose_rhs : tensor<?x1024xbf16>, tensor<64x1024xbf16> -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}
