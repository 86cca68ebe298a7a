#!/usr/bin/env bash
# build-wheel.sh [FOLDER]: a wheel with the static library and the driver in it, by
# default into dist/. Says what the library needs of a system, checks that the wheel's
# tag promises no less, installs it into an empty environment and runs its tests there.
#
# Takes what `make release` has compiled, and compiles the rest: on two cores half an
# hour without ccache. FUSE_BUILD_LOCK names a file to lock meanwhile.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder=${1:-dist}
python=.venv/bin/python
# RHEL 9's; Ubuntu 22.04 has a newer one. No symbol that is newer may be used:
# lib/CAPI/OlderGlibc.cpp has what LLVM and libgcc would ask for.
glibc=2.34

if [[ -n ${FUSE_BUILD_LOCK:-} ]]; then
  exec 9>"$FUSE_BUILD_LOCK"
  flock 9
fi
# What Python takes for this platform is what the wheel says that it is for.
_PYTHON_HOST_PLATFORM="manylinux_${glibc/./_}-$(uname -m)" \
  "$python" -m pip wheel . --no-index --no-deps --no-build-isolation -w "$folder"
[[ -z ${FUSE_BUILD_LOCK:-} ]] || flock -u 9
wheel=$(ls -t "$folder"/fuse_compiler-*.whl | head -1)

library=build-release/wheel/libfuse_compiler.so
# Libraries that the policies for Linux wheels take for granted.
needed=$(llvm-readelf-22 -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort)
unexpected=$(grep -vxE 'lib(c|m|dl|rt|pthread|z)\.so\.[0-9]+|ld-linux-.*' <<<"$needed" || true)
newest=$(llvm-readelf-22 --dyn-syms "$library" |
  grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1 | sed 's/GLIBC_//')
echo "build-wheel: $wheel has $(($(stat -c %s "$wheel") / 1000000)) MB;" \
  "its library needs glibc $newest and ${needed//$'\n'/, }"
if [[ -n $unexpected ]]; then
  echo "build-wheel: expected libraries that every Linux has, but got $unexpected" >&2
  exit 1
fi
if [[ $(printf '%s\n' "$newest" "$glibc" | sort -V | tail -1) != "$glibc" ]]; then
  echo "build-wheel: expected glibc $glibc at most, but got $newest; raise the tag" >&2
  exit 1
fi
FUSE_WHEEL=$(realpath "$wheel") FUSE_LIBRARY=$PWD/$library PYTHONPATH=python \
  "$python" -m pytest -q python/tests/test_packaging.py
