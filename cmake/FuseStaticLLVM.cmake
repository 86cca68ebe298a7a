# fuse_strip_llvm_dylib(): Debian's MLIR archives name the LLVM and MLIR dylibs
# in their interfaces; mixing these with archives aborts at start ("option
# registered more than once"). Drops them from all MLIR targets. Also installed,
# for users of a static Fuse.
function(fuse_strip_llvm_dylib)
  foreach(target IN LISTS MLIR_ALL_LIBS MLIR_EXPORTED_TARGETS)
    if(NOT TARGET ${target})
      continue()
    endif()
    get_target_property(libs ${target} INTERFACE_LINK_LIBRARIES)
    if(libs)
      list(REMOVE_ITEM libs LLVM MLIR "$<LINK_ONLY:LLVM>" "$<LINK_ONLY:MLIR>"
           "\\$<LINK_ONLY:LLVM>" "\\$<LINK_ONLY:MLIR>")
      set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libs}")
    endif()
  endforeach()
endfunction()
