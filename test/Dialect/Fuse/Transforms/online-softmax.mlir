// RUN: fuse-opt %s -split-input-file -fuse-online-softmax | FileCheck %s

// CHECK-LABEL: func.func @looped
// CHECK:         %[[M:.*]], %[[S:.*]] = fuse.softmax_stats %[[A:.*]] dims = [1]
// CHECK-NEXT:    %[[ZERO:.*]] = fuse.sub %[[M]], %[[M]]
// CHECK-NEXT:    %[[SUM:.*]] = fuse.add %[[S]], %[[ZERO]]
// CHECK-NOT:     fuse.reduce
// CHECK:         fuse.sub %[[A]], %[[M]]
// CHECK:         fuse.div %{{.*}}, %[[SUM]]
func.func @looped(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
      schedule = #fuse.rows<threads = 128, vector = 1, rows_per_block = 1, hold = loop> {
  ^bb0(%a: tensor<?x?xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x?xf32>, tensor<?x1xf32> -> tensor<?x?xf32>
    %e = fuse.exp %d : tensor<?x?xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    %q = fuse.div %e, %s : tensor<?x?xf32>, tensor<?x1xf32> -> tensor<?x?xf32>
    fuse.yield %q : tensor<?x?xf32>
  }
  return %y : tensor<?x?xf32>
}

// -----

// Also in registers: threads then exchange what they have once and not twice.
// CHECK-LABEL: func.func @held
// CHECK:         fuse.softmax_stats
// CHECK-NOT:     fuse.reduce
func.func @held(%x: tensor<?x64xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x64xf32>) -> tensor<?x1xf32>
      schedule = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = registers> {
  ^bb0(%a: tensor<?x64xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
    %e = fuse.exp %d : tensor<?x64xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}

// -----

// But not where something else needs the exponentials, which registers hold.
// CHECK-LABEL: func.func @held_exponentials
// CHECK-COUNT-2: fuse.reduce
func.func @held_exponentials(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
      schedule = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = registers> {
  ^bb0(%a: tensor<?x64xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
    %e = fuse.exp %d : tensor<?x64xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
    %q = fuse.div %e, %s : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
    fuse.yield %q : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// The maximum of something else.
// CHECK-LABEL: func.func @other_maximum
// CHECK-COUNT-2: fuse.reduce
func.func @other_maximum(%x: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "k" ins(%x, %z : tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x1xf32>
      schedule = #fuse.rows<threads = 128, vector = 1, rows_per_block = 1, hold = loop> {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>):
    %m = fuse.reduce max %b dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x?xf32>, tensor<?x1xf32> -> tensor<?x?xf32>
    %e = fuse.exp %d : tensor<?x?xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}

// -----

// A maximum that is guarded against infinities, as in fuse.logsumexp: the sum
// that fuse.softmax_stats gives.
// CHECK-LABEL: func.func @guarded
// CHECK:         %[[M:.*]], %[[S:.*]] = fuse.softmax_stats %[[A:.*]] dims = [1]
// CHECK-NOT:     fuse.reduce
// CHECK:         %[[SHIFT:.*]] = fuse.select %{{.*}}, %{{.*}}, %[[M]]
// CHECK:         %[[LOG:.*]] = fuse.log %[[S]]
// CHECK-NEXT:    %[[Y:.*]] = fuse.add %[[LOG]], %[[SHIFT]]
// CHECK-NEXT:    fuse.yield %[[Y]]
func.func @guarded(%x: tensor<?x?xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x?xf32>) -> tensor<?x1xf32>
      schedule = #fuse.rows<threads = 128, vector = 1, rows_per_block = 1, hold = loop> {
  ^bb0(%a: tensor<?x?xf32>):
    %zero = fuse.constant dense<0.0> : tensor<f32>
    %inf = fuse.constant dense<0x7F800000> : tensor<f32>
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    %abs = fuse.abs %m : tensor<?x1xf32>
    %is = fuse.compare eq %abs, %inf : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xi1>
    %shift = fuse.select %is, %zero, %m : tensor<?x1xi1>, tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %shift : tensor<?x?xf32>, tensor<?x1xf32> -> tensor<?x?xf32>
    %e = fuse.exp %d : tensor<?x?xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    %log = fuse.log %s : tensor<?x1xf32>
    %q = fuse.add %log, %shift : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
    fuse.yield %q : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}

// -----

// Another guard gives another sum where the maximum is infinite.
// CHECK-LABEL: func.func @other_guard
// CHECK-COUNT-2: fuse.reduce
func.func @other_guard(%x: tensor<?x?xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x?xf32>) -> tensor<?x1xf32>
      schedule = #fuse.rows<threads = 128, vector = 1, rows_per_block = 1, hold = loop> {
  ^bb0(%a: tensor<?x?xf32>):
    %zero = fuse.constant dense<0.0> : tensor<f32>
    %lowest = fuse.constant dense<0xFF800000> : tensor<f32>
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    %is = fuse.compare eq %m, %lowest : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xi1>
    %shift = fuse.select %is, %zero, %m : tensor<?x1xi1>, tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %shift : tensor<?x?xf32>, tensor<?x1xf32> -> tensor<?x?xf32>
    %e = fuse.exp %d : tensor<?x?xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}

// -----

// Unless a large block's threads hold many of them, beside narrow elements, in a call
// that moves few bytes.
// CHECK-LABEL: func.func @crowded
// CHECK: fuse.softmax_stats
func.func @crowded(%x: tensor<?x12288xbf16>) -> tensor<?x12288xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x12288xbf16>) -> tensor<?x12288xbf16>
      schedule = #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = registers<preload = true>> {
  ^bb0(%a: tensor<?x12288xbf16>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x12288xbf16> -> tensor<?x1xbf16>
    %d = fuse.sub %a, %m : tensor<?x12288xbf16>, tensor<?x1xbf16> -> tensor<?x12288xbf16>
    %e = fuse.exp %d : tensor<?x12288xbf16>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<?x12288xbf16> -> tensor<?x1xbf16>
    %q = fuse.div %e, %s : tensor<?x12288xbf16>, tensor<?x1xbf16> -> tensor<?x12288xbf16>
    fuse.yield %q : tensor<?x12288xbf16>
  }
  return %y : tensor<?x12288xbf16>
}

// -----

// Others have more blocks to wait for.
// CHECK-LABEL: func.func @crowded_by_many_bytes
// CHECK-COUNT-2: fuse.reduce
func.func @crowded_by_many_bytes(%x: tensor<?x12288xbf16>) -> tensor<?x12288xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x12288xbf16>) -> tensor<?x12288xbf16>
      schedule = #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = registers> {
  ^bb0(%a: tensor<?x12288xbf16>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x12288xbf16> -> tensor<?x1xbf16>
    %d = fuse.sub %a, %m : tensor<?x12288xbf16>, tensor<?x1xbf16> -> tensor<?x12288xbf16>
    %e = fuse.exp %d : tensor<?x12288xbf16>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<?x12288xbf16> -> tensor<?x1xbf16>
    %q = fuse.div %e, %s : tensor<?x12288xbf16>, tensor<?x1xbf16> -> tensor<?x12288xbf16>
    fuse.yield %q : tensor<?x12288xbf16>
  }
  return %y : tensor<?x12288xbf16>
}

