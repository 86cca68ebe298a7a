// One softmax, written in many ways. Scores are those of `head`, in f32.

// In base 2, with the logarithm of the sum in base 2 as a second result.
func.func @binary(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> (tensor<2x130x64xbf16>, tensor<2x130x1xf32>) {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %l = fuse.constant dense<1.44269504> : tensor<f32>
  %y = fuse.mul %x, %l : tensor<2x130x200xf32>, tensor<f32>
  %a = fuse.reduce max %y dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %b = fuse.sub %y, %a : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %e = fuse.exp2 %b : tensor<2x130x200xf32>
  %t = fuse.reduce sum %e dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %p = fuse.div %e, %t : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  %g = fuse.log2 %t : tensor<2x130x1xf32>
  %r = fuse.add %a, %g : tensor<2x130x1xf32>
  return %o, %r : tensor<2x130x64xbf16>, tensor<2x130x1xf32>
}
// Without a maximum, with the logarithm of the sum.
func.func @plain(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> (tensor<2x130x64xbf16>, tensor<2x130x1xf32>) {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %e = fuse.exp %x : tensor<2x130x200xf32>
  %t = fuse.reduce sum %e dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %p = fuse.div %e, %t : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  %r = fuse.log %t : tensor<2x130x1xf32>
  return %o, %r : tensor<2x130x64xbf16>, tensor<2x130x1xf32>
}
// Without a maximum, in base 2.
func.func @plain_binary(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %e = fuse.exp2 %x : tensor<2x130x200xf32>
  %t = fuse.reduce sum %e dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %p = fuse.div %e, %t : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// Divided behind the second product.
func.func @late(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %a = fuse.reduce max %x dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %b = fuse.sub %x, %a : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %e = fuse.exp %b : tensor<2x130x200xf32>
  %t = fuse.reduce sum %e dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %w = fuse.cast %e : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %z = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  %u = fuse.cast %z : tensor<2x130x64xbf16> -> tensor<2x130x64xf32>
  %d = fuse.div %u, %t : tensor<2x130x64xf32>, tensor<2x130x1xf32>
  %o = fuse.cast %d : tensor<2x130x64xf32> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// Without a maximum, times the reciprocal of the sum behind the second product.
func.func @late_plain(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %e = fuse.exp %x : tensor<2x130x200xf32>
  %t = fuse.reduce sum %e dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %w = fuse.cast %e : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %z = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  %n = fuse.recip %t : tensor<2x130x1xf32>
  %u = fuse.cast %z : tensor<2x130x64xbf16> -> tensor<2x130x64xf32>
  %d = fuse.mul %u, %n : tensor<2x130x64xf32>, tensor<2x130x1xf32>
  %o = fuse.cast %d : tensor<2x130x64xf32> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// Exponentials times a causal mask. Half of the tiles need not be read.
func.func @masked_product(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %i = fuse.iota dim = 1 : tensor<2x130x200xi32>
  %j = fuse.iota dim = 2 : tensor<2x130x200xi32>
  %m = fuse.compare le %j, %i : tensor<2x130x200xi32>
  %a = fuse.reduce max %x dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %b = fuse.sub %x, %a : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %e = fuse.exp %b : tensor<2x130x200xf32>
  %n = fuse.cast %m : tensor<2x130x200xi1> -> tensor<2x130x200xf32>
  %h = fuse.mul %e, %n : tensor<2x130x200xf32>
  %t = fuse.reduce sum %h dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %p = fuse.div %h, %t : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// A choice by the mask, and a small number beside the sum: the first rows see
// nothing and are 0.
func.func @masked_choice(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %i = fuse.iota dim = 1 : tensor<2x130x200xi32>
  %j = fuse.iota dim = 2 : tensor<2x130x200xi32>
  %m = fuse.compare lt %j, %i : tensor<2x130x200xi32>
  %zero = fuse.constant dense<0.0> : tensor<f32>
  %eps = fuse.constant dense<1.0e-3> : tensor<f32>
  %e = fuse.exp %x : tensor<2x130x200xf32>
  %h = fuse.select %m, %e, %zero : tensor<2x130x200xi1>, tensor<2x130x200xf32>, tensor<f32>
  %t = fuse.reduce sum %h dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %n = fuse.add %t, %eps : tensor<2x130x1xf32>, tensor<f32>
  %p = fuse.div %h, %n : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// Exponentials times a decay that is no mask.
func.func @decayed(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>, %decay: tensor<1x130x200xf32>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %a = fuse.reduce max %x dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %b = fuse.sub %x, %a : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %e = fuse.exp %b : tensor<2x130x200xf32>
  %half = fuse.constant dense<0.5> : tensor<f32>
  %size = fuse.abs %decay : tensor<1x130x200xf32>
  %positive = fuse.add %size, %half : tensor<1x130x200xf32>, tensor<f32>
  %h = fuse.mul %e, %positive : tensor<2x130x200xf32>, tensor<1x130x200xf32>
  %t = fuse.reduce sum %h dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %p = fuse.div %h, %t : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// Below a number that the program is given.
func.func @bounded(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>, %bound: tensor<2x130x1xf32>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %b = fuse.sub %x, %bound : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %e = fuse.exp %b : tensor<2x130x200xf32>
  %t = fuse.reduce sum %e dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %p = fuse.div %e, %t : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// With 1 beside the sum, as a sink of 0 has it.
func.func @off_by_one(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %e = fuse.exp %x : tensor<2x130x200xf32>
  %t = fuse.reduce sum %e dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %one = fuse.constant dense<1.0> : tensor<f32>
  %n = fuse.add %t, %one : tensor<2x130x1xf32>, tensor<f32>
  %p = fuse.div %e, %n : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// A sum of 0 counts as 1.
func.func @safe(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %i = fuse.iota dim = 1 : tensor<2x130x200xi32>
  %j = fuse.iota dim = 2 : tensor<2x130x200xi32>
  %m = fuse.compare lt %j, %i : tensor<2x130x200xi32>
  %zero = fuse.constant dense<0.0> : tensor<f32>
  %one = fuse.constant dense<1.0> : tensor<f32>
  %e = fuse.exp %x : tensor<2x130x200xf32>
  %h = fuse.select %m, %e, %zero : tensor<2x130x200xi1>, tensor<2x130x200xf32>, tensor<f32>
  %t = fuse.reduce sum %h dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %is = fuse.compare eq %t, %zero : tensor<2x130x1xf32>, tensor<f32> -> tensor<2x130x1xi1>
  %n = fuse.select %is, %one, %t : tensor<2x130x1xi1>, tensor<f32>, tensor<2x130x1xf32>
  %p = fuse.div %h, %n : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// Two masks, of which one is in another type.
func.func @twice_masked(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %i = fuse.iota dim = 1 : tensor<2x130x200xi32>
  %j = fuse.iota dim = 2 : tensor<2x130x200xi32>
  %m = fuse.compare le %j, %i : tensor<2x130x200xi32>
  %far = fuse.constant dense<40> : tensor<i32>
  %dist = fuse.sub %i, %j : tensor<2x130x200xi32>
  %near = fuse.compare lt %dist, %far : tensor<2x130x200xi32>, tensor<i32>
  %nb = fuse.cast %near : tensor<2x130x200xi1> -> tensor<2x130x200xbf16>
  %nf = fuse.cast %nb : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %n = fuse.cast %m : tensor<2x130x200xi1> -> tensor<2x130x200xf32>
  %e = fuse.exp %x : tensor<2x130x200xf32>
  %h0 = fuse.mul %e, %n : tensor<2x130x200xf32>
  %h = fuse.mul %nf, %h0 : tensor<2x130x200xf32>
  %t = fuse.reduce sum %h dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %p = fuse.div %h, %t : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// The maximum is that of all keys, hidden ones too.
func.func @before_masking(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %i = fuse.iota dim = 1 : tensor<2x130x200xi32>
  %j = fuse.iota dim = 2 : tensor<2x130x200xi32>
  %m = fuse.compare le %j, %i : tensor<2x130x200xi32>
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %a = fuse.reduce max %x dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %b = fuse.sub %x, %a : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %y = fuse.select %m, %b, %hidden : tensor<2x130x200xi1>, tensor<2x130x200xf32>, tensor<f32>
  %e = fuse.exp %y : tensor<2x130x200xf32>
  %t = fuse.reduce sum %e dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %p = fuse.div %e, %t : tensor<2x130x200xf32>, tensor<2x130x1xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}

// Each query sees the keys of its chunk up to its own.
func.func @chunks(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %i = fuse.iota dim = 1 : tensor<2x130x200xi32>
  %j = fuse.iota dim = 2 : tensor<2x130x200xi32>
  %m = fuse.compare le %j, %i : tensor<2x130x200xi32>
  %n = fuse.constant dense<48> : tensor<i32>
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %qi = fuse.div %i, %n : tensor<2x130x200xi32>, tensor<i32>
  %kj = fuse.div %j, %n : tensor<2x130x200xi32>, tensor<i32>
  %same = fuse.compare eq %qi, %kj : tensor<2x130x200xi32>
  %both = fuse.and %same, %m : tensor<2x130x200xi1>
  %y = fuse.select %both, %x, %hidden : tensor<2x130x200xi1>, tensor<2x130x200xf32>, tensor<f32>
  %p = fuse.softmax %y dims = [2] : tensor<2x130x200xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// Whole chunks of 32 keys, of which the first row sees one: key / 32 < query / 16 + 1.
func.func @later_chunks(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %i = fuse.iota dim = 1 : tensor<2x130x200xi32>
  %j = fuse.iota dim = 2 : tensor<2x130x200xi32>
  %m = fuse.compare le %j, %i : tensor<2x130x200xi32>
  %n = fuse.constant dense<16> : tensor<i32>
  %n2 = fuse.constant dense<32> : tensor<i32>
  %one = fuse.constant dense<1> : tensor<i32>
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %qi = fuse.div %i, %n : tensor<2x130x200xi32>, tensor<i32>
  %q1 = fuse.add %qi, %one : tensor<2x130x200xi32>, tensor<i32>
  %kj = fuse.div %j, %n2 : tensor<2x130x200xi32>, tensor<i32>
  %sees = fuse.compare lt %kj, %q1 : tensor<2x130x200xi32>
  %y = fuse.select %sees, %x, %hidden : tensor<2x130x200xi1>, tensor<2x130x200xf32>, tensor<f32>
  %p = fuse.softmax %y dims = [2] : tensor<2x130x200xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
// Weights times a mask in memory, which ends with the last key.
func.func @dropped(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>, %kept: tensor<2x130x200xf32>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %sm = fuse.softmax %x dims = [2] : tensor<2x130x200xf32>
  %p = fuse.mul %sm, %kept : tensor<2x130x200xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}

// The second product has the values on its left, and is divided.
func.func @values_first(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %e = fuse.exp %x : tensor<2x130x200xf32>
  %t = fuse.reduce sum %e dims = [2] keep : tensor<2x130x200xf32> -> tensor<2x130x1xf32>
  %w = fuse.cast %e : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %z = fuse.contract "bnd,bmn->bmd" %v, %w : tensor<2x200x64xbf16>, tensor<2x130x200xbf16> -> tensor<2x130x64xbf16>
  %u = fuse.cast %z : tensor<2x130x64xbf16> -> tensor<2x130x64xf32>
  %d = fuse.div %u, %t : tensor<2x130x64xf32>, tensor<2x130x1xf32>
  %o = fuse.cast %d : tensor<2x130x64xf32> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}

// Every third key before the query.
func.func @dilated(%q: tensor<2x130x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x130x64xbf16> {
  %c = fuse.constant dense<0.125> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x130x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x200xbf16>
  %f = fuse.cast %s : tensor<2x130x200xbf16> -> tensor<2x130x200xf32>
  %x = fuse.mul %f, %c : tensor<2x130x200xf32>, tensor<f32>
  %i = fuse.iota dim = 1 : tensor<2x130x200xi32>
  %j = fuse.iota dim = 2 : tensor<2x130x200xi32>
  %m = fuse.compare le %j, %i : tensor<2x130x200xi32>
  %n = fuse.constant dense<3> : tensor<i32>
  %none = fuse.constant dense<0> : tensor<i32>
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %far = fuse.sub %i, %j : tensor<2x130x200xi32>
  %rest = fuse.fmod %far, %n : tensor<2x130x200xi32>, tensor<i32>
  %third = fuse.compare eq %rest, %none : tensor<2x130x200xi32>, tensor<i32>
  %both = fuse.and %third, %m : tensor<2x130x200xi1>
  %y = fuse.select %both, %x, %hidden : tensor<2x130x200xi1>, tensor<2x130x200xf32>, tensor<f32>
  %p = fuse.softmax %y dims = [2] : tensor<2x130x200xf32>
  %w = fuse.cast %p : tensor<2x130x200xf32> -> tensor<2x130x200xbf16>
  %o = fuse.matmul %w, %v : tensor<2x130x200xbf16>, tensor<2x200x64xbf16> -> tensor<2x130x64xbf16>
  return %o : tensor<2x130x64xbf16>
}
