// What pads the number that a whole tensor is reduced to was taken for behind
// one walk, and blocks were to share it, none of which fills what is beside.
// RUN: fuse-crosscheck %s --check=emulated --check=fused
// --seed 35008763
// --dim d0=9
func.func @program(%a0: tensor<?xbf16> {fuse.dims = ["d0"]}, %a1: tensor<7xbf16>) -> (tensor<7xbf16>, tensor<1xbf16>, tensor<bf16>) {
  %v0 = fuse.reduce max %a0 dims = [0] keep : tensor<?xbf16> -> tensor<1xbf16>
  %v1 = fuse.pad %v0 low = [3] high = [3] value = -1.0 : tensor<1xbf16> -> tensor<7xbf16>
  %v2 = fuse.contract "u,u->" %v1, %a1 : tensor<7xbf16>, tensor<7xbf16> -> tensor<bf16>
  %v3 = fuse.erf %a1 : tensor<7xbf16>
  %v4 = fuse.rms_norm %v3 eps = 1.0e-6 : tensor<7xbf16>
  %v5 = fuse.gelu sigmoid %v0 : tensor<1xbf16>
  return %v4, %v5, %v2 : tensor<7xbf16>, tensor<1xbf16>, tensor<bf16>
}
