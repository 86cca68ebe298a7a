// An operand that is computed for a sum of one product has a dimension of one
// place, whose stride the copies asked for.
// RUN: fuse-crosscheck %s --check=emulated --check=fused
// --seed 35007004
// --dim d0=4
// --dim d1=33
func.func @program(%a0: tensor<?x1x5x3x2xi32> {fuse.dims = ["d0"]}, %a1: tensor<?x8xf32> {fuse.dims = ["d1"]}, %a2: tensor<1x16xbf16>, %a3: tensor<24x8xi8>, %a4: tensor<24x1xf32>, %a5: tensor<1x1xbf16>, %a6: tensor<1x64xbf16>, %a7: tensor<130x40xbf16>, %a8: tensor<25x40xbf16>) -> (tensor<130x25xbf16>, tensor<1x64xbf16>, tensor<24x16xi8>, tensor<16x64xbf16>) {
  %v4 = fuse.unpack %a3 : tensor<24x8xi8> -> tensor<24x16xi8>
  %v5 = fuse.cast %v4 : tensor<24x16xi8> -> tensor<24x16xf32>
  %v6 = fuse.mul %v5, %a4 : tensor<24x16xf32>, tensor<24x1xf32> -> tensor<24x16xf32>
  %v11 = fuse.cast %v6 : tensor<24x16xf32> -> tensor<24x16xi8>
  %v12 = fuse.mul %a2, %a5 : tensor<1x16xbf16>, tensor<1x1xbf16> -> tensor<1x16xbf16>
  %v13 = fuse.matmul %v12, %a6 transpose_lhs : tensor<1x16xbf16>, tensor<1x64xbf16> -> tensor<16x64xbf16>
  %v14 = fuse.matmul %a7, %a8 transpose_rhs : tensor<130x40xbf16>, tensor<25x40xbf16> -> tensor<130x25xbf16>
  %v15 = fuse.constant dense<-1.0> : tensor<bf16>
  %v16 = fuse.clamp %a6, %v15, %a6 : tensor<1x64xbf16>, tensor<bf16>, tensor<1x64xbf16> -> tensor<1x64xbf16>
  %v17 = fuse.min %v14, %v14 : tensor<130x25xbf16>, tensor<130x25xbf16> -> tensor<130x25xbf16>
  return %v17, %v16, %v11, %v13 : tensor<130x25xbf16>, tensor<1x64xbf16>, tensor<24x16xi8>, tensor<16x64xbf16>
}
