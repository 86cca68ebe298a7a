// RUN: fuse-opt %s -split-input-file -verify-diagnostics -fuse-lower-kernels=wgmma

// Reasons that only kernels of the text are given: the compiler forms none of these.
// check_reasons.py knows them by their functions.

#s = #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = loop>

func.func @nothingReduced(%x: tensor<64x512xf32>) -> (tensor<64x512xf32>) {
  // expected-error @below {{nothing is reduced}}
  %r = fuse.kernel "k" ins(%x : tensor<64x512xf32>) -> tensor<64x512xf32> schedule = #s {
  ^bb0(%x_: tensor<64x512xf32>):
    %e = fuse.exp %x_ : tensor<64x512xf32>
    fuse.yield %e : tensor<64x512xf32>
  }
  return %r : tensor<64x512xf32>
}

// -----

#s = #fuse.columns<threads = 128, vector = 4, splits = 1>

func.func @noReducedDims(%x: tensor<64x512xf32>) -> (tensor<64x512xf32>) {
  // expected-error @below {{a reduction runs over no dimension}}
  %r = fuse.kernel "k" ins(%x : tensor<64x512xf32>) -> tensor<64x512xf32> schedule = #s {
  ^bb0(%x_: tensor<64x512xf32>):
    %e = fuse.reduce sum %x_ dims = [] : tensor<64x512xf32> -> tensor<64x512xf32>
    fuse.yield %e : tensor<64x512xf32>
  }
  return %r : tensor<64x512xf32>
}

// -----

#s = #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = loop>

func.func @notOverLastDims(%x: tensor<64x512xf32>) -> (tensor<512xf32>) {
  // expected-error @below {{a reduction does not run over the last dimensions}}
  %r = fuse.kernel "k" ins(%x : tensor<64x512xf32>) -> tensor<512xf32> schedule = #s {
  ^bb0(%x_: tensor<64x512xf32>):
    %e = fuse.reduce sum %x_ dims = [0] : tensor<64x512xf32> -> tensor<512xf32>
    fuse.yield %e : tensor<512xf32>
  }
  return %r : tensor<512xf32>
}

// -----

#s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>

func.func @mmaNoProduct(%x: tensor<64x64x64xbf16>, %w: tensor<64x64xbf16>) -> (tensor<64x64xbf16>) {
  // expected-error @below {{it is no product of two matrices}}
  %r = fuse.kernel "k" ins(%x, %w : tensor<64x64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16> schedule = #s {
  ^bb0(%x_: tensor<64x64x64xbf16>, %w_: tensor<64x64xbf16>):
    %p = fuse.contract "mnk,nk->mn" %x_, %w_ : tensor<64x64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    fuse.yield %p : tensor<64x64xbf16>
  }
  return %r : tensor<64x64xbf16>
}

// -----

#s = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132>

func.func @contractionShapes(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>, %v: tensor<1x64xbf16>) -> (tensor<64x64xbf16>) {
  // expected-error @below {{contractions of several shapes meet}}
  %r = fuse.kernel "k" ins(%x, %w, %v : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<1x64xbf16>) -> tensor<64x64xbf16> schedule = #s {
  ^bb0(%x_: tensor<64x64xbf16>, %w_: tensor<64x64xbf16>, %v_: tensor<1x64xbf16>):
    %p = fuse.contract "mk,nk->mn" %x_, %w_ : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    %q = fuse.contract "mk,nk->mn" %x_, %v_ : tensor<64x64xbf16>, tensor<1x64xbf16> -> tensor<64x1xbf16>
    %y = fuse.mul %p, %q : tensor<64x64xbf16>, tensor<64x1xbf16> -> tensor<64x64xbf16>
    fuse.yield %y : tensor<64x64xbf16>
  }
  return %r : tensor<64x64xbf16>
}

// -----

#s = #fuse.tiled<threads = 1, vector = 8, tile_m = 10, tile_n = 16, tile_k = 16, rows = 5, columns = 8>

