# What a wheel holds beside the Python package, for scikit-build-core (pyproject.toml):
# the library of the C API with the driver in it, so that both share one copy of LLVM.
add_library(FuseWheel SHARED EXCLUDE_FROM_ALL
  lib/CAPI/CallCache.cpp
  lib/CAPI/Fuse.cpp
  lib/CAPI/Tensors.cpp
  tools/fuse/WheelMain.cpp)
set_target_properties(FuseWheel PROPERTIES
  OUTPUT_NAME fuse_compiler
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/wheel
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/lib/CAPI/exports.map)
target_compile_definitions(FuseWheel PRIVATE FUSE_VERSION="${PROJECT_VERSION}")
target_link_libraries(FuseWheel PRIVATE FuseBundle FuseExecution FuseDriver)
target_link_options(FuseWheel PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/lib/CAPI/exports.map
  -Wl,--exclude-libs,ALL -Wl,--no-undefined)
if(FUSE_LINK_LLVM STREQUAL "static")
  # Of libraries that not every machine has nothing is asked for. LLVM's Support names
  # the shared libzstd.
  target_link_options(FuseWheel PRIVATE -static-libstdc++ -static-libgcc)
  target_sources(FuseWheel PRIVATE lib/CAPI/OlderGlibc.cpp)
  find_library(FUSE_STATIC_ZSTD libzstd.a REQUIRED)
  set_target_properties(zstd::libzstd_shared PROPERTIES
    IMPORTED_LOCATION ${FUSE_STATIC_ZSTD}
    IMPORTED_LOCATION_NONE ${FUSE_STATIC_ZSTD}
    IMPORTED_LOCATION_RELEASE ${FUSE_STATIC_ZSTD})
endif()
target_precompile_headers(FuseWheel REUSE_FROM FusePCH)
if(TARGET FusePythonNative)
  add_dependencies(FuseWheel FusePythonNative)
endif()
install(TARGETS FuseWheel LIBRARY DESTINATION fuse_compiler COMPONENT wheel
  EXCLUDE_FROM_ALL)
