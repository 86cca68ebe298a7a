// RUN: split-file %s %t
// RUN: fuse-opt -fuse-specialize-dims=sizes=q=4 -verify-diagnostics %t/unknown.mlir
// RUN: fuse-opt -fuse-specialize-dims=sizes=q=4 -verify-diagnostics %t/static.mlir
// RUN: fuse-opt -fuse-specialize-dims=sizes=n -verify-diagnostics %t/form.mlir
// RUN: fuse-opt -fuse-specialize-dims=sizes=n=-4 -verify-diagnostics %t/negative.mlir
// RUN: fuse-opt -fuse-specialize-dims=sizes=n=4,n=5 -verify-diagnostics %t/twice.mlir
// RUN: fuse-opt -fuse-specialize-dims=sizes=n=4 -verify-diagnostics %t/misfit.mlir

//--- unknown.mlir
// expected-error @below {{expected the name of a dynamic dim, one of T, x.1, but got 'q'; name it in fuse.dims}}
func.func @f(%t: tensor<?xf32> {fuse.dims = ["T"]}, %x: tensor<4x?xf32> {fuse.name = "x"}) -> tensor<4x?xf32> {
  return %x : tensor<4x?xf32>
}

//--- static.mlir
// expected-error @below {{expected the name of a dynamic dim, of which there are none, but got 'q'; name it in fuse.dims}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- form.mlir
// expected-error @below {{expected sizes of the form NAME=SIZE, one for a name, but got 'n'; write one such as n=4096}}
func.func @f(%x: tensor<?xf32> {fuse.dims = ["n"]}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

//--- negative.mlir
// expected-error @below {{expected sizes of the form NAME=SIZE, one for a name, but got 'n=-4'; write one such as n=4096}}
func.func @f(%x: tensor<?xf32> {fuse.dims = ["n"]}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

//--- twice.mlir
// expected-error @below {{expected sizes of the form NAME=SIZE, one for a name, but got 'n=5'; write one such as n=4096}}
func.func @f(%x: tensor<?xf32> {fuse.dims = ["n"]}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

//--- misfit.mlir
func.func @f(%x: tensor<?xf32> {fuse.dims = ["n"]}) -> tensor<?xf32> {
  // expected-error @below {{expected an offset of at most 4, but got 5; keep the slice inside}}
  %y = fuse.slice %x offsets = [5] sizes = [-1] : tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
