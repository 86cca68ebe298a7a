// RUN: fuse-opt %s -split-input-file -verify-diagnostics -fuse-lower-kernels

func.func @not_pointwise(%x: tensor<8x8xf32>, %i: tensor<8xi32>, %u: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = fuse.kernel "k" ins(%x, %i, %u : tensor<8x8xf32>, tensor<8xi32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      schedule = #fuse.transpose<threads = 16, tile = 8, vector = 4> {
  ^bb0(%a: tensor<8x8xf32>, %b: tensor<8xi32>, %c: tensor<8x8xf32>):
    // expected-error @below {{expected a schedule of points, rows or tiles of tensor cores for a kernel with fuse.scatter, but got another; put the scatter into a kernel of its own}}
    %s = fuse.scatter %a, %b, %c dim = 0 : tensor<8x8xf32>, tensor<8xi32>, tensor<8x8xf32> -> tensor<8x8xf32>
    fuse.yield %s : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

func.func @read_again(%x: tensor<8x8xf32>, %i: tensor<8xi32>, %u: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = fuse.kernel "k" ins(%x, %i, %u : tensor<8x8xf32>, tensor<8xi32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      schedule = #fuse.pointwise<threads = 16, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<8x8xf32>, %b: tensor<8xi32>, %c: tensor<8x8xf32>):
    // expected-error @below {{expected the result of fuse.scatter to leave the kernel at once, but got an op of the kernel that reads it; put the scatter into a kernel of its own}}
    %s = fuse.scatter %a, %b, %c dim = 0 : tensor<8x8xf32>, tensor<8xi32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %e = fuse.exp %s : tensor<8x8xf32>
    fuse.yield %e : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

func.func @into_computed(%x: tensor<8x8xf32>, %i: tensor<8xi32>, %u: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = fuse.kernel "k" ins(%x, %i, %u : tensor<8x8xf32>, tensor<8xi32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      schedule = #fuse.pointwise<threads = 16, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<8x8xf32>, %b: tensor<8xi32>, %c: tensor<8x8xf32>):
    %e = fuse.exp %a : tensor<8x8xf32>
    // expected-error @below {{expected fuse.scatter to write into an input of the kernel, but got a value that the kernel computes; put the scatter into a kernel of its own}}
    %s = fuse.scatter %e, %b, %c dim = 0 : tensor<8x8xf32>, tensor<8xi32>, tensor<8x8xf32> -> tensor<8x8xf32>
    fuse.yield %s : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

func.func @into_read(%x: tensor<8x8xf32>, %i: tensor<8xi32>) -> tensor<8x8xf32> {
  %y = fuse.kernel "k" ins(%x, %i : tensor<8x8xf32>, tensor<8xi32>) -> tensor<8x8xf32>
      schedule = #fuse.pointwise<threads = 16, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<8x8xf32>, %b: tensor<8xi32>):
    // expected-error @below {{expected fuse.scatter to be the only one that uses what it writes into, but got another use in the kernel; put the scatter into a kernel of its own}}
    %s = fuse.scatter %a, %b, %a dim = 0 : tensor<8x8xf32>, tensor<8xi32>, tensor<8x8xf32> -> tensor<8x8xf32>
    fuse.yield %s : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// One buffer that is two inputs.
func.func @into_twice(%x: tensor<8x8xf32>, %i: tensor<8xi32>) -> tensor<8x8xf32> {
  %y = fuse.kernel "k" ins(%x, %i, %x : tensor<8x8xf32>, tensor<8xi32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      schedule = #fuse.pointwise<threads = 16, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<8x8xf32>, %b: tensor<8xi32>, %c: tensor<8x8xf32>):
    // expected-error @below {{expected fuse.scatter to be the only one that uses what it writes into, but got another use in the kernel; put the scatter into a kernel of its own}}
    %s = fuse.scatter %a, %b, %c dim = 0 : tensor<8x8xf32>, tensor<8xi32>, tensor<8x8xf32> -> tensor<8x8xf32>
    fuse.yield %s : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

func.func @nothing_across(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{expected a pointwise kernel with results of one shape that reads a value across for #fuse.transpose, but got another; use #fuse.pointwise}}
  %y = fuse.kernel "k" ins(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
      schedule = #fuse.transpose<threads = 16, tile = 8, vector = 4> {
  ^bb0(%a: tensor<8x8xf32>):
    %e = fuse.exp %a : tensor<8x8xf32>
    fuse.yield %e : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

func.func @straddles(%x: tensor<8x6xf32>) -> tensor<6x8xf32> {
  // expected-error @below {{expected a schedule whose vector divides the two dimensions of its tiles, but got vector = 4 for a dimension of 6; use vector = 1}}
  %y = fuse.kernel "k" ins(%x : tensor<8x6xf32>) -> tensor<6x8xf32>
      schedule = #fuse.transpose<threads = 16, tile = 8, vector = 4> {
  ^bb0(%a: tensor<8x6xf32>):
    %t = fuse.transpose %a permutation = [1, 0] : tensor<8x6xf32> -> tensor<6x8xf32>
    fuse.yield %t : tensor<6x8xf32>
  }
  return %y : tensor<6x8xf32>
}

// -----

func.func @large(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{expected tiles of at most 49152 bytes of shared memory, but got 65536; use a smaller tile}}
  %y = fuse.kernel "k" ins(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
      schedule = #fuse.transpose<threads = 256, tile = 128, vector = 4> {
  ^bb0(%a: tensor<8x8xf32>):
    %t = fuse.transpose %a permutation = [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
    fuse.yield %t : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

func.func @columns_of_rows(%x: tensor<4x8xf32>, %i: tensor<8xi32>, %u: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = fuse.kernel "k" ins(%x, %i, %u : tensor<4x8xf32>, tensor<8xi32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      schedule = #fuse.rows<threads = 32, vector = 4, rows_per_block = 4, hold = registers> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8xi32>, %c: tensor<4x8xf32>):
    %m = fuse.reduce max %c dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %d = fuse.sub %c, %m : tensor<4x8xf32>, tensor<4x1xf32>
    // expected-error @below {{expected ids of the dimensions before those that are reduced, but got them up to dimension 1; put the scatter into a kernel of its own}}
    %s = fuse.scatter %a, %b, %d dim = 1 : tensor<4x8xf32>, tensor<8xi32>, tensor<4x8xf32> -> tensor<4x8xf32>
    fuse.yield %s : tensor<4x8xf32>
  }
  return %y : tensor<4x8xf32>
}
