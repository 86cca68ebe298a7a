// A shuffle whose call is not convergent is sunk past a branch, where some of
// its lanes are missing (llvm-project#96521), and a shuffle from a lane that is
// not active reads anything (tvm#12274): every lane takes part, also those
// beyond the row's end.

// RUN: fuse inspect %s --chip=sm_90 --emit=llvm | FileCheck %s --check-prefix=LLVM
// LLVM: declare {{.*}} @llvm.nvvm.shfl.sync.bfly.f32({{.*}}) #[[SHUFFLE:[0-9]+]]
// LLVM: attributes #[[SHUFFLE]] = {{{.*}}convergent{{.*}}}

// RUN: fuse inspect %s --chip=sm_90 --emit=ptx > %t.ptx
// RUN: FileCheck %s --input-file %t.ptx --check-prefix=PTX
// PTX: shfl.sync.bfly.b32 {{.*}}, 31, -1;
// RUN: not grep -E "@%p[0-9]+ +(shfl|bar)" %t.ptx

func.func @maximum(%x: tensor<?x100xf32> {fuse.dims = ["rows"]}) -> tensor<?x1xf32> {
  %y = fuse.reduce max %x dims = [1] keep : tensor<?x100xf32> -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
