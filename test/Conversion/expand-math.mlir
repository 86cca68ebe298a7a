// RUN: fuse-opt %s -fuse-expand-math=target=cpu | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: fuse-opt %s -fuse-expand-math=target=cuda | FileCheck %s --check-prefixes=CHECK,CUDA

// CHECK-LABEL: func @exp_afn
// CPU-NOT:   llvm.call_intrinsic
// CPU:       math.fma
// CUDA:      %[[T:.*]] = arith.mulf
// CUDA-NEXT: %[[Y:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[T]])
// CUDA-NEXT: return %[[Y]]
func.func @exp_afn(%x: f32) -> f32 {
  %y = math.exp %x fastmath<afn> : f32
  return %y : f32
}

// Denormals of f32 are numbers in bf16.
// CHECK-LABEL: func @exp_afn_bf16
// CUDA:        llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
func.func @exp_afn_bf16(%x: f32) -> f32 {
  %y = math.exp %x fastmath<afn> {fuse.bf16} : f32
  return %y : f32
}

// Hardware ops are scalar: one per lane.
// CHECK-LABEL: func @rsqrt_vector
// CPU:            math.sqrt %{{.*}} : vector<2xf32>
// CUDA-COUNT-2:   llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
// CUDA:           vector.from_elements
func.func @rsqrt_vector(%x: vector<2xf32>) -> vector<2xf32> {
  %y = math.rsqrt %x : vector<2xf32>
  return %y : vector<2xf32>
}

// tanh.approx is good to 2^-11: enough for bf16, not for f16.
// CHECK-LABEL: func @tanh_bf16
// CUDA: llvm.intr.tanh({{.*}}) {fastmathFlags = #llvm.fastmath<afn>}
func.func @tanh_bf16(%x: f32) -> f32 {
  %y = math.tanh %x fastmath<afn> {fuse.bf16} : f32
  return %y : f32
}

// CHECK-LABEL: func @tanh_f16
// CHECK-NOT: tanh(
// CHECK: math.copysign
func.func @tanh_f16(%x: f32) -> f32 {
  %y = math.tanh %x fastmath<afn> : f32
  return %y : f32
}

// Without a flag a division stays IEEE.
// CHECK-LABEL: func @divide
// CHECK: arith.divf %arg0, %arg1 : f32
// CPU:   arith.divf %arg0, %arg1 fastmath<arcp> : f32
// CUDA:  llvm.call_intrinsic "llvm.nvvm.div.full"(%arg0, %arg1)
func.func @divide(%a: f32, %b: f32) -> (f32, f32) {
  %0 = arith.divf %a, %b : f32
  %1 = arith.divf %a, %b fastmath<arcp> : f32
  return %0, %1 : f32, f32
}

// A reciprocal has an instruction, which a step of Newton's method refines
// unless 16 bits suffice; an infinity is kept out of the step.
// CHECK-LABEL: func @reciprocal
// CPU:   arith.divf {{.*}} fastmath<arcp> : f32
// CPU:   arith.divf {{.*}} fastmath<arcp,afn> : f32
// CUDA:  %[[FIRST:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%arg0)
// CUDA:  %[[LIMITED:.*]] = arith.minimumf %arg0, %{{.*}}
// CUDA:  %[[NEGATED:.*]] = arith.negf %[[LIMITED]]
// CUDA:  %[[ERROR:.*]] = math.fma %[[NEGATED]], %[[FIRST]], %{{.*}}
// CUDA:  %[[REFINED:.*]] = math.fma %[[ERROR]], %[[FIRST]], %[[FIRST]]
// CUDA:  %[[ROUGH:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%arg0)
// CUDA:  return %[[REFINED]], %[[ROUGH]]
func.func @reciprocal(%x: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %0 = arith.divf %one, %x fastmath<arcp> : f32
  %1 = arith.divf %one, %x fastmath<arcp,afn> : f32
  return %0, %1 : f32, f32
}

// The reduction of large angles runs only if a lane needs it.
// CHECK-LABEL: func @sin
// CHECK: vector.reduction <or>
// CHECK: scf.if
func.func @sin(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.sin %x : vector<8xf32>
  return %y : vector<8xf32>
}

// These are instructions already.
// CHECK-LABEL: func @untouched
// CHECK: math.sqrt
// CHECK: math.floor
func.func @untouched(%x: f64) -> (f64, f64) {
  %0 = math.sqrt %x : f64
  %1 = math.floor %x : f64
  return %0, %1 : f64, f64
}
