#!/usr/bin/env bash
# lint.sh [BUILD]: clang-format on all C++ sources, clang-tidy on those changed
# since FUSE_LINT_BASE (by default what the main branch of origin has, or else
# the previous commit), ruff on all Python.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${1:-build}

base() {
  if [[ -n ${FUSE_LINT_BASE:-} ]]; then
    echo "$FUSE_LINT_BASE"
    return
  fi
  local common
  common=$(git merge-base HEAD origin/main 2>/dev/null || true)
  if [[ -n $common && $common != $(git rev-parse HEAD) ]]; then
    echo "$common"
  else
    git rev-parse --quiet --verify HEAD~1 || git rev-parse HEAD
  fi
}

# Sources that are there, among those named by git.
existing() {
  while read -r file; do
    [[ -f $file ]] && echo "$file"
  done
  return 0
}

mapfile -t sources < <(git ls-files '*.h' '*.cpp' | existing)
echo "lint: clang-format, ${#sources[@]} files"
clang-format-22 --dry-run -Werror "${sources[@]}"

since=$(base)
mapfile -t changed < <(git diff --name-only "$since" -- '*.cpp' | existing)
echo "lint: clang-tidy, ${#changed[@]} files changed since ${since:0:12}"
# Files outside the build, such as the example of a CMake consumer, have no
# compile command.
tidied=()
for file in "${changed[@]}"; do
  if grep -qF "\"file\": \"$PWD/$file\"" "$build/compile_commands.json"; then
    tidied+=("$file")
  fi
done
if ((${#tidied[@]} > 0)); then
  printf '%s\0' "${tidied[@]}" |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy-22 -p "$build" --quiet \
      --warnings-as-errors='*'
fi

echo "lint: ruff"
.venv/bin/ruff check --quiet .
.venv/bin/ruff format --quiet --check .
