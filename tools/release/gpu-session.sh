#!/usr/bin/env bash
# gpu-session.sh [PHASE...]: everything that needs a GPU, with the binaries that
# pack-release.sh has put into .carry/. Each phase has a time limit and a log in
# $OUT; a phase that fails does not stop the next.
# Libraries that fetch_peers.py has put into .carry/peers/ are found, too.
#
#   info      the GPU, and what the driver finds on the machine
#   examples  every example in all element types and many sizes, on the oracle
#   tests     GoogleTests of the CUDA runtime, pytest of the Python package
#   sanitize  compute-sanitizer: memcheck and racecheck, small sizes
#   fuzz      random programs against the oracle, also under other schedules
#   sanitize_random  memcheck, racecheck, initcheck, synccheck of random programs
#   math      the error of every unary op on every f16, bf16 and f32: math.json
#   bench     fuse bench of the examples, with and without a profiler: bench.json
#   tuning    measured schedules against chosen ones: tuned.json, tuning.json
#   peers     against torch, Triton and a copy: peers.json and peers.md
#   sweep     schedules that nothing proposes, by the plan in SWEEP_PLAN: sweep.json
#   design    a designed sweep of schedules: drawn by DESIGN_ARGS, or as DESIGN_PLAN
#             has it: measured.jsonl, samples.npz
#   grid      the same over families, row lengths and element types: grid.json
#   torch     the Python tests with torch, each file in a process of its own
#   models    models of transformers against torch.compile: models.json
#
# FUSE_SESSION_SECONDS (570) is for all phases; peers and grid take what is left.
# PEERS_ARGS goes to compare_peers.py ("--only softmax"), GRID_ARGS to
# compare_grid.py ("--dtypes bf16"), which goes on with the results in GRID_FROM;
# BENCH_FILES are the grids and programs of fuse bench; FUZZ_COUNT is the number of
# random programs, FUZZ_SEED the first. TUNING_ARGS goes to tune_grid.py, which takes
# TUNING_SECONDS (300). MODELS_ARGS goes to compare_models.py, TORCH_ARGS to pytest. LOG_LINES (40) of each phase's log are printed. What is compiled
# is kept for a later run in FUSE_CACHE_DIR, if set.
# shellcheck disable=SC2317 # Phases are called by name.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit

