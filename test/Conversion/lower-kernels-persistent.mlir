// RUN: fuse-opt %s -split-input-file -verify-diagnostics -fuse-lower-kernels=cluster=8 | FileCheck %s

// Three blocks at most, one at least: no rows have a sum, too. Each loads the
// weights, then its first row; while it reduces a row the next one's loads are
// under way, and the sums of the columns that a thread holds go on from row to row.
// When it has no more rows it leaves them, meets the others, and combines its
// share of the columns.
// CHECK-LABEL: func.func @across
// CHECK:         %[[SOME:.*]] = arith.minui %{{.*}}, %c3
// CHECK:         %[[BLOCKS:.*]] = arith.maxui %[[SOME]], %c1
// CHECK:         fuse.launch @across{{.*}}::@across blocks(%[[BLOCKS]]) threads(64)
// CHECK-SAME:    -> tensor<?x256xf32>, tensor<256xf32>, tensor<768xf32> {cooperative
// CHECK-LABEL: gpu.func @across
// CHECK-SAME:    (%{{.*}}: !llvm.ptr {{{.*}}}, %[[W:[a-z0-9]+]]: !llvm.ptr {{{.*}}}, %{{.*}}: !llvm.ptr {{{.*}}}, %{{.*}}: !llvm.ptr {{{.*}}}, %[[LEFT:[a-z0-9]+]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noundef}, %{{.*}}: !llvm.ptr, %{{.*}}: i64)
// CHECK:         llvm.getelementptr inbounds %[[W]]
// CHECK:         %[[STRIDE:.*]] = gpu.grid_dim  x
// CHECK:         scf.if
// CHECK:           llvm.load {{.*}} -> vector<4xf32>
// CHECK:         %[[SUMS:.*]]:3 = scf.for {{.*}} step %[[STRIDE]] iter_args({{.*}}, %[[ROWS:[a-z0-9]+]] = %c0{{[_0-9]*}}, {{.*}}) -> (vector<4xf32>, index, vector<4xf32>)
// CHECK:           arith.minsi
// CHECK:           %[[NEXT:.*]] = llvm.load {{.*}} -> vector<4xf32>
// CHECK-NOT:       llvm.load
// CHECK:           gpu.barrier
// CHECK:           llvm.store
// CHECK:           %[[SUM:.*]] = arith.addf {{.*}} : vector<4xf32>
// Every 256 rows the sums are added to what was left before, and start anew.
// CHECK:           %[[COUNT:.*]] = arith.addi %[[ROWS]], %c1
// CHECK:           %[[PAST:.*]] = arith.remui %[[COUNT]], %c256
// CHECK:           %[[WHOLE:.*]] = arith.cmpi slt, %[[PAST]], %c1
// CHECK:           %[[BEGUN:.*]] = scf.if %[[WHOLE]]
// CHECK:             arith.cmpi slt, %c256{{[_0-9]*}}, %[[COUNT]]
// CHECK:             llvm.load
// CHECK:             arith.addf
// CHECK:             llvm.store
// CHECK:             %[[NONE:.*]] = vector.broadcast
// CHECK:             scf.yield %[[NONE]]
// CHECK:             scf.yield %[[SUM]]
// CHECK:           gpu.barrier
// CHECK:           scf.yield %[[BEGUN]], %[[COUNT]], %[[NEXT]]
// CHECK:         arith.cmpi slt, %c255{{[_0-9]*}}, %[[SUMS]]#1
// CHECK:         llvm.getelementptr inbounds %[[LEFT]]
// CHECK:         llvm.store
// CHECK:         gpu.barrier
// CHECK:         llvm.fence syncscope("device") acq_rel
// CHECK:         llvm.atomicrmw
// CHECK:         gpu.barrier
// CHECK:         scf.for
// CHECK:           llvm.getelementptr inbounds %[[LEFT]]
func.func @across(%x: tensor<?x256xf32>, %w: tensor<256xf32>) -> (tensor<?x256xf32>, tensor<256xf32>) {
  %y:2 = fuse.kernel "across" ins(%x, %w : tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>, tensor<256xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = registers<preload = true>, persistent = 3> {
  ^bb0(%a: tensor<?x256xf32>, %b: tensor<256xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x256xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
    %q = fuse.mul %d, %b : tensor<?x256xf32>, tensor<256xf32> -> tensor<?x256xf32>
    %s = fuse.reduce sum %q dims = [0] : tensor<?x256xf32> -> tensor<256xf32>
    fuse.yield %q, %s : tensor<?x256xf32>, tensor<256xf32>
  }
  return %y#0, %y#1 : tensor<?x256xf32>, tensor<256xf32>
}

// -----

// Without anything that all rows are reduced to the blocks need not meet. Two
// levels have a barrier each, so that none is needed between rows.
// CHECK-LABEL: func.func @rows
// CHECK:         fuse.launch
// CHECK-NOT:     cooperative
// CHECK-LABEL: gpu.func @rows
// CHECK:         scf.for
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK:         gpu.return
func.func @rows(%x: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %y = fuse.kernel "rows" ins(%x : tensor<?x256xf32>) -> tensor<?x256xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = registers, persistent = 3> {
  ^bb0(%a: tensor<?x256xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x256xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
    %s = fuse.reduce sum %d dims = [1] keep : tensor<?x256xf32> -> tensor<?x1xf32>
    %q = fuse.div %d, %s : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
    fuse.yield %q : tensor<?x256xf32>
  }
  return %y : tensor<?x256xf32>
}

// -----

func.func @not_persistent(%x: tensor<?x256xf32>) -> (tensor<?x1xf32>, tensor<256xf32>) {
  // expected-error @below {{expected persistent blocks for what is reduced over all rows, but got persistent = 0; use some for each multiprocessor}}
  %y:2 = fuse.kernel "k" ins(%x : tensor<?x256xf32>) -> tensor<?x1xf32>, tensor<256xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = registers> {
  ^bb0(%a: tensor<?x256xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x256xf32> -> tensor<?x1xf32>
    %s = fuse.reduce sum %a dims = [0] : tensor<?x256xf32> -> tensor<256xf32>
    fuse.yield %m, %s : tensor<?x1xf32>, tensor<256xf32>
  }
  return %y#0, %y#1 : tensor<?x1xf32>, tensor<256xf32>
}

// -----

// The block's first row is copied before the loop, if there is one, in two groups; the walk that
// writes a row copies the next one, slot by slot, into the same two groups, which the
// first walk over that waits for. Sums of columns are carried along, so that slots
// are code of their own.
// CHECK-LABEL: gpu.func @ahead
// CHECK:         scf.if
// CHECK:           nvvm.cp.async.shared.global
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         scf.if
// CHECK:           nvvm.cp.async.shared.global
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (vector<4xf32>, vector<4xf32>, index)
// CHECK:           nvvm.cp.async.wait.group 1
// CHECK:           nvvm.cp.async.wait.group 0
// CHECK:           gpu.shuffle
// CHECK:           llvm.store %{{.*}} : vector<4xf32>
// CHECK:           scf.if
// CHECK:             nvvm.cp.async.shared.global
// CHECK:           nvvm.cp.async.commit.group
// CHECK:           llvm.store %{{.*}} : vector<4xf32>
// CHECK:           scf.if
// CHECK:           nvvm.cp.async.commit.group
// CHECK-NOT:       nvvm.cp.async.commit.group
// CHECK:           scf.yield %{{.*}}, %{{.*}} : vector<4xf32>, vector<4xf32>
func.func @ahead(%x: tensor<?x256xf32>) -> (tensor<?x256xf32>, tensor<256xf32>) {
  %y:2 = fuse.kernel "ahead" ins(%x : tensor<?x256xf32>) -> tensor<?x256xf32>, tensor<256xf32>
      schedule = #fuse.rows<threads = 32, vector = 4, rows_per_block = 1, hold = shared<unroll = 1, preload = true, copy_groups = 2>, persistent = 3> {
  ^bb0(%a: tensor<?x256xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x256xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
    %s = fuse.reduce sum %d dims = [0] : tensor<?x256xf32> -> tensor<256xf32>
    fuse.yield %d, %s : tensor<?x256xf32>, tensor<256xf32>
  }
  return %y#0, %y#1 : tensor<?x256xf32>, tensor<256xf32>
}

// -----

// With room for three rows two are copied before the loop; the copies of the row two
// behind begin before the present one is waited for, for which four younger groups,
// those of two rows, may be on their way. Where a row's slots begin is carried along:
// the last row ahead has those of the row before this one.
// CHECK-LABEL: gpu.func @stages
// CHECK:         scf.if
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         scf.if
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         scf.if
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         scf.if
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         scf.for {{.*}} iter_args({{.*}}, %[[FIRST:[a-z0-9]+]] = %c0{{[_0-9]*}}) -> (vector<4xf32>, vector<4xf32>, index, index)
// CHECK:           %[[LAST:.*]] = arith.addi %[[FIRST]], %c4
// CHECK:           scf.if
// CHECK:             nvvm.cp.async.shared.global
// CHECK:           nvvm.cp.async.commit.group
// CHECK:           nvvm.cp.async.commit.group
// CHECK:           nvvm.cp.async.wait.group 5
// CHECK:           nvvm.cp.async.wait.group 4
// CHECK-NOT:       nvvm.cp.async
// CHECK:           %[[NEXT:.*]] = arith.select
// CHECK:           scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %[[NEXT]] : vector<4xf32>, vector<4xf32>, index, index
func.func @stages(%x: tensor<?x256xf32>) -> (tensor<?x256xf32>, tensor<256xf32>) {
  %y:2 = fuse.kernel "stages" ins(%x : tensor<?x256xf32>) -> tensor<?x256xf32>, tensor<256xf32>
      schedule = #fuse.rows<threads = 32, vector = 4, rows_per_block = 1, hold = shared<unroll = 1, preload = true, copy_groups = 2, stages = 3>, persistent = 3> {
  ^bb0(%a: tensor<?x256xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x256xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
    %s = fuse.reduce sum %d dims = [0] : tensor<?x256xf32> -> tensor<256xf32>
    fuse.yield %d, %s : tensor<?x256xf32>, tensor<256xf32>
  }
  return %y#0, %y#1 : tensor<?x256xf32>, tensor<256xf32>
}

// -----

func.func @cluster(%x: tensor<?x256xf32>) -> (tensor<?x1xf32>, tensor<256xf32>) {
  // expected-error @below {{expected one block a row for what is reduced over all rows, but got share = cluster; leave share out}}
  %y:2 = fuse.kernel "k" ins(%x : tensor<?x256xf32>) -> tensor<?x1xf32>, tensor<256xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = registers, share = cluster<2>, persistent = 4> {
  ^bb0(%a: tensor<?x256xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x256xf32> -> tensor<?x1xf32>
    %s = fuse.reduce sum %a dims = [0] : tensor<?x256xf32> -> tensor<256xf32>
    fuse.yield %m, %s : tensor<?x1xf32>, tensor<256xf32>
  }
  return %y#0, %y#1 : tensor<?x1xf32>, tensor<256xf32>
}

// -----

func.func @not_held(%x: tensor<?x256xf32>) -> (tensor<?x1xf32>, tensor<256xf32>) {
  // expected-error @below {{expected hold = registers or hold = shared for sums of columns, but got cache; use hold = registers}}
  %y:2 = fuse.kernel "k" ins(%x : tensor<?x256xf32>) -> tensor<?x1xf32>, tensor<256xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = cache, persistent = 4> {
  ^bb0(%a: tensor<?x256xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x256xf32> -> tensor<?x1xf32>
    %s = fuse.reduce sum %a dims = [0] : tensor<?x256xf32> -> tensor<256xf32>
    fuse.yield %m, %s : tensor<?x1xf32>, tensor<256xf32>
  }
  return %y#0, %y#1 : tensor<?x1xf32>, tensor<256xf32>
}

// -----

func.func @partly_shared(%x: tensor<?x256xf32>) -> (tensor<?x1xf32>, tensor<256xf32>) {
  // expected-error @below {{expected in_registers = 0 and rows of whole vectors of all threads for sums of columns with hold = shared, but got in_registers = 1 and 256 elements for steps of 128; use hold = registers}}
  %y:2 = fuse.kernel "k" ins(%x : tensor<?x256xf32>) -> tensor<?x1xf32>, tensor<256xf32>
      schedule = #fuse.rows<threads = 32, vector = 4, rows_per_block = 1, hold = shared<in_registers = 1>, persistent = 4> {
  ^bb0(%a: tensor<?x256xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x256xf32> -> tensor<?x1xf32>
    %s = fuse.reduce sum %a dims = [0] : tensor<?x256xf32> -> tensor<256xf32>
    fuse.yield %m, %s : tensor<?x1xf32>, tensor<256xf32>
  }
  return %y#0, %y#1 : tensor<?x1xf32>, tensor<256xf32>
}

// -----

func.func @edges(%x: tensor<?x257xf32>) -> (tensor<?x1xf32>, tensor<257xf32>) {
  // expected-error @below {{expected a vector that divides the last dimension for sums of columns, but got vector = 4 for 257; use vector = 1}}
  %y:2 = fuse.kernel "k" ins(%x : tensor<?x257xf32>) -> tensor<?x1xf32>, tensor<257xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 1, hold = registers, persistent = 4> {
  ^bb0(%a: tensor<?x257xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x257xf32> -> tensor<?x1xf32>
    %s = fuse.reduce sum %a dims = [0] : tensor<?x257xf32> -> tensor<257xf32>
    fuse.yield %m, %s : tensor<?x1xf32>, tensor<257xf32>
  }
  return %y#0, %y#1 : tensor<?x1xf32>, tensor<257xf32>
}