func.func @tileOneResult(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<f32>) {
  // expected-error @below {{the contraction has one result}}
  %r = fuse.kernel "k" ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<f32> schedule = #s {
  ^bb0(%x_: tensor<64x64xf32>, %w_: tensor<64x64xf32>):
    %p = fuse.contract "mk,mk->" %x_, %w_ : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<f32>
    fuse.yield %p : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

#s = #fuse.tiled<threads = 1, vector = 8, tile_m = 10, tile_n = 16, tile_k = 16, rows = 5, columns = 8>

func.func @tileReduces(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  // expected-error @below {{it reduces what tiles do not hold}}
  %r:2 = fuse.kernel "k" ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>, tensor<64xf32> schedule = #s {
  ^bb0(%x_: tensor<64x64xf32>, %w_: tensor<64x64xf32>):
    %p = fuse.contract "mk,nk->mn" %x_, %w_ : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %m = fuse.reduce max %p dims = [1] : tensor<64x64xf32> -> tensor<64xf32>
    fuse.yield %p, %m : tensor<64x64xf32>, tensor<64xf32>
  }
  return %r#0, %r#1 : tensor<64x64xf32>, tensor<64xf32>
}

// -----

#s = #fuse.streamed<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 128, depth = 128, stages = 2, consumers = 2, store = tma>

func.func @streamedComputed(%q: tensor<8x512x128xbf16>, %k: tensor<8x128x512xi8>, %v: tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> {
  // expected-error @below {{an operand is computed whose 8 neighbouring features a thread does not find next to each other in memory}}
  %r = fuse.kernel "k" ins(%q, %k, %v : tensor<8x512x128xbf16>, tensor<8x128x512xi8>, tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> schedule = #s {
  ^bb0(%q_: tensor<8x512x128xbf16>, %k_: tensor<8x128x512xi8>, %v_: tensor<8x512x128xbf16>):
    %c = fuse.cast %k_ : tensor<8x128x512xi8> -> tensor<8x128x512xbf16>
    %s = fuse.contract "hqd,hdk->hqk" %q_, %c : tensor<8x512x128xbf16>, tensor<8x128x512xbf16> -> tensor<8x512x512xbf16>
    %m = fuse.reduce max %s dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
    %d = fuse.sub %s, %m : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
    %e = fuse.exp %d : tensor<8x512x512xbf16>
    %t = fuse.reduce sum %e dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
    %w = fuse.div %e, %t : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
    %y = fuse.contract "hqk,hkd->hqd" %w, %v_ : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
    fuse.yield %y : tensor<8x512x128xbf16>
  }
  return %r : tensor<8x512x128xbf16>
}

// -----

#s = #fuse.streamed<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 128, depth = 128, stages = 2, consumers = 2, store = tma>

func.func @streamedBothFollow(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>) -> (tensor<8x512x512xbf16>) {
  // expected-error @below {{both operands of a contraction follow from the other}}
  %r = fuse.kernel "k" ins(%q, %k : tensor<8x512x128xbf16>, tensor<8x512x128xbf16>) -> tensor<8x512x512xbf16> schedule = #s {
  ^bb0(%q_: tensor<8x512x128xbf16>, %k_: tensor<8x512x128xbf16>):
    %s = fuse.contract "hqd,hkd->hqk" %q_, %k_ : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
    %m = fuse.reduce max %s dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
    %d = fuse.sub %s, %m : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
    %e = fuse.exp %d : tensor<8x512x512xbf16>
    %t = fuse.reduce sum %e dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
    %w = fuse.div %e, %t : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
    %y = fuse.contract "hqk,hkd->hqd" %w, %s : tensor<8x512x512xbf16>, tensor<8x512x512xbf16> -> tensor<8x512x512xbf16>
    fuse.yield %y : tensor<8x512x512xbf16>
  }
  return %r : tensor<8x512x512xbf16>
}

// -----

#s = #fuse.streamed<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 128, depth = 128, stages = 2, consumers = 2, store = tma>