// -----

// Fewer elements.
// CHECK-LABEL: func.func @fewer
// CHECK-COUNT-2: fuse.reduce
func.func @fewer(%x: tensor<?x12280xbf16>) -> tensor<?x12280xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x12280xbf16>) -> tensor<?x12280xbf16>
      schedule = #fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = registers<preload = true>> {
  ^bb0(%a: tensor<?x12280xbf16>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x12280xbf16> -> tensor<?x1xbf16>
    %d = fuse.sub %a, %m : tensor<?x12280xbf16>, tensor<?x1xbf16> -> tensor<?x12280xbf16>
    %e = fuse.exp %d : tensor<?x12280xbf16>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<?x12280xbf16> -> tensor<?x1xbf16>
    %q = fuse.div %e, %s : tensor<?x12280xbf16>, tensor<?x1xbf16> -> tensor<?x12280xbf16>
    fuse.yield %q : tensor<?x12280xbf16>
  }
  return %y : tensor<?x12280xbf16>
}

// -----

// A smaller block.
// CHECK-LABEL: func.func @smaller_block
// CHECK-COUNT-2: fuse.reduce
func.func @smaller_block(%x: tensor<?x12288xbf16>) -> tensor<?x12288xbf16> {
  %y = fuse.kernel "k" ins(%x : tensor<?x12288xbf16>) -> tensor<?x12288xbf16>
      schedule = #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = registers<preload = true>> {
  ^bb0(%a: tensor<?x12288xbf16>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x12288xbf16> -> tensor<?x1xbf16>
    %d = fuse.sub %a, %m : tensor<?x12288xbf16>, tensor<?x1xbf16> -> tensor<?x12288xbf16>
    %e = fuse.exp %d : tensor<?x12288xbf16>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<?x12288xbf16> -> tensor<?x1xbf16>
    %q = fuse.div %e, %s : tensor<?x12288xbf16>, tensor<?x1xbf16> -> tensor<?x12288xbf16>
    fuse.yield %q : tensor<?x12288xbf16>
  }
  return %y : tensor<?x12288xbf16>
}

