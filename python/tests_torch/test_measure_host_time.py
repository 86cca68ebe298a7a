# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/bench/measure_host_time.py, and what a call may cost the host at most."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools/bench/measure_host_time.py"


def test_calls_cost_less_than_they_may(tmp_path):
    out = tmp_path / "host.json"
    command = [sys.executable, str(SCRIPT), "--device=cpu", f"--out={out}"]
    subprocess.run([*command, "--batches=20"], check=True, capture_output=True)
    found = json.loads(out.read_text())["host_us"]
    # Bounds of regressions, not of speed: other work on the machine costs some of it. Through
    # ctypes a call takes four times as long as by the extension, which takes both of these.
    assert found["C: fuseCallRun"] < found["program"] < 4 * found["torch: add"]
    assert found["program, out= given"] < 2 * found["program"]
    assert found["torch.compile, fuse"] < 2 * found["torch.compile, aot_eager"]
