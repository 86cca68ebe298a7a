// What follows contractions in the tiles of tensor cores: heads, rotary pairs of
// every form, transposes, slots of caches, slices of a packed product.

// Pairs 64 features apart, by computed angles; heads after a bias.
func.func @half(%x: tensor<?x72xbf16> {fuse.dims = ["T"]}, %w: tensor<512x72xbf16>, %b: tensor<512xbf16>) -> tensor<?x4x128xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x72xbf16>
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x72xbf16>, tensor<512x72xbf16> -> tensor<?x512xbf16>
  %s = fuse.add %p, %b : tensor<?x512xbf16>, tensor<512xbf16> -> tensor<?x512xbf16>
  %h = tensor.expand_shape %s [[0], [1, 2]] output_shape [%n, 4, 128] : tensor<?x512xbf16> into tensor<?x4x128xbf16>
  %r = fuse.rotary half tokens_heads %h base = 1.0e4 : tensor<?x4x128xbf16>
  return %r : tensor<?x4x128xbf16>
}

// By tables, at positions that are read, and both forms returned.
func.func @tables(%x: tensor<?x64xf16> {fuse.dims = ["T"]}, %w: tensor<192x64xf16>, %at: tensor<?xi32> {fuse.dims = ["T"]},
                  %cos: tensor<300x32xf32>, %sin: tensor<300x32xf32>) -> (tensor<?x3x64xf16>, tensor<?x192xf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf16>
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x64xf16>, tensor<192x64xf16> -> tensor<?x192xf16>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [%n, 3, 64] : tensor<?x192xf16> into tensor<?x3x64xf16>
  %r = fuse.rotary half tokens_heads %h tables(%cos, %sin) positions(%at) : tensor<?x3x64xf16>, tensor<300x32xf32>, tensor<?xi32>
  return %r, %p : tensor<?x3x64xf16>, tensor<?x192xf16>
}

// A part of each head, in f32.
func.func @partial(%x: tensor<?x64xbf16> {fuse.dims = ["T"]}, %w: tensor<288x64xbf16>) -> tensor<?x3x96xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x64xbf16>, tensor<288x64xbf16> -> tensor<?x288xbf16>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [%n, 3, 96] : tensor<?x288xbf16> into tensor<?x3x96xbf16>
  %r = fuse.rotary half tokens_heads %h base = 1.0e4 dims = 48 : tensor<?x3x96xbf16>
  %f = fuse.cast %r : tensor<?x3x96xbf16> -> tensor<?x3x96xf32>
  return %f : tensor<?x3x96xf32>
}

// Neighbours, in heads that no tile holds whole; the gradient's direction.
func.func @interleaved(%x: tensor<?x64xbf16> {fuse.dims = ["T"]}, %w: tensor<64x240xbf16>) -> tensor<?x5x48xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %p = fuse.matmul %x, %w : tensor<?x64xbf16>, tensor<64x240xbf16> -> tensor<?x240xbf16>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [%n, 5, 48] : tensor<?x240xbf16> into tensor<?x5x48xbf16>
  %r = fuse.rotary interleaved tokens_heads %h base = 1.0e4 dims = 40 inverse : tensor<?x5x48xbf16>
  return %r : tensor<?x5x48xbf16>
}

// Rows of several sequences, heads before tokens.
func.func @heads_first(%x: tensor<3x?x64xbf16> {fuse.dims = ["S"]}, %w: tensor<256x64xbf16>, %past: tensor<3xi32>) -> tensor<3x2x?x128xbf16> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<3x?x64xbf16>
  %p = fuse.matmul %x, %w transpose_rhs : tensor<3x?x64xbf16>, tensor<256x64xbf16> -> tensor<3x?x256xbf16>
  %h = tensor.expand_shape %p [[0], [1], [2, 3]] output_shape [3, %n, 2, 128] : tensor<3x?x256xbf16> into tensor<3x?x2x128xbf16>
  %t = fuse.transpose %h permutation = [0, 2, 1, 3] : tensor<3x?x2x128xbf16> -> tensor<3x2x?x128xbf16>
  %r = fuse.rotary half heads_tokens %t offset(%past) base = 1.0e4 : tensor<3x2x?x128xbf16>, tensor<3xi32>
  return %r : tensor<3x2x?x128xbf16>
}

// Rows go to slots of a cache, some to none.
func.func @append(%x: tensor<?x64xbf16> {fuse.dims = ["T"]}, %w: tensor<256x64xbf16>, %slots: tensor<?xi32> {fuse.dims = ["T"]},
                  %cache: tensor<?x2x128xbf16> {fuse.dims = ["S"]}) -> tensor<?x2x128xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x64xbf16>, tensor<256x64xbf16> -> tensor<?x256xbf16>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [%n, 2, 128] : tensor<?x256xbf16> into tensor<?x2x128xbf16>
  %r = fuse.rotary half tokens_heads %h positions(%slots) base = 1.0e4 : tensor<?x2x128xbf16>, tensor<?xi32>
  %y = fuse.scatter %cache, %slots, %r dim = 0 : tensor<?x2x128xbf16>, tensor<?xi32>, tensor<?x2x128xbf16> -> tensor<?x2x128xbf16>
  return %y : tensor<?x2x128xbf16>
}

