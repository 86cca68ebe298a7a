# Installs Fuse into WORK_DIR, moves what was installed, and uses it from there:
# starts each program, and builds and runs the examples.
function(run)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH ${ARGN}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# build_example(<name> <program> [<options of CMake...>])
function(build_example name program)
  set(build ${WORK_DIR}/build-${name})
  run(${CMAKE_COMMAND} -S ${EXAMPLES_DIR}/${name} -B ${build}
    -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_PREFIX_PATH=${prefix} ${ARGN})
  run(${CMAKE_COMMAND} --build ${build})
  run(${build}/${program})
endfunction()

function(check_no_build_folder what text)
  string(FIND "${text}" "${FUSE_BUILD_DIR}" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "expected ${what} without the build folder, but got\n${text}")
  endif()
endfunction()

set(prefix ${WORK_DIR}/moved)
file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${FUSE_BUILD_DIR} --prefix ${WORK_DIR}/installed)
file(RENAME ${WORK_DIR}/installed ${prefix})

# What is installed finds nothing through the build folder. WORK_DIR lies in it.
file(GLOB programs ${prefix}/bin/*)
file(GLOB libraries ${prefix}/lib*/*.so ${prefix}/lib*/*/*.so)
foreach(file IN LISTS programs libraries)
  execute_process(COMMAND ${READELF} -d ${file} OUTPUT_VARIABLE dynamic
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "R(UN)?PATH[^\n]*" runpath "${dynamic}")
  check_no_build_folder(${file} "${runpath}")
  # An empty entry is the folder in which a program is started.
  if(runpath MATCHES "::|\\[:|:\\]")
    message(FATAL_ERROR "expected no empty entry in a path, but got ${runpath}")
  endif()
endforeach()
file(GLOB_RECURSE packages ${prefix}/lib*/*.cmake ${prefix}/lib*/*.pc)
foreach(file IN LISTS packages)
  file(READ ${file} text)
  check_no_build_folder(${file} "${text}")
endforeach()

foreach(program IN LISTS programs)
  run(${program} --help)
endforeach()
run(${prefix}/bin/fuse-opt -fuse-form ${EXAMPLES_DIR}/gelu.mlir)
run(${prefix}/bin/fuse run ${EXAMPLES_DIR}/softmax.mlir --target cpu
  --dim rows=3 --verify)

build_example(cpp add_rms_norm)
# A model whose next token is known: that behind the last one.
set(model ${WORK_DIR}/model)
run(python3 ${EXAMPLES_DIR}/../test/Examples/Inputs/counting_model.py ${model})
execute_process(COMMAND ${WORK_DIR}/build-cpp/llama ${model}/model.mlir
    ${model}/model.safetensors 5 3,9,5
  OUTPUT_VARIABLE tokens COMMAND_ERROR_IS_FATAL ANY)
if(NOT tokens STREQUAL "6 7 8 9 10\n")
  message(FATAL_ERROR "expected the tokens 6 to 10, but got ${tokens}")
endif()
execute_process(COMMAND ${WORK_DIR}/build-cpp/llama ${model}/model.mlir
    ${model}/model.safetensors 9 3,9,5
  ERROR_VARIABLE error RESULT_VARIABLE status)
if(status EQUAL 0 OR NOT error MATCHES "expected at most 6 tokens for the caches, but got 9")
  message(FATAL_ERROR "expected an error about the caches, but got ${error}")
endif()
# Without MLIR.
build_example(c add_rms_norm
  -DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON)

# The C++ API without it: the error says what to do.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${EXAMPLES_DIR}/cpp -B ${WORK_DIR}/no-mlir
  -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON
  OUTPUT_QUIET ERROR_VARIABLE error RESULT_VARIABLE status)
if(status EQUAL 0 OR NOT error MATCHES "expected MLIR.*set MLIR_DIR.*COMPONENTS C\\)")
  message(FATAL_ERROR "expected an error that names MLIR_DIR, but got\n${error}")
endif()

# The C example by hand.
file(GLOB_RECURSE package ${prefix}/*/fuse-compiler.pc)
cmake_path(GET package PARENT_PATH package_dir)
set(ENV{PKG_CONFIG_PATH} ${package_dir})
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs fuse-compiler
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
list(GET libraries 0 library)
cmake_path(GET library PARENT_PATH library_dir)
run(${CC} -std=c99 -pedantic-errors -Wall -Werror ${EXAMPLES_DIR}/c/main.c ${flags}
  -lm -Wl,-rpath,${library_dir} -o ${WORK_DIR}/by_hand)
run(${WORK_DIR}/by_hand)
