# What `cmake --install` copies, and the package that find_package(Fuse) finds.
# A user links Fuse::FuseJIT, the C++ API of include/fuse/JIT/JIT.h.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(FUSE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Fuse)

# What FuseJIT is made of.
set(fuse_libs FuseTarget FuseIR FuseTransforms FuseAnalysis FuseExplain FuseFusion
  FuseSchedule FuseConversion FuseCodegen FusePipelines FuseRuntime FuseJIT)
foreach(lib IN LISTS fuse_libs)
  target_include_directories(${lib} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

install(TARGETS ${fuse_libs} EXPORT FuseTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT FuseTargets NAMESPACE Fuse:: DESTINATION ${FUSE_PACKAGE_DIR})
install(TARGETS fuse fuse-opt fuse-lsp-server fuse-reduce
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET FuseCAPI)
  install(TARGETS FuseCAPI LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY include/fuse-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")
endif()
foreach(root IN ITEMS ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
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

# A project of its own that finds the installed package, builds and runs.
add_test(NAME cpp-example COMMAND ${CMAKE_COMMAND}
  -DFUSE_BUILD_DIR=${CMAKE_BINARY_DIR}
  -DEXAMPLE_DIR=${CMAKE_SOURCE_DIR}/examples/cpp
  -DWORK_DIR=${CMAKE_BINARY_DIR}/cpp-example
  -DCC=${CMAKE_C_COMPILER}
  -DCXX=${CMAKE_CXX_COMPILER}
  -P ${CMAKE_SOURCE_DIR}/cmake/TestExample.cmake)
