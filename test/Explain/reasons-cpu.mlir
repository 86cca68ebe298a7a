// RUN: fuse-opt %s -fuse-form=chip=cpu -fuse-schedule=chip=cpu --remarks-filter='fuse-.*' 2> %t.remarks > /dev/null
// RUN: python3 %S/Inputs/check_reasons.py %s %t.remarks

// As in reasons-rows.mlir, for a CPU.

func.func @not_acrossNeedsGpu(%x: tensor<4096x512xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %m = fuse.reduce max %x dims = [1] : tensor<4096x512xf32> -> tensor<4096xf32>
  %s = fuse.reduce sum %x dims = [1] : tensor<4096x512xf32> -> tensor<4096xf32>
  return %m, %s : tensor<4096xf32>, tensor<4096xf32>
}

func.func @operandRecomputed(%x: tensor<512x256xf32>, %a: tensor<256x256xf32>) -> tensor<512x256xf32> {
  %e = fuse.softmax %x dims = [1] : tensor<512x256xf32>
  %y = fuse.matmul %e, %a : tensor<512x256xf32>, tensor<256x256xf32> -> tensor<512x256xf32>
  return %y : tensor<512x256xf32>
}
func.func @not_operandRecomputed(%x: tensor<512x256xf32>, %a: tensor<256x256xf32>) -> tensor<512x256xf32> {
  %e = fuse.neg %x : tensor<512x256xf32>
  %y = fuse.matmul %e, %a : tensor<512x256xf32>, tensor<256x256xf32> -> tensor<512x256xf32>
  return %y : tensor<512x256xf32>
}
func.func @nothingInCommon(%x: tensor<512x256xf32>, %a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> (tensor<512x256xf32>, tensor<512x256xf32>) {
  %e = fuse.exp %x : tensor<512x256xf32>
  %y = fuse.matmul %e, %a : tensor<512x256xf32>, tensor<256x256xf32> -> tensor<512x256xf32>
  %z = fuse.matmul %e, %b : tensor<512x256xf32>, tensor<256x256xf32> -> tensor<512x256xf32>
  return %y, %z : tensor<512x256xf32>, tensor<512x256xf32>
}
func.func @not_nothingInCommon(%x: tensor<512x256xf32>, %a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<512x256xf32> {
  %y = fuse.matmul %x, %a : tensor<512x256xf32>, tensor<256x256xf32> -> tensor<512x256xf32>
  %z = fuse.matmul %x, %b : tensor<512x256xf32>, tensor<256x256xf32> -> tensor<512x256xf32>
  %s = fuse.add %y, %z : tensor<512x256xf32>
  return %s : tensor<512x256xf32>
}
func.func @acrossNeedsGpu(%x: tensor<?x512xf32>) -> (tensor<?xf32>, tensor<512xf32>, tensor<f32>) {
  %r = fuse.reduce max %x dims = [1] : tensor<?x512xf32> -> tensor<?xf32>
  %c = fuse.reduce sum %x dims = [0] : tensor<?x512xf32> -> tensor<512xf32>
  %s = fuse.reduce sum %r dims = [0] : tensor<?xf32> -> tensor<f32>
  return %r, %c, %s : tensor<?xf32>, tensor<512xf32>, tensor<f32>
}

func.func @tileFloat8(%x: tensor<512x256xf8E4M3FN>, %a: tensor<256x256xf8E4M3FN>, %b: tensor<256x256xf8E4M3FN>) -> tensor<512x256xf32> {
  %p = fuse.contract "mk,nk->mn" %x, %a : tensor<512x256xf8E4M3FN>, tensor<256x256xf8E4M3FN> -> tensor<512x256xf32>
  %q = fuse.contract "mk,nk->mn" %x, %b : tensor<512x256xf8E4M3FN>, tensor<256x256xf8E4M3FN> -> tensor<512x256xf32>
  %y = fuse.mul %p, %q : tensor<512x256xf32>
  return %y : tensor<512x256xf32>
}
func.func @not_tileFloat8(%x: tensor<512x256xf32>, %a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<512x256xf32> {
  %p = fuse.contract "mk,nk->mn" %x, %a : tensor<512x256xf32>, tensor<256x256xf32> -> tensor<512x256xf32>
  %q = fuse.contract "mk,nk->mn" %x, %b : tensor<512x256xf32>, tensor<256x256xf32> -> tensor<512x256xf32>
  %y = fuse.mul %p, %q : tensor<512x256xf32>
  return %y : tensor<512x256xf32>
}

// Keys by a special function, which each tile of queries would compute again.
func.func @streamedCostlyKeys(%q: tensor<512x64xf32>, %k: tensor<512x64xf32>, %v: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %t = fuse.tanh %k : tensor<512x64xf32>
  %s = fuse.matmul %q, %t transpose_rhs : tensor<512x64xf32>, tensor<512x64xf32> -> tensor<512x512xf32>
  %p = fuse.softmax %s dims = [1] : tensor<512x512xf32>
  %o = fuse.matmul %p, %v : tensor<512x512xf32>, tensor<512x64xf32> -> tensor<512x64xf32>
  return %o : tensor<512x64xf32>
}
func.func @not_streamedCostlyKeys(%q: tensor<512x64xf32>, %k: tensor<512x64xf32>, %v: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %t = fuse.neg %k : tensor<512x64xf32>
  %s = fuse.matmul %q, %t transpose_rhs : tensor<512x64xf32>, tensor<512x64xf32> -> tensor<512x512xf32>
  %p = fuse.softmax %s dims = [1] : tensor<512x512xf32>
  %o = fuse.matmul %p, %v : tensor<512x512xf32>, tensor<512x64xf32> -> tensor<512x64xf32>
  return %o : tensor<512x64xf32>
}
