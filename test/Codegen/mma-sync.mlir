// DEFINE: %{stats} = fuse inspect %s
// RUN: fuse inspect %s --chip sm_80 --entry linear --emit=ptx | FileCheck %s
// RUN: fuse inspect %s --chip sm_80 --entry linear 2>&1 | FileCheck %s --check-prefix=EXPLAINED

// Every chip without wgmma has the kernel, in its own tiles, and ptxas finds
// registers for all of it.
// RUN: %{stats} --chip sm_80 --entry linear --emit=stats --expect-mma | FileCheck %s --check-prefix=STATS
// RUN: %{stats} --chip sm_86 --entry linear --emit=stats --expect-mma | FileCheck %s --check-prefix=STATS
// RUN: %{stats} --chip sm_89 --entry swiglu --emit=stats --expect-mma | FileCheck %s --check-prefix=STATS
// RUN: %{stats} --chip sm_90 --entry swiglu --emit=stats --expect-mma | FileCheck %s --check-prefix=STATS
// RUN: %{stats} --chip sm_100 --entry gradient --emit=stats --expect-mma | FileCheck %s --check-prefix=STATS
// RUN: %{stats} --chip sm_120 --entry gradient --emit=stats --expect-mma | FileCheck %s --check-prefix=STATS

// EXPLAINED: why: it contracts 16-bit floats on tensor cores; {{[48]}} warps, each by mma.sync, share tiles of [[#]] x [[#]], whose operands are copied up to [[#]] steps ahead, and results are written through shared memory
// CHECK:         .target sm_80
// CHECK:         cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, %r
// CHECK:         cp.async.commit_group
// CHECK:         cp.async.wait_group
// CHECK:         ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:         mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK:         cp.async.wait_group {{[ \t]*}}0;
// CHECK-NOT:     mbarrier
// CHECK-NOT:     stmatrix
// CHECK:         st.global.v4
// STATS:         tensor cores {{[1-9][0-9]*}} x mma m16n8k16
// STATS-NOT:     spills {{[1-9]}}
func.func @linear(%x: tensor<?x4096xbf16>, %w: tensor<4096x4096xbf16>, %b: tensor<4096xbf16>) -> tensor<?x4096xbf16> {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<?x4096xbf16>, tensor<4096x4096xbf16> -> tensor<?x4096xbf16>
  %y = fuse.add %p, %b : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}

func.func @swiglu(%x: tensor<4096x4096xf16>, %g: tensor<14336x4096xf16>, %u: tensor<14336x4096xf16>) -> tensor<4096x14336xf16> {
  %p = fuse.matmul %x, %g transpose_rhs : tensor<4096x4096xf16>, tensor<14336x4096xf16> -> tensor<4096x14336xf16>
  %q = fuse.matmul %x, %u transpose_rhs : tensor<4096x4096xf16>, tensor<14336x4096xf16> -> tensor<4096x14336xf16>
  %s = fuse.silu %p : tensor<4096x14336xf16>
  %y = fuse.mul %s, %q : tensor<4096x14336xf16>
  return %y : tensor<4096x14336xf16>
}

func.func @gradient(%x: tensor<?x2048xbf16>, %y: tensor<?x1024xbf16>) -> tensor<2048x1024xbf16> {
  %p = fuse.contract "km,kn->mn" %x, %y : tensor<?x2048xbf16>, tensor<?x1024xbf16> -> tensor<2048x1024xbf16>
  return %p : tensor<2048x1024xbf16>
}
