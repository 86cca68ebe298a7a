// Several contractions of 8-bit floats with scales by blocks whose results meet.

// Gate and up as DeepSeek's models have them: rows share their scales, and 128 columns theirs.
func.func @gated(%x: tensor<?x3x128xf8E4M3FN>, %g: tensor<384x3x128xf8E4M3FN>, %u: tensor<384x3x128xf8E4M3FN>, %a: tensor<3x?x1xf32>, %bg: tensor<3x1x3x1xf32>, %bu: tensor<3x1x3x1xf32>) -> tensor<?x384xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x3x128xf8E4M3FN>
  %gp = fuse.contract "mbk,nbk->bmn" %x, %g : tensor<?x3x128xf8E4M3FN>, tensor<384x3x128xf8E4M3FN> -> tensor<3x?x384xf32>
  %gq = fuse.mul %gp, %a : tensor<3x?x384xf32>, tensor<3x?x1xf32> -> tensor<3x?x384xf32>
  %gr4 = tensor.expand_shape %gq [[0], [1], [2, 3]] output_shape [3, %m, 3, 128] : tensor<3x?x384xf32> into tensor<3x?x3x128xf32>
  %gr5 = fuse.mul %gr4, %bg : tensor<3x?x3x128xf32>, tensor<3x1x3x1xf32> -> tensor<3x?x3x128xf32>
  %gr = tensor.collapse_shape %gr5 [[0], [1], [2, 3]] : tensor<3x?x3x128xf32> into tensor<3x?x384xf32>
  %gs = fuse.reduce sum %gr dims = [0] : tensor<3x?x384xf32> -> tensor<?x384xf32>
  %up = fuse.contract "mbk,nbk->bmn" %x, %u : tensor<?x3x128xf8E4M3FN>, tensor<384x3x128xf8E4M3FN> -> tensor<3x?x384xf32>
  %uq = fuse.mul %up, %a : tensor<3x?x384xf32>, tensor<3x?x1xf32> -> tensor<3x?x384xf32>
  %ur4 = tensor.expand_shape %uq [[0], [1], [2, 3]] output_shape [3, %m, 3, 128] : tensor<3x?x384xf32> into tensor<3x?x3x128xf32>
  %ur5 = fuse.mul %ur4, %bu : tensor<3x?x3x128xf32>, tensor<3x1x3x1xf32> -> tensor<3x?x3x128xf32>
  %ur = tensor.collapse_shape %ur5 [[0], [1], [2, 3]] : tensor<3x?x3x128xf32> into tensor<3x?x384xf32>
  %us = fuse.reduce sum %ur dims = [0] : tensor<3x?x384xf32> -> tensor<?x384xf32>
  %silu = fuse.silu %gs : tensor<?x384xf32>
  %y32 = fuse.mul %silu, %us : tensor<?x384xf32>
  %y = fuse.cast %y32 : tensor<?x384xf32> -> tensor<?x384xbf16>
  return %y : tensor<?x384xbf16>
}