// -----

// 32-bit elements, which exponentials replace.
// CHECK-LABEL: func.func @words
// CHECK-COUNT-2: fuse.reduce
func.func @words(%x: tensor<?x12288xf32>) -> tensor<?x12288xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<?x12288xf32>) -> tensor<?x12288xf32>
      schedule = #fuse.rows<threads = 512, vector = 4, rows_per_block = 1, hold = registers<preload = true>> {
  ^bb0(%a: tensor<?x12288xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x12288xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x12288xf32>, tensor<?x1xf32> -> tensor<?x12288xf32>
    %e = fuse.exp %d : tensor<?x12288xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<?x12288xf32> -> tensor<?x1xf32>
    %q = fuse.div %e, %s : tensor<?x12288xf32>, tensor<?x1xf32> -> tensor<?x12288xf32>
    fuse.yield %q : tensor<?x12288xf32>
  }
  return %y : tensor<?x12288xf32>
}

// -----

// Two again where registers hold the exponentials that others need, which are
// computed once.
// CHECK-LABEL: func.func @held_column
// CHECK:         %[[M:.*]] = fuse.reduce max %[[X:.*]] dims = [0] keep
// CHECK-NEXT:    %[[D:.*]] = fuse.sub %[[X]], %[[M]]
// CHECK-NEXT:    %[[E:.*]] = fuse.exp %[[D]]
// CHECK-NEXT:    %[[S:.*]] = fuse.reduce sum %[[E]] dims = [0] keep
// CHECK-NEXT:    %[[Q:.*]] = fuse.div %[[E]], %[[S]]
// CHECK-NEXT:    fuse.yield %[[Q]]
func.func @held_column(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
      schedule = #fuse.columns<threads = 128, vector = 1, splits = 1, hold = registers> {
  ^bb0(%a: tensor<8x64xf32>):
    %m, %t = fuse.softmax_stats %a dims = [0] : tensor<8x64xf32> -> tensor<1x64xf32>, tensor<1x64xf32>
    %z = fuse.sub %m, %m : tensor<1x64xf32>
    %s = fuse.add %t, %z : tensor<1x64xf32>
    %d = fuse.sub %a, %m : tensor<8x64xf32>, tensor<1x64xf32> -> tensor<8x64xf32>
    %e = fuse.exp %d : tensor<8x64xf32>
    %q = fuse.div %e, %s : tensor<8x64xf32>, tensor<1x64xf32> -> tensor<8x64xf32>
    fuse.yield %q : tensor<8x64xf32>
  }
  return %y : tensor<8x64xf32>
}

// -----

// But not where a sum of its own guard is needed, or no exponentials are.
// CHECK-LABEL: func.func @held_sum
// CHECK:         fuse.softmax_stats
// CHECK-NOT:     fuse.reduce
func.func @held_sum(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = fuse.kernel "k" ins(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
      schedule = #fuse.columns<threads = 128, vector = 1, splits = 1, hold = registers> {
  ^bb0(%a: tensor<8x64xf32>):
    %m, %t = fuse.softmax_stats %a dims = [0] : tensor<8x64xf32> -> tensor<1x64xf32>, tensor<1x64xf32>
    %d = fuse.sub %a, %m : tensor<8x64xf32>, tensor<1x64xf32> -> tensor<8x64xf32>
    %e = fuse.exp %d : tensor<8x64xf32>
    %q = fuse.div %e, %t : tensor<8x64xf32>, tensor<1x64xf32> -> tensor<8x64xf32>
    fuse.yield %q : tensor<8x64xf32>
  }
  return %y : tensor<8x64xf32>
}
