# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/bench/profile_grid.py, as far as it needs no GPU: what it makes of ncu's table."""

import pytest
from bench import profile_grid
from bench.peers import counters, grid_report

STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
COLUMNS = (
    "ID",
    "Kernel Name",
    *counters.METRICS,
    STALL.format("long_scoreboard"),
    STALL.format("barrier"),
    STALL.format("wait"),
)


def table(*launches):
    """ncu's CSV: its own lines, a header, units, and a line a launch."""
    lines = ["==PROF== Connected", ",".join(f'"{name}"' for name in COLUMNS)]
    lines.append(",".join('""' for _ in COLUMNS))
    for number, values in enumerate(launches):
        cells = [str(number), "softmax", *values]
        lines.append(",".join(f'"{cell}"' for cell in cells))
    return "\n".join(lines)


def launch(nanoseconds="2,000", waves="1.5"):
    percents = ["80.04", "70", "60", "50", "40", waves]
    return [nanoseconds, "500", "400", "64", *percents, "6", "3.7", "0.3"]


def entry(**more):
    return {
        "family": "softmax",
        "set": "stream",
        "dtype": "bf16",
        "shape": [8, 64],
        "bytes": 1000,
        "schedule": "#fuse.rows<threads = 128>",
        "fuse_us": 2.0,
        "copy_us": 1.0,
        **more,
    }


def test_a_launch():
    (found,) = counters.read_launches(table(launch()))
    profile = counters.profile_of([found], num_bytes=1000, num_elements=512)
    assert profile == {
        "us": 2.0,
        "read": 0.5,
        "written": 0.4,
        "dram": 80.0,
        "l2": 70.0,
        "l1": 60.0,
        "issue": 50.0,
        "occupancy": 40.0,
        "waves": 1.5,
        "instructions": 4.0,
        "waits": {"long_scoreboard": 60.0, "barrier": 37.0},
    }


def test_launches_of_a_case_are_added():
    both = counters.read_launches(table(launch(), launch("3000", "inf")))
    profile = counters.profile_of(both, num_bytes=1000, num_elements=512)
    assert profile["us"] == 5.0
    assert profile["read"] == 1.0
    # Of the longest, whose waves are not known.
    assert profile["waves"] is None


def test_profiles_find_their_cases():
    entries = [entry(), entry(dtype="f32"), entry(dtype="f16")]
    done = [
        {"key": grid_report.key_of(entries[1]), "launches": 2},
        {"key": grid_report.key_of(entries[0]), "launches": 1},
        {"key": grid_report.key_of(entries[2]), "launches": 1},
    ]
    # The last one's was not written.
    launches = counters.read_launches(table(launch(), launch(), launch("7000")))
    found = profile_grid.with_profiles(entries, done, launches)
    assert found[0]["profile"]["us"] == 7.0
    assert found[1]["profile"]["us"] == 4.0
    assert "profile" not in found[2]


def test_those_under_their_bar_are_chosen():
    slow, fast = entry(), entry(dtype="f32", fuse_us=1.0)
    chosen = profile_grid.chosen(
        [fast, slow], profile_grid.parse_arguments(["grid.json"])
    )
    assert chosen == [slow]
    everything = profile_grid.parse_arguments(["grid.json", "--all"])
    assert profile_grid.chosen([fast, slow], everything) == [slow, fast]


def test_a_line_of_the_table_has_counters():
    (found,) = counters.read_launches(table(launch()))
    profile = counters.profile_of([found], num_bytes=1000, num_elements=512)
    line = grid_report.missed_bars([entry(profile=profile, read_us=1.5)])[2]
    assert line.endswith(
        "| 75.0 | 0.50 + 0.40 | 80 / 70 / 60 / 50 | 1.5 | 4.0 | loads 60, barrier 37 |"
    )


def test_no_counters(tmp_path, monkeypatch):
    grid = tmp_path / "grid.json"
    grid.write_text("[]")
    monkeypatch.setattr("sys.argv", ["profile_grid.py", str(grid), "--ncu", "true"])
    with pytest.raises(SystemExit, match="expected counters from ncu"):
        profile_grid.main()
