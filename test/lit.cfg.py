"""How the tests of Fuse are found and run; see docs of LLVM's lit."""

import ctypes
import os

import lit.formats

config.name = "Fuse"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".ll"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.fuse_binary_dir, "test")

config.environment["PATH"] = os.pathsep.join(
    [config.fuse_tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
# Symbols in the stack trace of a crash.
config.environment["LLVM_SYMBOLIZER_PATH"] = os.path.join(
    config.llvm_tools_dir, "llvm-symbolizer"
)


def gpu_count():
    """The number of GPUs that a loadable CUDA driver reports."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


if config.ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", config.ptxas))
if gpu_count() > 0:
    config.available_features.add("gpu")
