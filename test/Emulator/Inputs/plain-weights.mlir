// Two contractions with weights that each score gives alone: no statistics.

// With a bias, as in sigmoid attention.
func.func @sigmoid(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %b = fuse.constant dense<-5.3> : tensor<f32>
  %y = fuse.add %x, %b : tensor<2x130x200xf32>, tensor<f32>
  %p = fuse.sigmoid %y : tensor<2x130x200xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// The square of what is positive, below the diagonal.
func.func @squared_relu(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %i = fuse.iota dim = 1 : tensor<2x130x200xi32>
  %j = fuse.iota dim = 2 : tensor<2x130x200xi32>
  %m = fuse.compare le %j, %i : tensor<2x130x200xi32>
  %zero = fuse.constant dense<0.0> : tensor<f32>
  %r = fuse.max %x, %zero : tensor<2x130x200xf32>, tensor<f32>
  %sq = fuse.mul %r, %r : tensor<2x130x200xf32>
  %p = fuse.select %m, %sq, %zero : tensor<2x130x200xi1>, tensor<2x130x200xf32>, tensor<f32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// Scores times a decay in memory, without an activation.
func.func @retention(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>, %decay: tensor<1x130x200xf32>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %i = fuse.iota dim = 1 : tensor<2x130x200xi32>
  %j = fuse.iota dim = 2 : tensor<2x130x200xi32>
  %m = fuse.compare le %j, %i : tensor<2x130x200xi32>
  %zero = fuse.constant dense<0.0> : tensor<f32>
  %dm = fuse.select %m, %decay, %zero : tensor<2x130x200xi1>, tensor<1x130x200xf32>, tensor<f32>
  %p = fuse.mul %x, %dm : tensor<2x130x200xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// As in HSTU: silu with a bias of places, divided by the number of keys.
func.func @silu_over_length(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>, %bias: tensor<1x130x200xf32>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %n = fuse.constant dense<200.0> : tensor<f32>
  %y = fuse.add %x, %bias : tensor<2x130x200xf32>, tensor<1x130x200xf32>
  %s1 = fuse.silu %y : tensor<2x130x200xf32>
  %p = fuse.div %s1, %n : tensor<2x130x200xf32>, tensor<f32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// Exponentials that nobody divides.
func.func @unnormalised(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %p = fuse.exp %x : tensor<2x130x200xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// Nothing but the cast between.
func.func @nothing(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %p = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
