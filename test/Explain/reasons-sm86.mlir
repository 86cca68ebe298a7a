// RUN: fuse-opt %s -fuse-form=chip=sm_86 -fuse-schedule=chip=sm_86 --remarks-filter='fuse-.*' 2> %t.remarks > /dev/null
// RUN: python3 %S/Inputs/check_reasons.py %s %t.remarks

// As in reasons-rows.mlir, for a chip whose tensor cores multiply neither 8-bit floats nor f64.

func.func @mmaNoFloat8(%x: tensor<256x256xf8E4M3FN>, %w: tensor<512x256xf8E4M3FN>) -> tensor<256x512xf32> {
  %p = fuse.contract "mk,nk->mn" %x, %w : tensor<256x256xf8E4M3FN>, tensor<512x256xf8E4M3FN> -> tensor<256x512xf32>
  return %p : tensor<256x512xf32>
}
func.func @not_mmaNoFloat8(%x: tensor<256x256xbf16>, %w: tensor<512x256xbf16>) -> tensor<256x512xbf16> {
  %p = fuse.contract "mk,nk->mn" %x, %w : tensor<256x256xbf16>, tensor<512x256xbf16> -> tensor<256x512xbf16>
  return %p : tensor<256x512xbf16>
}

func.func @mmaNoFloat64(%x: tensor<256x256xf64>, %w: tensor<512x256xf64>) -> tensor<256x512xf64> {
  %p = fuse.contract "mk,nk->mn" %x, %w : tensor<256x256xf64>, tensor<512x256xf64> -> tensor<256x512xf64>
  return %p : tensor<256x512xf64>
}
func.func @not_mmaNoFloat64(%x: tensor<256x256xf16>, %w: tensor<512x256xf16>) -> tensor<256x512xf16> {
  %p = fuse.contract "mk,nk->mn" %x, %w : tensor<256x256xf16>, tensor<512x256xf16> -> tensor<256x512xf16>
  return %p : tensor<256x512xf16>
}