// The other format of rows, scales of each column, of rows other ones in each; a bias of each,
// a residual; columns that no tile divides.
func.func @biased(%x: tensor<?x5x128xf8E5M2>, %g: tensor<72x5x128xf8E4M3FN>, %u: tensor<72x5x128xf8E4M3FN>, %ag: tensor<5x?x1xf32>, %au: tensor<5x?x1xf32>, %bg: tensor<5x1x72xf32>, %bu: tensor<5x1x72xf32>, %cg: tensor<72xf32>, %cu: tensor<1x72xbf16>, %r: tensor<?x72xbf16>) -> tensor<?x72xbf16> {
  %gp = fuse.contract "mbk,nbk->bmn" %x, %g : tensor<?x5x128xf8E5M2>, tensor<72x5x128xf8E4M3FN> -> tensor<5x?x72xf32>
  %gq = fuse.mul %gp, %ag : tensor<5x?x72xf32>, tensor<5x?x1xf32> -> tensor<5x?x72xf32>
  %gr = fuse.mul %gq, %bg : tensor<5x?x72xf32>, tensor<5x1x72xf32> -> tensor<5x?x72xf32>
  %gs = fuse.reduce sum %gr dims = [0] : tensor<5x?x72xf32> -> tensor<?x72xf32>
  %up = fuse.contract "mbk,nbk->bmn" %x, %u : tensor<?x5x128xf8E5M2>, tensor<72x5x128xf8E4M3FN> -> tensor<5x?x72xf32>
  %uq = fuse.mul %up, %au : tensor<5x?x72xf32>, tensor<5x?x1xf32> -> tensor<5x?x72xf32>
  %ur = fuse.mul %uq, %bu : tensor<5x?x72xf32>, tensor<5x1x72xf32> -> tensor<5x?x72xf32>
  %us = fuse.reduce sum %ur dims = [0] : tensor<5x?x72xf32> -> tensor<?x72xf32>
  %gt = fuse.add %gs, %cg : tensor<?x72xf32>, tensor<72xf32> -> tensor<?x72xf32>
  %cw = fuse.cast %cu : tensor<1x72xbf16> -> tensor<1x72xf32>
  %ut = fuse.add %us, %cw : tensor<?x72xf32>, tensor<1x72xf32> -> tensor<?x72xf32>
  %silu = fuse.silu %gt : tensor<?x72xf32>
  %h = fuse.mul %silu, %ut : tensor<?x72xf32>
  %rw = fuse.cast %r : tensor<?x72xbf16> -> tensor<?x72xf32>
  %z = fuse.add %h, %rw : tensor<?x72xf32>
  %y = fuse.cast %z : tensor<?x72xf32> -> tensor<?x72xbf16>
  return %y : tensor<?x72xbf16>
}

// One of three has scales of rows, another one of columns, the last one none.
func.func @three(%x: tensor<?x2x128xf8E4M3FN>, %g: tensor<128x2x128xf8E4M3FN>, %u: tensor<128x2x128xf8E4M3FN>, %v: tensor<128x2x128xf8E4M3FN>, %a: tensor<2x?x1xf32>, %c: tensor<2x1x128xf32>) -> (tensor<?x128xf32>, tensor<?x128xbf16>) {
  %gp = fuse.contract "mbk,nbk->bmn" %x, %g : tensor<?x2x128xf8E4M3FN>, tensor<128x2x128xf8E4M3FN> -> tensor<2x?x128xf32>
  %gq = fuse.mul %gp, %a : tensor<2x?x128xf32>, tensor<2x?x1xf32> -> tensor<2x?x128xf32>
  %gs = fuse.reduce sum %gq dims = [0] : tensor<2x?x128xf32> -> tensor<?x128xf32>
  %up = fuse.contract "mbk,nbk->bmn" %x, %u : tensor<?x2x128xf8E4M3FN>, tensor<128x2x128xf8E4M3FN> -> tensor<2x?x128xf32>
  %uq = fuse.mul %up, %c : tensor<2x?x128xf32>, tensor<2x1x128xf32> -> tensor<2x?x128xf32>
  %us = fuse.reduce sum %uq dims = [0] : tensor<2x?x128xf32> -> tensor<?x128xf32>
  %vp = fuse.contract "mbk,nbk->bmn" %x, %v : tensor<?x2x128xf8E4M3FN>, tensor<128x2x128xf8E4M3FN> -> tensor<2x?x128xf32>
  %vs = fuse.reduce sum %vp dims = [0] : tensor<2x?x128xf32> -> tensor<?x128xf32>
  %y = fuse.add %gs, %us : tensor<?x128xf32>
  %t = fuse.mul %y, %vs : tensor<?x128xf32>
  %z = fuse.cast %t : tensor<?x128xf32> -> tensor<?x128xbf16>
  return %y, %z : tensor<?x128xf32>, tensor<?x128xbf16>
}

