// RUN: fuse-opt %s -split-input-file -verify-diagnostics

// kernel, 1: the count.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.kernel' op expected 1 block arguments, one for each input, but got 2; add or remove block arguments}}
  %y = fuse.kernel "k" ins(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    fuse.yield %a : tensor<4xf32>
  }
  return
}

// -----

// kernel, 1: the types.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected block argument #0 of type 'tensor<4xf32>', but got 'tensor<?xf32>'; give it the type of the input}}
  %y = fuse.kernel "k" ins(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<?xf32>):
    %c = fuse.constant dense<0.0> : tensor<4xf32>
    fuse.yield %c : tensor<4xf32>
  }
  return
}

// -----

// kernel, 2: the count.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected 1 yielded values, one for each result, but got 2; add or remove yielded values}}
  %y = fuse.kernel "k" ins(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    fuse.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

// kernel, 2: the types.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected yielded value #0 of type 'tensor<4xf32>', but got 'tensor<4xf16>'; give it the type of the result}}
  %y = fuse.kernel "k" ins(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = fuse.cast %a : tensor<4xf32> -> tensor<4xf16>
    fuse.yield %c : tensor<4xf16>
  }
  return
}

// -----

// kernel, 3: no composites.
func.func @f(%x: tensor<4xf32>) {
  %y = fuse.kernel "k" ins(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{'fuse.silu' op expected a primitive of fuse or a tensor reshape in a fuse.kernel, but got fuse.silu; run fuse-decompose, or move it outside}}
    %s = fuse.silu %a : tensor<4xf32>
    fuse.yield %s : tensor<4xf32>
  }
  return
}

// -----

// kernel, 3: no other dialects.
func.func @f(%x: tensor<4xf32>) {
  %y = fuse.kernel "k" ins(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{'arith.constant' op expected a primitive of fuse or a tensor reshape in a fuse.kernel, but got arith.constant}}
    %i = arith.constant 0 : i32
    fuse.yield %a : tensor<4xf32>
  }
  return
}

// -----

// kernel, 4.
func.func @f(%x: tensor<2xf32>) {
  %y = fuse.kernel "k" ins(%x : tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    // expected-error @below {{'fuse.constant' op expected equal elements of a constant in a fuse.kernel, but got dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>; make it an input of the kernel}}
    %c = fuse.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %s = fuse.add %a, %c : tensor<2xf32>
    fuse.yield %s : tensor<2xf32>
  }
  return
}

// -----

// launch, 1: the form.
func.func @f(%x: tensor<?xf32>, %n: index) {
  // expected-error @below {{expected kernel to be @MODULE::@FUNCTION, but got @k; name the module and the function}}
  fuse.launch @k blocks(%n) threads(1) ins(%x : tensor<?xf32>)
  return
}

// -----

// launch, 2: none.
func.func @f(%x: tensor<?xf32>, %n: index) {
  // expected-error @below {{expected 1 to 1024 threads, but got 0; choose a smaller block}}
  fuse.launch @k::@k blocks(%n) threads(0) ins(%x : tensor<?xf32>)
  return
}

// -----

// launch, 2: too many.
func.func @f(%x: tensor<?xf32>, %n: index) {
  // expected-error @below {{expected 1 to 1024 threads, but got 1025}}
  fuse.launch @k::@k blocks(%n) threads(1025) ins(%x : tensor<?xf32>)
  return
}

// -----

// launch, 3.
func.func @f(%x: tensor<?xf32>, %n: index) {
  // expected-error @below {{expected 2 result_dims, one for each dynamic dimension of the results, but got 0; give the missing sizes}}
  %y = fuse.launch @k::@k blocks(%n) threads(1) ins(%x : tensor<?xf32>) -> tensor<?x?xf32>
  return
}

// -----

// launch, 4: the form.
func.func @f(%x: tensor<?xf32>, %n: index) {
  // expected-error @below {{expected in_place to hold pairs [result, input] of one type, but got [0]; number results and inputs from 0}}
  %y = fuse.launch @k::@k blocks(%n) threads(1) ins(%x : tensor<?xf32>) result_dims(%n) -> tensor<?xf32> {in_place = [[0]]}
  return
}

// -----

// launch, 4: in range.
func.func @f(%x: tensor<?xf32>, %n: index) {
  // expected-error @below {{expected in_place to hold pairs [result, input] of one type, but got [0, 1]}}
  %y = fuse.launch @k::@k blocks(%n) threads(1) ins(%x : tensor<?xf32>) result_dims(%n) -> tensor<?xf32> {in_place = [[0, 1]]}
  return
}

