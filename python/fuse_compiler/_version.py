# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version of this package, which the library that it loads must have, too.

CMakeLists.txt and pyproject.toml state the same one; a test compares them.
"""

VERSION = "0.1.0"
