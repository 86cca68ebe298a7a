# fuse_add_unit_test: the one way a GoogleTest program of sources with MLIR is made.

find_package(GTest REQUIRED)
include(GoogleTest)

fuse_add_pch(FuseTestPCH FuseTestPCH.h)
target_link_libraries(FuseTestPCH PRIVATE GTest::gmock)
add_dependencies(FuseTestPCH FuseIRIncGen)

# fuse_add_unit_test(<name> <sources...>
#   FUSE <libs...>            Fuse libraries it tests.
#   [INCLUDE <folders...>]    Private headers, from the project's root.
#   [MLIR <libs...>] [LLVM <components...>])
function(fuse_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "FUSE;INCLUDE;MLIR;LLVM" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  list(TRANSFORM ARG_INCLUDE PREPEND ${PROJECT_SOURCE_DIR}/)
  target_include_directories(${name} PRIVATE ${ARG_INCLUDE})
  target_link_libraries(${name} PRIVATE ${ARG_FUSE} GTest::gmock GTest::gtest_main)
  if(ARG_MLIR OR ARG_LLVM)
    fuse_link_llvm(${name} MLIR ${ARG_MLIR} LLVM ${ARG_LLVM})
  endif()
  # -fPIE would differ from the precompiled header's -fPIC.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_precompile_headers(${name} REUSE_FROM FuseTestPCH)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
endfunction()
