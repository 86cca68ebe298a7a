// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// Vectors of rows with edges start anywhere in the weights: they are cut out of
// the aligned vectors around them.

// The first of the held vectors is followed by others, whatever the row. The
// last one is read in single elements where nothing follows it.
// CHECK-LABEL: gpu.func @halves
// CHECK:         %[[HEAD:.*]] = arith.minsi
// CHECK:         %[[COLUMN:.*]] = arith.addi %[[HEAD]],
// CHECK:         gpu.barrier
// CHECK:         %[[PAST:.*]] = arith.remui %[[COLUMN]], %c8
// CHECK-NEXT:    %[[NUMBER:.*]] = arith.divui %[[COLUMN]], %c8
// CHECK-NEXT:    %[[FROM:.*]] = arith.muli %[[NUMBER]], %c8
// CHECK-NEXT:    %[[PLACE:.*]] = arith.index_cast %[[FROM]] : index to i64
// CHECK-NEXT:    %[[AT:.*]] = llvm.getelementptr inbounds %arg1[%[[PLACE]]]
// CHECK-NEXT:    %[[FRONT:.*]] = llvm.load %[[AT]] {alignment = 16 : i64} : !llvm.ptr -> vector<4xi32>
// CHECK-NEXT:    %[[W0:.*]] = vector.extract %[[FRONT]][0]
// CHECK-NEXT:    %[[W1:.*]] = vector.extract %[[FRONT]][1]
// CHECK-NEXT:    %[[W2:.*]] = vector.extract %[[FRONT]][2]
// CHECK-NEXT:    %[[W3:.*]] = vector.extract %[[FRONT]][3]
// CHECK:         %[[NEXT:.*]] = llvm.getelementptr inbounds %{{.*}}[8]
// CHECK-NEXT:    %[[BACK:.*]] = llvm.load %[[NEXT]] {alignment = 16 : i64} : !llvm.ptr -> vector<4xi32>
// CHECK-NEXT:    %[[W4:.*]] = vector.extract %[[BACK]][0]
// CHECK-NEXT:    %[[W5:.*]] = vector.extract %[[BACK]][1]
// CHECK-NEXT:    %[[W6:.*]] = vector.extract %[[BACK]][2]
// CHECK-NEXT:    %[[W7:.*]] = vector.extract %[[BACK]][3]
// CHECK-NEXT:    %[[ELEMENTS:.*]] = arith.index_cast %[[PAST]] : index to i32
// CHECK:         %[[BIT2:.*]] = arith.andi %[[ELEMENTS]], %c4
// CHECK:         %[[TWO:.*]] = arith.cmpi ne, %[[BIT2]], %c0
// CHECK-NEXT:    %[[X0:.*]] = arith.select %[[TWO]], %[[W2]], %[[W0]]
// CHECK-NEXT:    %[[X1:.*]] = arith.select %[[TWO]], %[[W3]], %[[W1]]
// CHECK-NEXT:    arith.select %[[TWO]], %[[W4]], %[[W2]]
// CHECK-NEXT:    arith.select %[[TWO]], %[[W5]], %[[W3]]
// CHECK-NEXT:    %[[X4:.*]] = arith.select %[[TWO]], %[[W6]], %[[W4]]
// CHECK-NEXT:    %[[X5:.*]] = arith.select %[[TWO]], %[[W7]], %[[W5]]
// CHECK:         %[[BIT1:.*]] = arith.andi %[[ELEMENTS]], %c2
// CHECK:         %[[ONE:.*]] = arith.cmpi ne, %[[BIT1]], %c0
// CHECK-NEXT:    %[[Y0:.*]] = arith.select %[[ONE]], %[[X1]], %[[X0]]
// CHECK-COUNT-3: arith.select %[[ONE]]
// CHECK-NEXT:    %[[Y4:.*]] = arith.select %[[ONE]], %[[X5]], %[[X4]]
// CHECK:         %[[BITS:.*]] = arith.muli %[[ELEMENTS]], %c16
// CHECK-NEXT:    llvm.intr.fshr(%{{.*}}, %[[Y0]], %[[BITS]])
// CHECK-COUNT-2: llvm.intr.fshr
// CHECK-NEXT:    llvm.intr.fshr(%[[Y4]], %{{.*}}, %[[BITS]])
// CHECK:         vector.bitcast %{{.*}} : vector<4xi32> to vector<8xbf16>
// CHECK-NOT:     alignment = 2
// CHECK:         llvm.store
// CHECK:         %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %c1001
// CHECK-NEXT:    scf.if %[[INSIDE]] -> (vector<8xbf16>)
// CHECK:           llvm.intr.fshr
// CHECK:         else
// CHECK-NOT:       llvm.intr.fshr
// CHECK:           llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<8xbf16>
// CHECK:         gpu.return
func.func @halves(%x: tensor<?x1001xbf16>, %w: tensor<1001xbf16>) -> tensor<?x1001xbf16> {
  %y = fuse.kernel "halves" ins(%x, %w : tensor<?x1001xbf16>, tensor<1001xbf16>) -> tensor<?x1001xbf16>
      schedule = #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = registers> {
  ^bb0(%a: tensor<?x1001xbf16>, %b: tensor<1001xbf16>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x1001xbf16> -> tensor<?x1xbf16>
    %q = fuse.mul %a, %s : tensor<?x1001xbf16>, tensor<?x1xbf16> -> tensor<?x1001xbf16>
    %r = fuse.mul %q, %b : tensor<?x1001xbf16>, tensor<1001xbf16> -> tensor<?x1001xbf16>
    fuse.yield %r : tensor<?x1001xbf16>
  }
  return %y : tensor<?x1001xbf16>
}