// A single block.
func.func @short(%x: tensor<?x1x128xf8E4M3FN>, %g: tensor<64x1x128xf8E4M3FN>, %u: tensor<64x1x128xf8E4M3FN>, %a: tensor<1x?x1xf32>) -> tensor<?x64xbf16> {
  %gp = fuse.contract "mbk,nbk->bmn" %x, %g : tensor<?x1x128xf8E4M3FN>, tensor<64x1x128xf8E4M3FN> -> tensor<1x?x64xf32>
  %gq = fuse.mul %gp, %a : tensor<1x?x64xf32>, tensor<1x?x1xf32> -> tensor<1x?x64xf32>
  %gs = fuse.reduce sum %gq dims = [0] : tensor<1x?x64xf32> -> tensor<?x64xf32>
  %up = fuse.contract "mbk,nbk->bmn" %x, %u : tensor<?x1x128xf8E4M3FN>, tensor<64x1x128xf8E4M3FN> -> tensor<1x?x64xf32>
  %uq = fuse.mul %up, %a : tensor<1x?x64xf32>, tensor<1x?x1xf32> -> tensor<1x?x64xf32>
  %us = fuse.reduce sum %uq dims = [0] : tensor<1x?x64xf32> -> tensor<?x64xf32>
  %silu = fuse.silu %gs : tensor<?x64xf32>
  %y32 = fuse.mul %silu, %us : tensor<?x64xf32>
  %y = fuse.cast %y32 : tensor<?x64xf32> -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// Scaled before they are multiplied.
func.func @dequantized_gate(%x: tensor<?x384xf8E4M3FN>, %g: tensor<256x384xf8E4M3FN>, %u: tensor<256x384xf8E4M3FN>, %a: tensor<?x3x1xbf16>, %bg: tensor<2x1x3x1xbf16>, %bu: tensor<2x1x3x1xbf16>) -> tensor<?x256xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x384xf8E4M3FN>
  %x3 = tensor.expand_shape %x [[0], [1, 2]] output_shape [%m, 3, 128] : tensor<?x384xf8E4M3FN> into tensor<?x3x128xf8E4M3FN>
  %xf = fuse.cast %x3 : tensor<?x3x128xf8E4M3FN> -> tensor<?x3x128xbf16>
  %xs = fuse.mul %xf, %a : tensor<?x3x128xbf16>, tensor<?x3x1xbf16> -> tensor<?x3x128xbf16>
  %xl = tensor.collapse_shape %xs [[0], [1, 2]] : tensor<?x3x128xbf16> into tensor<?x384xbf16>
  %g4 = tensor.expand_shape %g [[0, 1], [2, 3]] output_shape [2, 128, 3, 128] : tensor<256x384xf8E4M3FN> into tensor<2x128x3x128xf8E4M3FN>
  %gf = fuse.cast %g4 : tensor<2x128x3x128xf8E4M3FN> -> tensor<2x128x3x128xbf16>
  %gd = fuse.mul %gf, %bg : tensor<2x128x3x128xbf16>, tensor<2x1x3x1xbf16> -> tensor<2x128x3x128xbf16>
  %gl = tensor.collapse_shape %gd [[0, 1], [2, 3]] : tensor<2x128x3x128xbf16> into tensor<256x384xbf16>
  %gm = fuse.matmul %xl, %gl transpose_rhs : tensor<?x384xbf16>, tensor<256x384xbf16> -> tensor<?x256xbf16>
  %gs = fuse.cast %gm : tensor<?x256xbf16> -> tensor<?x256xf32>
  %u4 = tensor.expand_shape %u [[0, 1], [2, 3]] output_shape [2, 128, 3, 128] : tensor<256x384xf8E4M3FN> into tensor<2x128x3x128xf8E4M3FN>
  %uf = fuse.cast %u4 : tensor<2x128x3x128xf8E4M3FN> -> tensor<2x128x3x128xbf16>
  %ud = fuse.mul %uf, %bu : tensor<2x128x3x128xbf16>, tensor<2x1x3x1xbf16> -> tensor<2x128x3x128xbf16>
  %ul = tensor.collapse_shape %ud [[0, 1], [2, 3]] : tensor<2x128x3x128xbf16> into tensor<256x384xbf16>
  %um = fuse.matmul %xl, %ul transpose_rhs : tensor<?x384xbf16>, tensor<256x384xbf16> -> tensor<?x256xbf16>
  %us = fuse.cast %um : tensor<?x256xbf16> -> tensor<?x256xf32>
  %silu = fuse.silu %gs : tensor<?x256xf32>
  %y32 = fuse.mul %silu, %us : tensor<?x256xf32>
  %y = fuse.cast %y32 : tensor<?x256xf32> -> tensor<?x256xbf16>
  return %y : tensor<?x256xbf16>
}

