// RUN: fuse-opt %s -fuse-expand-math -split-input-file -verify-diagnostics

func.func @half(%x: f16) -> f16 {
  // expected-error @below {{expected an f32 or f64 scalar or fixed 1-D vector, but got 'f16'; widen 16-bit floats}}
  %y = math.exp %x : f16
  return %y : f16
}

// -----

func.func @matrix(%x: vector<2x2xf32>) -> vector<2x2xf32> {
  // expected-error @below {{but got 'vector<2x2xf32>'; widen 16-bit floats and unroll larger vectors}}
  %y = math.exp %x : vector<2x2xf32>
  return %y : vector<2x2xf32>
}

// -----

func.func @scalable(%x: vector<[4]xf32>) -> vector<[4]xf32> {
  // expected-error @below {{but got 'vector<[4]xf32>'}}
  %y = math.powf %x, %x : vector<[4]xf32>
  return %y : vector<[4]xf32>
}
