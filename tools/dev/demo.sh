#!/usr/bin/env bash
# demo.sh [BUILD]: five programs, from text to one kernel each. Runs them on the
# GPU where there is one, else on the CPU, and checks them against the oracle.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
fuse=$PWD/${1:-build}/bin/fuse

if [[ -t 1 ]]; then
  title=$'\e[1;36m' command=$'\e[1m' plain=$'\e[0m'
else
  title='' command='' plain=''
fi

# Runs a command under its own text, indented.
show() {
  echo "${command}  \$ ${*/#$fuse/fuse}${plain}"
  "$@" 2>&1 | cut -c1-110 | sed 's/^/  /'
}

# The 128-bit accesses in the PTX of a program: how many, and the first.
show_wide_accesses() {
  local ptx
  ptx=$("$fuse" inspect "$1" --chip sm_90 --emit=ptx)
  local kind accesses
  for kind in ld st; do
    accesses=$(grep -E "^\s+$kind\.global\S*\.v4\.b32" <<<"$ptx")
    echo "  128-bit $([[ $kind == ld ]] && echo loads || echo stores) in its PTX:" \
      "$(wc -l <<<"$accesses"), as $(head -n 1 <<<"$accesses" | tr -s '\t ' ' ')"
  done
}

demonstrate() {
  local name=$1 dim=$2 file=examples/$1.mlir
  echo "${title}== $name ==${plain}"
  grep -v '^//' "$file" | sed 's/^/  | /'
  show "$fuse" inspect "$file" --chip sm_90 --expect-bits=128
  [[ $("$fuse" inspect "$file" --chip sm_90 | tail -n 1) == '1 kernel' ]] || {
    echo "demo: expected one kernel of $file, but got more" >&2
    return 1
  }
  show_wide_accesses "$file"
  show "$fuse" run "$file" --dim "$dim" --verify
  echo
}

demonstrate rope_interleaved tokens=256
demonstrate gelu rows=512
demonstrate softmax rows=512
demonstrate rms_norm rows=512
demonstrate swiglu rows=128
echo "Five programs, one kernel each, right against the f64 oracle."
echo "More: examples/, docs/tutorial.md, and 'build/bin/fuse --help'."
