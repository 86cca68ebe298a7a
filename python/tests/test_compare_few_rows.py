# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparison of few rows in a graph, as far as it needs no GPU."""

import pytest
from bench import compare_contractions, compare_few_rows
from bench.peers import contraction_cases, decoding_report

ROWS = (1, 2, 4, 8, 16, 32, 64)


def entry(rows, fuse, cublas, read, wrong=0, **others):
    times = {"fuse": fuse, "cublas": cublas, "cublaslt": 2 * cublas, "read": read}
    times |= others
    return {
        "name": f"model o bf16 {rows}x32x16",
        "shape": [rows, 32, 16],
        "kernels": ["#fuse.mma<...>"],
        "graph": {name: {"median": us} for name, us in times.items()},
        "errors": {"fuse": {"max": 0.5, "wrong": wrong}},
    }


def test_a_graph_reads_more_than_any_cache_has():
    for case in contraction_cases.decoding_cases(ROWS):
        weights, calls = compare_few_rows.weights_of(case)
        _, n, k = case.shape
        # Between two calls with the same weight, the others are read.
        assert (weights - 1) * n * k * 2 >= 8 * 50e6
        assert calls % weights == 0 and calls >= 12


def test_all_large_weights_of_both_models():
    shapes = {case.shape for case in contraction_cases.decoding_cases(ROWS)}
    assert {(1, 4608, 3584), (64, 4096, 4096), (8, 28672, 4096)} <= shapes
    # 26 MB.
    assert (1, 3584, 3584) not in shapes


def test_peers_of_products_are_asked_for_as_in_the_other_comparison():
    arguments = compare_few_rows.parse_arguments(["--quack", "tuned", "--rows", "1,8"])
    assert arguments.quack == "tuned" and not arguments.compile
    cases = compare_few_rows.decoding(arguments)
    assert {case.shape[0] for case in cases} == {1, 8}
    assert {case.set for case in cases} <= compare_contractions.PRODUCTS


def test_the_fastest_right_peer_counts():
    one = entry(1, fuse=10, cublas=12, read=9, **{"compile-max": 11})
    assert decoding_report.ratio(one) == pytest.approx(1.1)
    one["errors"]["compile-max"] = {"max": 1, "wrong": 2}
    assert decoding_report.ratio(one) == pytest.approx(1.2)


def test_shares_are_of_the_fastest_read_of_the_run():
    entries = [entry(1, 10, 12, read=8), entry(8, 10, 12, read=9)]
    assert decoding_report.table(entries)[2:] == [
        "| 1 | 1 | 1.20 | 1.20: model o | 0.80 | 0.80 | 1.00, 0.90 of a read | 1 |",
        "| 8 | 1 | 1.20 | 1.20: model o | 0.80 | 0.80 | 1.00, 0.80 of a read | 0 |",
    ]


def test_behind_the_peer_is_missed():
    entries = [entry(16, 10, 9.9, read=9), entry(32, 10, 9.9, read=9)]
    assert [
        row.split("|")[-2].strip() for row in decoding_report.table(entries)[2:]
    ] == [
        "1",
        "0",
    ]


def test_wrong_results_have_no_figure():
    wrong = entry(1, 10, 12, read=9, wrong=3)
    assert len(decoding_report.table([wrong])) == 2
    assert "WRONG: 3 elements" in decoding_report.line(wrong)
