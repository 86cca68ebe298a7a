# Configures the project in TestEmbedding, which has Fuse as a subdirectory, and
# builds and runs what of it compiles in seconds.
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/TestEmbedding -B ${WORK_DIR} -G Ninja
  -DFUSE=${FUSE} -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX}
  -DLLVM_DIR=${LLVM_DIR} -DMLIR_DIR=${MLIR_DIR})
run(${CMAKE_COMMAND} --build ${WORK_DIR} --target chips add_rms_norm add_rms_norm_c)
run(${WORK_DIR}/chips)
# Nothing of Fuse's own is among what `cmake --build` and `ctest` do by default.
execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR} -N
  OUTPUT_VARIABLE tests ERROR_QUIET)
if(NOT tests MATCHES "Total Tests: 0")
  message(FATAL_ERROR "expected no tests of Fuse, but got\n${tests}")
endif()
