// c = a b^T in bf16 with tensor cores of sm_90a, as small as can be: tiles of 64 x
// 16, steps of 64 along K, a ring of two stages, persistent blocks for several tiles.
// Warps 0 to 3 multiply; a lane of warp 4 copies. The tests break it.
//
// Shared memory of a block, from a multiple of 1024:
//   0      stages of 10240 bytes: 64 x 64 of a, 16 x 64 of b, rows of 128 bytes
//   20480  64 x 16 of c, rows of 32 bytes
//   22528  full[2], empty[2]
!sums = !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
gpu.module @m {
  llvm.mlir.global external @memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  gpu.func @matmul(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr, %m: i32, %n: i32, %k: i32,
      %map_a: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64},
      %map_b: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64},
      %map_c: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64})
      kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %true = arith.constant true
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %c5 = arith.constant 5 : i32
    %c7 = arith.constant 7 : i32
    %c8 = arith.constant 8 : i32
    %c15 = arith.constant 15 : i32
    %c16 = arith.constant 16 : i32
    %c31 = arith.constant 31 : i32
    %c32 = arith.constant 32 : i32
    %c63 = arith.constant 63 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %all = arith.constant -1 : i32
    %stage_bytes = arith.constant 10240 : i32

    %memory = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %full = llvm.getelementptr %memory[22528] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %empty = llvm.getelementptr %memory[22544] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %results = llvm.getelementptr %memory[20480] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8

    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %blocks = nvvm.read.ptx.sreg.nctaid.x : i32
    %warp = arith.shrui %thread, %c5 : i32
    %lane = arith.andi %thread, %c31 : i32
    %leads = arith.cmpi eq, %thread, %zero : i32

    %m_up = arith.addi %m, %c63 : i32
    %tiles_m = arith.divui %m_up, %c64 : i32
    %n_up = arith.addi %n, %c15 : i32
    %tiles_n = arith.divui %n_up, %c16 : i32
    %tiles = arith.muli %tiles_m, %tiles_n : i32
    %k_up = arith.addi %k, %c63 : i32
    %steps = arith.divui %k_up, %c64 : i32

    scf.if %leads {
      scf.for %s = %zero to %c2 step %one : i32 {
        %full_s = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %empty_s = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        nvvm.mbarrier.init %full_s, %one : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %empty_s, %one : !llvm.ptr<3>, i32
      }
      nvvm.fence.mbarrier.init
    }
    nvvm.barrier

    %copies = arith.cmpi eq, %warp, %c4 : i32
    scf.if %copies {
      nvvm.setmaxregister decrease 24
      %elected = nvvm.elect.sync -> i1
      scf.if %elected {
        %stage_end, %parity_end = scf.for %tile = %block to %tiles step %blocks
            iter_args(%tile_stage = %zero, %tile_parity = %one) -> (i32, i32) : i32 {
          %tile_m = arith.divui %tile, %tiles_n : i32
          %tile_n = arith.remui %tile, %tiles_n : i32
          %row = arith.muli %tile_m, %c64 : i32
          %column = arith.muli %tile_n, %c16 : i32
          %stage_next, %parity_next = scf.for %step = %zero to %steps step %one
              iter_args(%stage = %tile_stage, %parity = %tile_parity) -> (i32, i32) : i32 {
            %empty_s = llvm.getelementptr %empty[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
            scf.while : () -> () {
              %free = nvvm.mbarrier.try_wait %empty_s, %parity : !llvm.ptr<3>, i32 -> i1
              %again = arith.xori %free, %true : i1
              scf.condition(%again)
            } do {
              scf.yield
            }
            %full_s = llvm.getelementptr %full[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
            nvvm.mbarrier.arrive.expect_tx %full_s, %stage_bytes : !llvm.ptr<3>, i32
            %at = arith.muli %stage, %stage_bytes : i32
            %to_a = llvm.getelementptr %memory[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            %to_b = llvm.getelementptr %to_a[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
            %x = arith.muli %step, %c64 : i32
            %cluster_a = llvm.addrspacecast %to_a : !llvm.ptr<3> to !llvm.ptr<7>
            nvvm.cp.async.bulk.tensor.shared.cluster.global %cluster_a, %map_a, %full_s, box[%x, %row] : !llvm.ptr<7>, !llvm.ptr
            %cluster_b = llvm.addrspacecast %to_b : !llvm.ptr<3> to !llvm.ptr<7>
            nvvm.cp.async.bulk.tensor.shared.cluster.global %cluster_b, %map_b, %full_s, box[%x, %column] : !llvm.ptr<7>, !llvm.ptr
            %other = arith.xori %stage, %one : i32
            %flipped = arith.xori %parity, %stage : i32
            scf.yield %other, %flipped : i32, i32
          }
          scf.yield %stage_next, %parity_next : i32, i32
        }
      }
      nvvm.bar.warp.sync %all : i32
    } else {
      nvvm.setmaxregister increase 240
      // Where the lane's row of 16 bytes goes, of four matrices of 8 x 8.
      %matrix = arith.shrui %lane, %c3 : i32
      %in_matrix = arith.andi %lane, %c7 : i32
      %lower = arith.andi %matrix, %one : i32
      %lower_rows = arith.muli %lower, %c8 : i32
      %warp_rows = arith.muli %warp, %c16 : i32
      %some_rows = arith.addi %warp_rows, %lower_rows : i32
      %own_row = arith.addi %some_rows, %in_matrix : i32
      %chunk = arith.shrui %matrix, %one : i32
      %row_bits = arith.shrui %own_row, %c2 : i32
      %row_bit = arith.andi %row_bits, %one : i32
      %place = arith.xori %chunk, %row_bit : i32
      %place_bytes = arith.muli %place, %c16 : i32
      %row_bytes = arith.muli %own_row, %c32 : i32
      %result_at = arith.addi %row_bytes, %place_bytes : i32
      %result_row = llvm.getelementptr %results[%result_at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8

      %stage_end, %parity_end = scf.for %tile = %block to %tiles step %blocks
          iter_args(%tile_stage = %zero, %tile_parity = %zero) -> (i32, i32) : i32 {
        %tile_m = arith.divui %tile, %tiles_n : i32
        %tile_n = arith.remui %tile, %tiles_n : i32
        %row = arith.muli %tile_m, %c64 : i32
        %column = arith.muli %tile_n, %c16 : i32
        %nothing = llvm.mlir.undef : !sums
        %sums, %stage_next, %parity_next = scf.for %step = %zero to %steps step %one
            iter_args(%step_sums = %nothing, %stage = %tile_stage, %parity = %tile_parity) -> (!sums, i32, i32) : i32 {
          %full_s = llvm.getelementptr %full[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          scf.while : () -> () {
            %there = nvvm.mbarrier.try_wait %full_s, %parity : !llvm.ptr<3>, i32 -> i1
            %again = arith.xori %there, %true : i1
            scf.condition(%again)
          } do {
            scf.yield
          }
          %at = arith.muli %stage, %stage_bytes : i32
          %from_a = llvm.getelementptr %memory[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %address = llvm.ptrtoint %from_a : !llvm.ptr<3> to i32
          %units = arith.shrui %address, %c4 : i32
          %units_wide = arith.extui %units : i32 to i64
          // 8 rows are 1024 bytes, swizzled by 128.
          %layout = arith.constant 0x4000004000010000 : i64
          %descriptor_a = arith.ori %units_wide, %layout : i64
          %b_units = arith.constant 512 : i64
          %descriptor_b = arith.addi %descriptor_a, %b_units : i64
          %is_later = arith.cmpi ne, %step, %zero : i32
          nvvm.wgmma.fence.aligned
          %added = scf.for %part = %zero to %c4 step %one iter_args(%old = %step_sums) -> (!sums) : i32 {
            %part_wide = arith.extui %part : i32 to i64
            %advance = arith.addi %part_wide, %part_wide : i64
            %da = arith.addi %descriptor_a, %advance : i64
            %db = arith.addi %descriptor_b, %advance : i64
            %is_later_part = arith.cmpi ne, %part, %zero : i32
            %adds = arith.ori %is_later, %is_later_part : i1
            %adds_word = arith.extui %adds : i1 to i32
            %s0 = llvm.extractvalue %old[0] : !sums
            %s1 = llvm.extractvalue %old[1] : !sums
            %s2 = llvm.extractvalue %old[2] : !sums
            %s3 = llvm.extractvalue %old[3] : !sums
            %s4 = llvm.extractvalue %old[4] : !sums
            %s5 = llvm.extractvalue %old[5] : !sums
            %s6 = llvm.extractvalue %old[6] : !sums
            %s7 = llvm.extractvalue %old[7] : !sums
            %new = llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .pred p; setp.ne.b32 p, $18, 0; wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, $16, $17, p, 1, 1, 0, 0; }", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,l,l,r" %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %da, %db, %adds_word : (f32, f32, f32, f32, f32, f32, f32, f32, i64, i64, i32) -> !sums
            scf.yield %new : !sums
          }
          nvvm.wgmma.commit.group.sync.aligned
          nvvm.wgmma.wait.group.sync.aligned 1
          %other = arith.xori %stage, %one : i32
          %frees = arith.andi %leads, %is_later : i1
          scf.if %frees {
            %empty_s = llvm.getelementptr %empty[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
            %state = nvvm.mbarrier.arrive %empty_s : !llvm.ptr<3> -> i64
          }
          %flipped = arith.xori %parity, %stage : i32
          scf.yield %added, %other, %flipped : !sums, i32, i32
        }
        %t0 = llvm.extractvalue %sums[0] : !sums
        %t1 = llvm.extractvalue %sums[1] : !sums
        %t2 = llvm.extractvalue %sums[2] : !sums
        %t3 = llvm.extractvalue %sums[3] : !sums
        %t4 = llvm.extractvalue %sums[4] : !sums
        %t5 = llvm.extractvalue %sums[5] : !sums
        %t6 = llvm.extractvalue %sums[6] : !sums
        %t7 = llvm.extractvalue %sums[7] : !sums
        %done = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7" %t0, %t1, %t2, %t3, %t4, %t5, %t6, %t7 : (f32, f32, f32, f32, f32, f32, f32, f32) -> !sums
        %has_steps = arith.cmpi ne, %steps, %zero : i32
        %frees_last = arith.andi %leads, %has_steps : i1
        scf.if %frees_last {
          %last = arith.xori %stage_next, %one : i32
          %empty_s = llvm.getelementptr %empty[%last] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          %state = nvvm.mbarrier.arrive %empty_s : !llvm.ptr<3> -> i64
        }
        %zeros = llvm.mlir.zero : !sums
        %final = arith.select %has_steps, %done, %zeros : !sums
        %d0 = llvm.extractvalue %final[0] : !sums
        %d1 = llvm.extractvalue %final[1] : !sums
        %d2 = llvm.extractvalue %final[2] : !sums
        %d3 = llvm.extractvalue %final[3] : !sums
        %d4 = llvm.extractvalue %final[4] : !sums
        %d5 = llvm.extractvalue %final[5] : !sums
        %d6 = llvm.extractvalue %final[6] : !sums
        %d7 = llvm.extractvalue %final[7] : !sums
        %p0 = vector.from_elements %d0, %d1 : vector<2xf32>
        %p1 = vector.from_elements %d2, %d3 : vector<2xf32>
        %p2 = vector.from_elements %d4, %d5 : vector<2xf32>
        %p3 = vector.from_elements %d6, %d7 : vector<2xf32>
        %h0 = arith.truncf %p0 : vector<2xf32> to vector<2xbf16>
        %h1 = arith.truncf %p1 : vector<2xf32> to vector<2xbf16>
        %h2 = arith.truncf %p2 : vector<2xf32> to vector<2xbf16>
        %h3 = arith.truncf %p3 : vector<2xf32> to vector<2xbf16>
        %w0 = llvm.bitcast %h0 : vector<2xbf16> to i32
        %w1 = llvm.bitcast %h1 : vector<2xbf16> to i32
        %w2 = llvm.bitcast %h2 : vector<2xbf16> to i32
        %w3 = llvm.bitcast %h3 : vector<2xbf16> to i32
        // The tile before must have left this memory.
        scf.if %leads {
          nvvm.cp.async.bulk.wait_group 0 {read}
        }
        nvvm.barrier id = %one number_of_threads = %c128
        nvvm.stmatrix %result_row, %w0, %w1, %w2, %w3 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
        nvvm.barrier id = %one number_of_threads = %c128 // written
        scf.if %leads {
          nvvm.cp.async.bulk.tensor.global.shared.cta %map_c, %results, box[%column, %row] : !llvm.ptr, !llvm.ptr<3>
          nvvm.cp.async.bulk.commit.group
        }
        scf.yield %stage_next, %parity_next : i32, i32
      }
      scf.if %leads {
        nvvm.cp.async.bulk.wait_group 0 // all
      }
    }
    gpu.return
  }
}
