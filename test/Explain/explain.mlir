// RUN: fuse-opt %s -fuse-form -fuse-schedule --remarks-filter='fuse-.*' 2>&1 >/dev/null | FileCheck %s
// RUN: fuse-opt %s -fuse-form -fuse-schedule --remarks-filter-missed='fuse-edge' 2>&1 >/dev/null | FileCheck %s --check-prefix=MISSED --implicit-check-not=Passed
// RUN: fuse-opt %s -fuse-form -fuse-schedule 2>&1 >/dev/null | count 0
// RUN: fuse-opt %s -fuse-form -fuse-schedule --remarks-filter='fuse-.*' --remark-format=yaml --remarks-output-file=%t.yaml > /dev/null
// RUN: FileCheck %s --check-prefix=YAML --input-file %t.yaml

// An add and a norm, two ops of the program, in one kernel: h is read by the
// norm, and neither written nor read.
// CHECK: explain.mlir:[[#@LINE+11]]:8: remark: [Passed] Kernel | Category:fuse-kernel | Function=norm |
// CHECK-SAME: BytesMoved="24576*T + 8192", BytesSaved=16384*T
// CHECK-SAME: Decided="trees fitted to times on H200; by the trees the next takes {{[0-9.]+}}% {{less|longer}}"
// CHECK-SAME: Lines="[[#@LINE+7]], [[#@LINE+8]]"
// CHECK-SAME: Predicted="{{[0-9]+\.[0-9]}} us, mostly {{[a-zA-Z0-9]+}}"
// CHECK-SAME: Reason="it reduces rows of 4096 elements, {{[^"]*}}"
// CHECK-SAME: Remark="kernel 'norm' runs add,
// CHECK-SAME: RunnerUp="#fuse.rows<{{[^"]*}}>: {{[0-9]+\.[0-9]}} us, mostly
// CHECK-SAME: Schedule="#fuse.rows<
func.func @norm(%x: tensor<?x4096xbf16> {fuse.dims = ["T"]}, %r: tensor<?x4096xbf16>, %w: tensor<4096xbf16>) -> tensor<?x4096xbf16> {
  %h = fuse.add %x, %r : tensor<?x4096xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x4096xbf16>, tensor<4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// The second product needs all of the first, and reads %a a second time.
// MISSED: explain.mlir:[[#@LINE+7]]:8: remark: [Missed] NotFused | Category:fuse-edge | Function=two |
// MISSED-SAME: BytesCost="512*n + 16384"
// MISSED-SAME: Reason="{{[^"]+}}"
// MISSED-SAME: Remark="kernel 'two_1' is not fused with 'two_0', whose result it reads"
// MISSED-SAME: Suggestion="{{[^"]+}}"
func.func @two(%x: tensor<?x64xf32> {fuse.dims = ["n"]}, %a: tensor<64x64xf32>) -> tensor<?x64xf32> {
  %h = fuse.matmul %x, %a : tensor<?x64xf32>, tensor<64x64xf32> -> tensor<?x64xf32>
  %y = fuse.matmul %h, %a : tensor<?x64xf32>, tensor<64x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// YAML: --- !Passed
// YAML: Pass: {{ *}}fuse-kernel
// YAML: BytesMoved
// YAML: --- !Missed
// YAML: Suggestion

// Rows of two lengths share a launch; what differs too much does not.
// CHECK: remark: [Passed] Kernel | Category:fuse-kernel | Function=rows |
// CHECK-SAME: Reason="it reduces rows of 64 and 128 elements, which {{.*}}; 2 independent sets of rows share the launch, in blocks of their own"
// CHECK: explain.mlir:[[#@LINE+7]]:8: remark: [Missed] NotShared | Category:fuse-launch | Function=rows |
// CHECK-SAME: Kernel=rows_1
// CHECK-SAME: Neighbour=rows_0
// CHECK-SAME: Remark="kernel 'rows_1' does not share a launch with 'rows_0'"
func.func @rows(%a: tensor<64x64xf32>, %b: tensor<64x128xf32>, %c: tensor<64x4096xf32>) -> (tensor<64x64xf32>, tensor<64x128xf32>, tensor<64x4096xf32>) {
  %x = fuse.softmax %a dims = [1] : tensor<64x64xf32>
  %y = fuse.softmax %b dims = [1] : tensor<64x128xf32>
  %z = fuse.softmax %c dims = [1] : tensor<64x4096xf32>
  return %x, %y, %z : tensor<64x64xf32>, tensor<64x128xf32>, tensor<64x4096xf32>
}

// Columns that a cluster shares, by steps whose copies run ahead.
// CHECK: remark: [Passed] Kernel | Category:fuse-kernel | Function=clustered |
// CHECK-SAME: Reason="it reduces other dimensions than the last; {{[0-9]+}} threads in each of {{[0-9]+}} blocks (a cluster) share a column's elements, and neighbours read neighbouring columns; copies of the next {{[0-9]}} steps run ahead, into shared memory"
func.func @clustered(%x: tensor<1024x2048xbf16>) -> tensor<2048xbf16> {
  %y = fuse.reduce sum %x dims = [0] : tensor<1024x2048xbf16> -> tensor<2048xbf16>
  return %y : tensor<2048xbf16>
}

// Rows that a cluster shares.
// CHECK: remark: [Passed] Kernel | Category:fuse-kernel | Function=shared_rows |
// CHECK-SAME: Reason="it reduces rows of 12288 elements, which fit in the registers of 128 threads in each of 4 blocks (a cluster), so that memory is read once"
func.func @shared_rows(%x: tensor<300x12288xbf16>, %w: tensor<12288xbf16>) -> tensor<300x12288xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<300x12288xbf16>, tensor<12288xbf16>
  return %y : tensor<300x12288xbf16>
}

// CHECK: remark: [Passed] Kernel | Category:fuse-kernel | Function=streamed |
// CHECK-SAME: Reason="it reduces rows of 65536 elements, which {{[0-9]+}} threads read once and do not keep; copies of the next 2 steps run ahead, into shared memory"
func.func @streamed(%x: tensor<?x65536xbf16>) -> tensor<?xbf16> {
  %y = fuse.kernel "streamed" ins(%x : tensor<?x65536xbf16>) -> tensor<?xbf16> schedule = #fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = loop<stages = 3>> {
  ^bb0(%a: tensor<?x65536xbf16>):
    %m = fuse.reduce max %a dims = [1] : tensor<?x65536xbf16> -> tensor<?xbf16>
    fuse.yield %m : tensor<?xbf16>
  }
  return %y : tensor<?xbf16>
}