// -----

// Whole words need no funnel shift. Three accesses hold 8 words, wherever they
// start; the vectors of a step are followed by another, the others are asked.
// CHECK-LABEL: gpu.func @words
// CHECK:         gpu.barrier
// CHECK:         scf.for
// CHECK-NOT:     scf.if
// CHECK-COUNT-3:   llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xi32>
// CHECK-COUNT-9:   arith.select
// CHECK-COUNT-8:   arith.select
// CHECK-NEXT:      vector.from_elements
// CHECK-NEXT:      vector.bitcast %{{.*}} : vector<8xi32> to vector<8xf32>
// CHECK-NOT:       alignment = 4
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK-NOT:     fshr
// CHECK:             llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK:         gpu.return
func.func @words(%x: tensor<?x?xf32>, %w: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %y = fuse.kernel "words" ins(%x, %w : tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
      schedule = #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = loop> {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<1x?xf32>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x?xf32> -> tensor<?x1xf32>
    %q = fuse.mul %a, %s : tensor<?x?xf32>, tensor<?x1xf32> -> tensor<?x?xf32>
    %r = fuse.mul %q, %b : tensor<?x?xf32>, tensor<1x?xf32> -> tensor<?x?xf32>
    fuse.yield %r : tensor<?x?xf32>
  }
  return %y : tensor<?x?xf32>
}

// -----

// Bytes of a word or two: no select, or one a word. Loads of single elements
// are as many as lanes, which for pairs is no more.
// CHECK-LABEL: gpu.func @bytes
// CHECK:         gpu.barrier
// CHECK-COUNT-2: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<2xi32>
// CHECK-COUNT-3: arith.select
// CHECK-NEXT:    %{{.*}} = arith.constant 8 : i32
// CHECK-NEXT:    arith.muli
// CHECK-COUNT-2: llvm.intr.fshr
// CHECK:         vector.bitcast %{{.*}} : vector<2xi32> to vector<8xi8>
// CHECK:         gpu.return
func.func @bytes(%x: tensor<?x1033xbf16>, %m: tensor<1033xi1>) -> tensor<?x1033xbf16> {
  %y = fuse.kernel "bytes" ins(%x, %m : tensor<?x1033xbf16>, tensor<1033xi1>) -> tensor<?x1033xbf16>
      schedule = #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = registers> {
  ^bb0(%a: tensor<?x1033xbf16>, %b: tensor<1033xi1>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x1033xbf16> -> tensor<?x1xbf16>
    %r = fuse.select %b, %a, %s : tensor<1033xi1>, tensor<?x1033xbf16>, tensor<?x1xbf16> -> tensor<?x1033xbf16>
    fuse.yield %r : tensor<?x1033xbf16>
  }
  return %y : tensor<?x1033xbf16>
}

// -----

// Rows of columns start anywhere. Behind all vectors of a step lies another row;
// the last vector of a row overlaps the one before, and leaves its columns to it.
// CHECK-LABEL: gpu.func @columns
// CHECK:         %[[COLUMN:.*]] = arith.minsi %[[OWN:.*]], %c1025
// CHECK:         %[[LAST:.*]] = arith.minsi %c1, %[[ROWS:.*]] : index
// CHECK:         arith.subi %[[ROWS]], %[[LAST]]
// CHECK:         scf.for
// CHECK:           %[[AT:.*]] = arith.addi %[[COLUMN]], %{{.*}}
// CHECK-NEXT:      %[[PAST:.*]] = arith.remui %[[AT]], %c8
// CHECK-NOT:       scf.if
// CHECK-COUNT-4:   llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xi32>
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<8xbf16>
// CHECK:         gpu.barrier
// CHECK:         %[[END:.*]] = arith.addi %[[COLUMN]], %c1{{[_0-9]*}} : index
// CHECK-NEXT:    %[[MINE:.*]] = arith.cmpi slt, %[[OWN]], %[[END]]
// CHECK-NEXT:    scf.if %[[MINE]]
// CHECK:           llvm.store {{.*}} {alignment = 2 : i64} : bf16
// CHECK-COUNT-7: llvm.store {{.*}} : bf16
// CHECK-NOT:     llvm.store
// CHECK:         gpu.return
func.func @columns(%x: tensor<?x1033xbf16>) -> tensor<1033xbf16> {
  %y = fuse.kernel "columns" ins(%x : tensor<?x1033xbf16>) -> tensor<1033xbf16>
      schedule = #fuse.columns<threads = 64, vector = 8, splits = 8, hold = loop<unroll = 2>> {
  ^bb0(%a: tensor<?x1033xbf16>):
    %s = fuse.reduce max %a dims = [0] : tensor<?x1033xbf16> -> tensor<1033xbf16>
    fuse.yield %s : tensor<1033xbf16>
  }
  return %y : tensor<1033xbf16>
}

