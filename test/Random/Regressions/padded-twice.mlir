// Two paddings behind a row's mean: what is beside the row was filled by the first only.
// RUN: fuse run %s --target cpu --dim d0=7 --verify
// RUN: fuse run %s --target emu --chip sm_90a --dim d0=7 --verify

func.func @program(%a0: tensor<?xbf16> {fuse.dims = ["d0"]}, %a1: tensor<i1>) -> (tensor<?xbf16>) {
  %v1 = fuse.reduce mean %a0 dims = [0] keep : tensor<?xbf16> -> tensor<1xbf16>
  %v5 = fuse.select %a1, %a0, %v1 : tensor<i1>, tensor<?xbf16>, tensor<1xbf16> -> tensor<?xbf16>
  %v8 = fuse.pad %v5 low = [1] high = [0] value = nan : tensor<?xbf16> -> tensor<?xbf16>
  %v9 = fuse.pad %v8 low = [3] high = [1] value = 3.0 : tensor<?xbf16> -> tensor<?xbf16>
  return %v9 : tensor<?xbf16>
}
