// Matrices times one row, whose factors are 16-bit floats.

// Elements of 4 bits with a scale for 128 of them.
func.func @halves(%x: tensor<1x1024xbf16>, %w: tensor<72x512xi8>, %s: tensor<72x8x1xbf16>) -> tensor<1x72xbf16> {
  %q = fuse.unpack %w : tensor<72x512xi8> -> tensor<72x1024xi8>
  %g = tensor.expand_shape %q [[0], [1, 2]] output_shape [72, 8, 128] : tensor<72x1024xi8> into tensor<72x8x128xi8>
  %f = fuse.cast %g : tensor<72x8x128xi8> -> tensor<72x8x128xbf16>
  %d = fuse.mul %f, %s : tensor<72x8x128xbf16>, tensor<72x8x1xbf16> -> tensor<72x8x128xbf16>
  %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<72x8x128xbf16> into tensor<72x1024xbf16>
  %y = fuse.matmul %x, %r transpose_rhs : tensor<1x1024xbf16>, tensor<72x1024xbf16> -> tensor<1x72xbf16>
  return %y : tensor<1x72xbf16>
}

// With zero points, in groups of 32.
func.func @zeros(%x: tensor<1x512xbf16>, %w: tensor<40x256xi8>, %s: tensor<40x16x1xbf16>, %z: tensor<40x16x1xbf16>) -> tensor<1x40xbf16> {
  %q = fuse.unpack unsigned %w : tensor<40x256xi8> -> tensor<40x512xi8>
  %g = tensor.expand_shape %q [[0], [1, 2]] output_shape [40, 16, 32] : tensor<40x512xi8> into tensor<40x16x32xi8>
  %f = fuse.cast %g : tensor<40x16x32xi8> -> tensor<40x16x32xbf16>
  %c = fuse.sub %f, %z : tensor<40x16x32xbf16>, tensor<40x16x1xbf16> -> tensor<40x16x32xbf16>
  %d = fuse.mul %c, %s : tensor<40x16x32xbf16>, tensor<40x16x1xbf16> -> tensor<40x16x32xbf16>
  %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<40x16x32xbf16> into tensor<40x512xbf16>
  %y = fuse.matmul %x, %r transpose_rhs : tensor<1x512xbf16>, tensor<40x512xbf16> -> tensor<1x40xbf16>
  return %y : tensor<1x40xbf16>
}

// Bytes with a scale for each column of the result, beside one that is reduced, too.
func.func @gated(%x: tensor<1x512xbf16>, %g: tensor<40x512xi8>, %u: tensor<40x512xi8>, %s: tensor<40x1xbf16>) -> tensor<1x40xbf16> {
  %gf = fuse.cast %g : tensor<40x512xi8> -> tensor<40x512xbf16>
  %gd = fuse.mul %gf, %s : tensor<40x512xbf16>, tensor<40x1xbf16> -> tensor<40x512xbf16>
  %uf = fuse.cast %u : tensor<40x512xi8> -> tensor<40x512xbf16>
  %a = fuse.matmul %x, %gd transpose_rhs : tensor<1x512xbf16>, tensor<40x512xbf16> -> tensor<1x40xbf16>
  %b = fuse.matmul %x, %uf transpose_rhs : tensor<1x512xbf16>, tensor<40x512xbf16> -> tensor<1x40xbf16>
  %sa = fuse.silu %a : tensor<1x40xbf16>
  %y = fuse.mul %sa, %b : tensor<1x40xbf16>, tensor<1x40xbf16> -> tensor<1x40xbf16>
  return %y : tensor<1x40xbf16>
}

// As memory has them; vectors that not all threads have.
func.func @plain(%x: tensor<1x448xf16>, %w: tensor<48x448xf16>) -> tensor<1x48xf16> {
  %y = fuse.matmul %x, %w transpose_rhs : tensor<1x448xf16>, tensor<48x448xf16> -> tensor<1x48xf16>
  return %y : tensor<1x48xf16>
}

// A factor that is computed of bf16.
func.func @computed(%x: tensor<1x512xbf16>, %n: tensor<512xbf16>, %w: tensor<32x512xi8>) -> tensor<1x32xbf16> {
  %h = fuse.mul %x, %n : tensor<1x512xbf16>, tensor<512xbf16> -> tensor<1x512xbf16>
  %f = fuse.cast %w : tensor<32x512xi8> -> tensor<32x512xbf16>
  %y = fuse.matmul %h, %f transpose_rhs : tensor<1x512xbf16>, tensor<32x512xbf16> -> tensor<1x32xbf16>
  return %y : tensor<1x32xbf16>
}