// -----

// launch, 4: of one type.
func.func @f(%x: tensor<?xf32>, %n: index) {
  // expected-error @below {{expected in_place to hold pairs [result, input] of one type, but got [0, 0]}}
  %y = fuse.launch @k::@k blocks(%n) threads(1) ins(%x : tensor<?xf32>) -> tensor<4xf32> {in_place = [[0, 0]]}
  return
}

// -----

// launch, 1: a module that is there holds the function.
gpu.module @k {}
func.func @f(%x: tensor<4xf32>, %n: index) {
  // expected-error @below {{expected kernel to name a function of "k", but got "other"; name one that is there}}
  fuse.launch @k::@other blocks(%n) threads(1) ins(%x : tensor<4xf32>)
  return
}

// -----

// launch, 5: of one type.
func.func @f(%x: tensor<?xf32>, %n: index) {
  // expected-error @below {{expected copies to hold pairs [result, input] of one type, but got [0, 1]}}
  %y = fuse.launch @k::@k blocks(%n) threads(1) ins(%x : tensor<?xf32>) result_dims(%n) -> tensor<?xf32> {copies = [[0, 1]]}
  return
}

// -----

// launch, 5: once.
func.func @f(%x: tensor<4xf32>, %n: index) {
  // expected-error @below {{expected copies to name each result once, but got result #0 twice; remove one}}
  %y = fuse.launch @k::@k blocks(%n) threads(1) ins(%x, %x : tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {copies = [[0, 0], [0, 1]]}
  return
}

// -----

// launch, 6.
func.func @f(%x: tensor<4xf32>, %n: index) {
  // expected-error @below {{expected gathered to hold numbers of the 1 inputs, but got 1; number them from 0}}
  fuse.launch @k::@k blocks(%n) threads(1) ins(%x : tensor<4xf32>) {gathered = array<i64: 1>}
  return
}

// -----

// launch, 7.
func.func @f(%x: tensor<4xf32>, %n: index) {
  // expected-error @below {{expected 3 map_dims, the sizes and strides of each tensor map, but got 1; give those missing}}
  fuse.launch @k::@k blocks(%n) threads(1) ins(%x : tensor<4xf32>) map_dims(%n) {tensor_maps = [#fuse.tensor_map<operand = 0, box = [64, 8]>]}
  return
}

// -----

// launch, 8.
func.func @f(%x: tensor<4xf32>, %n: index) {
  // expected-error @below {{expected touched_pointers and at_most to hold numbers of the 1 pointers, but got 1; number inputs from 0, and results after them}}
  fuse.launch @k::@k blocks(%n) threads(1) ins(%x : tensor<4xf32>) {at_most = array<i64: 1>}
  return
}

// -----

// launch, 7.
func.func @f(%x: tensor<4xf32>, %n: index) {
  // expected-error @below {{expected a tensor map of one of 1 inputs and results, but got 1; number them from 0}}
  fuse.launch @k::@k blocks(%n) threads(1) ins(%x : tensor<4xf32>) map_dims(%n) {tensor_maps = [#fuse.tensor_map<operand = 1, box = [64]>]}
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %n: index) {
  // expected-error @below {{expected a value in touched for each of 1 touched_pointers, but got 0; give the missing numbers}}
  fuse.launch @k::@k blocks(%n) threads(1) ins(%x : tensor<4xf32>) {touched_pointers = array<i64: 0>}
  return
}

// -----

// tensor map, 1.
// expected-error @below {{expected a box of 1 to 5 sizes from 1 to 256, but got [64, 512]; copy less at a time}}
func.func private @f() attributes {m = #fuse.tensor_map<operand = 0, box = [64, 512]>}

// -----

// stride, 1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected dim to be one of the 1 dimensions of 'tensor<4xf32>', but got 1; number them from 0}}
  %s = fuse.stride %x dim = 1 : tensor<4xf32>
  return
}

// -----

// require, 1.
func.func @f(%n: index) {
  // expected-error @below {{expected a message, but got none; say what the sizes must be}}
  fuse.require %n eq %n ""
  return
}

// -----

// scalar, 1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected an operand with one element, but got 'tensor<4xf32>'; pass several numbers as a tensor}}
  %s = fuse.scalar %x : tensor<4xf32>
  return
}