// CHECK: remark: [Passed] Kernel | Category:fuse-kernel | Function=odd_columns |
// CHECK-SAME: Reason="it reduces other dimensions than the last; {{[0-9]+}} threads in each of up to {{[0-9]+}} blocks share a column's elements, and neighbours read neighbouring columns; 8 rows are walked as one, so that vectors of 8 lie where memory is aligned
func.func @odd_columns(%x: tensor<65536x4097xbf16>) -> tensor<4097xbf16> {
  %s = fuse.reduce sum %x dims = [0] : tensor<65536x4097xbf16> -> tensor<4097xbf16>
  return %s : tensor<4097xbf16>
}

// Rows of persistent blocks.
// CHECK: remark: [Passed] Kernel | Category:fuse-kernel | Function=gradient |
// CHECK-SAME: so that memory is read once{{.*}}; up to {{[0-9]+}} persistent blocks each take one row after the other, adds up what all rows are reduced to, and meets the others
func.func @gradient(%x: tensor<?x8192xbf16>, %g: tensor<?x8192xbf16>) -> (tensor<?x1xbf16>, tensor<8192xbf16>) {
  %p = fuse.mul %x, %g : tensor<?x8192xbf16>
  %m = fuse.reduce max %p dims = [1] keep : tensor<?x8192xbf16> -> tensor<?x1xbf16>
  %s = fuse.reduce sum %p dims = [0] : tensor<?x8192xbf16> -> tensor<8192xbf16>
  return %m, %s : tensor<?x1xbf16>, tensor<8192xbf16>
}