func.func @streamedMaskReduced(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>, %b: tensor<512x64xbf16>, %c: tensor<512x512x1xbf16>) -> (tensor<8x512x128xbf16>) {
  // expected-error @below {{a mask of the scores is reduced in the kernel}}
  %r = fuse.kernel "k" ins(%q, %k, %v, %b, %c : tensor<8x512x128xbf16>, tensor<8x512x128xbf16>, tensor<8x512x128xbf16>, tensor<512x64xbf16>, tensor<512x512x1xbf16>) -> tensor<8x512x128xbf16> schedule = #s {
  ^bb0(%q_: tensor<8x512x128xbf16>, %k_: tensor<8x512x128xbf16>, %v_: tensor<8x512x128xbf16>, %b_: tensor<512x64xbf16>, %c_: tensor<512x512x1xbf16>):
    %s = fuse.contract "hqd,hkd->hqk" %q_, %k_ : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
    %bm = fuse.scan sum %c_ : tensor<512x512x1xbf16>
    %bc = tensor.collapse_shape %bm [[0], [1, 2]] : tensor<512x512x1xbf16> into tensor<512x512xbf16>
    %a = fuse.add %s, %bc : tensor<8x512x512xbf16>, tensor<512x512xbf16> -> tensor<8x512x512xbf16>
    %m = fuse.reduce max %a dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
    %d = fuse.sub %a, %m : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
    %e = fuse.exp %d : tensor<8x512x512xbf16>
    %t = fuse.reduce sum %e dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
    %w = fuse.div %e, %t : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
    %y = fuse.contract "hqk,hkd->hqd" %w, %v_ : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
    fuse.yield %y : tensor<8x512x128xbf16>
  }
  return %r : tensor<8x512x128xbf16>
}

// -----

#s = #fuse.streamed<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 128, depth = 128, stages = 2, consumers = 2, store = tma>

func.func @streamedScoresNeeded(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> (tensor<8x512x128xbf16>, tensor<8x512xbf16>) {
  // expected-error @below {{the scores are needed elsewhere}}
  %r:2 = fuse.kernel "k" ins(%q, %k, %v : tensor<8x512x128xbf16>, tensor<8x512x128xbf16>, tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16>, tensor<8x512xbf16> schedule = #s {
  ^bb0(%q_: tensor<8x512x128xbf16>, %k_: tensor<8x512x128xbf16>, %v_: tensor<8x512x128xbf16>):
    %s = fuse.contract "hqd,hkd->hqk" %q_, %k_ : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
    %m = fuse.reduce max %s dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
    %d = fuse.sub %s, %m : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
    %e = fuse.exp %d : tensor<8x512x512xbf16>
    %t = fuse.reduce sum %e dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
    %w = fuse.div %e, %t : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
    %y = fuse.contract "hqk,hkd->hqd" %w, %v_ : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
    %z = fuse.reduce max %w dims = [2] : tensor<8x512x512xbf16> -> tensor<8x512xbf16>
    fuse.yield %y, %z : tensor<8x512x128xbf16>, tensor<8x512xbf16>
  }
  return %r#0, %r#1 : tensor<8x512x128xbf16>, tensor<8x512xbf16>
}

// -----

#s = #fuse.streamed<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 128, depth = 128, stages = 2, consumers = 2, store = tma>

func.func @streamedRowResults(%q: tensor<8x512x128xbf16>, %k: tensor<8x512x128xbf16>, %v: tensor<8x512x128xbf16>) -> (tensor<8x512x128xbf16>) {
  // expected-error @below {{what follows from the statistics of the softmax is not one n}}
  %r = fuse.kernel "k" ins(%q, %k, %v : tensor<8x512x128xbf16>, tensor<8x512x128xbf16>, tensor<8x512x128xbf16>) -> tensor<8x512x128xbf16> schedule = #s {
  ^bb0(%q_: tensor<8x512x128xbf16>, %k_: tensor<8x512x128xbf16>, %v_: tensor<8x512x128xbf16>):
    %s = fuse.contract "hqd,hkd->hqk" %q_, %k_ : tensor<8x512x128xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x512xbf16>
    %m = fuse.reduce max %s dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
    %d = fuse.sub %s, %m : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
    %e = fuse.exp %d : tensor<8x512x512xbf16>
    %t = fuse.reduce sum %e dims = [2] keep : tensor<8x512x512xbf16> -> tensor<8x512x1xbf16>
    %w = fuse.div %e, %t : tensor<8x512x512xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x512xbf16>
    %y = fuse.contract "hqk,hkd->hqd" %w, %v_ : tensor<8x512x512xbf16>, tensor<8x512x128xbf16> -> tensor<8x512x128xbf16>
    %z = fuse.mul %y, %t : tensor<8x512x128xbf16>, tensor<8x512x1xbf16> -> tensor<8x512x128xbf16>
    fuse.yield %z : tensor<8x512x128xbf16>
  }
  return %r : tensor<8x512x128xbf16>
}

