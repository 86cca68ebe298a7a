# fuse_add_library and fuse_add_tool: the two ways a target is made here.

option(FUSE_USE_CCACHE "Compile through ccache when it is installed" OFF)
if(FUSE_USE_CCACHE)
  find_program(FUSE_CCACHE ccache)
  if(FUSE_CCACHE)
    # The precompiled header needs these to be cached at all.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${FUSE_CCACHE})
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endif()

add_compile_options(-ffunction-sections -fdata-sections)
# Archives name libraries (z3) that nothing kept from them needs.
# The cache of compiled code tells builds apart by their ids.
add_link_options(-fuse-ld=lld -Wl,--gc-sections -Wl,--as-needed -Wl,--build-id=sha1)
if(FUSE_LINK_LLVM STREQUAL "static")
  add_link_options(-Wl,-s)
endif()
# Debian ships lld of this LLVM as ld.lld-22.
find_program(FUSE_LLD NAMES ld.lld-22 ld.lld HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
add_link_options(--ld-path=${FUSE_LLD})

include_directories(${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)

# fuse_add_pch(<name> <header>): a precompiled header that targets reuse.
function(fuse_add_pch name header)
  set(source ${PROJECT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Owner of the precompiled header.\n")
  add_library(${name} STATIC ${source})
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/${header})
endfunction()

# MLIR alone, and MLIR with the ops of Fuse, which take longer to parse than the
# rest of most sources.
fuse_add_pch(FusePCH FusePCH.h)
fuse_add_pch(FuseDialectPCH FuseDialectPCH.h)
add_dependencies(FuseDialectPCH FuseIRIncGen)

# fuse_reuse_pch(<name> <libs...>): the precompiled header that fits a target which
# links these libraries of Fuse.
function(fuse_reuse_pch name)
  if(FuseIR IN_LIST ARGN)
    target_precompile_headers(${name} REUSE_FROM FuseDialectPCH)
  else()
    target_precompile_headers(${name} REUSE_FROM FusePCH)
  endif()
endfunction()

# fuse_export_headers(<name>): who links it finds its headers and LLVM's, and knows
# it as Fuse::<name>, as after find_package(Fuse).
function(fuse_export_headers name)
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
  target_include_directories(${name} SYSTEM INTERFACE
    "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>" "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>")
  add_library(Fuse::${name} ALIAS ${name})
endfunction()

# fuse_add_library(<name> <sources...>
#   [NO_MLIR]                 Only LLVM Support; no precompiled header.
#   [DEPENDS <targets...>]    Generated files.
#   [FUSE <libs...>]          Fuse libraries it uses (see docs/architecture.md).
#   [MLIR <libs...>] [LLVM <components...>])
function(fuse_add_library name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "DEPENDS;FUSE;MLIR;LLVM" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  fuse_export_headers(${name})
  set_property(GLOBAL APPEND PROPERTY FUSE_LIBS ${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_FUSE})
  fuse_link_llvm(${name} MLIR ${ARG_MLIR} LLVM ${ARG_LLVM})
  if(NOT ARG_NO_MLIR)
    fuse_reuse_pch(${name} ${name} ${ARG_FUSE})
  endif()
endfunction()

# fuse_add_tool(<name> <sources...> [FUSE ...] [MLIR ...] [LLVM ...])
function(fuse_add_tool name)
  cmake_parse_arguments(ARG "" "" "FUSE;MLIR;LLVM" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_FUSE})
  fuse_link_llvm_tool(${name} MLIR ${ARG_MLIR} LLVM ${ARG_LLVM})
  # -fPIE would differ from the precompiled header's -fPIC.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  fuse_reuse_pch(${name} ${ARG_FUSE})
endfunction()

function(fuse_link_llvm_tool name)
  fuse_link_llvm(${name} ${ARGN})
endfunction()
