#!/usr/bin/env bash
# setup.sh [--torch]: installs what building and testing Fuse needs, and nothing
# that is there. Debian packages by apt-get (through sudo when not root), Python
# packages into .venv, and with --torch those of `make test-torch` into .venv-torch.
# Asks nothing; takes a fraction of a second when nothing is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

packages=(
  # LLVM and MLIR, and what their CMake files look for.
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  libzstd-dev libedit-dev libcurl4-openssl-dev zlib1g-dev libxml2-dev
  # The compiler, the linker, and the build.
  clang-22 lld-22 cmake ninja-build ccache pkgconf
  # Tests and lint.
  libgtest-dev libgmock-dev clang-format-22 clang-tidy-22 git python3-venv python3-dev
)

fail() {
  echo "setup: $*" >&2
  exit 1
}

missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' \
    "${packages[@]}" 2>/dev/null | sed -n 's/^installed //p' || true)
  for package in "${packages[@]}"; do
    grep -qxF "$package" <<<"$installed" || echo "$package"
  done
}

# Whether apt knows a version of every package named.
all_known() {
  local package policy
  for package in "$@"; do
    policy=$(apt-cache policy "$package" 2>/dev/null)
    grep -q '^  Candidate: [^(]' <<<"$policy" || return 1
  done
}

install_packages() {
  local as_root=()
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null ||
      fail "expected root or sudo to install packages, but got neither;" \
        "install these as root: $*"
    as_root=(sudo)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get -q -y -o DPkg::Lock::Timeout=300)
  echo "setup: installing $*"
  all_known "$@" || "${apt[@]}" update </dev/null
  all_known "$@" ||
    fail "expected Debian 12 with its security repository, which has LLVM" \
      "22.1, but apt knows no version of some of: $*; add" \
      "Debian's own bookworm-security, as a fresh installation has it" \
      "to /etc/apt/sources.list"
  local install=("${apt[@]}" install --no-install-recommends "$@")
  # A list of packages that is there but old names files that are gone.
  "${install[@]}" </dev/null || {
    "${apt[@]}" update </dev/null
    "${install[@]}" </dev/null
  }
}

# FOLDER REQUIREMENTS
install_python() {
  local folder=$1 wanted=$2 stamp=$1/requirements.txt
  cmp -s "$wanted" "$stamp" && return
  echo "setup: installing into $folder: $(grep -v "^#" "$wanted" | xargs)"
  python3 -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check \
    --no-input -r "$wanted" </dev/null
  cp "$wanted" "$stamp"
}

command -v apt-get >/dev/null ||
  fail "expected apt-get, but got a system without it; install the equivalents" \
    "of these Debian packages and run 'cmake --preset dev': ${packages[*]}"
mapfile -t missing < <(missing_packages)
if ((${#missing[@]} > 0)); then
  install_packages "${missing[@]}"
fi
install_python .venv tools/dev/requirements.txt
if [[ ${1:-} == --torch ]]; then
  install_python .venv-torch tools/dev/requirements-torch.txt
fi