out=${OUT:-gpu-results}
mkdir -p "$out"
end=$((SECONDS + ${FUSE_SESSION_SECONDS:-570}))
phases=("$@")
[[ ${#phases[@]} -gt 0 ]] || phases=(info examples tests sanitize math peers)

fail() {
  echo "gpu-session: $*" >&2
  exit 1
}

# ARCHIVE FOLDER: unpacks several archives in one, too, as fetch_peers.py writes them.
extract() {
  python3 -c 'import sys, tarfile
tarfile.open(sys.argv[1], ignore_zeros=True).extractall(sys.argv[2])' "$1" "$2" ||
    fail "expected $1 to unpack, but it did not"
}

unpack() {
  home=$(mktemp -d)
  local archive=.carry/fuse.tar.xz
  [[ -f $archive ]] ||
    fail "expected $archive, but it is missing; run tools/release/pack-release.sh"
  extract "$archive" "$home"
  for archive in .carry/peers/*/site.tar.xz; do
    [[ -f $archive ]] || continue
    extract "$archive" "$home/site"
    export PYTHONPATH=$home/site
  done
  export PATH=$home/bin:/usr/local/cuda/bin:$PATH
  export FUSE_LIBRARY=$home/lib/libfuse_compiler.so FUSE_COMMIT
  export FUSE_CACHE_DIR=${FUSE_CACHE_DIR:-$home/cache} PYTHONUNBUFFERED=1
  FUSE_COMMIT=$(cat .carry/COMMIT)
}

info() {
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm,clocks.mem --format=csv
  fuse doctor
}

examples() {
  python3 tools/release/gpu_examples.py verify --jobs 12 --seconds 140
}

tests() {
  local status=0
  local suite
  for suite in "$home"/bin/*Tests; do
    "$suite" --gtest_brief=1 || status=1
  done
  python3 -m pytest -q -p no:cacheprovider python/tests || status=1
  return "$status"
}

sanitize() {
  python3 tools/release/gpu_examples.py sanitize --jobs 4 --seconds 110
}

fuzz() {
  python3 tools/fuzz/fuzz.py --tool "$home/bin/fuse-crosscheck" \
    --tool-option=--check=gpu,gpu-schedules --count "${FUZZ_COUNT:-10000}" \
    --seed "${FUZZ_SEED:-1000000}" --jobs "$(($(nproc) - 1))" --keep "$out" --no-reduce \
    --seconds "${FUZZ_SECONDS:-400}"
}

sanitize_random() {
  python3 tools/fuzz/sanitize_random.py --tool "$home/bin/fuse-crosscheck" \
    --count "${SANITIZE_COUNT:-300}" --jobs 8
}

math() {
  python3 tools/accuracy/op_accuracy.py --target cuda --merge "$out/math.json"
}

tuning() {
  # shellcheck disable=SC2086 # Several words.
  python3 tools/tuning/tune_grid.py --out "$out" --budget "${TUNING_SECONDS:-300}" \
    ${TUNING_ARGS:-}
  python3 tools/tuning/tuning_report.py "$out/tuned.json"
}

peers() {
  # shellcheck disable=SC2086 # Several words.
  python3 tools/bench/compare_peers.py --out "$out" --budget $((end - SECONDS - 15)) \
    ${PEERS_ARGS:-}
}

bench() {
  # shellcheck disable=SC2086 # Several files.
  fuse bench --check-elements 4000000 --json "$out/bench.json" \
    ${BENCH_FILES:-tools/bench/bench-grid.json}
  fuse bench --check-elements 0 --profile --dim rows=32768 examples/softmax.mlir
}

grid() {
  if [[ -n ${GRID_FROM:-} ]]; then
    cp "$GRID_FROM" "$out/grid.json"
  fi
  # shellcheck disable=SC2086 # Several words.
  python3 tools/bench/compare_grid.py --out "$out" --budget $((end - SECONDS - 15)) \
    ${GRID_ARGS:-}
}

sweep() {
  python3 tools/tuning/sweep_schedules.py --plan "$SWEEP_PLAN" --out "$out" \
    --budget $((end - SECONDS - 15))
}

design() {
  [[ -f ${DESIGN_PLAN:=$out/plan.json} ]] ||
    python3 tools/tuning/design_sweep.py --fuse-opt "$home/bin/fuse-opt" \
      --out "$DESIGN_PLAN" ${DESIGN_ARGS:-}
  python3 tools/tuning/run_design.py --plan "$DESIGN_PLAN" \
    --out "$out/measured.jsonl" --seconds $((end - SECONDS - 32))
  python3 tools/tuning/schedule_samples.py "$out/measured.jsonl" "$out/samples.npz"
}

# A file's log is printed when it is done: what is slow does not hide the others.
torch() {
  local pids=() status=0 file pid
  for file in python/tests_torch/test_*.py; do
    (
      log=$out/$(basename "$file" .py).log
      # shellcheck disable=SC2086 # Several words.
      FUSE_TORCH_DEVICE=cuda PYTHONPATH=python:${PYTHONPATH:-} python3 -m pytest -q \
        -p no:cacheprovider "$file" ${TORCH_ARGS:-} >"$log" 2>&1
      code=$?
      echo "$file: $(tail -n 1 "$log")"
      grep -E '^(FAILED|ERROR|E  )' "$log" | head -n 40
      exit "$code"
    ) &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do
    wait "$pid" || status=1
  done
  return "$status"
}

models() {
  # shellcheck disable=SC2086 # Several words.
  python3 tools/bench/compare_models.py --out "$out/models.json" \
    --total $((end - SECONDS - 15)) ${MODELS_ARGS:-}
}

# Runs a phase in a shell of its own, so that timeout can end all of it.
run_phase() {
  local phase=$1 limit=$2 start=$SECONDS status
  ((limit > end - SECONDS)) && limit=$((end - SECONDS))
  if ((limit <= 5)); then
    echo "$phase: no time left"
    return 1
  fi
  export -f "${phase?}"
  export home out end
  timeout --kill-after=5 "$limit" bash -c "SECONDS=$SECONDS; $phase" >"$out/$phase.log" 2>&1
  status=$?
  echo "$phase: exit code $status in $((SECONDS - start)) s"
  tail -n "${LOG_LINES:-40}" "$out/$phase.log" | sed 's/^/  /'
  return "$status"
}

declare -A limits=([info]=30 [design]=570 [examples]=150 [tests]=90 [sanitize]=120 [math]=150 [fuzz]=450
  [sanitize_random]=300 [bench]=120 [tuning]=540 [peers]=600 [grid]=600
  [sweep]=600 [torch]=300 [models]=600)
failures=0
for phase in "${phases[@]}"; do
  [[ -n ${limits[$phase]:-} ]] ||
    fail "expected a phase of ${!limits[*]}, but got '$phase'; see the top of this file"
done
unpack
for phase in "${phases[@]}"; do
  run_phase "$phase" "${limits[$phase]}" || failures=$((failures + 1))
done
rm -rf "$home"
echo "gpu-session: $failures of ${#phases[@]} phases failed"
exit $((failures > 0))