// A last block that is not whole, of scales that have room for another one, which is not read.
func.func @ragged_gate(%x: tensor<?x304xf8E4M3FN>, %g: tensor<128x304xf8E4M3FN>, %u: tensor<128x304xf8E4M3FN>, %a: tensor<?x3xf32>, %bg: tensor<4x128xf32>, %bu: tensor<4x128xf32>) -> tensor<?x128xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x304xf8E4M3FN>
  %xp = fuse.pad %x low = [0, 0] high = [0, 80] value = 0.0 : tensor<?x304xf8E4M3FN> -> tensor<?x384xf8E4M3FN>
  %x3 = tensor.expand_shape %xp [[0], [1, 2]] output_shape [%m, 3, 128] : tensor<?x384xf8E4M3FN> into tensor<?x3x128xf8E4M3FN>
  %at = fuse.transpose %a permutation = [1, 0] : tensor<?x3xf32> -> tensor<3x?xf32>
  %a3 = tensor.expand_shape %at [[0], [1, 2]] output_shape [3, %m, 1] : tensor<3x?xf32> into tensor<3x?x1xf32>
  %gw = fuse.pad %g low = [0, 0] high = [0, 80] value = 0.0 : tensor<128x304xf8E4M3FN> -> tensor<128x384xf8E4M3FN>
  %g3 = tensor.expand_shape %gw [[0], [1, 2]] output_shape [128, 3, 128] : tensor<128x384xf8E4M3FN> into tensor<128x3x128xf8E4M3FN>
  %gp = fuse.contract "mbk,nbk->bmn" %x3, %g3 : tensor<?x3x128xf8E4M3FN>, tensor<128x3x128xf8E4M3FN> -> tensor<3x?x128xf32>
  %gq = fuse.mul %gp, %a3 : tensor<3x?x128xf32>, tensor<3x?x1xf32> -> tensor<3x?x128xf32>
  %gb = fuse.slice %bg offsets = [0, 0] sizes = [3, 128] : tensor<4x128xf32> -> tensor<3x128xf32>
  %gb3 = tensor.expand_shape %gb [[0], [1, 2]] output_shape [3, 1, 128] : tensor<3x128xf32> into tensor<3x1x128xf32>
  %gr = fuse.mul %gq, %gb3 : tensor<3x?x128xf32>, tensor<3x1x128xf32> -> tensor<3x?x128xf32>
  %gs = fuse.reduce sum %gr dims = [0] : tensor<3x?x128xf32> -> tensor<?x128xf32>
  %uw = fuse.pad %u low = [0, 0] high = [0, 80] value = 0.0 : tensor<128x304xf8E4M3FN> -> tensor<128x384xf8E4M3FN>
  %u3 = tensor.expand_shape %uw [[0], [1, 2]] output_shape [128, 3, 128] : tensor<128x384xf8E4M3FN> into tensor<128x3x128xf8E4M3FN>
  %up = fuse.contract "mbk,nbk->bmn" %x3, %u3 : tensor<?x3x128xf8E4M3FN>, tensor<128x3x128xf8E4M3FN> -> tensor<3x?x128xf32>
  %uq = fuse.mul %up, %a3 : tensor<3x?x128xf32>, tensor<3x?x1xf32> -> tensor<3x?x128xf32>
  %ub = fuse.slice %bu offsets = [0, 0] sizes = [3, 128] : tensor<4x128xf32> -> tensor<3x128xf32>
  %ub3 = tensor.expand_shape %ub [[0], [1, 2]] output_shape [3, 1, 128] : tensor<3x128xf32> into tensor<3x1x128xf32>
  %ur = fuse.mul %uq, %ub3 : tensor<3x?x128xf32>, tensor<3x1x128xf32> -> tensor<3x?x128xf32>
  %us = fuse.reduce sum %ur dims = [0] : tensor<3x?x128xf32> -> tensor<?x128xf32>
  %silu = fuse.silu %gs : tensor<?x128xf32>
  %y32 = fuse.mul %silu, %us : tensor<?x128xf32>
  %y = fuse.cast %y32 : tensor<?x128xf32> -> tensor<?x128xbf16>
  return %y : tensor<?x128xbf16>
}

