# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DSOURCE=DIR -DVERSION=X.Y.Z -DOUTPUT=FILE.inc -P WriteCommit.cmake
#
# Writes version and commit as constants; the file changes only with these.

execute_process(
  COMMAND git -C "${SOURCE}" rev-parse HEAD
  OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET
  RESULT_VARIABLE failed)
if(failed)
  set(commit "")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT
"static constexpr char fuseVersion[] = \"${VERSION}\";
static constexpr char fuseCommit[] = \"${commit}\";
")