// -----

#s = #fuse.streamed<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 128, depth = 128, stages = 2, consumers = 2, store = tma>

func.func @streamedNoProduct(%q: tensor<512x128xbf16>, %k: tensor<512x512x128xbf16>, %v: tensor<512x128xbf16>) -> (tensor<512x128xbf16>) {
  // expected-error @below {{its first contraction is no product of two matrices}}
  %r = fuse.kernel "k" ins(%q, %k, %v : tensor<512x128xbf16>, tensor<512x512x128xbf16>, tensor<512x128xbf16>) -> tensor<512x128xbf16> schedule = #s {
  ^bb0(%q_: tensor<512x128xbf16>, %k_: tensor<512x512x128xbf16>, %v_: tensor<512x128xbf16>):
    %s = fuse.contract "qd,qkd->qk" %q_, %k_ : tensor<512x128xbf16>, tensor<512x512x128xbf16> -> tensor<512x512xbf16>
    %m = fuse.reduce max %s dims = [1] keep : tensor<512x512xbf16> -> tensor<512x1xbf16>
    %d = fuse.sub %s, %m : tensor<512x512xbf16>, tensor<512x1xbf16> -> tensor<512x512xbf16>
    %e = fuse.exp %d : tensor<512x512xbf16>
    %t = fuse.reduce sum %e dims = [1] keep : tensor<512x512xbf16> -> tensor<512x1xbf16>
    %w = fuse.div %e, %t : tensor<512x512xbf16>, tensor<512x1xbf16> -> tensor<512x512xbf16>
    %y = fuse.contract "qk,kd->qd" %w, %v_ : tensor<512x512xbf16>, tensor<512x128xbf16> -> tensor<512x128xbf16>
    fuse.yield %y : tensor<512x128xbf16>
  }
  return %r : tensor<512x128xbf16>
}

// -----

#s = #fuse.streamed<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 128, depth = 128, stages = 2, consumers = 2, store = tma>

func.func @streamedNotRead(%q: tensor<8x512x128xbf16>, %k: tensor<8x1x128xbf16>, %v: tensor<8x1x128xbf16>) -> (tensor<8x512x128xbf16>) {
  // expected-error @below {{the second contraction does not read the exponentials}}
  %r = fuse.kernel "k" ins(%q, %k, %v : tensor<8x512x128xbf16>, tensor<8x1x128xbf16>, tensor<8x1x128xbf16>) -> tensor<8x512x128xbf16> schedule = #s {
  ^bb0(%q_: tensor<8x512x128xbf16>, %k_: tensor<8x1x128xbf16>, %v_: tensor<8x1x128xbf16>):
    %s = fuse.contract "hqd,hkd->hqk" %q_, %k_ : tensor<8x512x128xbf16>, tensor<8x1x128xbf16> -> tensor<8x512x1xbf16>
    %m = fuse.reduce max %s dims = [2] keep : tensor<8x512x1xbf16> -> tensor<8x512x1xbf16>
    %d = fuse.sub %s, %m : tensor<8x512x1xbf16>
    %e = fuse.exp %d : tensor<8x512x1xbf16>
    %t = fuse.reduce sum %e dims = [2] keep : tensor<8x512x1xbf16> -> tensor<8x512x1xbf16>
    %y = fuse.contract "hqk,hkd->hqd" %t, %v_ : tensor<8x512x1xbf16>, tensor<8x1x128xbf16> -> tensor<8x512x128xbf16>
    fuse.yield %y : tensor<8x512x128xbf16>
  }
  return %r : tensor<8x512x128xbf16>
}