// Of a packed product the queries are rotated, keys are rotated and kept in a
// cache, values only kept: in every third slot, as far as there are some.
func.func @packed(%x: tensor<?x64xbf16> {fuse.dims = ["T"]}, %w: tensor<768x64xbf16>, %first: tensor<i32>,
                  %keys: tensor<?x1x128xbf16> {fuse.dims = ["S"]}, %values: tensor<?x1x128xbf16> {fuse.dims = ["S"]})
    -> (tensor<?x4x128xbf16>, tensor<?x1x128xbf16>, tensor<?x1x128xbf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x64xbf16>, tensor<768x64xbf16> -> tensor<?x768xbf16>
  %one = fuse.slice %x offsets = [0, 0] sizes = [-1, 1] : tensor<?x64xbf16> -> tensor<?x1xbf16>
  %row = tensor.collapse_shape %one [[0, 1]] : tensor<?x1xbf16> into tensor<?xbf16>
  %token = fuse.iota dim = 0 like %row : tensor<?xbf16> -> tensor<?xi32>
  %three = fuse.constant dense<3> : tensor<i32>
  %slots = fuse.mul %token, %three : tensor<?xi32>, tensor<i32> -> tensor<?xi32>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [%n, 6, 128] : tensor<?x768xbf16> into tensor<?x6x128xbf16>
  %q = fuse.slice %h offsets = [0, 0, 0] sizes = [-1, 4, 128] : tensor<?x6x128xbf16> -> tensor<?x4x128xbf16>
  %k = fuse.slice %h offsets = [0, 4, 0] sizes = [-1, 1, 128] : tensor<?x6x128xbf16> -> tensor<?x1x128xbf16>
  %v = fuse.slice %h offsets = [0, 5, 0] sizes = [-1, 1, 128] : tensor<?x6x128xbf16> -> tensor<?x1x128xbf16>
  %rq = fuse.rotary half tokens_heads %q offset(%first) base = 1.0e4 : tensor<?x4x128xbf16>, tensor<i32>
  %rk = fuse.rotary half tokens_heads %k offset(%first) base = 1.0e4 : tensor<?x1x128xbf16>, tensor<i32>
  %ck = fuse.scatter %keys, %slots, %rk dim = 0 : tensor<?x1x128xbf16>, tensor<?xi32>, tensor<?x1x128xbf16> -> tensor<?x1x128xbf16>
  %cv = fuse.scatter %values, %slots, %v dim = 0 : tensor<?x1x128xbf16>, tensor<?xi32>, tensor<?x1x128xbf16> -> tensor<?x1x128xbf16>
  return %rq, %ck, %cv : tensor<?x4x128xbf16>, tensor<?x1x128xbf16>, tensor<?x1x128xbf16>
}

// The heads of a packed product that are rotated are the first ones.
func.func @some_heads(%x: tensor<?x64xbf16> {fuse.dims = ["T"]}, %w: tensor<384x64xbf16>) -> tensor<?x6x64xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x64xbf16>, tensor<384x64xbf16> -> tensor<?x384xbf16>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [%n, 6, 64] : tensor<?x384xbf16> into tensor<?x6x64xbf16>
  %r = fuse.rotary half tokens_heads %h base = 1.0e4 heads = 4 : tensor<?x6x64xbf16>
  return %r : tensor<?x6x64xbf16>
}

// One head, which is all of a row; widths that are written from registers.
func.func @one_head(%x: tensor<?x64xbf16> {fuse.dims = ["T"]}, %w: tensor<64x64xbf16>) -> (tensor<?x64xbf16>, tensor<?x4x16xf64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x64xbf16>, tensor<64x64xbf16> -> tensor<?x64xbf16>
  %r = fuse.rotary half heads_tokens %p base = 1.0e4 : tensor<?x64xbf16>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [%n, 4, 16] : tensor<?x64xbf16> into tensor<?x4x16xbf16>
  %d = fuse.cast %h : tensor<?x4x16xbf16> -> tensor<?x4x16xf64>
  return %r, %d : tensor<?x64xbf16>, tensor<?x4x16xf64>
}