// What is touched: a row of the table for each id, at most.
// CHECK: remark: [Passed] Kernel | Category:fuse-kernel | Function=gathered |
// CHECK-SAME: BytesMoved="at most 8196*T + min(8192*T, 8192*V)", BytesSaved=,
func.func @gathered(%t: tensor<?x4096xbf16> {fuse.dims = ["V"]}, %i: tensor<?xi32> {fuse.dims = ["T"]}) -> tensor<?x4096xbf16> {
  %y = fuse.gather %t, %i dim = 0 : tensor<?x4096xbf16>, tensor<?xi32> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// A row of each table for each token.
// CHECK: remark: [Passed] Kernel | Category:fuse-kernel | Function=rotated |
// CHECK-SAME: BytesMoved="at most 4100*T + 2*min(256*T, 33554432)"
func.func @rotated(%x: tensor<?x8x128xbf16> {fuse.dims = ["T"]}, %c: tensor<131072x64xf32>, %s: tensor<131072x64xf32>, %p: tensor<?xi32>) -> tensor<?x8x128xbf16> {
  %y = fuse.rotary half tokens_heads %x tables(%c, %s) positions(%p) : tensor<?x8x128xbf16>, tensor<131072x64xf32>, tensor<?xi32>
  return %y : tensor<?x8x128xbf16>
}

// Two slices of three; separate kernels would write and read them, too.
// CHECK: remark: [Passed] Kernel | Category:fuse-kernel | Function=sliced |
// CHECK-SAME: BytesMoved=20480*T, BytesSaved=20480*T
func.func @sliced(%x: tensor<?x6144xbf16> {fuse.dims = ["T"]}) -> (tensor<?x4096xbf16>, tensor<?x1024xbf16>) {
  %q = fuse.slice %x offsets = [0, 0] sizes = [-1, 4096] : tensor<?x6144xbf16> -> tensor<?x4096xbf16>
  %k = fuse.slice %x offsets = [0, 4096] sizes = [-1, 1024] : tensor<?x6144xbf16> -> tensor<?x1024xbf16>
  %a = fuse.exp %q : tensor<?x4096xbf16>
  %b = fuse.exp %k : tensor<?x1024xbf16>
  return %a, %b : tensor<?x4096xbf16>, tensor<?x1024xbf16>
}

// What a scatter writes.
// CHECK: remark: [Passed] Kernel | Category:fuse-kernel | Function=scattered |
// CHECK-SAME: BytesMoved="at most 2052*T + min(2048*T, 2048*S)"
func.func @scattered(%cache: tensor<?x1024xbf16> {fuse.dims = ["S"]}, %i: tensor<?xi32> {fuse.dims = ["T"]}, %k: tensor<?x1024xbf16>) -> tensor<?x1024xbf16> {
  %y = fuse.scatter %cache, %i, %k dim = 0 : tensor<?x1024xbf16>, tensor<?xi32>, tensor<?x1024xbf16> -> tensor<?x1024xbf16>
  return %y : tensor<?x1024xbf16>
}

// Sizes that follow from others are written in these; those that no name was
// given to are called after the argument.
// CHECK: remark: [Passed] Kernel | Category:fuse-kernel | Function=derived |
// CHECK-SAME: BytesMoved="512*N + 512*arg1.0 + 256*ceil((arg1.0 - 1)/2) - 1024", BytesSaved="1024*N + 512*arg1.0 + 256*ceil((arg1.0 - 1)/2) - 2048"
func.func @derived(%x: tensor<?x64xf32> {fuse.dims = ["N"]}, %z: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %a = fuse.slice %x offsets = [2, 0] sizes = [-1, -1] : tensor<?x64xf32> -> tensor<?x64xf32>
  %b = fuse.concat %a, %z dim = 0 : tensor<?x64xf32>, tensor<?x64xf32> -> tensor<?x64xf32>
  %e = fuse.exp %b : tensor<?x64xf32>
  %h = fuse.slice %z offsets = [1, 0] sizes = [-1, -1] steps = [2, 1] : tensor<?x64xf32> -> tensor<?x64xf32>
  return %e, %h : tensor<?x64xf32>, tensor<?x64xf32>
}
