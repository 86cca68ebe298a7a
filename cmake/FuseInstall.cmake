# What `cmake --install` copies, and the package that find_package(Fuse) finds.
# A user links Fuse::FuseExecution, the C++ API of include/fuse/Execution/JIT.h, or
# Fuse::FuseC, the C API of include/fuse-c/Fuse.h.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(FUSE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Fuse)

# What FuseExecution is made of.
set(fuse_libs FuseTarget FuseIR FuseTransforms FuseAnalysis FuseExplain FuseFusion
  FuseSchedule FuseConversion FuseCodegen FusePipelines FuseRuntime FuseCompiler
  FuseExecution)
foreach(lib IN LISTS fuse_libs)
  target_include_directories(${lib} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

install(TARGETS ${fuse_libs} EXPORT FuseTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT FuseTargets NAMESPACE Fuse:: DESTINATION ${FUSE_PACKAGE_DIR})
install(TARGETS fuse fuse-opt fuse-lsp-server fuse-reduce
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# What shells complete, made by the driver of its own options.
set(completion ${PROJECT_BINARY_DIR}/completion)
add_custom_command(OUTPUT ${completion}/fuse ${completion}/_fuse
  COMMAND ${CMAKE_COMMAND} -E make_directory ${completion}
  COMMAND fuse completion bash > ${completion}/fuse
  COMMAND fuse completion zsh > ${completion}/_fuse
  DEPENDS fuse VERBATIM)
add_custom_target(FuseCompletion ALL
  DEPENDS ${completion}/fuse ${completion}/_fuse)
install(FILES ${completion}/fuse
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${completion}/_fuse
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

# Of its own, so that it can be found where there is no MLIR.
set_target_properties(FuseCAPI PROPERTIES EXPORT_NAME FuseC)
target_include_directories(FuseCAPI INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS FuseCAPI EXPORT FuseCTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT FuseCTargets NAMESPACE Fuse:: DESTINATION ${FUSE_PACKAGE_DIR})
install(DIRECTORY include/fuse-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
# fuse.pc is the name of the library for file systems.
set(FUSE_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH FUSE_PREFIX_FROM_PC /${FUSE_PC_DIR} /)
configure_file(cmake/fuse-compiler.pc.in fuse-compiler.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fuse-compiler.pc
  DESTINATION ${FUSE_PC_DIR})

foreach(root IN ITEMS ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  install(DIRECTORY ${root}/include/fuse DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "*.td"
    PATTERN CMakeFiles EXCLUDE)
endforeach()

configure_package_config_file(cmake/FuseConfig.cmake.in FuseConfig.cmake
  INSTALL_DESTINATION ${FUSE_PACKAGE_DIR})
write_basic_package_version_file(FuseConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/FuseConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/FuseConfigVersion.cmake
  cmake/FuseStaticLLVM.cmake
  DESTINATION ${FUSE_PACKAGE_DIR})

# Projects of their own that find the installed package, build and run.
find_program(FUSE_PKG_CONFIG pkg-config REQUIRED)
add_test(NAME install COMMAND ${CMAKE_COMMAND}
  -DFUSE_BUILD_DIR=${PROJECT_BINARY_DIR}
  -DEXAMPLES_DIR=${PROJECT_SOURCE_DIR}/examples
  -DWORK_DIR=${PROJECT_BINARY_DIR}/install-test
  -DCC=${CMAKE_C_COMPILER}
  -DCXX=${CMAKE_CXX_COMPILER}
  -DREADELF=${LLVM_TOOLS_BINARY_DIR}/llvm-readelf
  -DPKG_CONFIG=${FUSE_PKG_CONFIG}
  -P ${PROJECT_SOURCE_DIR}/cmake/TestInstall.cmake)

# A project that has Fuse as a subdirectory.
add_test(NAME embedding COMMAND ${CMAKE_COMMAND}
  -DFUSE=${PROJECT_SOURCE_DIR}
  -DWORK_DIR=${PROJECT_BINARY_DIR}/embedding-test
  -DCC=${CMAKE_C_COMPILER}
  -DCXX=${CMAKE_CXX_COMPILER}
  -DLLVM_DIR=${LLVM_DIR}
  -DMLIR_DIR=${MLIR_DIR}
  -P ${PROJECT_SOURCE_DIR}/cmake/TestEmbedding.cmake)
