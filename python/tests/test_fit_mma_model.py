# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of tensor cores' tiles, and the numbers that it ships with."""

import re
import statistics

import fit_mma_model as fit
import pytest
from peers import packed


@pytest.fixture(name="cases", scope="module")
def fixture_cases():
    return packed.read_json(fit.SWEEP)


def test_the_shipped_numbers_are_those_of_the_target():
    text = (fit.ROOT / "lib" / "Target" / "GPUTarget.cpp").read_text()
    target = text.partition("makeSM90() {")[2].partition("return t;")[0]

    def of(name):
        return float(re.search(rf"t\.{name} = ([\d.e]+);", target)[1])

    shipped = fit.Numbers()
    assert shipped.l2_bytes_per_clock == of("l2BytesPerClock")
    assert shipped.l2_port_bytes_per_clock == of("l2PortBytesPerClock")
    assert shipped.cluster_bytes_per_clock == of("clusterBytesPerClock")
    assert shipped.cluster_meeting_clocks == of("clusterMeetingClocks")
    assert shipped.mma_step_clocks == of("mmaStepClocks")
    assert shipped.multicast_step_clocks == of("multicastStepClocks")
    assert shipped.clock_hertz == of("sustainedClockHertz")


def test_what_is_chosen_is_near_the_fastest(cases):
    cold = fit.losses(cases, fit.Numbers(), kinds=("us",))
    assert len(cold) == 52
    assert statistics.mean(cold) < 1.02
    assert max(cold) < 1.15
    both = fit.losses(cases, fit.Numbers())
    assert statistics.mean(both) < 1.03
    assert max(both) < 1.2


def test_other_numbers_choose_worse(cases):
    free = fit.Numbers(cluster_bytes_per_clock=1e9, cluster_meeting_clocks=0)
    assert fit.score(cases, free) > fit.score(cases, fit.Numbers())
