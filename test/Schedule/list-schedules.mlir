// RUN: fuse-opt %s -fuse-form-kernels -fuse-list-schedules=chip=sm_90 -o %t | FileCheck %s
// RUN: echo '1024 #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers>' > %t.asked
// RUN: fuse-opt %s -fuse-form-kernels -fuse-list-schedules="chip=sm_90 features=%t.asked" -o %t | FileCheck %s --check-prefix=ASKED
// RUN: echo '#fuse.rows<threads = 128>' > %t.wrong
// RUN: not fuse-opt %s -fuse-form-kernels -fuse-list-schedules="chip=sm_90 features=%t.wrong" 2>&1 | FileCheck %s --check-prefix=WRONG

// What is chosen for large, small, brief and few calls, and what is legal, with
// the time and the registers that models predict.
// CHECK: "bytes_per_row":16384
// CHECK-SAME: "chosen":["#fuse.rows<{{[^"]*}}","#fuse.rows<{{[^"]*}}","#fuse.rows<{{[^"]*}}","#fuse.rows<{{[^"]*}}"]
// CHECK-SAME: "kernel":"norm"
// CHECK-SAME: ["#fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = cache>",{{[0-9.]+}}]
// CHECK-SAME: "registers":[{{[0-9]+}},

// 4096 elements in 16 MiB, a number for each name.
// ASKED: "features":{{\[\[}}12,24,
// ASKED-SAME: "names":["length","bytes",

// WRONG: error: expected a number of rows and a schedule of the kernel's kind, but got '#fuse.rows<threads = 128>'

func.func @norm(%x: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<?x4096xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %x, %s : tensor<?x4096xbf16>, tensor<?x1xbf16> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}
