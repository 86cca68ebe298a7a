// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels -verify-diagnostics

func.func @vector(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{expected a schedule whose vector divides the last dimension, but got vector = 4; use vector = 1}}
  %0 = fuse.kernel "vector" ins(%x : tensor<4x6xf32>) -> tensor<4x6xf32>
      schedule = #fuse.ordered<threads = 32, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<4x6xf32>):
    %1 = fuse.scan sum %a : tensor<4x6xf32>
    fuse.yield %1 : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

func.func @vector_of_columns(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{expected a schedule whose vector divides the last dimension, but got vector = 4; use vector = 1}}
  %0 = fuse.kernel "vector" ins(%x : tensor<4x6xf32>) -> tensor<4x6xf32>
      schedule = #fuse.ordered<threads = 32, vector = 4, unroll = 1, splits = 2> {
  ^bb0(%a: tensor<4x6xf32>):
    %1 = fuse.scan sum %a dim = 0 : tensor<4x6xf32>
    fuse.yield %1 : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

func.func @splits(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-error @below {{expected a schedule with splits = 1 for rows, but got splits = 2; leave splits out}}
  %0 = fuse.kernel "splits" ins(%x : tensor<4x64xf32>) -> tensor<4x64xf32>
      schedule = #fuse.ordered<threads = 32, vector = 1, unroll = 1, splits = 2> {
  ^bb0(%a: tensor<4x64xf32>):
    %1 = fuse.scan sum %a : tensor<4x64xf32>
    fuse.yield %1 : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// -----

func.func @parts(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-error @below {{expected a schedule with at most 32 warps times unroll for a scan, but got 16 warps and unroll = 4; use unroll = 2}}
  %0 = fuse.kernel "parts" ins(%x : tensor<4x64xf32>) -> tensor<4x64xf32>
      schedule = #fuse.ordered<threads = 512, vector = 1, unroll = 4> {
  ^bb0(%a: tensor<4x64xf32>):
    %1 = fuse.scan sum %a : tensor<4x64xf32>
    fuse.yield %1 : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// -----

func.func @nothing(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-error @below {{expected fuse.scan or fuse.top_k in a kernel whose rows are walked in order, but got none; use #fuse.pointwise or #fuse.rows}}
  %0 = fuse.kernel "nothing" ins(%x : tensor<4x64xf32>) -> tensor<4x64xf32>
      schedule = #fuse.ordered<threads = 32, vector = 1, unroll = 1> {
  ^bb0(%a: tensor<4x64xf32>):
    %1 = fuse.exp %a : tensor<4x64xf32>
    fuse.yield %1 : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// -----

func.func @directions(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-error @below {{expected a kernel that walks rows in order, but got one where the scans run in opposite directions; put what needs it into a kernel of its own}}
  %0 = fuse.kernel "directions" ins(%x : tensor<4x64xf32>) -> tensor<4x64xf32>
      schedule = #fuse.ordered<threads = 32, vector = 1, unroll = 1> {
  ^bb0(%a: tensor<4x64xf32>):
    %1 = fuse.scan sum %a : tensor<4x64xf32>
    %2 = fuse.scan max %1 reverse : tensor<4x64xf32>
    fuse.yield %2 : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// -----

func.func @column_of_one(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  // expected-error @below {{expected a schedule with splits = 1 for columns of one element, but got splits = 2; leave splits out}}
  %0 = fuse.kernel "column" ins(%x : tensor<1x64xf32>) -> tensor<1x64xf32>
      schedule = #fuse.ordered<threads = 32, vector = 1, unroll = 1, splits = 2> {
  ^bb0(%a: tensor<1x64xf32>):
    %s = fuse.scan sum %a dim = 0 : tensor<1x64xf32>
    fuse.yield %s : tensor<1x64xf32>
  }
  return %0 : tensor<1x64xf32>
}
