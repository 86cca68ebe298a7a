#!/usr/bin/env bash
# pack-release.sh: builds the static release and packs what gpu-session.sh runs
# into .carry/ (ignored by git), for a machine without LLVM. The packed files
# must stay under 60 MiB.
#
# The build takes all cores for a while. FUSE_BUILD_LOCK names a file to lock
# while it runs, where several builds share a machine; JOBS is their number.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

build="build-release"
targets=(fuse fuse-opt fuse-crosscheck FuseCAPI FusePythonNative FuseRuntimeTests)
max_bytes=$((60 << 20))

compile() {
  [[ -f $build/build.ninja ]] || cmake --preset release
  cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target "${targets[@]}"
}

# Everything in one archive, since the tools share most of their code.
pack() {
  local stage
  stage=$(mktemp -d)
  trap 'rm -rf "$stage"' RETURN
  mkdir "$stage/bin" "$stage/lib"
  cp "$build"/bin/{fuse,fuse-opt,fuse-crosscheck,FuseRuntimeTests} "$stage/bin"
  cp -L "$build"/lib/{libfuse_compiler.so,_native.abi3.so} "$stage/lib"
  strip "$stage"/bin/* "$stage"/lib/*
  mkdir -p .carry
  # xz, which Python's standard library unpacks: a GPU machine may lack zstd.
  tar -C "$stage" -cf - bin lib |
    xz -c -T0 --lzma2=preset=4,dict=128MiB >.carry/fuse.tar.xz
  git describe --always --dirty >.carry/COMMIT
}

check_size() {
  local bytes
  bytes=$(stat -c %s .carry/fuse.tar.xz)
  echo "pack-release: .carry/fuse.tar.xz has $((bytes >> 20)) MiB"
  ((bytes < max_bytes)) && return
  echo "pack-release: expected at most $((max_bytes >> 20)) MiB; pack fewer tools" >&2
  return 1
}

if [[ -n ${FUSE_BUILD_LOCK:-} ]]; then
  exec 9>"$FUSE_BUILD_LOCK"
  flock 9
fi
compile
[[ -z ${FUSE_BUILD_LOCK:-} ]] || flock -u 9
pack
check_size