// -----

// Vectors of two 16-bit weights are cut out of two each: the last walk is there for
// each quarter of the offsets where a row's first vector may be, with its head known
// but for one element.
// CHECK-LABEL: gpu.func @two_weights
// CHECK:         %[[HEAD:.*]] = arith.minsi
// CHECK:         nvvm.cp.async.shared.global
// CHECK:         gpu.barrier
// CHECK:         %[[REST:.*]] = arith.remui %[[HEAD]], %c2
// CHECK:         %[[PAST:.*]] = arith.remui %[[HEAD]], %c8
// CHECK:         %[[WHOLE:.*]] = arith.subi %[[HEAD]], %[[PAST]]
// CHECK:         arith.cmpi slt, %[[PAST]], %c4
// CHECK:         scf.if
// CHECK:           arith.cmpi slt, %[[PAST]], %c2
// CHECK:           scf.if
// CHECK:             arith.addi %[[WHOLE]], %[[REST]]
// CHECK:             llvm.store {{.*}} vector<8xbf16>
// CHECK:           } else {
// CHECK:             arith.addi %[[WHOLE]], %[[REST]]
// CHECK:             llvm.store {{.*}} vector<8xbf16>
// CHECK:         } else {
// CHECK:           arith.cmpi slt, %[[PAST]], %c6
// CHECK:           scf.if
// CHECK:             arith.addi %[[WHOLE]], %[[REST]]
// CHECK:             llvm.store {{.*}} vector<8xbf16>
// CHECK:           } else {
// CHECK:             arith.addi %[[WHOLE]], %[[REST]]
// CHECK:             llvm.store {{.*}} vector<8xbf16>
// CHECK:         gpu.return
// One weight is cut by selects.
// CHECK-LABEL: gpu.func @one_weight
// CHECK:         gpu.barrier
// CHECK-NOT:     arith.cmpi slt, %{{.*}}, %c6
// CHECK:         gpu.return
func.func @two_weights(%x: tensor<?x1033xbf16>, %w: tensor<1033xbf16>, %b: tensor<1033xbf16>) -> tensor<?x1033xbf16> {
  %y = fuse.kernel "two_weights" ins(%x, %w, %b : tensor<?x1033xbf16>, tensor<1033xbf16>, tensor<1033xbf16>) -> tensor<?x1033xbf16>
      schedule = #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = shared<unroll = 1>> {
  ^bb0(%a: tensor<?x1033xbf16>, %c: tensor<1033xbf16>, %d: tensor<1033xbf16>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x1033xbf16> -> tensor<?x1xbf16>
    %p = fuse.mul %a, %c : tensor<?x1033xbf16>, tensor<1033xbf16> -> tensor<?x1033xbf16>
    %q = fuse.add %p, %d : tensor<?x1033xbf16>, tensor<1033xbf16> -> tensor<?x1033xbf16>
    %r = fuse.mul %q, %s : tensor<?x1033xbf16>, tensor<?x1xbf16> -> tensor<?x1033xbf16>
    fuse.yield %r : tensor<?x1033xbf16>
  }
  return %y : tensor<?x1033xbf16>
}
func.func @one_weight(%x: tensor<?x1033xbf16>, %w: tensor<1033xbf16>) -> tensor<?x1033xbf16> {
  %y = fuse.kernel "one_weight" ins(%x, %w : tensor<?x1033xbf16>, tensor<1033xbf16>) -> tensor<?x1033xbf16>
      schedule = #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = shared<unroll = 1>> {
  ^bb0(%a: tensor<?x1033xbf16>, %c: tensor<1033xbf16>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x1033xbf16> -> tensor<?x1xbf16>
    %p = fuse.mul %a, %c : tensor<?x1033xbf16>, tensor<1033xbf16> -> tensor<?x1033xbf16>
    %r = fuse.mul %p, %s : tensor<?x1033xbf16>, tensor<?x1xbf16> -> tensor<?x1033xbf16>
    fuse.yield %r : tensor<?x1033xbf16>
  }
  return %y : tensor<?x1033xbf16>
}