// Results that do not meet.
func.func @apart(%x: tensor<?x3x128xf8E4M3FN>, %g: tensor<128x3x128xf8E4M3FN>, %u: tensor<128x3x128xf8E4M3FN>, %a: tensor<3x?x1xf32>) -> (tensor<?x128xf32>, tensor<?x128xf32>) {
  %gp = fuse.contract "mbk,nbk->bmn" %x, %g : tensor<?x3x128xf8E4M3FN>, tensor<128x3x128xf8E4M3FN> -> tensor<3x?x128xf32>
  %gq = fuse.mul %gp, %a : tensor<3x?x128xf32>, tensor<3x?x1xf32> -> tensor<3x?x128xf32>
  %gs = fuse.reduce sum %gq dims = [0] : tensor<3x?x128xf32> -> tensor<?x128xf32>
  %up = fuse.contract "mbk,nbk->bmn" %x, %u : tensor<?x3x128xf8E4M3FN>, tensor<128x3x128xf8E4M3FN> -> tensor<3x?x128xf32>
  %uq = fuse.mul %up, %a : tensor<3x?x128xf32>, tensor<3x?x1xf32> -> tensor<3x?x128xf32>
  %us = fuse.reduce sum %uq dims = [0] : tensor<3x?x128xf32> -> tensor<?x128xf32>
  return %gs, %us : tensor<?x128xf32>, tensor<?x128xf32>
}

// A contraction without blocks meets one with them.
func.func @mixed(%x: tensor<?x3x128xf8E4M3FN>, %g: tensor<128x3x128xf8E4M3FN>, %u: tensor<128x384xf8E4M3FN>, %a: tensor<3x?x1xf32>) -> tensor<?x128xbf16> {
  %xl = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x3x128xf8E4M3FN> into tensor<?x384xf8E4M3FN>
  %gp = fuse.contract "mbk,nbk->bmn" %x, %g : tensor<?x3x128xf8E4M3FN>, tensor<128x3x128xf8E4M3FN> -> tensor<3x?x128xf32>
  %gq = fuse.mul %gp, %a : tensor<3x?x128xf32>, tensor<3x?x1xf32> -> tensor<3x?x128xf32>
  %gs = fuse.reduce sum %gq dims = [0] : tensor<3x?x128xf32> -> tensor<?x128xf32>
  %us = fuse.contract "mk,nk->mn" %xl, %u : tensor<?x384xf8E4M3FN>, tensor<128x384xf8E4M3FN> -> tensor<?x128xf32>
  %silu = fuse.silu %gs : tensor<?x128xf32>
  %y32 = fuse.mul %silu, %us : tensor<?x128xf32>
  %y = fuse.cast %y32 : tensor<?x128xf32> -> tensor<?x128xbf16>
  return %y : tensor<?x128xbf16>
}

// The scales of the one are the sums of the other one.
func.func @chained_scales(%x: tensor<?x2x128xf8E4M3FN>, %g: tensor<128x2x128xf8E4M3FN>, %u: tensor<128x2x128xf8E4M3FN>, %a: tensor<2x?x1xf32>) -> tensor<?x128xf32> {
  %gp = fuse.contract "mbk,nbk->bmn" %x, %g : tensor<?x2x128xf8E4M3FN>, tensor<128x2x128xf8E4M3FN> -> tensor<2x?x128xf32>
  %gq = fuse.mul %gp, %a : tensor<2x?x128xf32>, tensor<2x?x1xf32> -> tensor<2x?x128xf32>
  %gs = fuse.reduce sum %gq dims = [0] : tensor<2x?x128xf32> -> tensor<?x128xf32>
  %up = fuse.contract "mbk,nbk->bmn" %x, %u : tensor<?x2x128xf8E4M3FN>, tensor<128x2x128xf8E4M3FN> -> tensor<2x?x128xf32>
  %uq = fuse.mul %up, %gs : tensor<2x?x128xf32>, tensor<?x128xf32> -> tensor<2x?x128xf32>
  %us = fuse.reduce sum %uq dims = [0] : tensor<2x?x128xf32> -> tensor<?x128xf32>
  return %us : tensor<?x128xf32>
}
