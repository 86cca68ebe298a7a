// Parts of rows that are joined where no vector starts are read in whole
// vectors, and one vector of the result may have lanes of three of them.
// RUN: fuse run %s --target emu --entry roll --dim t=3 --verify
// RUN: fuse run %s --target emu --entry three --verify
// RUN: fuse run %s --target emu --entry booleans --dim t=2 --verify
// A part of unknown size leaves its places to be found one by one.
// RUN: fuse run %s --target emu --entry unknown --dim n=4 --verify
// RUN: fuse run %s --target cpu --entry unknown --dim n=4 --verify
// RUN: fuse inspect %s --entry roll --chip sm_90 --emit=stats | FileCheck %s
// RUN: fuse inspect %s --entry three --chip sm_90 --emit=stats | FileCheck %s
// CHECK:      loads {{[0-9]+}} x v4.b32, at least 128 bits
// CHECK-NEXT: stores 1 x v4.b32
func.func @roll(%x: tensor<?x64xbf16> {fuse.dims = ["t"]}) -> tensor<?x64xbf16> {
  %a = fuse.slice %x offsets = [0, 0] sizes = [-1, 59] : tensor<?x64xbf16> -> tensor<?x59xbf16>
  %b = fuse.slice %x offsets = [0, 59] sizes = [-1, 5] : tensor<?x64xbf16> -> tensor<?x5xbf16>
  %y = fuse.concat %b, %a dim = 1 : tensor<?x5xbf16>, tensor<?x59xbf16> -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}
func.func @three(%x: tensor<4x32xf16>, %z: tensor<4x16xf16>) -> tensor<4x24xf16> {
  %a = fuse.slice %x offsets = [0, 9] sizes = [4, 3] : tensor<4x32xf16> -> tensor<4x3xf16>
  %b = fuse.slice %z offsets = [0, 15] sizes = [4, 1] : tensor<4x16xf16> -> tensor<4x1xf16>
  %c = fuse.slice %x offsets = [0, 4] sizes = [4, 20] : tensor<4x32xf16> -> tensor<4x20xf16>
  %y = fuse.concat %a, %b, %c dim = 1 : tensor<4x3xf16>, tensor<4x1xf16>, tensor<4x20xf16> -> tensor<4x24xf16>
  return %y : tensor<4x24xf16>
}
func.func @booleans(%x: tensor<?x64xi1> {fuse.dims = ["t"]}, %z: tensor<?x16xi1> {fuse.dims = ["t"]}) -> tensor<?x64xi1> {
  %a = fuse.slice %x offsets = [0, 1] sizes = [-1, 55] : tensor<?x64xi1> -> tensor<?x55xi1>
  %b = fuse.slice %z offsets = [0, 2] sizes = [-1, 9] : tensor<?x16xi1> -> tensor<?x9xi1>
  %y = fuse.concat %b, %a dim = 1 : tensor<?x9xi1>, tensor<?x55xi1> -> tensor<?x64xi1>
  return %y : tensor<?x64xi1>
}
func.func @unknown(%x: tensor<?xf16> {fuse.dims = ["n"]}, %z: tensor<16xf16>) -> tensor<?xf16> {
  %y = fuse.concat %z, %x dim = 0 : tensor<16xf16>, tensor<?xf16> -> tensor<?xf16>
  return %y : tensor<?xf16>
}
