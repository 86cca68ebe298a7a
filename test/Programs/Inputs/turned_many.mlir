func.func @turned_many(
    %x0: tensor<?x24x40xbf16> {fuse.dims = ["t"]},
    %b0: tensor<40xbf16>,
    %x1: tensor<?x24x40xbf16> {fuse.dims = ["t"]},
    %b1: tensor<40xbf16>,
    %x2: tensor<?x24x40xbf16> {fuse.dims = ["t"]},
    %b2: tensor<40xbf16>,
    %x3: tensor<?x24x40xbf16> {fuse.dims = ["t"]},
    %b3: tensor<40xbf16>,
    %z0: tensor<36x44xf32>,
    %z1: tensor<36x44xf32>,
    %z2: tensor<36x44xf32>,
    %z3: tensor<36x44xf32>,
    %z4: tensor<36x44xf32>)
    -> (tensor<24x?x40xbf16>, tensor<24x?x40xbf16>, tensor<24x?x40xbf16>, tensor<24x?x40xbf16>, tensor<44x36xf32>, tensor<44x36xf32>, tensor<44x36xf32>, tensor<44x36xf32>, tensor<44x36xf32>) {
  %t0 = fuse.transpose %x0 permutation = [1, 0, 2] : tensor<?x24x40xbf16> -> tensor<24x?x40xbf16>
  %y0 = fuse.add %t0, %b0 : tensor<24x?x40xbf16>, tensor<40xbf16> -> tensor<24x?x40xbf16>
  %t1 = fuse.transpose %x1 permutation = [1, 0, 2] : tensor<?x24x40xbf16> -> tensor<24x?x40xbf16>
  %y1 = fuse.add %t1, %b1 : tensor<24x?x40xbf16>, tensor<40xbf16> -> tensor<24x?x40xbf16>
  %t2 = fuse.transpose %x2 permutation = [1, 0, 2] : tensor<?x24x40xbf16> -> tensor<24x?x40xbf16>
  %y2 = fuse.add %t2, %b2 : tensor<24x?x40xbf16>, tensor<40xbf16> -> tensor<24x?x40xbf16>
  %t3 = fuse.transpose %x3 permutation = [1, 0, 2] : tensor<?x24x40xbf16> -> tensor<24x?x40xbf16>
  %y3 = fuse.add %t3, %b3 : tensor<24x?x40xbf16>, tensor<40xbf16> -> tensor<24x?x40xbf16>
  %u0 = fuse.transpose %z0 permutation = [1, 0] : tensor<36x44xf32> -> tensor<44x36xf32>
  %w0 = fuse.exp %u0 : tensor<44x36xf32>
  %u1 = fuse.transpose %z1 permutation = [1, 0] : tensor<36x44xf32> -> tensor<44x36xf32>
  %w1 = fuse.exp %u1 : tensor<44x36xf32>
  %u2 = fuse.transpose %z2 permutation = [1, 0] : tensor<36x44xf32> -> tensor<44x36xf32>
  %w2 = fuse.exp %u2 : tensor<44x36xf32>
  %u3 = fuse.transpose %z3 permutation = [1, 0] : tensor<36x44xf32> -> tensor<44x36xf32>
  %w3 = fuse.exp %u3 : tensor<44x36xf32>
  %u4 = fuse.transpose %z4 permutation = [1, 0] : tensor<36x44xf32> -> tensor<44x36xf32>
  %w4 = fuse.exp %u4 : tensor<44x36xf32>
  return %y0, %y1, %y2, %y3, %w0, %w1, %w2, %w3, %w4
      : tensor<24x?x40xbf16>, tensor<24x?x40xbf16>, tensor<24x?x40xbf16>, tensor<24x?x40xbf16>, tensor<44x36xf32>, tensor<44x36xf32>, tensor<44x36xf32>, tensor<44x36xf32>, tensor<44x36xf32>
}
