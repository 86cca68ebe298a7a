# The one place that decides how LLVM and MLIR are found and linked.
#
# FUSE_LINK_LLVM = shared: libMLIR.so and libLLVM.so, which link in seconds.
# FUSE_LINK_LLVM = static: the component archives, see FuseStaticLLVM.cmake.

set(FUSE_LINK_LLVM "shared" CACHE STRING "How to link LLVM/MLIR: shared or static")
set_property(CACHE FUSE_LINK_LLVM PROPERTY STRINGS shared static)

find_package(MLIR 22.1 REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# LLVM's own flags (no exceptions, C++17, warnings), but Fuse's assertions
# follow the build type of Fuse, not LLVM's.
set(LLVM_ENABLE_WARNINGS ON)
include(HandleLLVMOptions)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(_fuse_llvm_defs NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${_fuse_llvm_defs})

if(FUSE_LINK_LLVM STREQUAL "static")
  include(FuseStaticLLVM)
  fuse_strip_llvm_dylib()
endif()

# fuse_link_llvm(<target> MLIR <libs...> LLVM <components...>)
# Links the named MLIR libraries and LLVM components, or the two shared
# libraries that hold all of them.
function(fuse_link_llvm target)
  cmake_parse_arguments(ARG "" "" "MLIR;LLVM" ${ARGN})
  if(FUSE_LINK_LLVM STREQUAL "shared")
    target_link_libraries(${target} PUBLIC MLIR LLVM)
  else()
    llvm_map_components_to_libnames(components ${ARG_LLVM})
    target_link_libraries(${target} PUBLIC ${ARG_MLIR} ${components})
  endif()
endfunction()
