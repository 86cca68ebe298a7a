# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DOUTPUT=FILE.inc -DINPUTS=A;B -P EmbedText.cmake
#
# Writes each text as `static constexpr char NAME[]`, where a.b/c.css becomes
# c_css. Pieces stay below what compilers take for one literal.

set(text "")
foreach(input IN LISTS INPUTS)
  get_filename_component(name "${input}" NAME)
  string(REGEX REPLACE "[^A-Za-z0-9]" "_" name "${name}")
  file(READ "${input}" content)
  string(LENGTH "${content}" length)
  string(APPEND text "static constexpr char ${name}[] =\n")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${content}" ${at} 8000 piece)
    string(APPEND text "R\"~~(${piece})~~\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  string(APPEND text ";\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