// Tokens split, heads of 20 joined with rows, which are no whole vectors.
func.func @odd(%x: tensor<?x64xf16> {fuse.dims = ["T"]}, %w: tensor<64x120xf16>) -> tensor<20x?x6xf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf16>
  %p = fuse.matmul %x, %w : tensor<?x64xf16>, tensor<64x120xf16> -> tensor<?x120xf16>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [%n, 20, 6] : tensor<?x120xf16> into tensor<?x20x6xf16>
  %e = fuse.tanh %h : tensor<?x20x6xf16>
  %t = fuse.transpose %e permutation = [1, 0, 2] : tensor<?x20x6xf16> -> tensor<20x?x6xf16>
  %s = fuse.neg %t : tensor<20x?x6xf16>
  return %s : tensor<20x?x6xf16>
}

// Three products of the same rows: what is copied and what threads write takes
// turns in the buffers.
func.func @qkv(%x: tensor<?x64xbf16> {fuse.dims = ["T"]}, %wq: tensor<512x64xbf16>, %wk: tensor<128x64xbf16>, %wv: tensor<128x64xbf16>,
               %cos: tensor<300x64xf32>, %sin: tensor<300x64xf32>, %first: tensor<i32>,
               %keys: tensor<?x1x128xbf16> {fuse.dims = ["S"]}, %values: tensor<?x1x128xbf16> {fuse.dims = ["S"]})
    -> (tensor<?x4x128xbf16>, tensor<?x1x128xbf16>, tensor<?x1x128xbf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %q = fuse.matmul %x, %wq transpose_rhs : tensor<?x64xbf16>, tensor<512x64xbf16> -> tensor<?x512xbf16>
  %k = fuse.matmul %x, %wk transpose_rhs : tensor<?x64xbf16>, tensor<128x64xbf16> -> tensor<?x128xbf16>
  %v = fuse.matmul %x, %wv transpose_rhs : tensor<?x64xbf16>, tensor<128x64xbf16> -> tensor<?x128xbf16>
  %one = fuse.slice %x offsets = [0, 0] sizes = [-1, 1] : tensor<?x64xbf16> -> tensor<?x1xbf16>
  %row = tensor.collapse_shape %one [[0, 1]] : tensor<?x1xbf16> into tensor<?xbf16>
  %token = fuse.iota dim = 0 like %row : tensor<?xbf16> -> tensor<?xi32>
  %two = fuse.constant dense<2> : tensor<i32>
  %slots = fuse.mul %token, %two : tensor<?xi32>, tensor<i32> -> tensor<?xi32>
  %qh = tensor.expand_shape %q [[0], [1, 2]] output_shape [%n, 4, 128] : tensor<?x512xbf16> into tensor<?x4x128xbf16>
  %kh = tensor.expand_shape %k [[0], [1, 2]] output_shape [%n, 1, 128] : tensor<?x128xbf16> into tensor<?x1x128xbf16>
  %vh = tensor.expand_shape %v [[0], [1, 2]] output_shape [%n, 1, 128] : tensor<?x128xbf16> into tensor<?x1x128xbf16>
  %qr = fuse.rotary half tokens_heads %qh tables(%cos, %sin) offset(%first) : tensor<?x4x128xbf16>, tensor<300x64xf32>, tensor<i32>
  %kr = fuse.rotary half tokens_heads %kh tables(%cos, %sin) offset(%first) : tensor<?x1x128xbf16>, tensor<300x64xf32>, tensor<i32>
  %ck = fuse.scatter %keys, %slots, %kr dim = 0 : tensor<?x1x128xbf16>, tensor<?xi32>, tensor<?x1x128xbf16> -> tensor<?x1x128xbf16>
  %cv = fuse.scatter %values, %slots, %vh dim = 0 : tensor<?x1x128xbf16>, tensor<?xi32>, tensor<?x1x128xbf16> -> tensor<?x1x128xbf16>
  return %qr, %ck, %cv : tensor<?x4x128xbf16>, tensor<?x1x128xbf16>, tensor<?x1x128xbf16>
}

// Heads as wide as tiles can be.
func.func @wide(%x: tensor<?x72xf16> {fuse.dims = ["T"]}, %w: tensor<768x72xf16>) -> tensor<?x3x256xf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x72xf16>
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x72xf16>, tensor<768x72xf16> -> tensor<?x768xf16>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [%n, 3, 256] : tensor<?x768xf16> into tensor<?x3x256xf16>
  %r = fuse.rotary half tokens_heads %h base = 1.0e4 : tensor<?x3x256xf16>
  return %r : tensor<?x3x256xf16>
}

// Half of each head, whose pairs lie a quarter apart.
func.func @some_features(%x: tensor<?x64xbf16> {fuse.dims = ["T"]}, %w: tensor<384x64xbf16>) -> tensor<?x3x128xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x64xbf16>, tensor<384x64xbf16> -> tensor<?x384xbf16>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [%n, 3, 128] : tensor<?x384xbf16> into tensor<?x3x128xbf16>
  %r = fuse.rotary half tokens_heads %h base = 1.0e4 dims = 64 : tensor<?x3x128xbf16>
  return %r : tensor<?x3x128xbf16>
}
